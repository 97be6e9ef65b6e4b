"""What is exported is read by the tools that it is for: ``tox -e frameworks`` has them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from html_records import PUBLISHED, record, records

from pytest_toolsandbox.output.exports import inspect_log, log_file_name, otlp_trace
from pytest_toolsandbox.records.parts import UsageRecord
from pytest_toolsandbox.records.record import read_record
from pytest_toolsandbox.records.writing import lost_record

pytestmark = pytest.mark.filterwarnings("ignore")
RECORDS = [*records("clumsy"), record("cellar", "clumsy", 2), lost_record("a.yaml::x", "crashed")]


def test_inspect_opens_the_log(tmp_path: Path) -> None:
    log = pytest.importorskip("inspect_ai.log")
    file = tmp_path / "log.json"
    file.write_text(json.dumps(inspect_log(list(map(read_record, RECORDS)), "monday")))
    read = log.read_eval_log(str(file))
    assert [(one.id, one.epoch) for one in read.samples] == [(r["id"], r["trial"]) for r in RECORDS]
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
