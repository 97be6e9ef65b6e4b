"""Good files, and what comes out of them."""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from room import load, load_one, mistakes
from rows import every

from pytest_toolsandbox.language.constraints import (
    CallConstraint,
    Constraint,
    Event,
    SaysConstraint,
    StateConstraint,
    StateKind,
)
from pytest_toolsandbox.language.mistakes import ScenarioError
from pytest_toolsandbox.language.roles import ParallelStep, Party, Role, SayStep, ToolStep
from pytest_toolsandbox.language.scenario import Mark, Scenario
from pytest_toolsandbox.language.tasks import Demonstration, Line, Milestones, ScriptedReply
from pytest_toolsandbox.language.values import Expected, FromResult
from pytest_toolsandbox.protocols import load_file
from pytest_toolsandbox.text.regular_expression import RegularExpression
from pytest_toolsandbox.worlds import world as registry
from pytest_toolsandbox.worlds.state import Column, TableSchema, plain
from pytest_toolsandbox.worlds.world import World

ROOM = "world: room\nuser: {opening: Hi}\n"
BERLIN = ZoneInfo("Europe/Berlin")


def at(year: int, month: int, day: int, hour: int = 0) -> float:
    return datetime(year, month, day, hour, tzinfo=BERLIN).timestamp()


def constraints_of(scenario: Scenario, text: str = "a") -> tuple[Constraint, ...]:
    return scenario.task_as(Milestones).milestones[text].constraints


EXAMPLE = """\
summary: The phone has no signal; the agent must find that out, turn it on, and send again.
categories: [state_dependency, multiple_tool_call, single_user_turn]
world: phone
now: 2025-03-14 16:00
state:
  setting: {cellular: false}
  contact:
    added: [{name: Ada Okafor, phone_number: "+14155550123"}]
tools: [search_contacts, send_message_with_phone_number, set_cellular_service_status]

user:
  opening: Text Ada Okafor that the keys are under the blue pot.
  goal: Have a text sent to Ada Okafor that says the keys are under the blue pot.
  knowledge_boundary: You do not know Ada's number. You do not know that the phone has no signal.
  demonstration:
    - {user: Call me a taxi., agent: Where to?}
    - user: Home.
  replies:
    - {when: (which|what) number, say: "I don't have it at hand, she is in my contacts."}

milestones:
  signal_on:
    state: {setting: {cellular: true}}
  contact_found:
    call: {search_contacts: {name: Ada Okafor}}
  text_sent:
    after: [signal_on, contact_found]
    state:
      messaging:
        added: [{recipient_phone_number: "+14155550123", content: the keys are under the blue pot}]
  user_told:
    after: [text_sent]
    says: {mentions: [Ada, [sent, texted, told, done]]}

minefields:
  wrong_person:
    state:
      messaging:
        includes:
          - {recipient_phone_number: {not: "+14155550123"}, content: {contains: blue pot}}

solutions:
  by_trial:
    - search_contacts: {name: Ada Okafor}
    - send_message_with_phone_number:
        phone_number: "+14155550123"
        content: The keys are under the blue pot.
    - set_cellular_service_status: {on: true}
    - send_message_with_phone_number:
        phone_number: "+14155550123"
        content: The keys are under the blue pot.
    - say: Done, I texted Ada that the keys are under the blue pot.
counterexamples:
  gives_up:
    - search_contacts: {name: Ada Okafor}
    - say: I could not send it to Ada.
"""


