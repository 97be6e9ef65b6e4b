"""Records as chat transcripts, Inspect logs and OpenTelemetry traces, which real readers read."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from html_records import PUBLISHED, record, records

from pytest_toolsandbox.output.exports import chat_lines, inspect_log, log_file_name, otlp_trace
from pytest_toolsandbox.records.parts import UsageRecord
from pytest_toolsandbox.records.record import read_record
from pytest_toolsandbox.records.writing import lost_record

USAGE = UsageRecord.__annotations__


def named(attributes: list[dict[str, Any]]) -> dict[str, Any]:
    return {attribute["key"]: next(iter(attribute["value"].values())) for attribute in attributes}


def spans(*some: Any) -> list[dict[str, Any]]:
    (resource,) = otlp_trace(list(map(read_record, some)))["resourceSpans"]
    spans_of_trace: list[dict[str, Any]] = resource["scopeSpans"][0]["spans"]
    return spans_of_trace


def test_a_chat_is_what_the_agent_saw_and_wrote() -> None:
    (line,) = chat_lines([read_record(record("fork", "oracle"))])
    messages = json.loads(line)["messages"]
    roles = [message["role"] for message in messages]
    assert roles == ["system", "user", *["assistant", "tool"] * 3, "assistant"]
    call = messages[4]["tool_calls"][0]
    assert call["function"] == {"name": "add_item", "arguments": '{"name": "tea"}'}
    assert messages[5]["tool_call_id"] == call["id"]
    assert messages[-1] == {"role": "assistant", "content": "It is done."}


def test_a_log_has_a_sample_for_each_trial() -> None:
    log = inspect_log(list(map(read_record, records("clumsy"))), "monday")
    samples = [(sample["id"], sample["epoch"]) for sample in log["samples"]]
    assert samples[:2] == [("pantry.yaml::fork", 1), ("pantry.yaml::fork", 2)]
    score = log["samples"][0]["scores"]["toolsandbox"]
    assert score["value"] == 0
    assert score["answer"] == "It is over."
    assert score["explanation"].startswith("hit salt_in; missed rice_in")
    assert log["results"]["scores"][0]["metrics"]["mean"]["value"] == 0
    assert log["eval"]["config"] == {"epochs": 2}


def test_an_error_has_no_score() -> None:
    lost = read_record(lost_record("a.yaml::x", "crashed"))
    log = inspect_log([lost], "monday")
    assert log["samples"][0]["error"]["message"] == "it came to no end: crashed"
    assert log["samples"][0]["scores"] == {}
    assert log["results"]["completed_samples"] == 0


def test_a_conversation_is_a_trace_and_a_call_a_span() -> None:
    root, *calls = spans(record("fork", "clumsy"))
    assert root["name"] == "invoke_agent clumsy"
    assert {span["parentSpanId"] for span in calls} == {root["spanId"]}
    assert {span["traceId"] for span in calls} == {root["traceId"]}
    assert [span["name"] for span in calls][:2] == [
        "execute_tool open_door",
        "execute_tool add_item",
    ]
    attributes = named(calls[1]["attributes"])
    assert attributes["gen_ai.tool.call.arguments"] == '{"name": "tea"}'
    (event,) = root["events"]
    assert event["name"] == "gen_ai.evaluation.result"
    attributes = named(event["attributes"])
    assert attributes["gen_ai.evaluation.score.value"] == 0
    assert attributes["gen_ai.evaluation.score.label"] == "failed"


def test_messages_are_parts_as_the_conventions_have_them() -> None:
    about = named(spans(record("fork", "oracle"))[0]["attributes"])
    (input_message,) = json.loads(about["gen_ai.input.messages"])
    assert input_message == {
        "role": "user",
        "parts": [{"type": "text", "content": "Put tea and rice in."}],
    }
    wrote = json.loads(about["gen_ai.output.messages"])
    assert [part["type"] for output_message in wrote for part in output_message["parts"]][:2] == [
        "tool_call",
        "tool_call_response",
    ]


def test_a_call_that_failed_says_why() -> None:
    def forgets_the_door(messages: Any, _tools: Any) -> Any:
        if any(message["role"] == "assistant" for message in messages):
            return "It is done."
        function = {"name": "add_item", "arguments": '{"name": "tea"}'}
        call = {"id": "a", "type": "function", "function": function}
        return {"role": "assistant", "tool_calls": [call]}

    _, call = spans(record("fork", "hasty", plays=forgets_the_door))
    assert call["status"]["code"] == 2
    assert named(call["attributes"])["error.type"] == "PermissionError"


def test_every_name_is_a_published_one() -> None:
    names: set[str] = set()
    for span in spans(*records("clumsy"), lost_record("a.yaml::x", "crashed")):
        for part in (span, *span.get("events", ())):
            names |= set(named(part["attributes"]))
    names = {name for name in names if not name.startswith("toolsandbox.")}
    assert names <= PUBLISHED
    assert "gen_ai.tool.call.result" in names


def test_the_tokens_of_the_agent() -> None:
    used = {**dict.fromkeys(USAGE, 0), "input_tokens": 12, "output_tokens": 3}
    about = named(spans({**record("fork", "clumsy"), "usage": {"agent": used}})[0]["attributes"])
    assert about["gen_ai.usage.input_tokens"] == 12
    assert about["gen_ai.usage.output_tokens"] == 3


def test_a_sample_of_inspect_has_the_tokens_of_the_agent() -> None:
    used = {**dict.fromkeys(USAGE, 0), "input_tokens": 12, "output_tokens": 3, "latency": 1.5}
    (sample,) = inspect_log(
        [read_record(record("fork", "clumsy") | {"usage": {"agent": used}})], "x"
    )["samples"]
    assert sample["model_usage"]["clumsy"]["total_tokens"] == 15
    assert sample["total_time"] == 1.5


def test_times_tell_the_order() -> None:
    root, *calls = spans(record("fork", "clumsy"))
    starts = [int(call["startTimeUnixNano"]) for call in calls]
    assert starts == sorted(starts)
    assert all(int(root["endTimeUnixNano"]) >= int(call["endTimeUnixNano"]) for call in calls)


@pytest.mark.parametrize("write", [chat_lines, otlp_trace, lambda some: inspect_log(some, "x")])
def test_secrets_are_hidden(write: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    with_secret = record("cellar", "clumsy")
    for message in with_secret["messages"]:
        message["content"] = message["content"].replace("Wine.", "It is hunter2-hunter2.")
    monkeypatch.setenv("CELLAR_PASSWORD", "hunter2-hunter2")
    written = write([read_record(with_secret)])
    text = json.dumps(written if isinstance(written, dict) else list(written))
    assert "hunter2" not in text
    assert "It is ***." in text


pytestmark = pytest.mark.filterwarnings("ignore")
RECORDS = [*records("clumsy"), record("cellar", "clumsy", 2), lost_record("a.yaml::x", "crashed")]


def test_inspect_opens_the_log(tmp_path: Path) -> None:
    log = pytest.importorskip("inspect_ai.log")
    file = tmp_path / "log.json"
    file.write_text(json.dumps(inspect_log(list(map(read_record, RECORDS)), "monday")))
    read = log.read_eval_log(str(file))
    assert [(sample.id, sample.epoch) for sample in read.samples] == [
        (r["id"], r["trial"]) for r in RECORDS
    ]
    first = read.samples[0]
    assert first.scores["toolsandbox"].value == 0
    assert first.messages[2].tool_calls[0].function == "open_door"
    assert first.messages[3].function == "open_door"
    assert read.samples[-1].error.message == "it came to no end: crashed"


def test_inspect_view_lists_the_log(tmp_path: Path) -> None:
    log = pytest.importorskip("inspect_ai.log")
    used = {**dict.fromkeys(UsageRecord.__annotations__, 0), "input_tokens": 12, "cost": None}
    written = inspect_log([read_record(RECORDS[0] | {"usage": {"agent": used}})], "my_monday")
    (tmp_path / log_file_name(written)).write_text(json.dumps(written))
    (listed,) = log.list_eval_logs(str(tmp_path))
    assert listed.task == "my-monday"
    assert log.read_eval_log(listed, header_only=True).eval.task == "my_monday"
    (sample,) = log.read_eval_log(listed).samples
    assert sample.model_usage["clumsy"].total_tokens == 12


def test_opentelemetry_reads_the_spans() -> None:
    trace = pytest.importorskip("opentelemetry.proto.trace.v1.trace_pb2")
    json_format = pytest.importorskip("google.protobuf.json_format")
    text = json.dumps(otlp_trace(list(map(read_record, RECORDS))))
    parsed = json_format.Parse(text, trace.TracesData())
    assert len(parsed.resource_spans[0].scope_spans[0].spans) > len(RECORDS)


def test_the_names_are_in_the_published_conventions() -> None:
    names = pytest.importorskip("opentelemetry.semconv._incubating.attributes.gen_ai_attributes")
    published = {value for value in vars(names).values() if isinstance(value, str)}
    assert published >= PUBLISHED - {"error.type"}
