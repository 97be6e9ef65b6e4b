"""The page of a record, of an item with several trials, and where trials part."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pantry
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
    play_trial,
    scripted_user,
)
from pytest_toolsandbox.agents.scripted import counterexample
from pytest_toolsandbox.conversation.messages import message_to
from pytest_toolsandbox.language.roles import Role
from pytest_toolsandbox.output.pages.record_view import (
    error_page,
    failure_page,
    parting_lines,
    trials_page,
)
from pytest_toolsandbox.records.configuration import agent_record
from pytest_toolsandbox.records.record import Budget, ConversationRecord
from pytest_toolsandbox.records.writing import as_line
from pytest_toolsandbox.runs.trial import broken
from pytest_toolsandbox.scoring.error_patterns.patterns import ErrorPatterns
from pytest_toolsandbox.scoring.judging import Judgement, judge

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


def test_errors() -> None:
    hello = message_to(Role.USER, Role.AGENT, "Hello")
    record: ConversationRecord = {"messages": [], "snapshots": [], "tool_calls": []}
    record["untried_orders"] = []
    assert error_page("no route", record) == "no route"
    assert error_page("no route", {**record, "messages": [hello]}) == (
        "no route\n\nconversation so far\n  [ 0] user -> agent         Hello"
    )


def ended_trial(scene: Scenario, number: int, outcome: str) -> Trial:
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
    trials = [ended_trial(scene, *each) for each in enumerate(outcomes, 1)]
    assert trials_page(trials).text == text


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


OPEN = "milestones: {told: {says: {mentions: [open]}}}"


def spoken_trial(number: int, *says: str) -> Trial:
    left = list(says)
    agent: Callable[..., Any] = lambda _messages, _tools: left.pop(0)  # noqa: E731
    return play_trial(pantry.scenario(OPEN), agent, number=number)


def test_trials_that_say_the_same_do_not_part() -> None:
    assert parting_lines([spoken_trial(1, "It is open."), spoken_trial(2, "It is open.")]) == []


def test_they_part_from_the_first_that_passed() -> None:
    trials = [
        spoken_trial(1, "No."),
        spoken_trial(2, "It is open."),
        spoken_trial(3, "It is open."),
        spoken_trial(4, "No."),
    ]
    assert parting_lines(trials) == [
        "trial 2 and trials 1, 4 part at [2]",
        "  trial 2      agent -> user         It is open.",
        "  trials 1, 4  agent -> user         No.",
    ]


def test_each_way_is_told_and_not_too_many() -> None:
    trials = [spoken_trial(number, f"No {number}.") for number in range(1, 7)]
    lines = parting_lines(trials)
    assert [line for line in lines if "part at" in line] == [
        f"trial 1 and trial {number} part at [2]" for number in (2, 3, 4)
    ]
    assert lines[-1] == "and 2 more ways"


def test_one_that_ends_earlier() -> None:
    short, long = spoken_trial(1, "No."), spoken_trial(2, "No.")
    more = replace(long.trajectory, messages=(*long.trajectory.messages, *long.trajectory.messages))
    assert parting_lines([short, replace(long, trajectory=more)])[:2] == [
        "trial 1 and trial 2 part at [5]",
        "  trial 1  nothing more",
    ]


def pattern_lines(text: str) -> list[str]:
    """Return the lines about error patterns on the page of the counterexample."""
    scene = pantry.scenario(text)
    trajectory = pantry.played(scene, "wrong")
    judgement = judge(scene, trajectory)
    assert not judgement.passed
    trial = Trial("a::b", 1, agent_record("x"), scene, trajectory, judgement)
    page = failure_page(trial.record).splitlines()
    return [line.strip() for line in page if line.startswith("error patterns") or "IAC" in line]


USER = """
milestones:
  looked: {call: {list_items: {}}}
  told: {says: {mentions: [rice]}}
minefields: {emptied: {state: {item: {excludes: [{name: salt}]}}}}
solutions: {right: [list_items: {}, say: There is rice.]}
counterexamples: {wrong: %s}
"""
TRIED = """
minefields: {looked: {tried: {list_items: {}}}}
milestones: {told: {says: {mentions: [rice]}}}
solutions: {right: [say: There is rice.]}
counterexamples: {wrong: [list_items: {}, say: There is rice.]}
"""
CHANGES = """
milestones: {added: {state: {item: {added: [{name: rice}]}}}}
counterexamples: {wrong: %s}
"""
ASKS = """
milestones: {asked: {user_says: I do not know.}, told: {says: {mentions: [rice]}}}
solutions: {right: [say: Which one?, say: There is rice.]}
counterexamples: {wrong: [say: There is rice.]}
user: {opening: Hi, otherwise: I do not know.}
"""
QUERY = """
query: What is there most of?
answer: rice
solutions: {looks: [list_items: {}, finish: {answer: rice}]}
counterexamples: {wrong: [list_items: {}, finish: {answer: salt}]}
"""
RACE = """
state: {door: {open: false}}
milestones: {open: {state: {door: {open: true}}}, told: {says: {mentions: [tea]}}}
solutions: {right: [open_door: {}, add_item: {name: tea}, say: There is tea.]}
counterexamples:
  wrong: [parallel: [open_door: {}, add_item: {name: tea}], wiegh: {name: tea}, say: No.]
"""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (USER % "[list_items: {}, say: There is salt.]", ["none, but a wrong report"]),
        (
            USER % "[list_items: {}, remove_item: {name: salt}, say: There is rice.]",
            ["none, but a side effect and a minefield hit"],
        ),
        (
            USER % "[list_items: {}, remove_item: {name: salt}, say: No.]",
            ["none, but a side effect, a minefield hit and a wrong report"],
        ),
        (TRIED, ["none, but a minefield hit"]),
        (CHANGES % "[add_item: {name: tea}, say: There is rice.]", ["none, but a wrong value"]),
        (ASKS, ["none, but it asked nothing"]),
        (QUERY, ["none, but a wrong answer"]),
    ],
)
def test_it_is_said_what_is_wrong_where_there_is_no_pattern(text: str, expected: list[str]) -> None:
    assert pattern_lines(text) == [f"error patterns: {each}" for each in expected]


def test_the_call_that_lost_a_race_is_blamed() -> None:
    first, why = pattern_lines(RACE)
    assert first == "error patterns: IFN 1, IAC 1"
    assert why == (
        "^ IAC made, but as a call that failed, since it happened before those made at once with "
        "it: add_item(name='tea')"
    )