def test_a_whole_scenario() -> None:
    scenario = load_one(EXAMPLE)
    task = scenario.task_as(Milestones)
    assert (scenario.name, scenario.line) == ("one", 1)
    assert scenario.summary.startswith("The phone has no signal;")
    assert scenario.categories == ("state_dependency", "multiple_tool_call", "single_user_turn")
    assert scenario.world.name == "phone"
    assert scenario.now == datetime(2025, 3, 14, 16, tzinfo=ZoneInfo("America/Los_Angeles"))
    search, send, switch = scenario.tools
    assert (search, send) == ("search_contacts", "send_message_with_phone_number")
    assert switch == "set_cellular_service_status"
    assert [tool["function"]["name"] for tool in scenario.tool_schemas] == list(scenario.tools)
    (setting,) = scenario.start["setting"].rows
    assert setting["cellular"] is False
    assert scenario.start["contact"].rows[-1]["name"] == "Ada Okafor"
    script = task.user_script
    assert script.opening == "Text Ada Okafor that the keys are under the blue pot."
    lines = (Line(Role.USER, "Call me a taxi."), Line(Role.AGENT, "Where to?"))
    demonstration = (*lines, Line(Role.USER, "Home."))
    assert script.demonstration == Demonstration("Call me a taxi.", None, demonstration)
    (reply,) = script.replies
    assert reply.when == RegularExpression("(which|what) number", ignore_case=True)
    assert {name: event.after for name, event in task.milestones.items()} == {
        "signal_on": (),
        "contact_found": (),
        "text_sent": ("signal_on", "contact_found"),
        "user_told": ("text_sent",),
    }
    assert list(task.minefields) == ["wrong_person"]
    assert scenario.solutions["by_trial"][2] == ToolStep(switch, {"on": True})
    assert scenario.counterexamples["gives_up"][1] == SayStep("I could not send it to Ada.")


def with_keys(text: str) -> Scenario:
    """Return a scenario of a room that has these keys."""
    return load_one(f"{ROOM}protected: [note]\n{text}")


def test_what_is_left_out() -> None:
    scenario = with_keys("")
    task, script = scenario.task_as(Milestones), scenario.task.user_script
    assert (scenario.summary, scenario.categories) == ("", ())
    assert (scenario.tags, scenario.marks) == ((), ())
    assert scenario.now == scenario.world.now
    assert scenario.start == scenario.world.start(scenario.now)
    assert scenario.tools == ("switch_lamp", "write_note", "find_notes")  # hang_up is the user's
    assert (script.goal, script.knowledge_boundary, script.demonstration) == (None, None, None)
    assert (script.replies, script.otherwise) == ((), ("I don't have more information.",))
    assert (task.earlier_lines, task.protected) == ((), ("note",))
    assert (task.milestones, task.minefields) == ({}, {})
    assert (scenario.solutions, scenario.counterexamples) == ({}, {})
    assert (scenario.trials, scenario.max_messages, scenario.timeout) == (None, 30, 600)


@every(
    ("text", "attribute", "value"),
    [
        ("trials: 3", "trials", 3),
        ("max_messages: 9", "max_messages", 9),
        ("timeout: 2.5", "timeout", 2.5),
        ("tags: [mine, büro]", "tags", ("mine", "büro")),
        # tools
        ("tools: [write_note]\nwithheld: [switch_lamp]", "tools", ("write_note",)),
        ("withheld: [write_note]", "tools", ("switch_lamp", "find_notes")),
        ("tools: []", "tools", ()),
        # marks
        ("marks: []", "marks", ()),
        ("marks: [slow]", "marks", (Mark("slow"),)),
        ("marks: [{slow: null}]", "marks", (Mark("slow"),)),
        ("marks: [{timeout: 5}]", "marks", (Mark("timeout", (5,)),)),
        ("marks: [a, {b: [5, thread]}]", "marks", (Mark("a"), Mark("b", (5, "thread")))),
        ("marks: [{skip: {reason: broken}}]", "marks", (Mark("skip", (), {"reason": "broken"}),)),
        ("marks: [{usefixtures: server}]", "marks", (Mark("usefixtures", ("server",)),)),
        # the time
        ("now: 2030-01-02 03:04", "now", datetime(2030, 1, 2, 3, 4, tzinfo=BERLIN)),
        ("now: 2030-01-02", "now", datetime(2030, 1, 2, tzinfo=BERLIN)),
        ("now: tomorrow 09:00", "now", datetime(2025, 3, 15, 9, tzinfo=BERLIN)),
        ("now: now+90m", "now", datetime(2025, 3, 14, 17, 30, tzinfo=BERLIN)),
    ],
)  # fmt: skip
def test_keys(text: str, attribute: str, value: Any) -> None:
    assert getattr(with_keys(text), attribute) == value


