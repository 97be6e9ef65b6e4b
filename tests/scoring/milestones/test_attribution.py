"""Whose change it was: what user and agent did to the same tables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from handset import ABROAD, played, scenario
from hypothesis import given, strategies as st

from pytest_toolsandbox.calls.tool_call import ToolCall
from pytest_toolsandbox.conversation.messages import Message, Trajectory, message_to
from pytest_toolsandbox.language.mistakes import ScenarioError
from pytest_toolsandbox.language.roles import Role
from pytest_toolsandbox.scoring.milestones.attribution import states_by
from pytest_toolsandbox.scoring.milestones.evaluate import evaluate
from pytest_toolsandbox.scoring.results import Evaluation
from pytest_toolsandbox.worlds.state import State, Table

Rows = Sequence[dict[str, Any]]


def trajectory(start: Rows, *changes: tuple[Role, Rows]) -> Trajectory:
    """Return a trajectory in which the roles change the table ``t`` by calls, one by one."""
    state = State({"t": Table(start), "u": Table([])})
    first, messages, states = state, list[Message](), list[State]()
    for place, (role, rows) in enumerate(changes):
        call = ToolCall(f"{place}", "change", "{}")
        messages.append(message_to(role, Role.EXECUTION_ENVIRONMENT, "", call))
        states.append(state)
        state = state.with_table("t", Table(rows))
        messages.append(message_to(Role.EXECUTION_ENVIRONMENT, role, "null", call))
        states.append(state)
    return Trajectory(tuple(messages), tuple(states), first)


def last(path: Trajectory, party: Any) -> list[dict[str, Any]]:
    rows = [dict(row) for row in states_by(path, party)[-1]["t"]]
    return sorted(rows, key=lambda row: str(sorted(row.items())))


A, U = Role.AGENT, Role.USER


@pytest.mark.parametrize(
    ("start", "changes", "by_agent", "by_user"),
    [
        # Both change columns of the single row.
        (
            [{"wifi": False, "air": True}],
            [(A, [{"wifi": True, "air": True}]), (U, [{"wifi": True, "air": False}])],
            [{"wifi": True, "air": True}],
            [{"wifi": False, "air": False}],
        ),
        # What the agent undoes after a change of the user is undone.
        (
            [{"wifi": False, "air": True}],
            [
                (A, [{"wifi": True, "air": True}]),
                (U, [{"wifi": True, "air": False}]),
                (A, [{"wifi": False, "air": False}]),
            ],
            [{"wifi": False, "air": True}],
            [{"wifi": False, "air": False}],
        ),
        # The agent overwrites what the user has set.
        (
            [{"wifi": False}],
            [(U, [{"wifi": True}]), (A, [{"wifi": False}])],
            [{"wifi": False}],
            [{"wifi": True}],
        ),
        # Rows come and go.
        (
            [{"id": 1}, {"id": 2}],
            [(U, [{"id": 1}, {"id": 2}, {"id": 3}]), (A, [{"id": 2}, {"id": 3}, {"id": 4}])],
            [{"id": 2}, {"id": 4}],
            [{"id": 1}, {"id": 2}, {"id": 3}],
        ),
        # The agent changes a row of the user.
        (
            [{"id": 1, "n": 0}],
            [
                (U, [{"id": 1, "n": 0}, {"id": 2, "n": 0}]),
                (A, [{"id": 1, "n": 0}, {"id": 2, "n": 5}]),
            ],
            [{"id": 1, "n": 0}, {"id": 2, "n": 5}],
            [{"id": 1, "n": 0}, {"id": 2, "n": 0}],
        ),
        # The agent removes a row that the user has changed.
        (
            [{"id": 1, "n": 0}, {"id": 2, "n": 0}],
            [(U, [{"id": 1, "n": 9}, {"id": 2, "n": 0}]), (A, [{"id": 2, "n": 0}])],
            [{"id": 2, "n": 0}],
            [{"id": 1, "n": 9}, {"id": 2, "n": 0}],
        ),
        # The agent removes a row of the user: it has changed nothing of its own.
        (
            [{"id": 1}],
            [(U, [{"id": 1}, {"id": 2}]), (A, [{"id": 1}])],
            [{"id": 1}],
            [{"id": 1}, {"id": 2}],
        ),
    ],
)
def test_each_party_has_its_own_changes(
    start: Rows, changes: list[tuple[Role, Rows]], by_agent: Rows, by_user: Rows
) -> None:
    path = trajectory(start, *changes)
    assert last(path, "agent") == by_agent
    assert last(path, "user") == by_user
    assert states_by(path, "any") is path.states


CELLS = st.sampled_from(["wifi", "air", "name"])
STEPS = st.lists(st.tuples(st.sampled_from([A, U]), CELLS, st.integers(0, 2)), max_size=8)


@given(STEPS)
def test_who_changes_columns_of_its_own_answers_for_these_alone(
    steps: list[tuple[Role, str, int]],
) -> None:
    """If no column is changed by both, each state is what the calls of one party make of it."""
    owner: dict[str, Role] = {}
    own_steps = [step for step in steps if owner.setdefault(step[1], step[0]) is step[0]]
    rows = [{"wifi": 0, "air": 0, "name": 0}]
    changes = []
    for role, name, value in own_steps:
        rows.append({**rows[-1], name: value})
        changes.append((role, [rows[-1]]))
    path = trajectory([rows[0]], *changes)
    for party, role in (("agent", A), ("user", U)):
        expected = {n: v if owner.get(n) is role else 0 for n, v in rows[-1].items()}
        assert last(path, party) == [expected] if changes else True


def test_without_calls_of_the_user_nothing_is_made() -> None:
    path = trajectory([{"n": 0}], (A, [{"n": 1}]), (A, [{"n": 2}]))
    assert states_by(path, "agent") is path.states
    assert states_by(path, "user")[-1] == path.start


USER_WRITES = ABROAD.replace(
    "        - check_signal\n      say: {from: {call: check_signal, path: text, format: "
    '"Done. It says {} now."}}\n',
    "        - write_down: {text: x}\n      say: Done.\n",
)
assert USER_WRITES != ABROAD


def judged(text: str, name: str | None = None) -> Evaluation:
    scene = scenario(text)
    return evaluate(scene, played(scene, name))


@pytest.mark.parametrize("further", ["", "protected: [note]\n", "guardrails: all\n"])
def test_the_agent_does_not_answer_for_the_user(further: str) -> None:
    result = judged(USER_WRITES + further)
    assert result.passed
    assert result.side_effects == result.protected == ()


@pytest.mark.parametrize(
    ("further", "where"), [("", "side_effects"), ("protected: [note]\n", "protected")]
)
def test_the_agent_answers_for_what_it_does_to_the_same_table(further: str, where: str) -> None:
    text = USER_WRITES.replace("    - say: Great", "    - add_note: {text: y}\n    - say: Great")
    result = judged(text + further)
    (change,) = getattr(result, where)
    assert change.table == "note"
    assert not result.passed


def test_the_agent_answers_for_a_column_of_the_row_that_the_user_changes() -> None:
    pushed = "    - push_settings: {airplane_mode: true}\n    - say: Great"
    result = judged(ABROAD.replace("    - say: Great", pushed) + "protected: [phone]\n")
    (change,) = result.protected
    assert change.table == "phone"
    assert judged(ABROAD + "protected: [phone]\n").protected == ()


def test_what_must_be_unchanged_must_not_be_changed_by_the_agent() -> None:
    since = "note: {unchanged: true, since: allowed}"
    state = "works: {state: {phone: {airplane_mode: false}"
    text = USER_WRITES.replace(state, f"{state}, {since}")
    assert judged(text).passed
    adds = "    - add_note: {text: y}\n    - say: I allowed"
    assert not judged(text.replace("    - say: I allowed", adds)).passed


MINE = "minefields: {{off: {{state: {{phone: {{airplane_mode: false}}}}{by}}}}}\n"


@pytest.mark.parametrize(
    ("by", "hit"), [("", False), (", by: agent", False), (", by: user", True), (", by: any", True)]
)
def test_a_minefield_of_tables_is_hit_by_whom_it_says(by: str, hit: bool) -> None:
    (mine,) = judged(ABROAD + MINE.format(by=by)).minefields
    assert mine.reached is hit


def test_a_minefield_is_hit_by_the_agent_in_a_state_that_the_user_made() -> None:
    mine = "minefields: {m: {state: {phone: {airplane_mode: false}}, says: {contains: Great}}}\n"
    assert judged(ABROAD + mine).minefields[0].reached


def test_a_milestone_may_say_who_must_bring_it_about() -> None:
    state = "works: {state: {phone: {airplane_mode: false}}"
    by_user = ABROAD.replace(f"{state}}}", f"{state}, by: user}}")
    assert judged(by_user).passed
    pushed = "    - push_settings: {airplane_mode: false}\n    - say: Done, as you see."
    by_agent = by_user.replace(
        "    - say: I allowed roaming. Please turn airplane mode off.", pushed
    )
    assert not judged(by_agent).passed
    assert judged(by_agent.replace(", by: user", "")).passed


CALLS = """\
milestones:
  looked: {call: check_signal, by: user, after: []}
  allowed: {call: {allow_roaming: {on: true}}, after: [looked]}
  off: {call: {set_airplane_mode: {on: false}}, by: user, after: [allowed]}
  twice: {tried: {any_of: [check_signal, allow_roaming]}, by: any, after: [off]}
