"""Stored records as conversations again."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

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
from pytest_toolsandbox.records.reading import read_records, stored_trajectory
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