@every(
    ("text", "line"),
    [
        ("{user: Hi}", Line(Role.USER, "Hi")),
        ("{agent: Hi}", Line(Role.AGENT, "Hi")),
        ("{assistant: Hi}", Line(Role.AGENT, "Hi")),
        ("{system: Hi}", Line(Role.SYSTEM, "Hi")),
        ("{role: assistant, content: Hi}", Line(Role.AGENT, "Hi")),
        ("{user: Hi, visible_to: user}", Line(Role.USER, "Hi", (Role.USER,))),
        (
            "{content: Hi, role: user, visible_to: [agent, user, assistant]}",
            Line(Role.USER, "Hi", (Role.AGENT, Role.USER)),
        ),
    ],
)
def test_history(text: str, line: Line) -> None:
    assert with_keys(f"history: [{text}]").task.earlier_lines == (line,)


def test_replies() -> None:
    user = "user: {opening: Hi, otherwise: Dunno, replies: [{say: Yes}, {when: a|b, say: No}]}"
    script = load_one(f"world: room\n{user}\nprotected: [note]").task.user_script
    pattern = RegularExpression("a|b", ignore_case=True)
    assert script.replies == (ScriptedReply("Yes"), ScriptedReply("No", pattern))
    assert script.otherwise == ("Dunno",)


# --- the state at the start ---------------------------------------------------------------------


def test_a_column_with_an_unknown_matcher(monkeypatch: pytest.MonkeyPatch) -> None:
    note = TableSchema({"text": Column(str, measure="ruge_l")})
    world = World("hall", datetime(2025, 1, 1, tzinfo=BERLIN), {"note": note}, (), lambda _: {})
    monkeypatch.setitem(registry._registered, "hall", world)
    (line,) = mistakes("world: hall\nuser: {opening: Hi}\nmilestones: {a: {says: Hi}}")
    start = "file.yaml:1:8: world: unknown matcher 'ruge_l' as the measure of column 'text' of"
    assert line == f"{start} table 'note'; did you mean 'rouge_l'?"


def rows_of(text: str, table: str = "note") -> list[Any]:
    """Return the rows of a table at the start."""
    return [plain(row) for row in with_keys(f"state: {text}").start[table].rows]


def test_added_rows_are_completed() -> None:
    text = "{note: {added: [{text: tea}, {text: jam, note_id: n9, tags: [a]}]}}"
    first, second = rows_of(text)[2:]
    usual = {"note_id": first["note_id"], "count": 1, "due": None, "tags": []}
    assert first == {**usual, "text": "tea"}
    assert second == {**usual, "note_id": "n9", "text": "jam", "tags": ["a"]}
    assert rows_of(text) == rows_of(text)
    (lamp,) = rows_of("{lamp: {on: true, warmth: 1}}", "lamp")
    assert lamp == {"on": True, "colour": None, "warmth": 1.0, "scenes": []}
    assert type(lamp["warmth"]) is float


@every(
    ("text", "texts"),
    [
        ("{removed: [{text: milk}]}", ["eggs"]),
        ("{removed: [{count: 1}]}", []),
        ("{added: [{text: milk}], removed: [{text: milk}, {text: eggs}]}", ["milk"]),
        ("{rows: []}", []),
        ("{rows: [{text: tea}, {text: tea}]}", ["tea", "tea"]),
        ("{rows: [{text: $find_notes}]}", ["$find_notes"]),  # there are no results yet
    ],
)
def test_rows_at_the_start(text: str, texts: list[str]) -> None:
    assert [row["text"] for row in rows_of(f"{{note: {text}}}")] == texts


def test_the_start_has_moments() -> None:
    text = "{note: {rows: [{text: tea, due: {at: tomorrow 12:00}}]}}\nnow: 2025-03-29 12:00"
    assert rows_of(text)[0]["due"] == at(2025, 3, 30, 12)
    assert at(2025, 3, 30, 12) - at(2025, 3, 29, 12) == timedelta(hours=23).total_seconds()


