from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pytest_toolsandbox import (
    AgentError,
    QueryEvaluation,
    Scenario,
    Trajectory,
    Trial,
    evaluate,
    load_file,
    play,
    scripted_user,
)
from pytest_toolsandbox.agents.scripted import counterexample
from pytest_toolsandbox.conversation.messages import message_to
from pytest_toolsandbox.language.roles import Role
from pytest_toolsandbox.output.pages.record_view import error_page, failure_page, trials_page
from pytest_toolsandbox.output.pages.wording import score_text
from pytest_toolsandbox.records.configuration import agent_record
from pytest_toolsandbox.records.record import Budget, ConversationRecord
from pytest_toolsandbox.records.writing import as_line
from pytest_toolsandbox.runs.trial import broken
from pytest_toolsandbox.scoring.error_patterns.patterns import ErrorPatterns
from pytest_toolsandbox.scoring.judging import Judgement

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
  asked: {says: {contains: Well}}
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
  missed   told   0.00  nearest at [8]
      - says:
          expected a value from the result of another milestone's call
          found    'I have nothing to add.' (there is none)
  missed   kept   0.00  nothing near it
      - state.reminder.added:
          expected 2 rows: {content: like 'one', latitude: null} and {content: contains 'two'}
          found    none
  reached  same   1.00  at [7]
  missed   empty  0.00  nearest at [7]
      - state.reminder.rows:
          expected 0 rows
          found    10 rows: {reminder_id: '76c49489-aeeb-5c82-8412-bd5a96781f07', \
content: 'Return the library books', creation_timestamp: 1746027000.0 (2025-04-30 08:30), \
reminder_timestamp: 1746406800.0 (2025-05-04 18:00), latitude: 37.7785, longitude:...
      - state.setting, wifi: expected false, found true
  missed   asked  0.00  nearest at [2]
      + says
      - after.empty: expected at [7] or later, like empty, found [2]

error patterns: none, but a wrong report

"""

NOTHING = ErrorPatterns(())


@pytest.fixture
def scenario(tmp_path: Path) -> Scenario:
    file = tmp_path / "backwards.scenario.yaml"
    file.write_text(SCENARIO)
    (loaded,) = load_file(file)
    return loaded


@pytest.fixture
def played(scenario: Scenario) -> dict[str, Any]:
    return recorded(scenario)


def recorded(scenario: Scenario) -> dict[str, Any]:
    """Return the record of a scenario's counterexample."""
    trajectory = play(scenario, counterexample(scenario), scripted_user(scenario))
    judgement = Judgement(evaluate(scenario, trajectory), NOTHING)
    return Trial("a::b", 1, agent_record("x"), scenario, trajectory, judgement).record


def test_what_came_too_early_or_from_nowhere(played: dict[str, Any]) -> None:
    page = failure_page(played)
    start = page.index("milestones\n")
    assert page[start : page.index("conversation")] == MILESTONES


@pytest.mark.parametrize(
    ("search", "text"),
    [
        ("matching", "The search for the best mapping ran out of its budget"),
        ("rows", "There were too many rows to try them all with the expected ones"),
    ],
)
def test_a_search_that_gave_up_says_so(search: Budget, text: str, played: dict[str, Any]) -> None:
    assert text not in failure_page(played)
    played["ran_out"] = [*played["ran_out"], search]
    assert f"{text}: scores may be higher." in failure_page(played).splitlines()


def test_a_page_can_be_made_of_a_line_of_a_file(played: dict[str, Any]) -> None:
    assert failure_page(json.loads(as_line(played))) == failure_page(played)


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
    assert score_text(score) == written


def test_errors() -> None:
    hello = message_to(Role.USER, Role.AGENT, "Hello")
    record: ConversationRecord = {"messages": [], "snapshots": [], "tool_calls": []}
    record["untried_orders"] = []
    assert error_page("no route", record) == "no route"
    assert error_page("no route", {**record, "messages": [hello]}) == (
        "no route\n\nconversation so far\n  [ 0] user -> agent         Hello"
    )


def trial(scene: Scenario, number: int, outcome: str) -> Trial:
    """Return a trial that passed, or one that is an error for a reason."""
    nothing = Trajectory((), (), scene.start)
    if outcome == "passed":
        judgement = Judgement(QueryEvaluation(None, answered=True), ErrorPatterns(()))
        return Trial("a", number, agent_record("x"), scene, nothing, judgement)
    return broken(Trial("a", number, agent_record("x"), scene, nothing), AgentError(outcome))


@pytest.mark.parametrize(
    ("outcomes", "text"),
    [
        (["closed"], "closed"),
        (["passed", "a"], "1 of 2 trials could not be scored; trial 2: a\n\ntrial 1: passed"),
        (["a", "a"], "2 of 2 trials could not be scored; trials 1, 2: a"),
        (["a", "b", "a"], "3 of 3 trials could not be scored; trials 1, 3: a\n\ntrial 2: b"),
    ],
)
def test_trials(tmp_path: Path, outcomes: list[str], text: str) -> None:
    file = tmp_path / "trials.scenario.yaml"
    file.write_text("world: phone\nquery: Hello?\nanswer: 1\n")
    (scene,) = load_file(file)
    trials = [trial(scene, *each) for each in enumerate(outcomes, 1)]
    assert trials_page(trials) == text


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
    page = failure_page(recorded(scene))
    lines = page.splitlines()
    assert lines[lines.index("protected tables") + 1] == "  changed  reminder  at [5]"
    assert "by add_reminder(content='Pay rent'" in page
    assert [line.partition("  (")[2][:9] for line in lines if "(to [" in line] == [
        "to [3])  ",
        "to [4])  ",
        "to [2])  ",
    ]
