"""An agent that errs by schedule: feedback helps it, and nothing else does."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from feedback import GIVEN_UP, SUITE, erring, played
from pantry import scenario
from replayed import recorded

from pytest_toolsandbox.conversation.messages import Trajectory
from pytest_toolsandbox.conversation.play import converse
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.models.errors import AgentError
from pytest_toolsandbox.output.error_table import error_lines
from pytest_toolsandbox.scoring.judging import judge
from pytest_toolsandbox.users.user import scripted_user

QUERY = """
query: What is there most of?
answer: rice
solutions:
  looks:
    - list_items:
    - weigh: {name: salt}
    - weigh: {name: {from: {call: list_items, path: "[0].name"}}}
    - weigh: {name: rice}
    - weigh: {name: flour}
    - list_items:
    - weigh: {name: tea}
    - finish: {answer: rice}
"""
BAKING = """
milestones: {filled: {state: {item: {includes: [{name: flour, amount: 2}]}}}}
solutions:
  asks:
    - add_item: {name: flour, amount: 2}
    - say: Done.
"""


def held(scene: Scenario, *, feedback: bool) -> Trajectory:
    scene = replace(scene, feedback=feedback)
    return converse(scene, erring(scene), scripted_user(scene))


def test_the_agent_makes_the_four_kinds_of_errors_in_turn() -> None:
    scene = replace(scenario(QUERY), feedback=True)
    judgement = judge(scene, held(scene, feedback=True))
    assert [finding.pattern for finding in judgement.patterns.findings] == [
        "IFN",
        "IAN",
        "IAT",
        "IFE",
    ]
    assert judgement.passed


def test_without_feedback_it_gives_up() -> None:
    scene = scenario(QUERY)
    trajectory = held(scene, feedback=False)
    assert trajectory.messages[-2].call is not None
    assert GIVEN_UP in trajectory.messages[-2].call.arguments
    assert not judge(scene, trajectory).passed


@pytest.mark.parametrize("scene", [scenario(BAKING), recorded()], ids=["user", "recorded"])
def test_the_agent_errs_under_every_protocol(scene: Scenario) -> None:
    assert judge(scene, held(scene, feedback=True)).passed
    assert not judge(scene, held(scene, feedback=False)).passed


def test_the_erring_agent_needs_a_solution() -> None:
    with pytest.raises(AgentError, match="has no solution in which it could err"):
        erring(scenario("protected: [bin]"))


def test_the_figures_of_the_documentation() -> None:
    page = Path(__file__).parents[1] / "docs" / "error-patterns.md"
    header, *rows = error_lines(list(played(SUITE)))
    arms = [row for row in rows if row.startswith("feedback") and row.split()[2] == "150"]
    assert "\n".join([header, *arms]) in page.read_text(encoding="utf-8")