# --- milestones ---------------------------------------------------------------------------------


def milestones(text: str) -> str:
    return f"{ROOM}milestones:\n  z: {{says: first}}\n  a: {text}\n"


def only(text: str) -> Constraint:
    (constraint,) = constraints_of(load_one(milestones(text)))
    return constraint


@every(
    ("text", "kind", "count", "since"),
    [
        ("{note: {rows: []}}", "rows", 0, None),
        ("{note: {rows: [{count: 2}]}}", "rows", 1, None),
        ("{note: {includes: [{count: 2}, {count: 2}]}}", "includes", 2, None),
        ("{note: {excludes: [{count: 2}]}}", "excludes", 1, None),
        ("{note: {added: [{count: 2}]}}", "added", 1, "start"),
        ("{note: {added: [], since: start}}", "added", 0, "start"),
        ("{note: {removed: [{count: 2}], since: z}}", "removed", 1, "z"),
        ("{note: {updated: [{count: 2}], since: z}}", "updated", 1, "z"),
        ("{note: {unchanged: true}}", "unchanged", 0, "start"),
        ("{note: {since: z, unchanged: true}}", "unchanged", 0, "z"),
        ("{lamp: {unchanged: true, since: z}}", "unchanged", 0, "z"),
    ],
)
def test_blocks_of_state(text: str, kind: StateKind, count: int, since: str | None) -> None:
    table, rows = text[1:5], ({"count": Expected(2)},) * count
    constraint = only(f"{{state: {text}}}")
    by: Party = "agent" if kind == "unchanged" else "any"
    assert constraint == StateConstraint(f"state.{table}.{kind}", table, kind, rows, since, by)
    assert constraint.is_guardrail is (kind == "unchanged")
    assert constraint.references == ({since} if since else set())


def test_the_block_of_a_single_row_is_its_fields() -> None:
    row = {"on": Expected(True), "colour": Expected(None, in_text=True)}
    constraint = StateConstraint("state.lamp", "lamp", "fields", (row,))
    assert only("{state: {lamp: {on: true, colour: null}}}") == constraint


@every(
    ("text", "label", "calls"),
    [
        ("call: find_notes", "call", {"find_notes": {}}),
        ("call: {find_notes: null}", "call", {"find_notes": {}}),
        ("call: {find_notes: {}}", "call", {"find_notes": {}}),
        ("call: {switch_lamp: {on: true}}", "call", {"switch_lamp": {"on": True}}),
        ("tried: {write_note: {copies: 2}}", "tried", {"write_note": {"copies": 2}}),
        ("tried: {fly: {to: {any: where}}}", "tried", {"fly": {"to": {"any": "where"}}}),
        (
            "call: {any_of: [find_notes, {switch_lamp: {on: false}}]}",
            "call",
            {"find_notes": {}, "switch_lamp": {"on": False}},
        ),
        ("tried: {any_of: [fly, {find_notes: null}]}", "tried", {"fly": {}, "find_notes": {}}),
    ],
)
def test_calls(text: str, label: str, calls: dict[str, Any]) -> None:
    constraint = only(f"{{{text}}}")
    assert isinstance(constraint, CallConstraint)
    assert [
        (pattern.tool, {name: cell.value for name, cell in pattern.arguments.items()})
        for pattern in constraint.alternatives
    ] == list(calls.items())
    assert (constraint.label, constraint.tried) == (label, label == "tried")


def test_what_is_said() -> None:
    for text, roles, matcher in (
        ("says: Done", (Role.AGENT, Role.USER), ("rouge_l", 0.5)),
        ("user_says: {contains: thanks}", (Role.USER, Role.AGENT), ("contains", 1.0)),
    ):
        says = only(f"{{{text}}}")
        assert isinstance(says, SaysConstraint)
        assert says.label == text.partition(":")[0]
        assert (says.sender, says.recipient) == roles
        (matcher_of_text,) = says.content.alternatives({})
        assert (matcher_of_text.name, matcher_of_text.threshold) == matcher


