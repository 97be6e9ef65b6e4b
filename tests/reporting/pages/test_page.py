from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from pytest_toolsandbox import (
    Evaluation,
    Message,
    Scenario,
    Trajectory,
    evaluate,
    load_file,
    play,
    scripted_user,
)
from pytest_toolsandbox.agents.scripted import counterexample
from pytest_toolsandbox.evaluation.error_patterns.patterns import ErrorPatterns
from pytest_toolsandbox.language.roles import Role
from pytest_toolsandbox.reporting.pages.constraint_text import asked, columns_asked
from pytest_toolsandbox.reporting.pages.differences import number
from pytest_toolsandbox.reporting.pages.milestones import milestones_page
from pytest_toolsandbox.reporting.pages.page import error_page, trials_page

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
counterexamples:
  backwards:
    - say: "Well?"
    - get_current_timestamp: {}
    - search_contacts: {name: Ada}
"""

MILESTONES = """\
milestones
  reached  found  1.00  at [7]
  reached  timed  1.00  at [7]
  missed   told   0.00  nearest at [2]
      - says:
          expected a value from the result of another milestone's call
          found    'Well?' (there is none)
      - after.timed: expected at [7] or later, like timed, found [2]
  missed   kept   0.00  nothing near it
      - state.reminder.added:
          expected 2 rows: {content: like 'one', latitude: null} and {content: contains 'two'}
          found    none
  reached  same   1.00  at [7]
  missed   empty  0.00  nearest at [1]
      - state.reminder.rows:
          expected 0 rows
          found    10 rows: {reminder_id: '76c49489-aeeb-5c82-8412-bd5a96781f07', \
content: 'Return the library books', creation_timestamp: 1746027000.0 (2025-04-30 08:30), \
reminder_timestamp: 1746406800.0 (2025-05-04 18:00), latitude: 37.7785, longitude:...
      - state.setting, wifi: expected false, found true
      - after.same: expected at [7] or later, like same, found [1]

"""

NOTHING = ErrorPatterns(())


@pytest.fixture
def scenario(tmp_path: Path) -> Scenario:
    file = tmp_path / "backwards.scenario.yaml"
    file.write_text(SCENARIO)
    (loaded,) = load_file(file)
    return loaded


def played(scenario: Scenario) -> tuple[Trajectory, Evaluation]:
    trajectory = play(scenario, counterexample(scenario), scripted_user(scenario))
    return trajectory, evaluate(scenario, trajectory)


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
    assert asked(scenario.milestones[event].constraints[place]) == words


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
    assert columns_asked(scenario.milestones[event].constraints[place]) == columns


def test_what_came_too_early_or_from_nowhere(scenario: Scenario) -> None:
    trajectory, result = played(scenario)
    page = milestones_page(scenario, trajectory, result, NOTHING)
    start = page.index("milestones\n")
    assert page[start : page.index("conversation")] == MILESTONES


def test_a_search_that_gave_up_says_so(scenario: Scenario) -> None:
    trajectory, result = played(scenario)
    text = "The search for the best mapping ran out of its budget: scores may be higher."
    assert text not in milestones_page(scenario, trajectory, result, NOTHING)
    given_up = replace(result, exact=False)
    assert text in milestones_page(scenario, trajectory, given_up, NOTHING).splitlines()


@pytest.mark.parametrize(
    ("score", "written"),
    [
        (0, "0.00"),
        (0.004, "0.00"),
        (1 / 3, "0.33"),
        (0.375, "0.38"),
        (0.996, "0.99"),
        (1 - 1e-12, "0.99"),
        (1.0, "1.00"),
    ],
)
def test_scores(score: float, written: str) -> None:
    assert number(score) == written


def test_errors() -> None:
    hello = Message(Role.USER, Role.AGENT, "Hello", (Role.USER, Role.AGENT))
    assert error_page("no route", Trajectory((), (), {})) == "no route"  # type: ignore[arg-type]
    assert error_page("no route", Trajectory((hello,), (), {})) == (  # type: ignore[arg-type]
        "no route\n\nconversation so far\n  [ 0] user -> agent         Hello"
    )


@pytest.mark.parametrize(
    ("pages", "trials", "text"),
    [
        ({1: "a\nb"}, 1, "a\nb"),
        ({2: "a\nb"}, 2, "1 of 2 trials failed; trial 2: a\nb"),
        ({1: "a", 2: "a"}, 2, "2 of 2 trials failed; trials 1, 2: a"),
        (
            {1: "a", 2: "b", 4: "a"},
            5,
            "3 of 5 trials failed; trials 1, 4: a\n\ntrial 2: b",
        ),
    ],
)
def test_trials(pages: dict[int, str], trials: int, text: str) -> None:
    assert trials_page(pages, trials) == text


REORDERED = """
world: phone
user: {opening: Hello}
state: {setting: {cellular: false}}
protected: [reminder]
milestones: {told: {says: {exact: Never.}}}
counterexamples:
  at_once:
    - parallel:
        - set_cellular_service_status: {on: true}
        - add_reminder: {content: Pay rent, reminder_timestamp: 1748768400}
        - send_message_with_phone_number: {phone_number: "+14155550111", content: Hi}
"""


def test_the_call_that_changed_a_protected_table_is_named_whatever_the_order(
    tmp_path: Path,
) -> None:
    file = tmp_path / "reordered.scenario.yaml"
    file.write_text(REORDERED)
    (scene,) = load_file(file)
    trajectory = play(scene, counterexample(scene), scripted_user(scene))
    page = milestones_page(scene, trajectory, evaluate(scene, trajectory), ErrorPatterns(()))
    lines = page.splitlines()
    assert lines[lines.index("protected tables") + 1] == "  changed  reminder  at [5]"
    assert "by add_reminder(content='Pay rent'" in page
    assert [line.partition("  (")[2][:9] for line in lines if "(to [" in line] == [
        "to [3])  ",
        "to [4])  ",
        "to [2])  ",
    ]
