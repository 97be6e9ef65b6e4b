"""A look-up that found more than the listed one is as good, if it kept to the question."""

from __future__ import annotations

import pytest
from pantry import scenario

from pytest_toolsandbox.agents.scripted import scripted
from pytest_toolsandbox.conversation.play import ask
from pytest_toolsandbox.evaluation.judging import judge

LISTED = '[{search_contacts: {name: Katherine Lindqvist}}, {finish: {answer: "+14155550111"}}]'


def found(question: str, made: str, solution: str = LISTED) -> list[str]:
    scene = scenario(
        f"world: phone\nquery: {question}\nanswer: '+14155550111'\nsolutions: {{one: {solution}}}\n"
        f"counterexamples: {{made: [{made}, {{finish: {{answer: '+14155550111'}}}}]}}"
    )
    trajectory = ask(scene, scripted(scene, scene.counterexamples["made"]))
    return [finding.words for finding in judge(scene, trajectory).patterns.findings]


@pytest.mark.parametrize(
    ("question", "made", "findings"),
    [
        ("What is my sister's number?", "{search_contacts: {name: Kat}}", []),
        ("What is my sister's number?", "{search_contacts: {is_self: false}}", []),
        (
            "What is Katherine's number?",
            "{search_contacts: {is_self: false}}",
            ["IAV name for search_contacts (missing)", "IAV is_self for search_contacts"],
        ),
        (
            "What is my sister's number?",
            "{search_contacts: {name: Ada}}",
            ["IAV name for search_contacts"],
        ),
    ],
)
def test_more_is_as_good_unless_it_was_asked_for(
    question: str, made: str, findings: list[str]
) -> None:
    assert found(question, made) == findings


def test_one_look_up_may_stand_for_several() -> None:
    both = LISTED.replace("[", "[{search_contacts: {relationship: coworker}}, ", 1)
    assert found("Which number is it?", "{search_contacts: {is_self: false}}", both) == []
    assert found("Which coworker is it?", "{search_contacts: {is_self: false}}", both) != []