def test_several_constraints_at_one_moment() -> None:
    text = "{state: {lamp: {on: true}, note: {rows: []}}, call: find_notes}"
    labels = [constraint.label for constraint in constraints_of(load_one(milestones(text)))]
    assert labels == ["state.lamp", "state.note.rows", "call"]


def cell(row: str, more: str = "", **thresholds: float) -> Expected:
    """Return what is expected in the only column of a row of notes."""
    text = f"{milestones(f'{{state: {{note: {{includes: [{{{row}}}]}}}}}}')}{more}"
    (constraint,) = constraints_of(load_one(text, **thresholds))
    assert isinstance(constraint, StateConstraint)
    (only_cell,) = constraint.rows[0].values()
    return only_cell


@every(
    ("row", "matcher"),
    [
        ("text: buy milk", "rouge_l"),
        ("text: '!?'", "exact"),
        ("note_id: n1", "exact"),
        ("count: 2", "exact"),
        ("due: null", "exact"),
        ("tags: [a, {contains: b}]", "exact"),
        ("text: {contains: milk}", "contains"),
        ("text: {rouge_l: {text: milk, threshold: 0.9}}", "rouge_l"),
        ("text: {mentions: [milk, [eggs, 2]]}", "mentions"),
        ("text: {regex: '^b'}", "regex"),
        ("text: {number: {to: 2, within: 1}}", "number"),
        ("due: {close: {to: {at: now}, within: 60}}", "close"),
        ("count: {any_of: [1, 2]}", "any_of"),
        ("text: {all_of: [{contains: a}, {not: {contains: b}}]}", "all_of"),
        ("note_id: {not: n1}", "not"),
        ("due: {anything: true}", "anything"),
        ("text: {exact: milk}", "exact"),
    ],
)
def test_matchers(row: str, matcher: str) -> None:
    (read,) = cell(row).alternatives({})
    assert read.name == matcher


@every(
    ("scenario", "row", "ini", "threshold"),
    [
        ("", "text: milk", {}, 0.5),
        ("", "text: milk", {"rouge_l": 0.6}, 0.6),
        ("", "text: milk", {"mentions": 0.6}, 0.5),
        ("threshold: 0.7", "text: milk", {"rouge_l": 0.6}, 0.7),
        ("threshold: {rouge_l: 0.7}", "text: milk", {"rouge_l": 0.6}, 0.7),
        ("threshold: {mentions: 0.7}", "text: milk", {"rouge_l": 0.6}, 0.6),
        ("threshold: 0.7", "text: {mentions: milk}", {}, 0.7),
        ("threshold: 0.7", "text: {rouge_l: {text: milk, threshold: 1}}", {}, 1),
        ("threshold: 0", "text: milk", {}, 0),
    ],
)
def test_thresholds(scenario: str, row: str, ini: dict[str, float], threshold: float) -> None:
    (matcher,) = cell(row, scenario, **ini).alternatives({})
    assert matcher.threshold == threshold


def test_the_threshold_of_an_event_is_stronger_and_a_milestone_counts_without_reaching_it() -> None:
    for threshold in (0.9, 0):
        text = milestones(f"{{says: milk, threshold: {threshold}}}") + "threshold: 0.7"
        milestone = load_one(text).task_as(Milestones).milestones["a"]
        (constraint,) = milestone.constraints
        assert isinstance(constraint, SaysConstraint)
        (matcher,) = constraint.content.alternatives({})
        assert matcher.threshold == threshold
        assert not milestone.must_be_reached
        assert milestone.guarded


@every(
    ("text", "value"),
    [
        ("{at: 2025-03-15 17:00}", at(2025, 3, 15, 17)),
        ("{at: now+2h}", at(2025, 3, 14, 18)),
        ("{at: today}", at(2025, 3, 14)),
        ("{any_of: [{at: today}, null]}", {"any_of": [at(2025, 3, 14), None]}),
        (
            "{close: {to: {at: now}, within: 60}}",
            {"close": {"to": at(2025, 3, 14, 16), "within": 60}},
        ),
    ],
)
def test_moments(text: str, value: Any) -> None:
    assert cell(f"due: {text}").value == value


