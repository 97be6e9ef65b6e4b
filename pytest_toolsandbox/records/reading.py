"""Stored trajectories: records that are read back, to be scored by today's scenarios."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from pytest_toolsandbox.calls.tool_call import ToolCall, ToolTrace
from pytest_toolsandbox.conversation.conversation import opening_messages
from pytest_toolsandbox.conversation.ground_truth import said_to_agent
from pytest_toolsandbox.conversation.messages import Message, Trajectory
from pytest_toolsandbox.language.roles import Role
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.worlds.state import Row, State

from .record import VERSION, Record, start_digests


@dataclass(frozen=True)
class Stored:
    """The records of a file: an item's id → the trial → the record."""

    records: Mapping[str, Mapping[int, Record]]

    @cached_property
    def scenarios(self) -> frozenset[str]:
        """The ids without the parameters of the items."""
        return frozenset(map(without_parameters, self.records))


def without_parameters(identifier: str) -> str:
    """Return the id of an item without what stands in brackets behind its name."""
    file, separator, name = identifier.partition("::")
    return f"{file}{separator}{name.partition('[')[0]}"


class StoredError(Exception):
    """A file of records that cannot be read, or a record that does not belong to its scenario."""


def read_records(path: Path) -> Stored:
    """Return the records of a file; of two with the same id and trial, the later one.

    Raises :class:`StoredError` with the file and the line for anything that is no such record.
    """
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        raise StoredError(f"{path}: cannot be read: {reason}") from None
    stored: dict[str, dict[int, Record]] = {}
    for number, line in enumerate(lines, 1):
        if line.strip():
            record = _read(line, f"{path}:{number}")
            stored.setdefault(record["id"], {})[record["trial"]] = record
    if not stored:
        raise StoredError(f"{path}: it has no records; was the run that should write them stopped?")
    return Stored(stored)


def _read(line: str, place: str) -> Record:
    try:
        record = json.loads(line)
        version = record["record"]
        complete = {"id", "trial", "messages", "snapshots", "outcome"} <= set(record)
    except (ValueError, TypeError, KeyError):
        raise StoredError(f"{place}: this is no record of a scenario") from None
    if version != VERSION:
        text = f"a record of version {version}; this program reads version {VERSION}"
        raise StoredError(f"{place}: {text}: play the scenarios again")
    if not complete:
        raise StoredError(f"{place}: the record is not complete")
    return dict(record)


def stored_trajectory(record: Record, scenario: Scenario) -> Trajectory:
    """Return the trajectory of a record, which must have begun as the scenario does today.

    Raises :class:`StoredError` that says what changed.
    """
    if record["outcome"] == "error":
        raise StoredError(f"the stored conversation was not finished: {record['reason']}")
    if changes := list(_changes(record, scenario)):
        raise StoredError(f"the scenario is another one now: {'; '.join(changes)}; play it again")
    return Trajectory(
        tuple(map(_message, record["messages"])),
        tuple(_states(record, scenario.start)),
        scenario.start,
        tuple(record.get("untried_orders", ())),
    )


def as_recorded(record: Record, scenario: Scenario) -> Scenario:
    """Return the scenario with the feedback and the form of calls that the record was made with."""
    return replace(
        scenario,
        feedback=record.get("feedback", scenario.feedback),
        call_format=record.get("call_format", scenario.call_format),
    )


def _changes(record: Record, scenario: Scenario) -> Iterator[str]:
    """Yield what differs between the start of the record and the scenario's."""
    if record["world"] != scenario.world.name:
        yield f"its world was {record['world']}, and is {scenario.world.name}"
        return
    if record["now"] != scenario.now.isoformat():
        yield f"its clock said {record['now']}, and says {scenario.now.isoformat()}"
    for what, names in (
        ("no longer offered", set(record["tools"]) - set(scenario.tools)),
        ("newly offered", set(scenario.tools) - set(record["tools"])),
    ):
        if names:
            yield f"{what}: {', '.join(sorted(names))}"
    today = start_digests(scenario.start)
    tables = sorted(name for name in today if record["start"].get(name) != today[name])
    if tables:
        yield f"it starts with other rows in {', '.join(tables)}"
    if scenario.replay is not None:
        heard = [m["content"] for m in record["messages"] if m["sender"] == Role.USER]
        if heard != said_to_agent(scenario.replay):
            yield "the user says other words"
        return
    expected = [(m.sender, m.content) for m in opening_messages(scenario)[1:]]
    found = [(m["sender"], m["content"]) for m in record["messages"][1 : len(expected) + 1]]
    if expected != found:
        yield "the user opens it with other words"


def _message(stored: Mapping[str, Any]) -> Message:
    call, trace = stored["call"], stored["trace"]
    return Message(
        Role(stored["sender"]),
        Role(stored["recipient"]),
        stored["content"],
        tuple(map(Role, stored["visible_to"])),
        ToolCall(**call) if call else None,
        ToolTrace(**trace) if trace else None,
        stored["error"],
    )


def _states(record: Record, start: State) -> Iterator[State]:
    """Yield the state after each message."""
    changes = {snapshot["message"]: snapshot["changes"] for snapshot in record["snapshots"]}
    state = start
    for index in range(len(record["messages"])):
        for name, change in changes.get(index, {}).items():
            table = state[name].without(*map(Row, change["removed"]))
            for row in change["added"]:
                table = table.with_row(row)
            state = state.with_table(name, table)
        yield state
