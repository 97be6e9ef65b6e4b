"""Amounts in an answer: the right one in other notations and units, and others beside it."""

from __future__ import annotations

import pytest
from pantry import scenario

from pytest_toolsandbox.agents.scripted import scripted
from pytest_toolsandbox.conversation.play import ask
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
        ("{mentions: 692}", "692 minutes", "692 minutes or 720 minutes", "720 minutes"),
    ],
)
def test_other_amounts(answer: str, said: str, text: str, extra: str) -> None:
    assert [one.note for one in differences(answer, said, text)] == [f"also: {extra}"]