def test_exact_escapes_moments_results_and_matchers() -> None:
    text = "{tried: {fly: {a: {exact: {at: now}}, b: {exact: {from: x}}, c: {exact: {not: 1}}}}}"
    constraint = only(text)
    assert isinstance(constraint, CallConstraint)
    cells = constraint.alternatives[0].arguments
    for name, value in {"a": {"at": "now"}, "b": {"from": "x"}, "c": {"not": 1}}.items():
        (matcher,) = cells[name].alternatives({})
        assert (matcher.name, matcher.similarity(value)) == ("exact", 1.0)


def test_a_value_from_the_result_of_another_milestone() -> None:
    text = """
      z: {call: find_notes}
      a: {call: {write_note: {text: {from: {milestone: z, path: "[0].kind", format: "a {}"}}}}}
      b:
        says: {mentions: [{from: {milestone: z}}, milk]}
        state: {note: {added: [{text: {from: {milestone: a}}}]}}
    """
    scenario = load_one(f"{ROOM}milestones:{text}")
    (called,) = constraints_of(scenario)
    assert isinstance(called, CallConstraint)
    value = called.alternatives[0].arguments["text"].value
    assert value == FromResult("z", "[0].kind", "a {}")
    assert [constraint.references for constraint in constraints_of(scenario, "b")] == [
        {"start", "a"},
        {"z"},
    ]


def test_results_in_short() -> None:
    text = """
milestones:
  z: {call: find_notes}
  a: {call: {write_note: {text: "$z[0].kind"}}}
  b: {says: {any_of: [{mentions: [$z.text, $$z, $5, "$z. It"]}, {exact: $z}]}}
solutions:
  s:
    - find_notes:
    - write_note: {text: "$find_notes[0].kind", tags: [$find_notes, $$find_notes, "$9"]}
    - say: $write_note.text
"""
    scenario = load_one(f"{ROOM}{text}")
    (called,) = constraints_of(scenario)
    assert isinstance(called, CallConstraint)
    assert called.alternatives[0].arguments["text"].value == FromResult("z", "[0].kind")
    (constraint,) = constraints_of(scenario, "b")
    mentioned = {"mentions": [FromResult("z", "text"), "$z", "$5", "$z. It"]}
    assert isinstance(constraint, SaysConstraint)
    assert constraint.content.value == {"any_of": [mentioned, {"exact": "$z"}]}
    tags = [FromResult("find_notes"), "$find_notes", "$9"]
    assert scenario.solutions["s"][1:] == (
        ToolStep("write_note", {"text": FromResult("find_notes", "[0].kind"), "tags": tags}),
        SayStep(FromResult("write_note", "text")),
    )


def test_what_an_event_looks_at_and_constrains() -> None:
    text = """
      z: {call: find_notes}
      y: {state: {lamp: {on: true}}}
      a:
        call: {any_of: [{write_note: {text: {from: {milestone: z}}}}, find_notes]}
        state: {lamp: {on: true}, note: {unchanged: true, since: y}}
      b: {says: done, state: {note: {added: []}}}
    """
    milestones = load_one(f"{ROOM}milestones:{text}").task_as(Milestones).milestones
    references = {name: event.references for name, event in milestones.items()}
    assert references == {"z": set(), "y": set(), "a": {"z", "y"}, "b": {"start"}}
    tables = {name: event.constrained_tables for name, event in milestones.items()}
    assert tables == {"z": set(), "y": {"lamp"}, "a": {"lamp"}, "b": {"note"}}


