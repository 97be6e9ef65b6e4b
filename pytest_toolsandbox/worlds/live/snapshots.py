"""Makes states of the tables of a live world; rows that did not change are shared."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any

from pytest_toolsandbox.text.error_text import message_of
from pytest_toolsandbox.worlds.context import WorldError
from pytest_toolsandbox.worlds.state import Column, Log, Row, State, Table, TableSchema

from .row_reading import as_mapping, cell, is_frame, is_row_like, key_column, packed, read_rows

_NUMBERS = {int, float}
_JSON_TYPES: Mapping[type, Any] = {str: str, bool: bool, dict: dict, datetime: datetime}


class AnyColumns(Mapping[str, Column]):
    """The columns of a table that has no rows at the start: every name, with any value."""

    def __getitem__(self, name: str) -> Column:
        return Column(Any, nullable=True)

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str)

    def __iter__(self) -> Iterator[str]:
        return iter(())

    def __len__(self) -> int:
        return 0


@dataclass(frozen=True)
class LiveTable(TableSchema):
    """The schema of a table of a live world, and how its rows are read.

    ``key`` is the column for the keys of a mapping of rows, if the rows do not have them.
    """

    takes_any = True
    key: str | None = None

    def complete(
        self, table: str, row: Mapping[str, Any], new_identifier: Callable[[], str]
    ) -> dict[str, Any]:
        """Return a row of a scenario with null for what it leaves out. Raises ``ValueError``."""
        known = {name: value for name, value in row.items() if name in [*self.columns]}
        super().complete(table, known, new_identifier)  # checks the values
        return {**dict.fromkeys(self.columns), **row}


@dataclass(frozen=True)
class Snapshot:
    """A state of a live world; ``packed`` has the texts by which its rows are recognized."""

    state: State
    packed: Mapping[str, list[bytes]]

    def differing(self, other: Snapshot) -> list[str]:
        """Return the names of the tables with other rows."""
        mine, theirs = self.state, other.state
        return [
            name
            for name in mine
            if self.packed[name] != other.packed[name] and mine[name] != theirs[name]
        ]


def inferred_schemas(tables: Mapping[str, Any]) -> dict[str, LiveTable]:
    """Return the schemas of tables as they are at the start. Raises :class:`WorldError`."""
    return {name: _checked(name, partial(_schema, table)) for name, table in tables.items()}


def _schema(table: Any) -> LiveTable:
    is_mapping = isinstance(table, Mapping)
    if is_mapping and not is_frame(table):
        single = bool(table) and not all(map(is_row_like, table.values()))
    else:
        single = is_row_like(table)
    rows = [as_mapping(row) for row in read_rows(table, is_row=single)]
    key = key_column(table, rows) if is_mapping and not single else None
    if key:
        rows = [{key: name, **row} for name, row in zip(table, rows, strict=True)]
    names = dict.fromkeys(str(name) for row in rows for name in row)
    columns = {
        name: Column(_type([row.get(name) for row in rows]), nullable=True, default=None)
        for name in names
    }
    return LiveTable(columns or AnyColumns(), single_row=single, key=key)


def _type(values: Sequence[Any]) -> Any:
    """Return the type of a column with these values: any JSON value if they are mixed."""
    types = {type(cell(value, is_moment=True)) for value in values} - {type(None)}
    if types and types <= _NUMBERS:
        return float
    if types and types <= {list, tuple}:
        return list
    return _JSON_TYPES.get(next(iter(types)), Any) if len(types) == 1 else Any


def snapshot(
    tables: object,
    schemas: Mapping[str, TableSchema],
    world: str,
    log: Log = (),
    before: Snapshot | None = None,
) -> Snapshot:
    """Return the state with these tables, which shares what it can with the one before.

    Raises :class:`WorldError` if they are not the tables of ``schemas``.
    """
    if not isinstance(tables, Mapping):
        raise WorldError(f"its state must be tables with their rows, not {tables!r:.100}")
    if other := [name for name in tables if name not in schemas]:
        raise WorldError(f"its state has a table {other[0]!r}, which was not there at the start")
    if missing := [name for name in schemas if name not in tables]:
        raise WorldError(f"its state lacks the table {missing[0]!r}, which was there at the start")
    read: dict[str, Table] = {}
    texts: dict[str, list[bytes]] = {}
    for name, schema in schemas.items():
        now = partial(_read, tables[name], schema, name, before)
        texts[name], read[name] = _checked(name, now)
    return Snapshot(State(read, world, log), texts)


def _read(
    table: Any, schema: TableSchema, name: str, before: Snapshot | None
) -> tuple[list[bytes], Table]:
    key = schema.key if isinstance(schema, LiveTable) else None
    rows = read_rows(table, key, is_row=schema.single_row)
    texts = list(map(packed, rows))
    earlier = before.state[name] if before else Table()
    earlier_texts = before.packed[name] if before else []
    if before and texts == earlier_texts:
        return earlier_texts, earlier
    known = dict(zip(earlier_texts, earlier.rows, strict=True))
    made = [known.get(text) or _row(row, schema) for text, row in zip(texts, rows, strict=True)]
    if schema.single_row and len(made) != 1:
        raise ValueError(f"has a single row at the start, and now {len(made)}")
    # Different texts may be of equal rows: then nothing has changed.
    return texts, earlier if before and tuple(made) == earlier.rows else Table(made)


def _row(row: Any, schema: TableSchema) -> Row:
    values = {
        str(name): cell(value, is_moment=schema.column(str(name)).type is datetime)
        for name, value in as_mapping(row).items()
    }
    missing = {name: None for name in schema.columns if name not in values}
    return Row({**values, **missing} if missing else values)


def _checked(name: str, read: Callable[[], Any]) -> Any:
    try:
        return read()
    except (TypeError, ValueError, RecursionError) as error:
        text = f"the table {name!r} of its state cannot be read: {message_of(error)}"
        raise WorldError(text) from None
