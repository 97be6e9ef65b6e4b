"""What is said of conversations that passed, and what records hold for those who draw them."""

from __future__ import annotations

import pytest
from pantry import scenario

from pytest_toolsandbox.agents.scripted import counterexample, oracle
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.output.pages.messages import CellChange, message_views
from pytest_toolsandbox.output.pages.record_view import failure_page
from pytest_toolsandbox.output.pages.view import Compared, compared_lines
from pytest_toolsandbox.records.record import Record, read_record
from pytest_toolsandbox.runs.trial import play_trial

FORK = """
user: {opening: Put tea and rice in.}
milestones:
  looked: {call: {list_items: {}}}
  tea_in: {guardrails: none, after: [looked], call: {add_item: {name: tea}}}
  rice_in: {guardrails: none, after: [looked], call: {add_item: {name: rice}}}
  told: {guardrails: none, after: [tea_in, rice_in], says: {mentions: [done]}}
solutions:
  right: [list_items: {}, add_item: {name: tea}, add_item: {name: rice}, say: It is done.]
counterexamples: {forgets: [list_items: {}, add_item: {name: tea}, say: It is done.]}
"""


@pytest.fixture(scope="module")
def fork() -> Scenario:
    return scenario(FORK)


def passed(scene: Scenario) -> Record:
    return read_record(play_trial(scene, oracle(scene)).record)


def failed(scene: Scenario) -> Record:
    return read_record(play_trial(scene, counterexample(scene)).record)


def test_a_record_has_the_edges_of_the_graph(fork: Scenario) -> None:
    after = {event.name: event.after for event in passed(fork)["milestones"]}
    assert after == {
        "looked": (),
        "tea_in": ("looked",),
        "rice_in": ("looked",),
        "told": ("tea_in", "rice_in"),
    }


def test_a_record_has_the_calls_of_the_closest_solution(fork: Scenario) -> None:
    calls = [(call.expected, call.message) for call in failed(fork)["closest_solution"]]
    assert calls == [
        ("list_items()", 2),
        ("add_item(name='tea')", 4),
        ("add_item(name='rice')", None),
    ]


def test_the_page_of_one_that_passed(fork: Scenario) -> None:
    page = failure_page(passed(fork)).splitlines()
    assert page[0] == "score 1.00 of 1 (4 of 4 milestones reached)"
    assert not any(line.startswith("error patterns") for line in page)


def test_what_a_message_changed_is_told_cell_by_cell(fork: Scenario) -> None:
    changes = [change for message in message_views(passed(fork)) for change in message.changes]
    assert [(change.table, change.before) for change in changes] == [("item", None)] * 2
    assert "'tea'" in str(changes[0].after)


def test_a_row_that_changes_shows_the_cells_alone() -> None:
    scene = scenario(
        "state: {door: {open: false}}\nuser: {opening: Open it.}\n"
        "milestones: {open: {state: {door: {open: true}}}}\nsolutions: {right: [open_door: {}]}\n"
    )
    (change,) = (
        row_change for message in message_views(passed(scene)) for row_change in message.changes
    )
    assert change == CellChange("door", "", "open", "false", "true")


def test_long_values_stand_below_each_other() -> None:
    assert list(compared_lines(Compared("says", "a", "b"))) == ["      - says: expected a, found b"]
    assert list(compared_lines(Compared("says", "a" * 60, "b" * 60))) == [
        "      - says:",
        f"          expected {'a' * 60}",
        f"          found    {'b' * 60}",
    ]