@every(
    ("events", "after"),
    [
        ({"a": "", "b": "", "c": ""}, {"a": (), "b": ("a",), "c": ("b",)}),
        ({"a": "", "b": "", "c": "after: [a]"}, {"a": (), "b": (), "c": ("a",)}),
        ({"a": "after: []", "b": "", "c": ""}, {"a": (), "b": (), "c": ()}),
        ({"a": "after: null", "b": "", "c": ""}, {"a": (), "b": ("a",), "c": ("b",)}),
        ({"a": "after: c", "b": "", "c": "after: b"}, {"a": ("c",), "b": (), "c": ("b",)}),
        ({"a": "", "b": "", "c": "after: [b, a]"}, {"a": (), "b": (), "c": ("b", "a")}),
    ],
)
def test_the_order_of_milestones(events: dict[str, str], after: dict[str, tuple[str, ...]]) -> None:
    lines = [f"  {name}: {{says: x, {text}}}" for name, text in events.items()]
    task = load_one("\n".join([f"{ROOM}milestones:", *lines])).task_as(Milestones)
    assert {name: event.after for name, event in task.milestones.items()} == after


def test_minefields_are_independent_unless_they_say() -> None:
    text = """
      a: {says: x}
      b: {says: y, before: m, threshold: 0.8}
      c: {says: z, after: [a], guardrails: none}
    """
    scenario = load_one(f"{ROOM}milestones: {{m: {{says: x}}}}\nminefields:{text}")
    minefields = scenario.task_as(Milestones).minefields.values()
    assert [event.after for event in minefields] == [(), (), ("a",)]
    assert [event.before for event in minefields] == [None, "m", None]
    assert [event.guarded for event in minefields] == [{}] * 3
    assert all(event.must_be_reached for event in minefields)


@every(
    ("text", "tables"),
    [
        ("", {"lamp", "note"}),
        ("guardrails: all", {"lamp", "note"}),
        ("guardrails: none", set()),
        ("guardrails: [note]", {"note"}),
        ("guardrails: []", set()),
    ],
)
def test_guardrails(text: str, tables: set[str]) -> None:
    event: Event = load_one(milestones(f"{{says: x, {text}}}")).task_as(Milestones).milestones["a"]
    assert event.guarded.keys() == tables


# --- solutions ----------------------------------------------------------------------------------


def test_solutions() -> None:
    text = """
solutions:
  plain:
    - find_notes:
    - find_notes: {kind: old}
    - switch_lamp: {on: true}
    - say: Done.
  together:
    - parallel: [{find_notes: null}, {write_note: {text: a}}]
    - write_note: {text: {from: {call: write_note, path: text, format: "{}!"}}, copies: 2}
    - write_note: {text: b, tags: [a, {from: {call: find_notes, path: "[0].kind"}}]}
    - say: {from: {call: write_note, path: text}}
"""
    find, kind = ToolStep("find_notes", {}), FromResult("find_notes", "[0].kind")
    copied = {"text": FromResult("write_note", "text", "{}!"), "copies": 2}
    assert with_keys(text).solutions == {
        "plain": (
            find,
            ToolStep("find_notes", {"kind": "old"}),
            ToolStep("switch_lamp", {"on": True}),
            SayStep("Done."),
        ),
        "together": (
            ParallelStep((find, ToolStep("write_note", {"text": "a"}))),
            ToolStep("write_note", copied),
            ToolStep("write_note", {"text": "b", "tags": ["a", kind]}),
            SayStep(FromResult("write_note", "text")),
        ),
    }


def test_counterexamples_have_moments_but_no_matchers_and_may_invent_tools_and_arguments() -> None:
    text = """
withheld: [find_notes]
counterexamples:
  a:
    - fly: {at: {at: now}, to: {contains: x}, as: {exact: 5}}
    - find_notes: {kind: 5, colour: red}
    - switch_lamp:
    - say: {from: {call: fly}}
"""
    there = {"at": at(2025, 3, 14, 16), "to": {"contains": "x"}, "as": {"exact": 5}}
    assert with_keys(text).counterexamples["a"] == (
        ToolStep("fly", there),
        ToolStep("find_notes", {"kind": 5, "colour": "red"}),
        ToolStep("switch_lamp", {}),
        SayStep(FromResult("fly")),
    )


# --- several scenarios in a file ----------------------------------------------------------------

