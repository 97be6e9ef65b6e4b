"""One conversation in the forms in which programs write it down, and lines that are none."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from pytest_toolsandbox.authoring.traces.reading import TraceFile, read_traces
from pytest_toolsandbox.text.files import FileError

ARGUMENTS, RESULT = '{"name": "tea"}', "not found"
CALL = {"id": "c1", "type": "function", "function": {"name": "find", "arguments": ARGUMENTS}}
CHAT: list[dict[str, Any]] = [
    {"role": "system", "content": "Help."},
    {"role": "user", "content": "Is there tea?"},
    {"role": "assistant", "content": "I look.", "tool_calls": [CALL]},
    {"role": "tool", "tool_call_id": "c1", "content": RESULT},
    {"role": "assistant", "content": "No."},
]
EXPECTED = [
    ("system", "Help.", [], None),
    ("user", "Is there tea?", [], None),
    ("assistant", "I look.", [("find", {"name": "tea"})], None),
    ("tool", RESULT, [], 0),
    ("assistant", "No.", [], None),
]
"""Speaker, text, calls, and for a result the number of its call."""

PARTS: list[dict[str, Any]] = [
    {"role": "user", "parts": [{"type": "text", "content": "Is there tea?"}]},
    {
        "role": "assistant",
        "parts": [
            {"type": "reasoning", "content": "Hm."},
            {"type": "text", "content": "I look."},
            {"type": "tool_call", "id": "c1", "name": "find", "arguments": {"name": "tea"}},
        ],
        "finish_reason": "tool_calls",
    },
    {
        "role": "tool",
        "parts": [{"type": "tool_call_response", "id": "c1", "response": RESULT}],
    },
    {"role": "assistant", "parts": [{"type": "text", "content": "No."}], "finish_reason": "stop"},
]
SYSTEM = [{"type": "text", "content": "Help."}]


def any_value(value: Any) -> dict[str, Any]:
    """Return a value as OTLP/JSON has it."""
    if isinstance(value, Mapping):
        pairs = [{"key": name, "value": any_value(item)} for name, item in value.items()]
        return {"kvlistValue": {"values": pairs}}
    if isinstance(value, list):
        return {"arrayValue": {"values": list(map(any_value, value))}}
    return {"intValue": str(value)} if isinstance(value, int) else {"stringValue": value}


def attributes(values: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [{"key": name, "value": any_value(value)} for name, value in values.items()]


def span(
    number: int, values: Mapping[str, Any], operation: str = "chat", **more: Any
) -> dict[str, Any]:
    about = {"gen_ai.operation.name": operation, **values}
    times = {"startTimeUnixNano": str(number), "traceId": "t", "spanId": f"s{number}"}
    return {"name": operation, **times, "attributes": attributes(about), **more}


def otlp(*spans: dict[str, Any], logs: list[dict[str, Any]] | None = None) -> dict[str, Any]:
    document: dict[str, Any] = {"resourceSpans": [{"scopeSpans": [{"spans": [*spans]}]}]}
    if logs:
        document["resourceLogs"] = [{"scopeLogs": [{"logRecords": logs}]}]
    return document


def requests(*, written: bool) -> dict[str, Any]:
    """Return two requests to a model, the second of which repeats the first; later one first."""

    def values(asked: list[Any], answered: list[Any]) -> dict[str, Any]:
        fields = {
            "gen_ai.system_instructions": SYSTEM,
            "gen_ai.input.messages": asked,
            "gen_ai.output.messages": answered,
        }
        return {name: json.dumps(value) if written else value for name, value in fields.items()}

    return otlp(span(2, values(PARTS[:3], PARTS[3:])), span(1, values(PARTS[:1], PARTS[1:2])))


def event_of(message: dict[str, Any], *, choice: bool = False) -> tuple[str, dict[str, Any]]:
    """Return the event of a message, as the conventions had it up to version 1.36."""
    body = {name: value for name, value in message.items() if name not in ("role", "tool_call_id")}
    if message["role"] == "tool":
        body["id"] = message["tool_call_id"]
    if choice:
        return "gen_ai.choice", {"index": 0, "finish_reason": "stop", "message": body}
    return f"gen_ai.{message['role']}.message", body


def span_events(*, in_content: bool) -> dict[str, Any]:
    listed = []
    for place, message in enumerate(CHAT):
        name, body = event_of(message, choice=place == len(CHAT) - 1)
        flat = {key: v if isinstance(v, str) else json.dumps(v) for key, v in body.items()}
        values = {"gen_ai.event.content": json.dumps(body)} if in_content else flat
        listed.append({"name": name, "attributes": attributes(values)})
    return otlp(span(1, {}, events=listed))


def log_records() -> dict[str, Any]:
    logs = []
    for place, message in enumerate(CHAT):
        name, body = event_of(message, choice=place == len(CHAT) - 1)
        logs.append({"traceId": "t", "spanId": "s1", "eventName": name, "body": any_value(body)})
    return otlp(span(1, {}), logs=logs)


def details_event() -> dict[str, Any]:
    values = {
        "event.name": "gen_ai.client.inference.operation.details",
        "gen_ai.system_instructions": SYSTEM,
        "gen_ai.input.messages": PARTS[:3],
        "gen_ai.output.messages": PARTS[3:],
    }
    log = {"traceId": "t", "spanId": "s1", "attributes": attributes(values)}
    return otlp(span(1, {}), logs=[log])


def prompt_and_completion_events() -> dict[str, Any]:
    events = [
        {
            "name": f"gen_ai.content.{kind}",
            "attributes": attributes({f"gen_ai.{kind}": json.dumps(messages)}),
        }
        for kind, messages in (("prompt", CHAT[:4]), ("completion", CHAT[4:]))
    ]
    return otlp(span(1, {}, events=events))


def numbered() -> dict[str, Any]:
    values: dict[str, Any] = {}
    for place, message in enumerate(CHAT[:4]):
        start = f"gen_ai.prompt.{place}"
        values |= {f"{start}.role": message["role"], f"{start}.content": message["content"]}
        if "tool_calls" in message:
            call = {"id": "c1", "name": "find", "arguments": ARGUMENTS}
            values |= {f"{start}.tool_calls.0.{name}": value for name, value in call.items()}
        if "tool_call_id" in message:
            values[f"{start}.tool_call_id"] = "c1"
    values |= {"gen_ai.completion.0.role": "assistant", "gen_ai.completion.0.content": "No."}
    return otlp(span(1, values))


def tools_apart() -> dict[str, Any]:
    """Return an agent's span without its calls, which are in spans of their own."""
    values = {
        "gen_ai.system_instructions": SYSTEM,
        "gen_ai.input.messages": PARTS[:1],
        "gen_ai.output.messages": [{"role": "assistant", "parts": PARTS[1]["parts"]}],
    }
    end = {"gen_ai.input.messages": PARTS[:2], "gen_ai.output.messages": PARTS[3:]}
    call = {
        "gen_ai.tool.name": "find",
        "gen_ai.tool.call.id": "c1",
        "gen_ai.tool.call.arguments": ARGUMENTS,
        "gen_ai.tool.call.result": RESULT,
    }
    return otlp(span(1, values), span(2, call, "execute_tool"), span(3, end))


