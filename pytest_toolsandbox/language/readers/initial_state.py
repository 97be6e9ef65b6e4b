"""How a scenario's world starts: the world's initial state, with the scenario's differences."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pytest_toolsandbox.language.mistakes import Path
from pytest_toolsandbox.language.values import results_in
from pytest_toolsandbox.wording.phrases import listed
from pytest_toolsandbox.worlds.state import Row, State, Table, plain

from .base_reader import Reader
from .blocks import has_keys, known_columns, note_key, read_rows

CHANGES = ("added", "removed", "rows")


def read_start(reader: Reader, changes: Mapping[str, Any]) -> State | None:
    """Return the state in which the scenario starts, or nothing where the world cannot start."""
    try:
        state = reader.world.start(reader.now)
    except ValueError as error:  # such as a time before the year 1
        is_moved = reader.now != reader.world.now
        text = f"the world {reader.world.name!r} cannot start{' at this time' if is_moved else ''}"
        reader.mistakes.add(("now",) if is_moved else ("world",), f"{text}: {error}")
        return None
    for name in reader.only_known(changes, ("state",), "table", reader.world.tables):
        state = state.with_table(name, _changed(reader, name, state[name], changes[name]))
    return state


def _changed(reader: Reader, name: str, table: Table, change: Any) -> Table:
    path = ("state", name)
    if not has_keys(reader, name, change, path, listed(CHANGES)):
        return table
    if reader.world.tables[name].single_row:
        (row,) = table.rows
        return Table([_row(reader, name, change, path, before=plain(row)) or row])
    for key in change:
        if key not in CHANGES:
            note_key(reader, name, (*path, key), CHANGES, listed(CHANGES))
    if "rows" in change:
        if len(change) > 1:
            text = "rows are all rows of the table; nothing can stand beside them"
            reader.mistakes.add((*path, "rows"), text, key=True)
        return _with_rows(reader, name, Table(), change["rows"], (*path, "rows"))
    removed, added = change.get("removed", []), change.get("added", [])
    table = _without_rows(reader, name, table, removed, (*path, "removed"))
    return _with_rows(reader, name, table, added, (*path, "added"))


def _with_rows(reader: Reader, name: str, table: Table, rows: Any, path: Path) -> Table:
    for row_path, written in read_rows(reader.mistakes, rows, path):
        if row := _row(reader, name, written, row_path):
            table = table.with_row(row)
    return table


def _without_rows(reader: Reader, name: str, table: Table, rows: Any, path: Path) -> Table:
    for row_path, fields in read_rows(reader.mistakes, rows, path):
        values = _values(reader, name, fields, row_path)
        gone = [row for row in table if values is not None and row.matches(values)]
        if values is not None and not gone:
            reader.mistakes.add(row_path, f"{name} has no such row that could be removed")
        table = table.without(*gone)
    return table


def _row(
    reader: Reader,
    name: str,
    written: Mapping[str, Any],
    path: Path,
    before: Mapping[str, Any] | None = None,
) -> Row | None:
    values = _values(reader, name, written, path)
    if values is None:
        return None
    try:
        place = "/".join(map(str, path))
        return Row(reader.world.complete(name, {**(before or {}), **values}, place))
    except ValueError as error:
        reader.mistakes.add(path, str(error))
        return None


def _values(
    reader: Reader, name: str, written: Mapping[str, Any], path: Path
) -> dict[str, Any] | None:
    columns = reader.world.tables[name].columns
    before = len(reader.mistakes.found)
    values = {}
    for key in known_columns(reader, name, written, path):
        values[key] = reader.literal(reader.times(written[key], columns[key]), (*path, key))
        for wrong in reader.cell_problems(values[key], columns[key]):
            reader.mistakes.add((*path, key), wrong.text)
    if len(reader.mistakes.found) > before or any(results_in(list(values.values()))):
        return None
    return values