"""


def test_milestones_of_calls_are_of_the_agent_unless_they_say_by_whom() -> None:
    head, _, tail = ABROAD.partition("milestones:")
    text = head + CALLS + tail[tail.index("solutions:") :]
    result = judged(text)
    assert [event.reached for event in result.milestones] == [True] * 4
    path = played(scenario(text))
    assert result.milestones[0].snapshot == path.user_calls[0].answer
    mine = "minefields: {m: {tried: set_airplane_mode}, n: {tried: any, by: user}}\n"
    mines = judged(ABROAD + mine).minefields
    assert [event.reached for event in mines] == [False, True]


@pytest.mark.parametrize(
    ("event", "line"),
    [
        ("{call: check_signal}", "a.call: check_signal is a tool of the user; write by: user"),
        ("{call: allow_roaming, by: user}", "a.call: unknown tool 'allow_roaming' (allowed: set_"),
        ("{says: x, by: user}", "a.by: by needs call, tried or state"),
        ("{call: check_signal, by: them}", "a.by: expected agent, user or any, found the text"),
        ("{call: write_down, by: user}", "a.call: the user does not have write_down; check user_"),
        ("{tried: check_sginal, by: user}", "a.tried: unknown tool 'check_sginal'; did you mean"),
    ],
)
def test_mistakes(event: str, line: str) -> None:
    text = "world: handset\nuser: {opening: Hi.}\nuser_tools: [check_signal]\nmilestones:\n"
    with pytest.raises(ScenarioError) as caught:
        scenario(f"{text}  a: {event}\n")
    assert f": milestones.{line}" in str(caught.value)


def test_turns_begin_with_the_calls_of_the_user() -> None:
    looked = "  looked: {call: check_signal, by: user, turn: 2, after: []}\n  allowed: {after: [], "
    text = ABROAD.replace("  allowed: {", looked)
    assert judged(text).passed
    assert judged(text.replace("turn: 2", "turn: 1")).passed
    assert not judged(text.replace("turn: 2", "turn: 3")).passed