def of_a_subagent() -> dict[str, Any]:
    """Return two requests, between which a tool asks a model of its own."""
    document = requests(written=False)
    spans = document["resourceSpans"][0]["scopeSpans"][0]["spans"]
    other = {"gen_ai.input.messages": [{"role": "user", "content": "Search."}]}
    inner = {"spanId": "inner", "parentSpanId": "tool", "startTimeUnixNano": "2"}
    tool = {"spanId": "tool", "parentSpanId": "s1"}
    spans += [span(1, {}, "execute_tool") | tool, span(2, other) | inner]
    return document


ANTHROPIC = {
    "system": [{"type": "text", "text": "Help."}],
    "messages": [
        {"role": "user", "content": [{"type": "text", "text": "Is there tea?"}]},
        {
            "role": "assistant",
            "content": [
                {"type": "thinking", "thinking": "Hm.", "signature": "x"},
                {"type": "text", "text": "I look."},
                {"type": "tool_use", "id": "c1", "name": "find", "input": {"name": "tea"}},
            ],
        },
        {
            "role": "user",
            "content": [{"type": "tool_result", "tool_use_id": "c1", "content": RESULT}],
        },
        {"role": "assistant", "content": "No."},
    ],
}
LEGACY = [
    *CHAT[:2],
    {"role": "assistant", "content": "I look.", "function_call": CALL["function"]},
    {"role": "function", "name": "find", "content": RESULT},
    CHAT[4],
]
ATIF: dict[str, Any] = {
    "schema_version": "ATIF-v1.7",
    "agent": {"name": "own", "version": "1", "model_name": "small"},
    "steps": [
        {"step_id": 1, "source": "system", "message": "Help."},
        {"step_id": 2, "source": "user", "message": [{"type": "text", "text": "Is there tea?"}]},
        {
            "step_id": 3,
            "source": "agent",
            "message": "I look.",
            "reasoning_content": "Hm.",
            "tool_calls": [
                {"tool_call_id": "c1", "function_name": "find", "arguments": {"name": "tea"}}
            ],
            "observation": {"results": [{"source_call_id": "c1", "content": RESULT}]},
        },
        {"step_id": 4, "source": "agent", "message": "No."},
    ],
}
SAID = {"gen_ai.input.messages": [{"role": "user", "content": "Is there tea?"}]}
FORMS: dict[str, Any] = {
    "messages": {"messages": CHAT},
    "a list": CHAT,
    "a request with its response": {"messages": CHAT[:4], "choices": [{"message": CHAT[4]}]},
    "a logged request": {"messages": CHAT[:4], "response": {"choices": [{"message": CHAT[4]}]}},
    "Anthropic's blocks": ANTHROPIC,
    "functions": LEGACY,
    "a trajectory": ATIF,
    "requests as JSON": requests(written=True),
    "requests as values": requests(written=False),
    "events": span_events(in_content=False),
    "events with a content": span_events(in_content=True),
    "log records": log_records(),
    "an event with details": details_event(),
    "prompt and completion": prompt_and_completion_events(),
    "numbered attributes": numbered(),
    "results in spans of tools": tools_apart(),
    "a subagent": of_a_subagent(),
}


