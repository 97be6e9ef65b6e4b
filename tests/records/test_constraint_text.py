"""What constraints ask for, in words."""

from __future__ import annotations

import pytest

from pytest_toolsandbox import Scenario
from pytest_toolsandbox.language.tasks import Milestones
from pytest_toolsandbox.output.pages.wording import constrained_columns, describe_constraint
from pytest_toolsandbox.protocols import read_file

SCENARIO = """
world: phone
user: {opening: Hello}
tools: [search_contacts, get_current_timestamp, add_reminder]
milestones:
  found: {call: {search_contacts: {name: Ada}}}
  timed: {call: {any_of: [get_current_timestamp, {search_contacts: {name: {regex: A.*}}}]}}
  told: {says: {mentions: [{from: {milestone: timed}}]}}
  kept:
    state:
      reminder:
        added: [{content: one, latitude: null}, {content: {contains: two}}]
  same: {guardrails: none, state: {contact: {unchanged: true, since: told}}}
  empty: {state: {reminder: {rows: []}, setting: {wifi: false, cellular: true}}}
"""


@pytest.fixture
def scenario() -> Scenario:
    (loaded,) = read_file(SCENARIO.encode(), "test", "test.yaml", {})
    return loaded


@pytest.mark.parametrize(
    ("event", "place", "words"),
    [
        ("found", 0, "search_contacts(name: 'Ada')"),
        ("timed", 0, "get_current_timestamp() or search_contacts(name: matches /A.*/)"),
        ("told", 0, "a value from timed"),
        ("kept", 0, "{content: like 'one', latitude: null} and {content: contains 'two'}"),
        ("same", 0, "no change since told"),
        ("empty", 0, "no rows"),
        ("empty", 1, "{wifi: false, cellular: true}"),
    ],
)
def test_what_is_asked(scenario: Scenario, event: str, place: int, words: str) -> None:
    assert (
        describe_constraint(scenario.task_as(Milestones).milestones[event].constraints[place])
        == words
    )


@pytest.mark.parametrize(
    ("event", "place", "columns"),
    [
        ("kept", 0, ("content", "latitude")),
        ("empty", 0, ()),
        ("empty", 1, ("wifi", "cellular")),
        ("told", 0, ()),
    ],
)
def test_columns_that_are_asked_for(
    scenario: Scenario, event: str, place: int, columns: tuple[str, ...]
) -> None:
    assert (
        constrained_columns(scenario.task_as(Milestones).milestones[event].constraints[place])
        == columns
    )
