"""Good files, and what comes out of them."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from pytest_toolsandbox.language.constraints import (
    CallConstraint,
    Constraint,
    Event,
    SaysConstraint,
    StateConstraint,
)
from pytest_toolsandbox.language.mistakes import ScenarioError
from pytest_toolsandbox.language.roles import ParallelStep, Role, SayStep, ToolStep
from pytest_toolsandbox.language.scenario import Mark, Scenario
from pytest_toolsandbox.language.tasks import Demonstration, Line, Milestones, ScriptedReply
from pytest_toolsandbox.language.values import Expected, FromResult
from pytest_toolsandbox.protocols import load_file
from pytest_toolsandbox.text.regular_expression import RegularExpression
from pytest_toolsandbox.worlds import world as registry
from pytest_toolsandbox.worlds.state import Column, TableSchema, plain
from pytest_toolsandbox.worlds.world import World

Load = Callable[..., list[Scenario]]
LoadOne = Callable[..., Scenario]

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


def test_a_whole_scenario(load_one: LoadOne) -> None:
    scenario = load_one(EXAMPLE)
    assert (scenario.name, scenario.line) == ("one", 1)
    assert scenario.summary.startswith("The phone has no signal;")
    assert scenario.categories == ("state_dependency", "multiple_tool_call", "single_user_turn")
    assert scenario.world.name == "phone"
    assert scenario.now == datetime(2025, 3, 14, 16, tzinfo=ZoneInfo("America/Los_Angeles"))
    assert scenario.tools == (
        "search_contacts",
        "send_message_with_phone_number",
        "set_cellular_service_status",
    )
    assert [tool["function"]["name"] for tool in scenario.tool_schemas] == list(scenario.tools)
    (setting,) = scenario.start["setting"].rows
    assert setting["cellular"] is False
    assert scenario.start["contact"].rows[-1]["name"] == "Ada Okafor"
    assert (
        scenario.task.user_script.opening == "Text Ada Okafor that the keys are under the blue pot."
    )
    assert scenario.task.user_script.demonstration == Demonstration(
        "Call me a taxi.",
        None,
        (
            Line(Role.USER, "Call me a taxi."),
            Line(Role.AGENT, "Where to?"),
            Line(Role.USER, "Home."),
        ),
    )
    (reply,) = scenario.task.user_script.replies
    assert reply.when == RegularExpression("(which|what) number", ignore_case=True)
    assert {
        name: event.after for name, event in scenario.task_as(Milestones).milestones.items()
    } == {
        "signal_on": (),
        "contact_found": (),
        "text_sent": ("signal_on", "contact_found"),
        "user_told": ("text_sent",),
    }
    assert list(scenario.task_as(Milestones).minefields) == ["wrong_person"]
    assert scenario.solutions["by_trial"][2] == ToolStep(
        "set_cellular_service_status", {"on": True}
    )
    assert scenario.counterexamples["gives_up"][1] == SayStep("I could not send it to Ada.")


def test_what_is_left_out(load_one: LoadOne) -> None:
    scenario = load_one(ROOM + "protected: [note]")
    assert (scenario.summary, scenario.categories, scenario.tags, scenario.marks) == (
        "",
        (),
        (),
        (),
    )
    assert scenario.now == scenario.world.now
    assert scenario.start == scenario.world.start(scenario.now)
    assert scenario.tools == ("switch_lamp", "write_note", "find_notes")  # hang_up is the user's
    assert (scenario.task.user_script.goal, scenario.task.user_script.knowledge_boundary) == (
        None,
        None,
    )
    assert scenario.task.user_script.demonstration is None
    assert scenario.task.user_script.replies == ()
    assert scenario.task.user_script.otherwise == ("I don't have more information.",)
    assert (scenario.task.earlier_lines, scenario.task_as(Milestones).protected) == ((), ("note",))
    assert (scenario.task_as(Milestones).milestones, scenario.task_as(Milestones).minefields) == (
        {},
        {},
    )
    assert (scenario.solutions, scenario.counterexamples) == ({}, {})
    assert (scenario.trials, scenario.max_messages, scenario.timeout) == (None, 30, 600)


def test_further_keys(load_one: LoadOne) -> None:
    scenario = load_one(
        ROOM + "protected: [note]\ntrials: 3\nmax_messages: 9\ntimeout: 2.5\ntags: [mine, büro]\n"
        "tools: [find_notes, write_note]\nwithheld: [switch_lamp]"
    )
    assert (scenario.trials, scenario.max_messages, scenario.timeout) == (3, 9, 2.5)
    assert scenario.tags == ("mine", "büro")
    assert scenario.tools == ("find_notes", "write_note")


def test_withheld_tools_are_not_offered(load_one: LoadOne) -> None:
    scenario = load_one(ROOM + "protected: [note]\nwithheld: [write_note]")
    assert scenario.tools == ("switch_lamp", "find_notes")


def test_no_tools_at_all(load_one: LoadOne) -> None:
    assert load_one(ROOM + "protected: [note]\ntools: []").tools == ()


MARKS: list[tuple[str, list[Mark]]] = [
    ("[]", []),
    ("[slow]", [Mark("slow")]),
    ("[{slow: null}]", [Mark("slow")]),
    ("[{timeout: 5}]", [Mark("timeout", (5,))]),
    ("[a, {timeout: [5, thread]}]", [Mark("a"), Mark("timeout", (5, "thread"))]),
    ("[{skip: {reason: broken}}]", [Mark("skip", (), {"reason": "broken"})]),
    ("[{usefixtures: server}]", [Mark("usefixtures", ("server",))]),
]  # fmt: skip


@pytest.mark.parametrize(("text", "marks"), MARKS)
def test_marks(load_one: LoadOne, text: str, marks: list[Mark]) -> None:
    assert load_one(f"{ROOM}protected: [note]\nmarks: {text}").marks == tuple(marks)


LINES: list[tuple[str, Line]] = [
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
]  # fmt: skip


@pytest.mark.parametrize(("text", "line"), LINES)
def test_history(load_one: LoadOne, text: str, line: Line) -> None:
    assert load_one(f"{ROOM}protected: [note]\nhistory: [{text}]").task.earlier_lines == (line,)


def test_replies(load_one: LoadOne) -> None:
    text = "world: room\nuser:\n  opening: Hi\n  replies: [{say: Yes}, {when: a|b, say: No}]\n"
    user = load_one(text + "  otherwise: Dunno\nprotected: [note]").task.user_script
    assert user.replies == (
        ScriptedReply("Yes"),
        ScriptedReply("No", RegularExpression("a|b", ignore_case=True)),
    )
    assert user.otherwise == ("Dunno",)


NOW: list[tuple[str, datetime]] = [
    ("2030-01-02 03:04", datetime(2030, 1, 2, 3, 4, tzinfo=BERLIN)),
    ("2030-01-02", datetime(2030, 1, 2, tzinfo=BERLIN)),
    ("tomorrow 09:00", datetime(2025, 3, 15, 9, tzinfo=BERLIN)),
    ("now+90m", datetime(2025, 3, 14, 17, 30, tzinfo=BERLIN)),
]


@pytest.mark.parametrize(("text", "now"), NOW)
def test_now(load_one: LoadOne, text: str, now: datetime) -> None:
    assert load_one(f"{ROOM}protected: [note]\nnow: {text}").now == now


# --- the state at the start ---------------------------------------------------------------------


def test_a_column_with_an_unknown_matcher(
    monkeypatch: pytest.MonkeyPatch, mistakes: Callable[[str], list[str]]
) -> None:
    note = TableSchema({"text": Column(str, measure="ruge_l")})
    world = World("hall", datetime(2025, 1, 1, tzinfo=BERLIN), {"note": note}, (), lambda _: {})
    monkeypatch.setitem(registry._registered, "hall", world)
    (line,) = mistakes("world: hall\nuser: {opening: Hi}\nmilestones: {a: {says: Hi}}")
    start = "file.yaml:1:8: world: unknown matcher 'ruge_l' as the measure of column 'text' of"
    assert line == f"{start} table 'note'; did you mean 'rouge_l'?"


def start_of(load_one: LoadOne, text: str) -> dict[str, list[Any]]:
    state = load_one(f"{ROOM}protected: [note]\n{text}").start
    return {name: plain(table.rows) for name, table in state.items()}


def test_the_fields_of_a_single_row(load_one: LoadOne) -> None:
    start = start_of(load_one, "state: {lamp: {on: true, warmth: 1}}")
    assert start["lamp"] == [{"on": True, "colour": None, "warmth": 1.0, "scenes": []}]
    assert type(start["lamp"][0]["warmth"]) is float


def test_added_rows_are_completed(load_one: LoadOne) -> None:
    text = "state: {note: {added: [{text: tea}, {text: jam, note_id: n9, tags: [a]}]}}"
    first, second = start_of(load_one, text)["note"][2:]
    assert first == {
        "note_id": first["note_id"],
        "text": "tea",
        "count": 1,
        "due": None,
        "tags": [],
    }
    assert second == {"note_id": "n9", "text": "jam", "count": 1, "due": None, "tags": ["a"]}
    assert start_of(load_one, text) == start_of(load_one, text)


def test_removed_rows_are_those_with_these_fields(load_one: LoadOne) -> None:
    assert [
        row["text"]
        for row in start_of(load_one, "state: {note: {removed: [{text: milk}]}}")["note"]
    ] == ["eggs"]
    assert start_of(load_one, "state: {note: {removed: [{count: 1}]}}")["note"] == []
    both = "state: {note: {added: [{text: milk}], removed: [{text: milk}, {text: eggs}]}}"
    assert [row["text"] for row in start_of(load_one, both)["note"]] == ["milk"]


def test_rows_are_the_whole_table(load_one: LoadOne) -> None:
    assert start_of(load_one, "state: {note: {rows: []}}")["note"] == []
    text = "state: {note: {rows: [{text: tea}, {text: tea}]}}"
    assert [row["text"] for row in start_of(load_one, text)["note"]] == ["tea", "tea"]


def test_the_start_has_moments(load_one: LoadOne) -> None:
    text = "now: 2025-03-29 12:00\nstate: {note: {rows: [{text: tea, due: {at: tomorrow 12:00}}]}}"
    assert start_of(load_one, text)["note"][0]["due"] == at(2025, 3, 30, 12)
    assert at(2025, 3, 30, 12) - at(2025, 3, 29, 12) == timedelta(hours=23).total_seconds()


# --- milestones ---------------------------------------------------------------------------------


def milestones(text: str) -> str:
    return f"{ROOM}milestones:\n  z: {{says: first}}\n  a: {text}\n"


def only(load_one: LoadOne, text: str) -> Constraint:
    (constraint,) = constraints_of(load_one(milestones(text)))
    return constraint


TWO = {"count": Expected(2)}
BLOCKS: list[tuple[str, Any]] = [
    ("{note: {rows: []}}", ("rows", (), None)),
    ("{note: {rows: [{count: 2}]}}", ("rows", (TWO,), None)),
    ("{note: {includes: [{count: 2}, {count: 2}]}}", ("includes", (TWO, TWO), None)),
    ("{note: {excludes: [{count: 2}]}}", ("excludes", (TWO,), None)),
    ("{note: {added: [{count: 2}]}}", ("added", (TWO,), "start")),
    ("{note: {added: [], since: start}}", ("added", (), "start")),
    ("{note: {removed: [{count: 2}], since: z}}", ("removed", (TWO,), "z")),
    ("{note: {updated: [{count: 2}], since: z}}", ("updated", (TWO,), "z")),
    ("{note: {unchanged: true}}", ("unchanged", (), "start")),
    ("{note: {since: z, unchanged: true}}", ("unchanged", (), "z")),
]  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), BLOCKS)
def test_blocks_of_state(load_one: LoadOne, text: str, expected: Any) -> None:
    kind, rows, since = expected
    constraint = StateConstraint(f"state.note.{kind}", "note", kind, rows, since)
    assert only(load_one, f"{{state: {text}}}") == constraint


def test_the_block_of_a_single_row_is_its_fields(load_one: LoadOne) -> None:
    row = {"on": Expected(True), "colour": Expected(None, in_text=True)}
    constraint = StateConstraint("state.lamp", "lamp", "fields", (row,))
    assert only(load_one, "{state: {lamp: {on: true, colour: null}}}") == constraint


def test_a_single_row_can_be_unchanged(load_one: LoadOne) -> None:
    constraint = StateConstraint("state.lamp.unchanged", "lamp", "unchanged", (), "z")
    assert only(load_one, "{state: {lamp: {unchanged: true, since: z}}}") == constraint


def test_unchanged_is_a_guardrail_and_refers_to_its_since(load_one: LoadOne) -> None:
    constraint = only(load_one, "{state: {note: {unchanged: true, since: z}}}")
    assert constraint.is_guardrail
    assert constraint.references == {"z"}
    assert not only(load_one, "{state: {note: {added: []}}}").is_guardrail


CALLS: list[tuple[str, Any]] = [
    ("call: find_notes", ("call", [("find_notes", {})], False)),
    ("call: {find_notes: null}", ("call", [("find_notes", {})], False)),
    ("call: {find_notes: {}}", ("call", [("find_notes", {})], False)),
    ("call: {switch_lamp: {on: true}}", ("call", [("switch_lamp", {"on": True})], False)),
    ("tried: {write_note: {copies: 2}}", ("tried", [("write_note", {"copies": 2})], True)),
    ("tried: {fly: {to: {any: where}}}", ("tried", [("fly", {"to": {"any": "where"}})], True)),
    (
        "call: {any_of: [find_notes, {switch_lamp: {on: false}}]}",
        ("call", [("find_notes", {}), ("switch_lamp", {"on": False})], False),
    ),
    (
        "tried: {any_of: [fly, {find_notes: null}]}",
        ("tried", [("fly", {}), ("find_notes", {})], True),
    ),
]  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), CALLS)
def test_calls(load_one: LoadOne, text: str, expected: Any) -> None:
    constraint = only(load_one, f"{{{text}}}")
    assert isinstance(constraint, CallConstraint)
    patterns = [
        (pattern.tool, {name: cell.value for name, cell in pattern.arguments.items()})
        for pattern in constraint.alternatives
    ]
    assert (constraint.label, patterns, constraint.tried) == expected


def test_what_is_said(load_one: LoadOne) -> None:
    (agent,) = constraints_of(load_one(milestones("{says: Done}")))
    (user,) = constraints_of(load_one(milestones("{user_says: {contains: thanks}}")))
    assert isinstance(agent, SaysConstraint)
    assert isinstance(user, SaysConstraint)
    assert (agent.label, agent.sender, agent.recipient) == ("says", Role.AGENT, Role.USER)
    assert (user.label, user.sender, user.recipient) == ("user_says", Role.USER, Role.AGENT)
    (said,) = agent.content.alternatives({})
    assert (said.name, said.threshold) == ("rouge_l", 0.5)
    (heard,) = user.content.alternatives({})
    assert heard.name == "contains"


def test_several_constraints_at_one_moment(load_one: LoadOne) -> None:
    text = "{state: {lamp: {on: true}, note: {rows: []}}, call: find_notes}"
    labels = [constraint.label for constraint in constraints_of(load_one(milestones(text)))]
    assert labels == ["state.lamp", "state.note.rows", "call"]


def cell(constraint: Constraint, column: str) -> Expected:
    assert isinstance(constraint, StateConstraint)
    return constraint.rows[0][column]


@pytest.mark.parametrize(
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
def test_matchers(load_one: LoadOne, row: str, matcher: str) -> None:
    constraint = only(load_one, f"{{state: {{note: {{includes: [{{{row}}}]}}}}}}")
    (read,) = cell(constraint, row.partition(":")[0]).alternatives({})
    assert read.name == matcher


THRESHOLDS: list[tuple[str, str, dict[str, float], float]] = [
    ("", "text: milk", {}, 0.5),
    ("", "text: milk", {"rouge_l": 0.6}, 0.6),
    ("", "text: milk", {"mentions": 0.6}, 0.5),
    ("threshold: 0.7", "text: milk", {"rouge_l": 0.6}, 0.7),
    ("threshold: {rouge_l: 0.7}", "text: milk", {"rouge_l": 0.6}, 0.7),
    ("threshold: {mentions: 0.7}", "text: milk", {"rouge_l": 0.6}, 0.6),
    ("threshold: 0.7", "text: {mentions: milk}", {}, 0.7),
    ("threshold: 0.7", "text: {rouge_l: {text: milk, threshold: 1}}", {}, 1),
    ("threshold: 0", "text: milk", {}, 0),
]


@pytest.mark.parametrize(("scenario", "row", "ini", "threshold"), THRESHOLDS)
def test_thresholds(
    load_one: LoadOne, scenario: str, row: str, ini: dict[str, float], threshold: float
) -> None:
    text = f"{milestones(f'{{state: {{note: {{includes: [{{{row}}}]}}}}}}')}{scenario}"
    (constraint,) = constraints_of(load_one(text, **ini))
    (matcher,) = cell(constraint, "text").alternatives({})
    assert matcher.threshold == threshold


@pytest.mark.parametrize(("own", "threshold"), [("0.9", 0.9), ("0", 0)])
def test_an_event_s_threshold_is_stronger(load_one: LoadOne, own: str, threshold: float) -> None:
    scenario = load_one(milestones(f"{{says: milk, threshold: {own}}}") + "threshold: 0.7")
    (constraint,) = constraints_of(scenario)
    assert isinstance(constraint, SaysConstraint)
    (matcher,) = constraint.content.alternatives({})
    assert matcher.threshold == threshold


MOMENTS: list[tuple[str, Any]] = [
    ("{at: 2025-03-15 17:00}", at(2025, 3, 15, 17)),
    ("{at: now+2h}", at(2025, 3, 14, 18)),
    ("{at: today}", at(2025, 3, 14)),
    ("{any_of: [{at: today}, null]}", {"any_of": [at(2025, 3, 14), None]}),
    ("{close: {to: {at: now}, within: 60}}", {"close": {"to": at(2025, 3, 14, 16), "within": 60}}),
]


@pytest.mark.parametrize(("text", "value"), MOMENTS)
def test_moments(load_one: LoadOne, text: str, value: Any) -> None:
    constraint = only(load_one, f"{{state: {{note: {{includes: [{{due: {text}}}]}}}}}}")
    assert cell(constraint, "due").value == value


def test_exact_escapes_moments_results_and_matchers(load_one: LoadOne) -> None:
    text = "{tried: {fly: {a: {exact: {at: now}}, b: {exact: {from: x}}, c: {exact: {not: 1}}}}}"
    constraint = only(load_one, text)
    assert isinstance(constraint, CallConstraint)
    cells = constraint.alternatives[0].arguments
    for name, value in {"a": {"at": "now"}, "b": {"from": "x"}, "c": {"not": 1}}.items():
        (matcher,) = cells[name].alternatives({})
        assert (matcher.name, matcher.similarity(value)) == ("exact", 1.0)


def test_a_value_from_the_result_of_another_milestone(load_one: LoadOne) -> None:
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


def test_results_in_short(load_one: LoadOne) -> None:
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
    (said,) = constraints_of(scenario, "b")
    mentioned = {"mentions": [FromResult("z", "text"), "$z", "$5", "$z. It"]}
    assert isinstance(said, SaysConstraint)
    assert said.content.value == {"any_of": [mentioned, {"exact": "$z"}]}
    tags = [FromResult("find_notes"), "$find_notes", "$9"]
    assert scenario.solutions["s"][1:] == (
        ToolStep("write_note", {"text": FromResult("find_notes", "[0].kind"), "tags": tags}),
        SayStep(FromResult("write_note", "text")),
    )


def test_the_start_of_the_world_knows_no_results(load_one: LoadOne) -> None:
    text = "state: {note: {added: [{text: $find_notes}]}}\nprotected: [note]"
    rows = load_one(f"{ROOM}{text}").start["note"].rows
    assert "$find_notes" in {row["text"] for row in rows}


def test_what_an_event_looks_at_and_constrains(load_one: LoadOne) -> None:
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


GRAPHS: list[tuple[dict[str, str], dict[str, tuple[str, ...]]]] = [
    ({"a": "", "b": "", "c": ""}, {"a": (), "b": ("a",), "c": ("b",)}),
    ({"a": "", "b": "", "c": "after: [a]"}, {"a": (), "b": (), "c": ("a",)}),
    ({"a": "after: []", "b": "", "c": ""}, {"a": (), "b": (), "c": ()}),
    ({"a": "after: null", "b": "", "c": ""}, {"a": (), "b": ("a",), "c": ("b",)}),
    ({"a": "after: c", "b": "", "c": "after: b"}, {"a": ("c",), "b": (), "c": ("b",)}),
    ({"a": "", "b": "", "c": "after: [b, a]"}, {"a": (), "b": (), "c": ("b", "a")}),
]


@pytest.mark.parametrize(("events", "after"), GRAPHS)
def test_the_order_of_milestones(
    load_one: LoadOne, events: dict[str, str], after: dict[str, tuple[str, ...]]
) -> None:
    lines = [f"  {name}: {{says: x, {text}}}" for name, text in events.items()]
    scenario = load_one("\n".join([f"{ROOM}milestones:", *lines]))
    assert {
        name: event.after for name, event in scenario.task_as(Milestones).milestones.items()
    } == after


def test_minefields_are_independent_unless_they_say(load_one: LoadOne) -> None:
    text = """
      a: {says: x}
      b: {says: y, before: m, threshold: 0.8}
      c: {says: z, after: [a], guardrails: none}
    """
    minefields = (
        load_one(f"{ROOM}milestones: {{m: {{says: x}}}}\nminefields:{text}")
        .task_as(Milestones)
        .minefields
    )
    assert [event.after for event in minefields.values()] == [(), (), ("a",)]
    assert [event.before for event in minefields.values()] == [None, "m", None]
    assert [event.guarded for event in minefields.values()] == [{}] * 3
    assert all(event.must_be_reached for event in minefields.values())


def test_a_milestone_counts_without_being_reached(load_one: LoadOne) -> None:
    milestone = (
        load_one(milestones("{says: x, threshold: 0.8}")).task_as(Milestones).milestones["a"]
    )
    assert not milestone.must_be_reached
    assert milestone.guarded


@pytest.mark.parametrize(
    ("text", "tables"),
    [
        ("", {"lamp", "note"}),
        ("guardrails: all", {"lamp", "note"}),
        ("guardrails: none", set()),
        ("guardrails: [note]", {"note"}),
        ("guardrails: []", set()),
    ],
)
def test_guardrails(load_one: LoadOne, text: str, tables: set[str]) -> None:
    event: Event = load_one(milestones(f"{{says: x, {text}}}")).task_as(Milestones).milestones["a"]
    assert event.guarded.keys() == tables


# --- solutions ----------------------------------------------------------------------------------


def test_solutions(load_one: LoadOne) -> None:
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
    solutions = load_one(f"{ROOM}protected: [note]{text}").solutions
    assert solutions == {
        "plain": (
            ToolStep("find_notes", {}),
            ToolStep("find_notes", {"kind": "old"}),
            ToolStep("switch_lamp", {"on": True}),
            SayStep("Done."),
        ),
        "together": (
            ParallelStep((ToolStep("find_notes", {}), ToolStep("write_note", {"text": "a"}))),
            ToolStep("write_note", {"text": FromResult("write_note", "text", "{}!"), "copies": 2}),
            ToolStep(
                "write_note", {"text": "b", "tags": ["a", FromResult("find_notes", "[0].kind")]}
            ),
            SayStep(FromResult("write_note", "text")),
        ),
    }


def test_solutions_have_moments_but_no_matchers(load_one: LoadOne) -> None:
    text = "counterexamples: {a: [{fly: {at: {at: now}, to: {contains: x}, as: {exact: 5}}}]}"
    (step,) = load_one(f"{ROOM}protected: [note]\n{text}").counterexamples["a"]
    assert isinstance(step, ToolStep)
    assert step.arguments == {
        "at": at(2025, 3, 14, 16),
        "to": {"contains": "x"},
        "as": {"exact": 5},
    }


def test_counterexamples_may_invent_tools_and_arguments(load_one: LoadOne) -> None:
    text = """
withheld: [find_notes]
counterexamples:
  a:
    - fly: {to: the moon}
    - find_notes: {kind: 5, colour: red}
    - switch_lamp:
    - say: {from: {call: fly}}
"""
    steps = load_one(f"{ROOM}protected: [note]{text}").counterexamples["a"]
    assert steps == (
        ToolStep("fly", {"to": "the moon"}),
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


def test_several_scenarios_share_defaults(load: Load) -> None:
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


def test_the_digest_is_that_of_the_scenario_alone(load: Load) -> None:
    easy, hard, _ = load(SEVERAL)
    assert re.fullmatch("[0-9a-f]{16}", easy.digest)
    assert easy.digest != hard.digest
    moved = load("# comment\n" + SEVERAL.replace("  hard:", "\n  hard:"))
    assert [scenario.digest for scenario in moved[:2]] == [easy.digest, hard.digest]
    changed = load(SEVERAL.replace("It is dark", "It is too dark"))
    assert changed[0].digest == easy.digest
    assert changed[1].digest != hard.digest


@pytest.mark.parametrize("name", ["a", "easy-1", "1", "v1.2", "Übung", "_draft"])
def test_names_of_scenarios(load: Load, name: str) -> None:
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