SEVERAL = """\
world: room
user: {opening: Hi, goal: Light}
tags: [mine]
milestones:
  lit: {state: {lamp: {on: true}}}
  told: {says: {mentions: [lamp]}}
solutions: {plain: [{switch_lamp: {on: true}}, {say: The lamp is on.}]}
scenarios:
  easy:
  hard:
    user: {opening: It is dark}
    tags: [hard]
    milestones:
      told: null
      dark: {state: {note: {unchanged: true, since: lit}}}
  other:
    world: phone
    milestones: null
    solutions: null
    protected: [contact]
"""


def test_several_scenarios_share_defaults() -> None:
    easy, hard, other = load(SEVERAL)
    assert [scenario.name for scenario in (easy, hard, other)] == ["easy", "hard", "other"]
    assert [scenario.line for scenario in (easy, hard, other)] == [9, 10, 16]
    assert (easy.task.user_script.opening, hard.task.user_script.opening) == ("Hi", "It is dark")
    assert (easy.task.user_script.goal, hard.task.user_script.goal) == ("Light", "Light")
    assert (easy.tags, hard.tags) == (("mine",), ("hard",))
    assert list(easy.task_as(Milestones).milestones) == ["lit", "told"]
    assert list(hard.task_as(Milestones).milestones) == ["lit", "dark"]
    assert hard.task_as(Milestones).milestones["dark"].after == ("lit",)
    assert easy.solutions == hard.solutions
    assert (other.world.name, other.solutions) == ("phone", {})
    assert other.task_as(Milestones).milestones == {}


def test_the_digest_is_that_of_the_scenario_alone() -> None:
    easy, hard, _ = load(SEVERAL)
    assert re.fullmatch("[0-9a-f]{16}", easy.digest)
    assert easy.digest != hard.digest
    moved = load("# comment\n" + SEVERAL.replace("  hard:", "\n  hard:"))
    assert [scenario.digest for scenario in moved[:2]] == [easy.digest, hard.digest]
    changed = load(SEVERAL.replace("It is dark", "It is too dark"))
    assert changed[0].digest == easy.digest
    assert changed[1].digest != hard.digest


@every("name", ["a", "easy-1", "1", "v1.2", "Übung", "_draft"])
def test_names_of_scenarios(name: str) -> None:
    (scenario,) = load(f"{ROOM}protected: [note]\nscenarios: {{'{name}': null}}")
    assert scenario.name == name


# --- files --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "file", ["room.scenario.yaml", "room.yaml", "room.scenario.yml", "room.yml"]
)
def test_a_scenario_is_named_after_its_file(tmp_path: Path, file: str) -> None:
    path = tmp_path / file
    path.write_text(ROOM + "protected: [note]", encoding="utf-8")
    (scenario,) = load_file(path)
    assert scenario.name == "room"


def test_thresholds_of_the_project_reach_the_matchers(tmp_path: Path) -> None:
    path = tmp_path / "room.yaml"
    path.write_text(milestones("{says: milk}"), encoding="utf-8")
    (scenario,) = load_file(path, thresholds={"rouge_l": 0.25})
    (constraint,) = constraints_of(scenario)
    assert isinstance(constraint, SaysConstraint)
    assert constraint.content.alternatives({})[0].threshold == 0.25


def test_a_file_is_shown_as_it_is_called(tmp_path: Path) -> None:
    path = tmp_path / "room.yaml"
    path.write_bytes(b"")
    text = "1:1: expected a mapping of keys to values; the file is empty"
    with pytest.raises(ScenarioError, match=rf"^{re.escape(str(path))}:{text}$"):
        load_file(path)
    with pytest.raises(ScenarioError, match=rf"^tests/room\.yaml:{text}$"):
        load_file(path, shown="tests/room.yaml")


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(ScenarioError) as caught:
        load_file(tmp_path / "none.yaml", shown="none.yaml")
    assert str(caught.value) == "none.yaml:1:1: the file cannot be read: No such file or directory"
    with pytest.raises(ScenarioError) as caught:
        load_file(tmp_path, shown="folder.yaml")
    assert str(caught.value) == "folder.yaml:1:1: the file cannot be read: Is a directory"
