"""The proof of queries: solutions answer them without a fault, and nothing cheap does."""

from __future__ import annotations

import pytest
from pantry import scenario

from pytest_toolsandbox.authoring.proof.query_proof import prove_query
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


def test_a_good_query() -> None:
    assert prove_query(scenario(QUERY)).findings == []


@pytest.mark.parametrize(
    ("old", "new", "findings"),
    [
        (
            LOOKS,
            "[finish: {answer: flour}]",
            [
                (
                    "solution 'looks' gives the wrong answer 'flour': expected mentions rice"
                    "; play it: pytest --agent=oracle:looks"
                )
            ],
        ),
        (
            LOOKS,
            MISTYPED,
            [
                (
                    "solution 'looks' has findings: IAT name for weigh"
                    "; play it: pytest --agent=oracle:looks"
                )
            ],
        ),
        (
            LOOKS,
            LONG,
            [
                (
                    "solution 'looks' does not conclude within 3 calls"
                    "; play it: pytest --agent=oracle:looks"
                )
            ],
        ),
        (
            "finish: {answer: salt}",
            "finish: {answer: Not salt but rice}",
            [],
        ),
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
    for verdict, found in (("false", []), ("right", ["counterexample 'guesses' passes"])):
        proof = prove_query(scene, lambda *_, verdict=verdict: Opinion(verdict, "rice", "No."))
        assert (proof.findings, proof.unread) == (found, [])


def test_without_a_solution() -> None:
    assert prove_query(scenario("query: How much?\nanswer: 5 g")).findings == ["it has no solution"]
