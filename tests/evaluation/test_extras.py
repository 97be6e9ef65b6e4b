"""Amounts in an answer: the right one in other notations and units, and others beside it."""

from __future__ import annotations

import pytest
from pantry import scenario

from pytest_toolsandbox.agents.scripted import scripted
from pytest_toolsandbox.conversation.play import ask
from pytest_toolsandbox.evaluation.extras import Asked
from pytest_toolsandbox.evaluation.queries import evaluate_query
from pytest_toolsandbox.evaluation.results import Difference
from pytest_toolsandbox.language.steps import SayStep
from pytest_toolsandbox.language.tasks import Query


def differences(answer: str, said: str, text: str) -> tuple[Difference, ...]:
    scene = scenario(
        f"query: How much?\nanswer: {answer}\nsolutions: {{one: [finish: {{answer: {said!r}}}]}}"
    )
    solution, trajectory = (
        ask(scene, scripted(scene, steps)) for steps in (scene.solutions["one"], [SayStep(text)])
    )
    return evaluate_query(scene.task_as(Query), trajectory, (), [solution]).differences


@pytest.mark.parametrize(
    ("answer", "said", "text"),
    [
        ("{mentions: 5400}", "5400 kg", "5.4 t"),
        ("{mentions: 5400}", "5400 kg", "It weighs 5.4 tonnes"),
        ("{mentions: 5400}", "5400 kg", "5,400 kilograms"),
        ("{mentions: 1542}", "1542 euros", "1.542 €"),
        ("{mentions: 1542}", "1542 euros", "€1,542.00"),
        ("{mentions: 1542}", "1542 euros", "1542 EUR"),
        ("{mentions: 692}", "692 minutes", "11h32m"),
        ("{mentions: 692}", "692 minutes", "11 hours and 32 minutes"),
        ("{mentions: [A 7, '2022-09-20']}", "A 7, 2022-09-20", "A 7, on 20/09/2022"),
        ("{regex: '1542'}", "1542", "1542 €"),
        ("{pairs: {A 7: 30, A 8: 50}}", "A 7, kg: 30\nA 8, kg: 50", "30 kg for A 7, 50 kg for A 8"),
    ],
)
def test_right_amounts(answer: str, said: str, text: str) -> None:
    assert differences(answer, said, text) == ()


@pytest.mark.parametrize(
    ("answer", "said", "text", "extra"),
    [
        ("{mentions: 5400}", "5400 kg", "5400 g", "5400 g"),
        ("{mentions: 447}", "447 euros", "447 dollars", "447 dollars"),
        ("{mentions: 447}", "447 euros", "$447", "$447"),
        ("{mentions: 692}", "692 minutes", "692 seconds", "692 seconds"),
        ("{mentions: [[5.5, 5500000]]}", "5.50 dollars", "5,500,000 euros", "5,500,000 euros"),
        ("{mentions: 692}", "692 minutes", "692 minutes or 720 minutes", "720 minutes"),
    ],
)
def test_other_amounts(answer: str, said: str, text: str, extra: str) -> None:
    assert [one.note for one in differences(answer, said, text)] == [f"also: {extra}"]


ADA = "Ada Winter, London"


@pytest.mark.parametrize(
    ("text", "extra"),
    [
        ("Ada Winter or Bob Summer, London", "Bob Summer"),
        ("Either Ada Winter or Bob Summer, London", "Bob Summer"),
        ("Bob Summer or Ada Winter; London", "Bob Summer"),
        ("Ada Winter, London or Paris", "Paris"),
        ("It was Ada Winter or maybe Bob, in London", None),
        ("Ada Winter\nBob Summer\nLondon", "Bob Summer"),
        ("1. Ada Winter\n2. Bob Summer\nLondon", "Bob Summer"),
        ("Ada Winter and Bob Summer, London", "Bob Summer"),
        ("Ada Winter; Bob J. Summer; London", "Bob J. Summer"),
    ],
)
def test_other_names(text: str, extra: str | None) -> None:
    notes = [str(one.note) for one in differences("{mentions: [Winter, London]}", ADA, text)]
    assert notes
    assert extra is None or any(extra in note for note in notes)


@pytest.mark.parametrize(
    "text",
    [
        "Ada Winter, London",
        "Winter in London",
        "**Ada Winter**\n**London**",
        "Name: Ada Winter\nCity: London",
        "FINAL ANSWER: Ada Winter; London",
        "Final Answer: Ada Winter, London",
        "Ada Winter, not Bob Summer, London",
        "Ada Winter (ahead of Bob Summer), London",
        "Ada M. Winter, London",
        "Ada Winter, London (or Londinium, as the Romans said)",
        "The director is Ada Winter, and she was born in London.",
        "Ada Winter or, in other words, A. W., London",
    ],
)
def test_the_right_names_in_other_words(text: str) -> None:
    assert differences("{mentions: [Winter, London]}", ADA, text) == ()


ODDS = {"odds": {"F. Castel": 146, "M. Kova": 225, "L. Brunn": 1236}}


@pytest.mark.parametrize(
    ("text", "extras"),
    [
        ("F. Castel, at +146", []),
        ("F. Castel or M. Kova, +146", ["M. Kova"]),
        ("L. Brunn 1236, F. Castel 146, M. Kova 225", ["L. Brunn 1236", "M. Kova 225"]),
        ("F. Castel at 146, ahead of M. Kova", []),
    ],
)
def test_what_a_table_is_read_by_is_a_name(text: str, extras: list[str]) -> None:
    asked = Asked((("Castel",), (146,)), "Who leads?", ["F. Castel, +146"], [("odds", ODDS)])
    assert asked.extras(text) == extras


def test_a_name_that_has_a_part_of_the_right_one_is_another() -> None:
    games = [{"name": "Pro Font v Sanvito"}, {"name": "Pro Font v Ortavia"}]
    asked = Asked((("Font",), ("Sanvito",)), "Which?", ["Pro Font v Sanvito"], [("games", games)])
    assert asked.extras("Pro Font v Sanvito or Pro Font v Ortavia") == ["Pro Font v Ortavia"]
    assert asked.extras("Pro Font v Sanvito") == []
