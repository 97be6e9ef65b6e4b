"""Answers that are made of a right one."""

from __future__ import annotations

import pytest
from pantry import scenario

from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.proof.answers import Answers
from pytest_toolsandbox.proof.queries import prove_query

CITY = "mentions: [Cordal, 1571]"
SAID = "Cordal was founded in 1571"


def city(answer: str = CITY, said: str = SAID, steps: str = "{each: [QUI-01, KSH-02]}") -> Scenario:
    return scenario(
        "world: queries.data\nquery: Which mountain city has most people, and how old is it?\n"
        f"answer: {{{answer}}}\nsolutions:\n  one:\n"
        "    - search_cities: {min_elevation_m: 1000}\n"
        f"    - get_city_indicator: {{city_id: {steps}, indicator: population}}\n"
        f"    - say: {said!r}\n"
    )


def test_every_kind_is_made_and_none_passes() -> None:
    proof = prove_query(city())
    assert (proof.findings, proof.survivors) == ([], [])
    assert proof.made == proof.died
    assert proof.made == {
        "answer left open": 6,
        "answer denied": 6,
        "answer changed": 8,
        "answer emptied": 1,
        "call dropped": 3,
    }


def test_what_is_changed() -> None:
    changed = [text for kind, text in Answers(city()).wrong() if kind == "answer changed"]
    rival = changed[0].partition(" was ")[0]
    assert rival != "Cordal"
    assert changed[:6] == [
        f"{rival} was founded in 1571",
        f"Cordal or {rival} was founded in 1571",
        f"{rival} or Cordal was founded in 1571",
        f"Cordal / {rival} was founded in 1571",
        f"Cordal and {rival} was founded in 1571",
        f"{SAID}\n{rival}",
    ]
    assert changed[6] == "Cordal was founded in 2571"
    assert rival in changed[7].splitlines()


def test_numbers_change_places() -> None:
    wrong = Answers(city(said="Cordal, 1571 people in 12 years")).wrong()
    assert "Cordal, 12 people in 1571 years" in [text for _, text in wrong]


def test_a_figure_in_a_name_is_part_of_the_name() -> None:
    texts = [text for _, text in Answers(city(said="QUI-01: Cordal, 1571")).wrong()]
    assert not [text for text in texts if "QUI-11" in text]


@pytest.mark.parametrize(
    ("answer", "said", "what"),
    [
        ("mentions: [Cordal]", SAID, "answer changed, 'Cordal was founded in 2571'"),
        ("mentions: [1571]", "In 1571", None),
    ],
)
def test_survivors(answer: str, said: str, what: str | None) -> None:
    survivors = prove_query(city(answer, said)).survivors
    told = [f"{one.kind}, {one.what}" for one in survivors]
    assert told == [] if what is None else what in told
    assert {one.reason for one in survivors} <= {"nothing asks for more"}


def test_right_answers_pass_in_other_words() -> None:
    finding = "a right answer in other words does not pass: 'The answer is: "
    found = prove_query(city("regex: ^Cordal.*1571$")).findings
    assert [one[: len(finding)] for one in found[:1]] == [finding]


def test_two_posts_are_no_answer_where_one_is_asked_for() -> None:
    said = "“My mount stops tracking below zero. Ideas?”"
    answers = Answers(
        scenario(
            "world: queries.social\nquery: What does Ana's best-liked post say?\n"
            "answer: My mount stops tracking below zero\nsolutions:\n  one:\n"
            f"    - search_posts: {{author_id: usr-248, sort_by: likes}}\n    - say: {said!r}\n"
        )
    )
    other = "Nine hours of exposure on one small galaxy. Worth it."
    assert answers.pass_with(said)
    assert answers.pass_with(f"{said} Next is “{other}”")
    assert not answers.pass_with(f"{said} or “{other}”")
    assert not answers.pass_with(f"{said}\n{other}")
