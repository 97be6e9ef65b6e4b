"""The proof of queries: solutions answer them, and wrong or idle answers do not."""

from __future__ import annotations

import pytest
from pantry import scenario

from pytest_toolsandbox.authoring.proof.query_proof import Answers, prove_query
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.scoring.results import Opinion

LOOKS = "[list_items: {}, finish: {answer: rice}]"
MISTYPED = """[
    {list_items: {}}, {weigh: {name: {from: {call: list_items, path: "[0].amount"}}}},
    {finish: {answer: rice}},
  ]"""
LONG = "[weigh: {name: rice}, list_items: {}, weigh: {name: salt}, finish: {answer: rice}]"
QUERY = f"""
query: What is there most of?
answer: rice
max_calls: 3
solutions:
  looks: {LOOKS}
  says: [list_items: {{}}, say: There is rice most of all.]
counterexamples:
  guesses: [list_items: {{}}, finish: {{answer: salt}}]
"""
REMEDY = "; play it: pytest --agent=oracle:looks"


def test_a_good_query() -> None:
    assert prove_query(scenario(QUERY)).findings == []


@pytest.mark.parametrize(
    ("old", "new", "findings"),
    [
        (
            LOOKS,
            "[finish: {answer: flour}]",
            ["solution 'looks' gives the wrong answer 'flour': expected mentions rice" + REMEDY],
        ),
        (LOOKS, MISTYPED, ["solution 'looks' has findings: IAT name for weigh" + REMEDY]),
        (LOOKS, LONG, ["solution 'looks' does not conclude within 3 calls" + REMEDY]),
        ("finish: {answer: salt}", "finish: {answer: Not salt but rice}", []),
        (
            "query: What is there most of?",
            "query: Say what there is most of, rice or salt.",
            ["an agent that repeats the question passes"],
        ),
        (
            "answer: rice\n",
            "answer: {regex: '(?s).*'}\n",
            [
                "an agent that does nothing passes",
                "an agent that only says 'Done!' passes",
                "an agent that repeats the question passes",
            ],
        ),
    ],
)
def test_what_is_wrong(old: str, new: str, findings: list[str]) -> None:
    assert old in QUERY
    assert prove_query(scenario(QUERY.replace(old, new))).findings == findings


def test_a_counterexample_that_differs_in_words_alone_needs_a_judge() -> None:
    scene = scenario(QUERY.replace("finish: {answer: salt}", "finish: {answer: Not salt but rice}"))
    assert prove_query(scene).unread == ["counterexample 'guesses'"]
    for verdict, problems in (("false", []), ("right", ["counterexample 'guesses' passes"])):
        proof = prove_query(scene, lambda *_, verdict=verdict: Opinion(verdict, "rice", "No."))
        assert (proof.findings, proof.unread) == (problems, [])


def test_without_a_solution() -> None:
    assert prove_query(scenario("query: How much?\nanswer: 5 g")).findings == ["it has no solution"]


CITY = "mentions: [Cordal, 1571]"
SAID = "Cordal was founded in 1571"


def city(
    answer: str = CITY, message: str = SAID, steps: str = "{each: [QUI-01, KSH-02]}"
) -> Scenario:
    return scenario(
        "world: queries.data\nquery: Which mountain city has most people, and how old is it?\n"
        f"answer: {{{answer}}}\nsolutions:\n  one:\n"
        "    - search_cities: {min_elevation_m: 1000}\n"
        f"    - get_city_indicator: {{city_id: {steps}, indicator: population}}\n"
        f"    - say: {message!r}\n"
    )


def test_every_kind_is_made_and_none_passes() -> None:
    proof = prove_query(city())
    assert (proof.findings, proof.survivors) == ([], [])
    assert proof.made == proof.died
    assert proof.made == {"answer changed": 2, "answer emptied": 1, "call dropped": 3}


def test_what_is_changed() -> None:
    rival, figure, empty = [text for _, text in Answers(city()).wrong()]
    assert rival.endswith(" was founded in 1571")
    assert not rival.startswith("Cordal")
    assert (figure, empty) == ("Cordal was founded in 2571", "")


def test_a_figure_in_a_name_is_part_of_the_name() -> None:
    texts = [text for _, text in Answers(city(message="QUI-01: Cordal, 1571")).wrong()]
    assert not [text for text in texts if "QUI-11" in text]


@pytest.mark.parametrize(
    ("answer", "message", "what"),
    [
        ("mentions: [Cordal]", SAID, "answer changed, 'Cordal was founded in 2571'"),
        ("mentions: [1571]", "In 1571", None),
    ],
)
def test_survivors(answer: str, message: str, what: str | None) -> None:
    survivors = prove_query(city(answer, message)).survivors
    survivor_words = [f"{survivor.kind}, {survivor.what}" for survivor in survivors]
    assert survivor_words == [] if what is None else what in survivor_words
    assert {survivor.reason for survivor in survivors} <= {"nothing asks for more"}


def test_right_answers_pass_in_other_words() -> None:
    finding = "a right answer in other words does not pass: 'The answer is: "
    problems = prove_query(city("regex: ^Cordal.*1571$")).findings
    assert [problem[: len(finding)] for problem in problems[:1]] == [finding]
