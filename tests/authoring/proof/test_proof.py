"""What is shown of scenarios of every protocol, and in which augmentations solutions are played."""

from __future__ import annotations

import pytest
from pantry import scenario
from replayed import recorded

from pytest_toolsandbox.agents.scripted import oracle
from pytest_toolsandbox.authoring.proof.proof import RENAMING, prove, shortfalls
from pytest_toolsandbox.conversation.play import converse
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.language.variants import AUGMENTATIONS, variant
from pytest_toolsandbox.users.user import scripted_user

FILLS = """
feedback: on
solutions: {fills: [{add_item: {name: tea}}, {fail: {how: plain}}, {say: Done.}]}
"""
QUERY = """
query: What is there?
answer: rice
solutions: {looks: [{list_items: }, {give: {what: tuple}}, {finish: {answer: rice}}]}
"""


@pytest.mark.parametrize("scene", [scenario(FILLS), scenario(QUERY), recorded()])
def test_a_solution_is_the_same_in_the_other_augmentations(scene: Scenario) -> None:
    for name in AUGMENTATIONS.keys() - set(RENAMING):
        other = variant(scene, name)
        ours, theirs = (
            converse(played, oracle(played), scripted_user(played)) for played in (scene, other)
        )
        assert (ours.messages[1:], ours.states) == (theirs.messages[1:], theirs.states)


def test_a_solution_is_played_as_it_is_written_and_with_scrambled_names() -> None:
    played: list[str | None] = []

    def shortfall(scene: Scenario, what: str) -> str | None:
        played.append(scene.variant)
        return what if scene.variant else None

    assert list(shortfalls(scenario(FILLS), "it", shortfall)) == [
        "it [tool_name_scrambled]",
        "it [argument_name_scrambled]",
    ]
    assert played == [None, *RENAMING]


def test_what_falls_short_as_it_is_written_is_not_played_again() -> None:
    assert list(shortfalls(scenario(FILLS), "it", lambda _, what: what)) == ["it"]


MISTYPED = """
state: {door: {open: false}}
milestones: {opened: {state: {door: {open: true}}}}
solutions:
  weighs:
    - open_door:
    - list_items:
    - weigh: {name: {from: {call: list_items, path: "[0].amount"}}}
    - say: Done.
counterexamples: {waits: [say: Later.]}
"""


def test_no_solution_may_show_an_error_pattern() -> None:
    assert prove(scenario(MISTYPED)).findings == [
        "solution 'weighs' has findings: IAT name for weigh"
    ]
