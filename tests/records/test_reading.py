"""Stored records as conversations again."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime
from functools import reduce
from pathlib import Path
from typing import Any

import pytest
from html_records import records

from pytest_toolsandbox import (
    Column,
    Context,
    TableSchema,
    World,
    play,
    register_world,
    scripted_user as user,
    tool,
)
from pytest_toolsandbox.agents.scripted import counterexample
from pytest_toolsandbox.protocols import read_file
from pytest_toolsandbox.records.configuration import agent_record
from pytest_toolsandbox.records.reading import StoredError, read_records, stored_trajectory
from pytest_toolsandbox.records.writing import Trial, as_line

NOW = datetime(2025, 3, 14, 16, tzinfo=UTC)


@tool("diary")
def note(context: Context) -> None:
    """Note the time."""
    context.add("entry", {"at": context.now, "text": "now"})


COLUMNS = {"at": Column(datetime, nullable=True), "text": Column(str)}
SCENARIO = b"""
world: diary
user: {opening: Note the time.}
milestones: {said: {says: {mentions: done}}}
counterexamples: {silent: [{note: }, {say: Well.}]}
"""


def test_times_in_columns_are_written_and_read_back(tmp_path: Path) -> None:
    first = {"at": None, "text": "2025-03-14"}
    tables = {"entry": TableSchema(COLUMNS)}
    register_world(World("diary", NOW, tables, (note,), lambda _: {"entry": [first]}))
    (scenario,) = read_file(SCENARIO, "test", "test.yaml", {})
    trajectory = play(scenario, counterexample(scenario), user(scenario))
    written = Trial("a::b", 1, agent_record("x"), scenario, trajectory).record
    (snapshot,) = written["snapshots"]
    assert snapshot["changes"]["entry"]["added"] == [
        {"at": "2025-03-14T16:00:00+00:00", "text": "now"}
    ]
    file = tmp_path / "results.jsonl"
    file.write_text(as_line({**written, "outcome": "failed"}) + "\n", encoding="utf-8")
    stored = stored_trajectory(read_records(file).records["a::b"][1], scenario)
    assert stored == trajectory
    assert json.loads(as_line(written)) == written


NO_TYPE = "its {} has another type than that of a record"
TORN = "torn: the run was stopped while it was written"


@pytest.fixture
def lines(tmp_path: Path) -> tuple[Path, list[str]]:
    """A file, and the lines of two records for it."""
    return tmp_path / "results.jsonl", [as_line(record) for record in records("claude")[:2]]


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("id", ["x"]),
        ("trial", "1"),
        ("trial", True),
        ("messages.1.call", 5),
        ("messages.1.sender", "nobody"),
        ("snapshots", None),
    ],
)
def test_a_field_of_another_type(lines: tuple[Path, list[str]], path: str, value: Any) -> None:
    file, (line, other) = lines
    changed = json.loads(line)
    *places, last = path.split(".")
    reduce(lambda part, place: part[int(place) if place.isdigit() else place], places, changed)[
        last
    ] = value
    file.write_text(f"{json.dumps(changed)}\n{other}\n")
    why = f"1 stored record cannot be used: {file}:1: {NO_TYPE.format(path)}"
    assert read_records(file).unusable == why


def test_lines_that_cannot_be_used(lines: tuple[Path, list[str]]) -> None:
    file, (line, other) = lines
    deep = line.replace('"content": "', f'"deep": {"[" * 90_000}{"]" * 90_000}, "content": "', 1)
    spoiled = [deep, line[:-9], "null", "?", "?", "?", other, '{"record": 2, "id": "ü']
    file.write_bytes("\n".join(spoiled).encode()[:-1])
    read = read_records(file)
    assert len(read.records) == 1
    shown = f"{file}:3: this is no record of a scenario; {file}:4: no JSON; {file}:5: no JSON"
    shown = f"{file}:1: no JSON; {file}:2: no JSON; {shown}; and 2 more"
    assert read.unusable == f"7 stored records cannot be used: {shown}"
    file.write_bytes(f'{other}\n{{"record": 2, "id": "ü'.encode()[:-1])
    assert read_records(file).unusable == f"1 stored record cannot be used: {file}:2: {TORN}"


ANOTHER = "name a file that --sandbox-results wrote"
VERSIONS = "this program reads versions 1 to 3: play the scenarios again"


@pytest.mark.parametrize(
    ("content", "why"),
    [
        ("{}", f":1: this is no record of a scenario; {ANOTHER}"),
        ("\n[1]", f":2: this is no record of a scenario; {ANOTHER}"),
        ("{", f":1: {TORN}"),
        ("{\n", f":1: no JSON; {ANOTHER}"),
        ('{"record": 4}', f":1: a record of version 4; {VERSIONS}"),
        ('{"record": 1, "id": "x"}', ":1: the record is not complete: it lacks trial"),
        ("\n", ": it has no records; was the run that should write them stopped?"),
    ],
)
def test_a_file_without_a_record(tmp_path: Path, content: str, why: str) -> None:
    file = tmp_path / "results.jsonl"
    file.write_text(content)
    with pytest.raises(StoredError, match=f"^{re.escape(f'{file}{why}')}$"):
        read_records(file)
