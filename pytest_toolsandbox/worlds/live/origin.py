"""Where the instances of a live world come from: each begins as the first one did."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime, tzinfo
from functools import cache
from typing import Any, Final

from pytest_toolsandbox.text.formatting import join_words
from pytest_toolsandbox.worlds.context import WorldError
from pytest_toolsandbox.worlds.json_values import as_json
from pytest_toolsandbox.worlds.state import Log, LoggedCall, State, TableSchema, plain
from pytest_toolsandbox.worlds.tool import Tool

from .instance import Instance, Source
from .snapshots import Snapshot, snapshot

LOAD: Final = ""
"""What stands for the tool where a log says that the rows of a scenario were loaded."""
CLOCK: Final = "clock moved"
"""What stands for the tool where a log says that the clock moved; no tool has such a name."""


class Origin:
    """Where the instances of a live world come from; shared by all its conversations."""

    def __init__(
        self,
        name: str,
        source: Source,
        tools: Mapping[str, Tool],
        schemas: Mapping[str, TableSchema],
        arguments: Mapping[str, Any],
    ) -> None:
        self.name, self.source, self.tools, self.schemas = name, source, tools, schemas
        self.arguments = arguments
        self.first = cache(self._first)
        self.forked: set[str] = set()
        """The tools of which a call on a fork left the original alone."""
        self.is_separate = False
        """Whether an instance was found at the start after another one had changed."""

    def start(self, now: datetime) -> Snapshot:
        """Return the state before anything has happened, as the first instance shows it."""
        return self.first(now, now.tzinfo)  # equal moments in two zones are different clocks

    def _first(self, now: datetime, _: tzinfo | None) -> Snapshot:
        known = self.source.first_tables(self.arguments)
        if known is not None:
            return snapshot(known, self.schemas, self.name)
        instance = self.source.begin(now, self.arguments)
        try:
            return self.read(instance)
        finally:
            instance.close()

    def read(self, instance: Instance, log: Log = (), before: Snapshot | None = None) -> Snapshot:
        """Return what an instance shows. Raises :class:`WorldError`."""
        try:
            return snapshot(instance.tables(), self.schemas, self.name, log, before)
        except WorldError as error:
            raise WorldError(f"the world {self.name!r}: {error}") from error

    def begin(self, now: datetime) -> Instance:
        """Return a new instance, which must begin as the first one did."""
        first, instance = self.start(now), self.source.begin(now, self.arguments)
        differing = first.differing(self._read_or_close(instance, first))
        if not differing:
            return instance
        instance.close()
        text = f"the world {self.name!r} begins with other rows in {join_words(differing)}"
        raise WorldError(f"{text} {self.source.other_start}")

    def loaded(self, now: datetime, edited: State) -> State:
        """Return the state after the rows that a scenario edits were loaded.

        Raises :class:`WorldError` if they cannot be loaded, or are then others.
        """
        first = self.start(now)
        changed = [name for name in edited if edited[name] != first.state[name]]
        if not changed:
            return first.state
        if not self.source.loads:
            remedy = "write setup: with calls, or with: with arguments, or give the world load="
            text = f"the world {self.name!r} is live, and no rows can be put into it"
            raise WorldError(f"{text}; {remedy}")
        rows = {name: plain(edited[name].rows) for name in changed}
        instance, log = self.begin(now), (LoggedCall(LOAD, as_json(rows), "setup"),)
        try:
            self.load(instance, log[0])
            state = self.read(instance, log, first).state
        finally:
            instance.close()
        if different := [name for name in edited if edited[name] != state[name]]:
            text = f"the world {self.name!r} was given rows to load, and shows others in"
            raise WorldError(f"{text} {join_words(different)}")
        return state

    def load(self, instance: Instance, call: LoggedCall) -> None:
        """Load the rows of a scenario, as its log has them, into an instance."""
        tables = json.loads(call.arguments)
        for name, rows in tables.items():
            for row in rows:
                row.update(_moments(row, self.schemas[name]))
        instance.load(tables)

    def move_clock(self, instance: Instance, call: LoggedCall, zone: tzinfo | None) -> None:
        """Move the clock of an instance, as its log says."""
        instance.move_clock(datetime.fromisoformat(json.loads(call.arguments)).astimezone(zone))

    def _read_or_close(self, instance: Instance, before: Snapshot) -> Snapshot:
        try:
            return self.read(instance, (), before)
        except BaseException:
            instance.close()
            raise


def clock_call(now: datetime) -> LoggedCall:
    """Return what the log of a live world says when the clock moves."""
    return LoggedCall(CLOCK, as_json(now.isoformat()), "setup")


def _moments(row: Mapping[str, Any], schema: TableSchema) -> dict[str, datetime]:
    """Return the cells of a row that are dates and times, which JSON has as texts."""
    return {
        name: datetime.fromisoformat(row[name])
        for name, column in schema.columns.items()
        if column.type is datetime and isinstance(row.get(name), str)
    }
