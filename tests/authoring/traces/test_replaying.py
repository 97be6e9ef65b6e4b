"""Calls of a conversation are executed again, and those with other results are found."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from html_records import scene
from pantry import scenario
from rows import every

from pytest_toolsandbox.agents.scripted import counterexample, oracle
from pytest_toolsandbox.authoring.traces.assigning import Item, assigned
from pytest_toolsandbox.authoring.traces.chat import chat_trace
from pytest_toolsandbox.authoring.traces.reading import read_traces
from pytest_toolsandbox.authoring.traces.replaying import replayed
from pytest_toolsandbox.authoring.traces.trace import Trace, TraceError
from pytest_toolsandbox.conversation.messages import agent_view
from pytest_toolsandbox.output.exports import chat_lines, otlp_trace
from pytest_toolsandbox.records.record import read_record
from pytest_toolsandbox.runs.trial import play_trial

NAMES = ("fork", "most", "cellar")
TWO = """
state: {door: {open: false}, item: {rows: []}}
user: {opening: Open it and put tea in.}
milestones: {opened: {state: {door: {open: true}}}}
solutions: {right: [open_door: {}, say: Done.]}
"""


def chat(*messages: dict[str, Any]) -> Trace:
    return chat_trace([{"role": "user", "content": "Fill the pantry."}, *messages], "t:1")


def asks(*calls: tuple[str, dict[str, Any]]) -> dict[str, Any]:
    made = [
        {"id": f"c{place}", "function": {"name": name, "arguments": json.dumps(arguments)}}
        for place, (name, arguments) in enumerate(calls)
    ]
    return {"role": "assistant", "content": None, "tool_calls": made}


def answers(*results: str) -> list[dict[str, Any]]:
    return [
        {"role": "tool", "tool_call_id": f"c{place}", "content": result}
        for place, result in enumerate(results)
    ]


@pytest.mark.parametrize("form", ["chat", "otlp"])
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("agent", [oracle, counterexample])
def test_what_export_wrote_is_the_same_conversation(
    form: str, name: str, agent: Any, tmp_path: Path
) -> None:
    original = scene(name)
    trial = play_trial(original, agent(original))
    record = read_record(replace(trial, identifier=f"pantry.yaml::{name}").record)
    text = next(chat_lines([record])) if form == "chat" else json.dumps(otlp_trace([record]))
    (tmp_path / "traces").write_text(text, encoding="utf-8")
    (trace,) = read_traces(tmp_path / "traces").traces
    again = replayed(trace, original)
    assert again.differences == ()
    assert again.trajectory.states == trial.trajectory.states
    assert agent_view(again.trajectory.messages) == agent_view(trial.messages)
    assert [(m.trace, m.error) for m in again.trajectory.messages] == [
        (m.trace, m.error) for m in trial.messages
    ]


@every(
    ("calls", "results", "differing"),
    [
        ([("open_door", {})], ["null"], []),
        ([("open_door", {})], ["None"], ["open_door"]),
        ([("list_items", {})], ["[]"], []),
        ([("add_item", {"name": "tea"})], ["PermissionError: The door is closed."], []),
        ([("add_item", {"name": "tea"})], ['"tea"'], ["add_item"]),
        ([("no_tool", {})], ["3"], ["no_tool"]),
        ([("add_item", {"nme": 1})], ["null"], ["add_item"]),
    ],
)  # fmt: skip
def test_results_are_compared_as_json_or_text(
    calls: list[Any], results: list[str], differing: list[str]
) -> None:
    again = replayed(chat(asks(*calls), *answers(*results)), scenario(TWO))
    assert [difference["tool"] for difference in again.differences] == differing
    assert [m.content for m in again.trajectory.messages if m.call][-1] == results[-1]


CLOSED = "PermissionError: The door is closed."


def test_parallel_calls_happened_in_the_order_of_their_results() -> None:
    two_items = scenario(TWO)
    calls = asks(("open_door", {}), ("add_item", {"name": "tea"}))
    failed = replayed(chat(calls, *answers("null", CLOSED)), two_items)
    assert failed.differences == ()
    assert [call.order for call in failed.trajectory.calls] == [1, 0]
    added = two_items.start["item"]
    assert failed.trajectory.states[-1]["item"] == added
    succeeded = replayed(chat(calls, *answers("null", "unknown")), two_items)
    (difference,) = succeeded.differences  # as given, one result is the same; else none is
    assert difference["recorded"] == "unknown"
    assert [call.order for call in succeeded.trajectory.calls] == [0, 1]


def test_a_result_of_another_world_stays_what_the_agent_saw() -> None:
    written = '[{"name": "tea", "amount": 4}]'
    again = replayed(chat(asks(("list_items", {})), *answers(written)), scenario(TWO))
    (difference,) = again.differences
    assert difference == {
        "message": 3,
        "tool": "list_items",
        "recorded": written,
        "replayed": "[]",
    }
    answer = again.trajectory.messages[3]
    assert answer.content == written
    assert answer.trace is not None
    assert answer.trace.result == json.loads(written)


def test_a_call_without_a_result_may_have_happened() -> None:
    two_items = scenario(TWO)
    again = replayed(chat(asks(("open_door", {}))), two_items)
    (difference,) = again.differences
    assert (difference["message"], difference["tool"]) == (2, "open_door")
    assert "recorded" not in difference
    assert again.trajectory.states[-1] == two_items.start
    assert again.trajectory.calls[0].answer is None


def test_the_user_ends_what_the_agent_ended() -> None:
    two_items = scenario(TWO)
    done = {"role": "assistant", "content": "Done."}
    assert replayed(chat(done), two_items).trajectory.messages[-2].call is not None
    assert replayed(chat(), two_items).trajectory.messages[-1].content == "Fill the pantry."


@every(
    ("messages", "problem"),
    [
        (answers("3"), "a tool answers in it, and no call comes before"),
        ([asks(("weigh", {})), *answers("3", "4")], "a tool answers the call 'c1', which nothing"),
        (
            [asks(("give", {"what": "object"})), *answers("3")],
            "tests/pantry.py:155: the tool 'give': its result cannot be written as JSON",
        ),
    ],
)
def test_what_cannot_be_replayed(messages: list[dict[str, Any]], problem: str) -> None:
    two_items = replace(scenario(TWO), tools=("give", "weigh"))
    with pytest.raises(TraceError) as error:
        replayed(chat(*messages), two_items)
    assert str(error.value).startswith(problem)


ITEMS = [Item(f"pantry.yaml::{name}", scene(name)) for name in NAMES]
TWICE = [*ITEMS, Item("other.yaml::cellar", replace(scene("cellar"), name="cellar"))]
SAYS = {"fork": "Put tea and rice in.", "cellar": "What is in the cellar?", "": "Hello."}


@every(
    ("trace", "items", "name", "item"),
    [
        ({}, ITEMS, None, "pantry.yaml::fork"),
        ({"scenario": "cellar"}, ITEMS, None, "pantry.yaml::cellar"),
        ({"scenario": "cellar"}, ITEMS, "most", "pantry.yaml::most"),
        ({"metadata": {"scenario": "other.yaml::cellar"}}, TWICE, None, "other.yaml::cellar"),
        ({"name": "cellar"}, ITEMS, None, "pantry.yaml::cellar"),
        ({"name": "a chat of Monday"}, ITEMS, None, "pantry.yaml::fork"),
    ],
)
def test_the_scenario_of_a_conversation(
    trace: dict[str, Any], items: list[Item], name: str | None, item: str
) -> None:
    messages = [{"role": "system", "content": "Hi."}, {"role": "user", "content": SAYS["fork"]}]
    assignment = assigned(chat_trace({**trace, "messages": messages}, "t:1"), items, name)
    assert assignment.identifier == item


@every(
    ("trace", "says", "items", "problem"),
    [
        ({}, "", ITEMS, "no scenario begins with 'Hello.'; name it with --scenario, or in a field"),
        ({}, "cellar", TWICE, "several scenarios begin with 'What is in the cellar?': pantry.yaml"),
        ({"scenario": "celar"}, "", ITEMS, "there is no scenario 'celar'; did you mean 'cellar'?"),
        ({"scenario": "cellar"}, "", TWICE, "several scenarios are named 'cellar': pantry.yaml::c"),
    ],
)
def test_a_conversation_without_a_scenario(
    trace: dict[str, Any], says: str, items: list[Item], problem: str
) -> None:
    messages = [{"role": "user", "content": SAYS[says]}]
    with pytest.raises(TraceError) as error:
        assigned(chat_trace({**trace, "messages": messages}, "t:1"), items)
    assert str(error.value).startswith(problem)


def test_a_conversation_in_which_the_user_is_silent() -> None:
    trace = chat_trace([{"role": "assistant", "content": "Hello."}], "t:1")
    with pytest.raises(TraceError, match="the user says nothing in it"):
        assigned(trace, ITEMS, "fork")