def read(folder: Path, *lines: Any) -> TraceFile:
    file = folder / "traces.jsonl"
    texts = (line if isinstance(line, str) else json.dumps(line) for line in lines)
    file.write_text("\n".join(texts), encoding="utf-8")
    return read_traces(file)


@pytest.mark.parametrize("form", FORMS)
def test_the_same_conversation_in_every_form(form: str, tmp_path: Path) -> None:
    file = read(tmp_path, FORMS[form])
    assert file.problems == []
    (trace,) = file.traces
    numbers = [call.identifier for message in trace.messages for call in message.calls]
    seen = []
    for m in trace.messages:
        calls = [(call.name, json.loads(call.arguments)) for call in m.calls]
        at = numbers.index(m.call) if m.call else 0 if m.speaker == "tool" else None
        seen.append((m.speaker, m.text, calls, at))
    assert seen == EXPECTED


def sdk_span(document: dict[str, Any]) -> list[dict[str, Any]]:
    """Return spans as the console exporter of OpenTelemetry's Python SDK prints them."""
    printed = []
    for values in document["resourceSpans"][0]["scopeSpans"][0]["spans"]:
        plain = {pair["key"]: next(iter(pair["value"].values())) for pair in values["attributes"]}
        number = values["startTimeUnixNano"]
        printed.append(
            {
                "name": values["name"],
                "context": {"trace_id": "0x1", "span_id": f"0x{number}", "trace_state": "[]"},
                "parent_id": None,
                "start_time": f"2025-03-14T16:00:0{number}.000000Z",
                "status": {"status_code": "UNSET"},
                "attributes": plain,
                "events": [],
            }
        )
    return printed


