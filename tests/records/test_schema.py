"""The JSON Schema of records that stands in the package."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from desk import LIGHT, Suite
from jsonschema import Draft202012Validator

from pytest_toolsandbox.__main__ import main
from pytest_toolsandbox.records.record import SCHEMA_FILE, record_schema

WRITE = (
    "PYTHONPATH=. python -c 'import json; from pytest_toolsandbox.records.record import *; "
    'SCHEMA_FILE.write_text(json.dumps(record_schema(), indent=2) + "\\n")\''
)


def test_the_file_says_what_the_types_say() -> None:
    written = SCHEMA_FILE.read_text(encoding="utf-8")
    assert written == json.dumps(record_schema(), indent=2) + "\n", f"write it anew: {WRITE}"


def test_the_command_prints_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["schema", "--record"]) == 0
    assert capsys.readouterr().out == SCHEMA_FILE.read_text(encoding="utf-8")


QUERY = """
world: desk
query: What do the notes say?
answer: {mentions: ferns}
solutions: {reads: [{read_notes: }, {finish: {answer: Water the ferns.}}]}
counterexamples: {guesses: [{say: Nothing.}]}
"""


@pytest.mark.parametrize("agent", ["oracle", "counterexample", "counterexample:none"])
def test_what_is_written_is_as_it_says(suite: Suite, agent: str) -> None:
    suite.write("a.scenario.yaml", LIGHT)
    suite.write("b.scenario.yaml", QUERY)
    suite.run(f"--agent={agent}", "--sandbox-results=results.jsonl")
    schema = json.loads(SCHEMA_FILE.read_text(encoding="utf-8"))
    strict: Any = {**schema, "additionalProperties": False, "$defs": dict(schema["$defs"])}
    for name, definition in schema["$defs"].items():
        strict["$defs"][name] = {**definition, "additionalProperties": False}
    records = suite.whole_records()
    assert len(records) == 2
    for record in records:
        assert [error.message for error in Draft202012Validator(strict).iter_errors(record)] == []


def test_the_documentation_names_every_field() -> None:
    text = (Path(__file__).parents[2] / "docs" / "records.md").read_text(encoding="utf-8")
    table = text.partition("# Records")[2].partition("## Judging")[0]
    rows = [line.split("|")[1] for line in table.splitlines() if line.startswith("| `")]
    named = {name for row in rows for name in re.findall(r"`(\w+)`", row)}
    assert named == set(record_schema()["properties"])
