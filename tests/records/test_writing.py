"""The record of a trial as it is written: plain JSON, without secrets, also of lost items."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from jsonschema import validate

from pytest_toolsandbox import (
    Message,
    Scenario,
    ToolCall,
    ToolTrace,
    Trajectory,
    evaluate,
    load_file,
)
from pytest_toolsandbox.language.roles import Role
from pytest_toolsandbox.language.tasks import Milestones
from pytest_toolsandbox.records import writing
from pytest_toolsandbox.records.configuration import agent_record
from pytest_toolsandbox.records.digests import start_digests
from pytest_toolsandbox.records.record import record_schema, summary_of
from pytest_toolsandbox.records.writing import Trial, as_line, lost_record, not_run_record
from pytest_toolsandbox.scoring.error_patterns.patterns import ErrorPatterns
from pytest_toolsandbox.scoring.judging import Judgement
from pytest_toolsandbox.worlds.state import Row, State, Table

ANSWER = (Role.EXECUTION_ENVIRONMENT, Role.AGENT)


@pytest.fixture
def scenario(tmp_path: Path) -> Scenario:
    file = tmp_path / "call.scenario.yaml"
    file.write_text(
        "{world: phone, user: {opening: Hello}, protected: [setting], tags: [mine],"
        " categories: [state_dependency], tools: [search_contacts], now: 2025-03-14 16:00,"
        " milestones: {told: {says: {mentions: hello}}}}"
    )
    (loaded,) = load_file(file)
    return loaded


def played(scenario: Scenario, *messages: Message, **more: Any) -> Trial:
    trajectory = Trajectory(messages, (scenario.start,) * len(messages), scenario.start)
    return Trial("a::b", 2, agent_record("mine:agent"), scenario, trajectory, **more)


def answer_of(content: str, **more: Any) -> Message:
    return Message(Role.AGENT, Role.USER, content, (Role.AGENT, Role.USER), **more)


def test_of_an_error(scenario: Scenario) -> None:
    record: Any = played(scenario, reason="no route").record
    assert record["outcome"] == "error"
    assert record["reason"] == "no route"
    assert record["scores"] is None
    assert record["exact"] is None
    assert (record["id"], record["trial"], record["agent"]) == ("a::b", 2, "mine:agent")
    assert record["messages"] == record["milestones"] == record["snapshots"] == []
    assert record["now"] == "2025-03-14T16:00:00-07:00"
    assert record["tools"] == ["search_contacts"]
    assert (record["categories"], record["tags"]) == (["state_dependency"], ["mine"])


def test_everything_is_plain_json(scenario: Scenario) -> None:
    result = {"a": (Row({"b": 1}), math.nan, math.inf, 10**400), 5: frozenset()}
    call = ToolCall("1", "search_contacts", "{}")
    arguments = Row({"name": None, "is_self": True})
    trace = ToolTrace("search_contacts", arguments, result, ("contact", "setting"))
    answer = Message(*ANSWER, "\ud83d", ANSWER, call, trace)
    run = played(scenario, answer, answer_of("hello"))
    judgement = Judgement(evaluate(scenario, run.trajectory), ErrorPatterns(()))
    record: Any = replace(run, judgement=judgement).record
    assert json.loads(json.dumps(record, allow_nan=False)) == record
    assert types_in(record) <= {dict, list, str, int, float, bool, type(None)}
    assert record["messages"][0]["trace"] == {
        "tool_name": "search_contacts",
        "arguments": {"name": None, "is_self": True},
        "result": {"a": [{"b": 1}, "nan", "inf", 10**400], "5": "frozenset()"},
        "reads": ["contact", "setting"],
    }
    assert record["messages"][0]["content"] == "\\ud83d"


def types_in(value: Any) -> set[type]:
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return {type(value)}.union(*map(types_in, inner))


def test_snapshots_are_what_changed(scenario: Scenario) -> None:
    (before,) = scenario.start["setting"]
    off = Row({**before, "wifi": False})
    changed = scenario.start.with_table("setting", Table([off]))
    messages = tuple(answer_of(text) for text in "abcd")
    states = (scenario.start, changed, changed, scenario.start)
    trajectory = Trajectory(messages, states, scenario.start)
    record: Any = replace(played(scenario), trajectory=trajectory).record
    rows = {"added": [dict(off)], "removed": [dict(before)]}
    assert record["snapshots"] == [
        {"message": 1, "changes": {"setting": rows}},
        {
            "message": 3,
            "changes": {"setting": {"added": rows["removed"], "removed": rows["added"]}},
        },
    ]


@pytest.mark.parametrize("key", ["abcdefgh", 'ab"cd\\ef\ngh', "äöüäöüäöü"])
def test_keys_are_redacted(scenario: Scenario, monkeypatch: pytest.MonkeyPatch, key: str) -> None:
    monkeypatch.setenv("OUR_API_KEY", key)
    call = ToolCall("1", "search_contacts", json.dumps({"name": "Ada"}))
    trace = ToolTrace("search_contacts", {"name": key}, {key: [key]})
    messages = (Message(*ANSWER, f"({key})", ANSWER, call, trace), answer_of("sk-abcdefghijk"))
    record: Any = played(scenario, *messages, reason=f"no {key}").record
    assert record["reason"] == "no ***"
    assert record["messages"][0]["content"] == "(***)"
    assert record["messages"][0]["trace"]["arguments"] == {"name": "***"}
    assert record["messages"][0]["trace"]["result"] == {"***": ["***"]}
    assert record["messages"][1]["content"] == "***"


@pytest.mark.parametrize(
    ("name", "written"),
    [
        ("cmd:./agent --api-key abcdefgh1", "cmd:./agent --api-key ***"),
        ("https://me:hunter2@host/turn", "https://***@host/turn"),
        ("claude-code", "claude-code"),
    ],
)
def test_keys_in_the_name_of_an_agent_are_redacted(
    scenario: Scenario, monkeypatch: pytest.MonkeyPatch, name: str, written: str
) -> None:
    monkeypatch.setenv("OUR_API_KEY", "abcdefgh1")
    monkeypatch.setenv("OTHER_API_KEY", "claude-code")
    trial = replace(played(scenario, reason="no"), agent=agent_record(name))
    assert trial.record["agent"] == trial.summary["agent"] == written


def test_a_key_that_is_a_number_leaves_numbers_alone(
    scenario: Scenario, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PORT_KEY", "1741993200")
    trace = ToolTrace("search_contacts", {}, [1741993200, "at 1741993200"])
    call = ToolCall("1", "search_contacts", "{}")
    record: Any = played(scenario, Message(*ANSWER, "", ANSWER, call, trace)).record
    assert record["messages"][0]["trace"]["result"] == [1741993200, "at ***"]


def _choices(schema: Any, name: str = "") -> Iterator[tuple[str, str]]:
    """Yield the words that a schema allows, each with the field whose value it may be."""
    if isinstance(schema, dict):
        words = [schema["const"]] if "const" in schema else schema.get("enum", ())
        yield from ((name, word) for word in words if isinstance(word, str))
        for key, part in schema.get("properties", {}).items():
            yield from _choices(part, key)
        for key in ("items", "anyOf", "allOf"):
            yield from _choices(schema.get(key), name)
        for key, part in schema.get("$defs", {}).items():
            yield from _choices(part, key)
    elif isinstance(schema, list):
        for part in schema:
            yield from _choices(part, name)


SCHEMA = json.loads(Path(writing.__file__).with_name("record.schema.json").read_text())


def test_a_word_of_the_programs_own_is_no_secret(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, word in {*_choices(SCHEMA)}:
        monkeypatch.setenv("SORT_KEY", word)
        fields = {{"Role": "sender"}.get(name, name): word}
        top = fields if name in SCHEMA["properties"] else {"inner": [fields]}
        assert writing._clean(top) == top


def test_a_protocol_is_no_secret(scenario: Scenario, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SORT_KEY", "milestones")
    assert played(scenario, answer_of("milestones")).record["protocol"] == "milestones"


def test_a_line_is_one_for_every_reader(scenario: Scenario) -> None:
    record: Any = played(scenario, answer_of("a\nb\r\x85\u2028\u2029\x1c✓")).record
    line = as_line(record)
    assert line.splitlines() == [line]
    assert "✓" in line
    assert json.loads(line) == record


def test_a_line_turns_no_text_of_a_terminal_around(scenario: Scenario) -> None:
    marks = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
    record: Any = played(scenario, answer_of(marks)).record
    line = as_line(record)
    assert line.isprintable()
    assert json.loads(line) == record


def test_digests_tell_rows_apart_whatever_their_order() -> None:
    first, other = Row({"a": 1, "b": "x"}), Row({"a": 2, "b": None})
    digests = [
        start_digests(State({"t": Table(rows), "u": Table()}))
        for rows in ((first, other), (other, first), (first,), (first, other, other), ())
    ]
    assert digests[0] == digests[1]
    assert len({digest["t"] for digest in digests}) == 4
    assert digests[4]["t"] == digests[4]["u"]


def test_totals_need_little(scenario: Scenario) -> None:
    run = played(scenario, reason="no route", cause="provider")
    assert (
        summary_of(run.record)
        == run.summary
        == {
            "record": 3,
            "protocol": "milestones",
            "id": "a::b",
            "trial": 2,
            "variant": None,
            "feedback": False,
            "call_format": "native",
            "world": "phone",
            "categories": ["state_dependency"],
            "agent": "mine:agent",
            "agent_settings": {"name": "mine:agent", "type": None, "parameter": None},
            "outcome": "error",
            "cause": "provider",
            "reason": "no route",
            "scores": None,
            "counts": {"turns": 0, "messages": 0, "tool_calls": 0},
        }
    )


def test_the_record_of_an_item_that_was_lost() -> None:
    record = lost_record("a.yaml::light[on]", "worker 'gw0' crashed\nwhile running it")
    validate(record, record_schema())
    assert (record["scenario"], record["outcome"], record["scores"]) == ("light", "error", None)
    assert record["reason"] == "it came to no end: worker 'gw0' crashed while running it"
    assert record["cause"] is None


def test_the_record_of_an_item_that_was_not_run() -> None:
    record = not_run_record("a.yaml::light", "the run was stopped")
    validate(record, record_schema())
    assert (record["outcome"], record["reason"]) == ("not_run", "the run was stopped")


def test_the_goals_of_the_user_are_recorded(scenario: Scenario) -> None:
    def goals(**user: Any) -> Any:
        task = scenario.task_as(Milestones)
        script = replace(task.user, **user)
        return played(replace(scenario, task=replace(task, user=script))).record.get("user_goals")

    assert goals(goal="Have tea.") == ["Have tea."]
    assert goals(goal=None, goals={"tea": "Have tea.", "rice": "Have rice."}) == [
        *("Have tea.", "Have rice.")
    ]
    assert goals(goal=None) is None
