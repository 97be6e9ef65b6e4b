"""Reads both kinds of ``state:``: the initial state of a world, and expected tables of events."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any, get_args

from pytest_toolsandbox.language.constraints import START, StateConstraint, StateKind
from pytest_toolsandbox.language.mistakes import Mistakes, Path
from pytest_toolsandbox.language.values import Expected, results_in
from pytest_toolsandbox.text.formatting import join_words
from pytest_toolsandbox.worlds.state import Row, State, Table, plain

from .base_reader import Reader
from .events import EventReader

BLOCK_KINDS: tuple[StateKind, ...] = tuple(kind for kind in get_args(StateKind) if kind != "fields")
RELATIVE = ("added", "removed", "updated", "unchanged")
_NEEDS_ROWS = ("includes", "excludes", "updated")
"""Kinds that must have rows."""


def read_block(reader: EventReader, table: str, block: Any, path: Path) -> list[StateConstraint]:
    """Return the constraints that a block sets on a table."""
    if not _has_keys(reader, table, block, path, f"one of {', '.join(BLOCK_KINDS)}"):
        return []
    if reader.world.tables[table].single_row and "unchanged" not in block:
        row = _expected_row(reader, table, block, path)
        return [StateConstraint(f"state.{table}", table, "fields", (row,))]
    kind = _kind(reader, table, block, path)
    if kind is None:
        return []
    since = _since(reader, kind, block, path)
    rows = _expected_rows(reader, table, kind, block[kind], (*path, kind))
    return [StateConstraint(f"state.{table}.{kind}", table, kind, tuple(rows), since)]


def _kind(
    reader: EventReader, table: str, block: Mapping[str, Any], path: Path
) -> StateKind | None:
    unknown = [key for key in block if key not in (*BLOCK_KINDS, "since")]
    for key in unknown:
        _note_key(
            reader, table, (*path, key), (*BLOCK_KINDS, "since"), join_words(BLOCK_KINDS[:-1])
        )
    kinds = [kind for kind in BLOCK_KINDS if kind in block]
    if len(kinds) == 1:
        return kinds[0]
    if kinds or not unknown:
        text = f"expected one of {', '.join(BLOCK_KINDS)}; found {join_words(kinds, 'and')}"
        reader.mistakes.add(path, text)
    return None


def _has_keys(reader: Reader, table: str, block: Any, path: Path, kinds: str) -> bool:
    """Whether a block has keys; if not, note which it should have."""
    if isinstance(block, dict) and block:
        return True
    single_row = reader.world.tables[table].single_row
    reader.mistakes.expected(path, "a mapping of columns to values" if single_row else kinds, block)
    return False


def _note_key(reader: Reader, table: str, path: Path, allowed: Collection[str], lists: str) -> None:
    """Note an invalid key of a block; columns belong in the rows of ``lists``."""
    schema, key = reader.world.tables[table], str(path[-1])
    if key in schema.columns:
        remedy = "remove unchanged" if schema.single_row else f"list its row under {lists}"
        reader.mistakes.add(path, f"{key!r} is a column of {table}; {remedy}", key=True)
    else:
        reader.mistakes.unknown(path, "key", key, allowed)


def _since(reader: EventReader, kind: str, block: Mapping[str, Any], path: Path) -> str | None:
    """Return what a block compares the table with: nothing, the start or an earlier event."""
    if kind not in RELATIVE:
        if "since" in block:
            text = f"since cannot be used with {kind}, only with {join_words(RELATIVE)}"
            reader.mistakes.add((*path, "since"), text, key=True)
        return None
    since = block.get("since", START)
    if not isinstance(since, str):
        reader.mistakes.expected((*path, "since"), f"{START} or the name of an event", since)
        return START
    if since != START:
        reader.graph.check_reference(reader.event, since, (*path, "since"))
    return since


def _expected_rows(
    reader: EventReader, table: str, kind: StateKind, rows: Any, path: Path
) -> list[Mapping[str, Expected]]:
    if kind == "unchanged":
        if rows is not True:
            reader.mistakes.expected(path, "true", rows)
        return []
    if kind in _NEEDS_ROWS and rows == []:
        reader.mistakes.add(path, "expected a list of rows, found an empty list")
    return [
        _expected_row(reader, table, row, row_path)
        for row_path, row in _read_rows(reader.mistakes, rows, path)
    ]


def _expected_row(
    reader: EventReader, table: str, row: Mapping[str, Any], path: Path
) -> dict[str, Expected]:
    columns = reader.world.tables[table].columns
    return {
        name: reader.cell(row[name], (*path, name), columns[name])
        for name in _known_columns(reader, table, row, path)
    }


def _known_columns(reader: Reader, table: str, row: Mapping[str, Any], path: Path) -> Iterator[str]:
    """Yield the columns of a row, and note its other keys."""
    schema = reader.world.tables[table]
    for name in row:
        if name in schema.columns:
            yield name
        elif name in BLOCK_KINDS and schema.single_row:
            text = f"{table} has a single row; write its columns instead of {name}"
            reader.mistakes.add((*path, name), text, key=True)
        else:
            reader.mistakes.unknown((*path, name), "column", name, schema.columns, f"of {table}")


def _read_rows(mistakes: Mistakes, rows: Any, path: Path) -> Iterator[tuple[Path, dict[str, Any]]]:
    """Yield the rows of a list with their paths, and note everything else."""
    if not isinstance(rows, list):
        mistakes.expected(path, "a list of rows", rows)
        return
    for index, row in enumerate(rows):
        if isinstance(row, dict) and row:
            yield (*path, index), row
        else:
            mistakes.expected((*path, index), "a row as a mapping of columns to values", row)


_CHANGES = ("added", "removed", "rows")


def read_start(reader: Reader, changes: Mapping[str, Any]) -> State | None:
    """Return the initial state of a scenario, or ``None`` if the world cannot start."""
    try:
        state = reader.world.start(reader.now)
    except ValueError as error:  # such as a time before the year 1
        is_moved = reader.now != reader.world.now
        text = f"the world {reader.world.name!r} cannot start{' at this time' if is_moved else ''}"
        reader.mistakes.add(("now",) if is_moved else ("world",), f"{text}: {error}")
        return None
    state = changed_tables(reader, state, changes, ("state",))
    try:
        return state if reader.mistakes.entries else reader.world.loaded(reader.now, state)
    except ValueError as error:
        reader.mistakes.add(("state",), str(error), key=True)
        return state


def changed_tables(reader: Reader, state: State, changes: Mapping[str, Any], path: Path) -> State:
    """Return a state with changed tables, and note mistakes in the changes."""
    for name in reader.only_known(changes, path, "table", reader.world.tables):
        changed = _changed(reader, name, state[name], changes[name], (*path, name))
        state = state.with_table(name, changed)
    return state


def _changed(reader: Reader, name: str, table: Table, change: Any, path: Path) -> Table:
    if not _has_keys(reader, name, change, path, join_words(_CHANGES)):
        return table
    if reader.world.tables[name].single_row:
        (row,) = table.rows
        return Table([_row(reader, name, change, path, before=plain(row)) or row])
    for key in change:
        if key not in _CHANGES:
            _note_key(reader, name, (*path, key), _CHANGES, join_words(_CHANGES))
    if "rows" in change:
        if len(change) > 1:
            text = "rows lists all rows of the table; remove the other keys"
            reader.mistakes.add((*path, "rows"), text, key=True)
        return _with_rows(reader, name, Table(), change["rows"], (*path, "rows"))
    removed, added = change.get("removed", []), change.get("added", [])
    table = _without_rows(reader, name, table, removed, (*path, "removed"))
    return _with_rows(reader, name, table, added, (*path, "added"))


def _with_rows(reader: Reader, name: str, table: Table, rows: Any, path: Path) -> Table:
    for row_path, cells in _read_rows(reader.mistakes, rows, path):
        if row := _row(reader, name, cells, row_path):
            table = table.with_row(row)
    return table


def _without_rows(reader: Reader, name: str, table: Table, rows: Any, path: Path) -> Table:
    for row_path, cells in _read_rows(reader.mistakes, rows, path):
        values = _values(reader, name, cells, row_path)
        if values is None:
            continue
        removed = [row for row in table if row.matches(values)]
        if not removed:
            reader.mistakes.add(row_path, f"{name} has no such row to remove")
        table = table.without(*removed)
    return table


def _row(
    reader: Reader,
    name: str,
    cells: Mapping[str, Any],
    path: Path,
    before: Mapping[str, Any] | None = None,
) -> Row | None:
    values = _values(reader, name, cells, path)
    if values is None:
        return None
    try:
        place = "/".join(map(str, path))
        return Row(reader.world.complete(name, {**(before or {}), **values}, place))
    except ValueError as error:
        reader.mistakes.add(path, str(error))
        return None


def _values(
    reader: Reader, name: str, cells: Mapping[str, Any], path: Path
) -> dict[str, Any] | None:
    columns = reader.world.tables[name].columns
    before = len(reader.mistakes.entries)
    values = {}
    for key in _known_columns(reader, name, cells, path):
        values[key] = reader.literal(reader.times(cells[key], columns[key]), (*path, key))
        for wrong in reader.cell_problems(values[key], columns[key]):
            reader.mistakes.add((*path, key), wrong.text)
    if len(reader.mistakes.entries) > before or any(results_in(list(values.values()))):
        return None
    return values