def test_spans_that_were_printed_one_after_the_other(tmp_path: Path) -> None:
    spans = sdk_span(requests(written=True))
    file = read(tmp_path, *(json.dumps(values, indent=4) for values in spans))
    assert file.problems == []
    (trace,) = file.traces
    assert [message.text for message in trace.messages] == [text for _, text, *_ in EXPECTED]


def test_values_over_several_lines_beside_a_damaged_one(tmp_path: Path) -> None:
    good = json.dumps({"messages": CHAT}, indent=1)
    file = read(tmp_path, good, '{\n "messages": [,', "]}", good)
    assert len(file.traces) == 2
    lines = good.count("\n") + 1
    assert [problem.line for problem in file.problems] == [lines + 1]


def test_a_list_of_conversations(tmp_path: Path) -> None:
    file = read(tmp_path, [{"messages": CHAT}, 3, ATIF])
    place = str(tmp_path / "traces.jsonl")
    assert [trace.place for trace in file.traces] == [f"{place}:1[0]", f"{place}:1[2]"]
    assert [(problem.place, problem.line) for problem in file.problems] == [(f"{place}:1[1]", 1)]


def test_one_value_over_several_lines(tmp_path: Path) -> None:
    (trace,) = read(tmp_path, json.dumps(ATIF, indent=2)).traces
    assert trace.place == f"{tmp_path / 'traces.jsonl'}"
    assert (trace.form, trace.model) == ("atif", "small")


def test_a_conversation_over_several_traces_and_lines(tmp_path: Path) -> None:
    name = {"gen_ai.conversation.id": "7"}
    turns = []
    for number, text in enumerate(["Is there tea?", "And rice?"]):
        input_messages = {"gen_ai.input.messages": [{"role": "user", "content": text}]}
        answered = {"gen_ai.output.messages": [{"role": "assistant", "content": "No."}]}
        values = {**name, **input_messages, **answered}
        turns.append(otlp(span(number, values, "invoke_agent") | {"traceId": f"t{number}"}))
    (trace,) = read(tmp_path, *turns).traces
    said_words = [message.text for message in trace.messages]
    assert said_words == ["Is there tea?", "No.", "And rice?", "No."]


@pytest.mark.parametrize(
    ("document", "usage"),
    [
        (
            {**ATIF, "final_metrics": {"total_prompt_tokens": 9, "total_cost_usd": 0.5}},
            (9, None, None, 0.5),
        ),
        (
            {
                **ATIF,
                "steps": [
                    *ATIF["steps"][:3],
                    {**ATIF["steps"][3], "metrics": {"prompt_tokens": 4, "cached_tokens": 1}},
                    {**ATIF["steps"][3], "metrics": {"prompt_tokens": 5, "completion_tokens": 2}},
                ],
            },
            (9, 2, 1, None),
        ),
        (
            otlp(
                span(1, {"gen_ai.usage.input_tokens": 4, "gen_ai.usage.output_tokens": 2, **SAID}),
                span(2, {"gen_ai.usage.prompt_tokens": 5, "gen_ai.usage.completion_tokens": 3}),
                span(0, {"gen_ai.usage.input_tokens": 9}, "invoke_agent"),
            ),
            (9, 5, None, None),
        ),
        (otlp(span(1, {"gen_ai.usage.input_tokens": 7, **SAID}, "invoke_agent")), (7, *[None] * 3)),
        ({**ATIF, "final_metrics": {"total_prompt_tokens": -1, "total_cost_usd": "much"}}, None),
    ],
)
def test_what_a_conversation_used(document: Any, usage: Any, tmp_path: Path) -> None:
    (trace,) = read(tmp_path, document).traces
    assert trace.usage == usage


