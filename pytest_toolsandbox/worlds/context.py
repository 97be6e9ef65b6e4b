"""The context in which a tool runs, and the errors that tools raise.

Agents read a declared error as ``Type: message``.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from .state import Row, State, TableSchema

Checks = Iterable[tuple[object, str]]
"""Conditions, each with the message if it is false. A check may rely on those before it."""


class NoDataError(Exception):
    """No row has the identifier that the call names."""


class DuplicateError(Exception):
    """The change would duplicate something that must be unique."""


class WorldError(Exception):
    """A world has a bug: it cannot be registered, or a tool raised an undeclared exception.

    The message is one line: file and line in the world's code, what was found, and what to do. The
    test ends in an error and gets no score.
    """


DECLARED = (NoDataError, DuplicateError)
"""What every tool may raise for the agent to read without a declaration."""


def check(checks: Checks, start: str) -> None:
    """Raise :class:`WorldError`, whose message begins with ``start``, for the first that fails."""
    for holds, problem in checks:
        if not holds:
            raise WorldError(f"{start}: {problem}")


def stable_identifier(*parts: object) -> str:
    """Return a UUID that depends on nothing but these parts."""
    return str(uuid.uuid5(uuid.NAMESPACE_OID, "/".join(map(str, parts))))


@dataclass(eq=False)
class Context:
    """The world during one call of a tool.

    ``state`` is the state as the tool leaves it; if the tool raises, its changes are undone.
    ``now`` is the world's clock, with its time zone; it stands still during a call. ``place`` says
    which call this is: equal calls get equal identifiers. ``tables`` check rows; any other table
    takes any.
    """

    state: State
    now: datetime
    place: str = ""
    tables: Mapping[str, TableSchema] = field(default_factory=dict)
    _identifiers: int = field(default=0, init=False)

    def new_identifier(self) -> str:
        """Return an identifier that is unique in the conversation."""
        self._identifiers += 1
        return stable_identifier(self.place, self._identifiers)

    def rows(self, table: str) -> tuple[Row, ...]:
        """Return the rows of a table, oldest first."""
        return self.state[table].rows

    def row(self, table: str) -> Row:
        """Return the only row of a single-row table."""
        (row,) = self.state[table].rows
        return row

    def add(self, table: str, row: Mapping[str, Any]) -> Row:
        """Add a row at the end of a table, and return it with the defaults of its columns."""
        added = self._row(table, row)
        self.state = self.state.with_table(table, self.state[table].with_row(added))
        return added

    def remove(self, table: str, *rows: Row) -> None:
        """Remove one occurrence of each of ``rows``."""
        self.state = self.state.with_table(table, self.state[table].without(*rows))

    def update(self, table: str, row: Row, **fields: Any) -> Row:
        """Change some values of a row, and return it; it moves to the end of its table."""
        changed = self._row(table, row.changed(**fields))
        self.state = self.state.with_table(table, self.state[table].without(row).with_row(changed))
        return changed

    def _row(self, table: str, row: Mapping[str, Any]) -> Row:
        if table not in self.tables:
            return row if isinstance(row, Row) else Row(row)
        try:
            return Row(self.tables[table].complete(table, row, self.new_identifier))
        except ValueError as error:
            raise WorldError(str(error)) from None
