"""What solutions do, worked out once."""

from __future__ import annotations

from dataclasses import replace

import pytest
from pantry import played, scenario

from pytest_toolsandbox.conversation import solutions
from pytest_toolsandbox.conversation.solutions import played_solutions
from pytest_toolsandbox.language.variants import variant
from pytest_toolsandbox.scoring.judging import judge

TEXT = """
milestones:
  there: {state: {item: {includes: [{name: tea, amount: 2}]}}}
solutions:
  added: [{list_items: {}}, {add_item: {name: tea, amount: 2}}, say: Done.]
  at_once: [{parallel: [{list_items: {}}, {add_item: {name: tea, amount: 2}}]}, say: Done.]
counterexamples:
  nothing: [say: Done.]
"""


def test_the_calls_of_solutions_as_written_and_as_made() -> None:
    both = played_solutions(scenario(TEXT))
    assert [[call.step.tool for call in calls] for calls in both] == [
        ["list_items", "add_item"]
    ] * 2
    assert both[0][1].arguments == {"name": "tea", "amount": 2}
    assert both[0][1].look_up_result is None
    assert both[0][1].made.changed_the_world


def test_judging_plays_solutions_once_for_all_trials_and_variants(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    scene = scenario(TEXT)
    first = judge(scene, played(scene, "nothing"))
    assert [finding.words for finding in first.patterns.findings] == [
        "IAC list_items",
        "IAC add_item",
    ]
    conversation = played(scene, "nothing")
    monkeypatch.setattr(solutions, "converse", None)
    assert judge(scene, conversation) == first
    assert judge(replace(scene, feedback=True), conversation) == first
    scrambled = variant(scene, "all_tools_available")
    assert judge(scrambled, conversation) == first