def test_a_failure_that_a_trace_states(tmp_path: Path) -> None:
    failed = json.loads(json.dumps(ANTHROPIC))
    failed["messages"][2]["content"][0]["is_error"] = True
    document = tools_apart()
    document["resourceSpans"][0]["scopeSpans"][0]["spans"][1]["status"] = {"code": 2}
    for form in (failed, document):
        (trace,) = read(tmp_path, form).traces
        assert [m.failed for m in trace.messages if m.speaker == "tool"] == [True]


BAD: list[tuple[Any, str]] = [
    ('{"messages": [', "this is not JSON: Expecting value: line 1 column 15 (char 14)"),
    ("3", "this is not a conversation: 3; expected messages of a chat, OTLP's resourceSpans, or"),
    ({"messages": "no"}, "messages is 'no'; expected a list of objects"),
    ({"messages": [{"role": "wizard"}]}, "message 0: its role is 'wizard'; expected system,"),
    ({"messages": [{"role": "user", "content": 7}]}, "message 0: its content is 7; expected a"),
    (
        {"messages": [{"role": "assistant", "content": "", "tool_calls": [{"function": 3}]}]},
        "message 0: a tool call of the agent has no function with name and arguments: ",
    ),
    ({**ATIF, "steps": [{"step_id": 4, "source": "cat"}]}, "step 4: its source is 'cat'; expected"),
    (
        {**ATIF, "steps": [{"step_id": 4, "source": "agent", "tool_calls": [{}]}]},
        "step 4: a call has no function_name: {}",
    ),
    (
        otlp(span(1, {"gen_ai.input.messages": [{"role": "user", "parts": 3}]})),
        "parts is 3; expected a list of objects",
    ),
]


@pytest.mark.parametrize(("line", "problem"), BAD)
def test_a_line_that_is_no_conversation(line: Any, problem: str, tmp_path: Path) -> None:
    file = read(tmp_path, {"messages": CHAT}, line, {"messages": CHAT})
    assert [trace.place[-2:] for trace in file.traces] == [":1", ":3"]
    (mistake,) = file.problems
    assert (mistake.place, mistake.line) == (f"{tmp_path / 'traces.jsonl'}:2", 2)
    assert mistake.text.startswith(problem)


WRONG: tuple[Any, ...] = (
    None,
    True,
    3,
    -1.5,
    "",
    "x",
    [],
    {},
    ["a"],
    [1],
    {"a": 1},
    [[]],
    "{}",
    "[1]",
    "\ud800",
)
"""Values to put where others are expected."""


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the path of each part of a JSON value."""
    yield path
    parts: Any = value.items() if isinstance(value, dict) else ()
    for key, part in enumerate(value) if isinstance(value, list) else parts:
        yield from places(part, (*path, key))


@pytest.mark.parametrize("form", FORMS)
def test_a_damaged_line_is_read_or_a_problem(form: str, tmp_path: Path) -> None:
    choose = random.Random(form)  # the same in every run
    lines = []
    for _ in range(60):
        document = json.loads(json.dumps({"whole": FORMS[form]}))
        *path, last = choose.choice([*places(FORMS[form], ("whole",))])
        inner = document
        for key in path:
            inner = inner[key]
        inner[last] = choose.choice(WRONG)
        lines.append(json.dumps(document["whole"]))
    file = read(tmp_path, *lines)
    assert {problem.line for problem in file.problems} <= {*range(1, 61)}
    assert file.problems


def test_spans_without_messages(tmp_path: Path) -> None:
    file = read(tmp_path, otlp(span(1, {})))
    (problem,) = file.problems
    assert problem.text == "its spans have no messages; is their content captured?"


def test_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="cannot be read: No such file"):
        read_traces(tmp_path / "absent.jsonl")
    with pytest.raises(FileError, match="it is empty"):
        read(tmp_path, "")
