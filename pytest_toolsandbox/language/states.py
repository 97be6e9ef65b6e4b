"""States: how a scenario's world starts, and how a table is expected to be."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, get_args

from pytest_toolsandbox.worlds.state import Row, State, Table

from .mistakes import Path, found
from .reader import Reader
from .scenario import START, StateConstraint, StateKind
from .values import Expected

CHANGES = ("added", "removed", "rows")
BLOCKS = tuple(kind for kind in get_args(StateKind) if kind != "fields")
RELATIVE = ("added", "removed", "updated", "unchanged")


def read_start(reader: Reader, changes: Mapping[str, Any]) -> State:
    """Return the state in which the scenario starts: the world's initial one with its changes."""
    state = reader.world.start(reader.now)
    for name in reader.only_known(changes, ("state",), "table", reader.world.tables):
        table = _changed(reader, name, state[name], changes[name], ("state", name))
        state = state.with_table(name, table)
    return state


def _changed(reader: Reader, name: str, table: Table, change: Any, path: Path) -> Table:
    if not isinstance(change, dict):
        reader.mistakes.add(path, f"expected a mapping, found {found(change)}")
        return table
    if reader.world.tables[name].single_row:
        (row,) = table.rows
        return Table([_complete(reader, name, {**row, **change}, path, change) or row])
    for key in change:
        if key not in CHANGES:
            reader.mistakes.unknown((*path, key), "key", key, CHANGES)
    if "rows" in change:
        if len(change) > 1:
            reader.mistakes.add(path, "rows are all rows: nothing can stand beside them")
        table = Table()
    for fields_path, fields in _rows(reader, change.get("removed", []), (*path, "removed")):
        table = _without(reader, name, table, fields, fields_path)
    for key in ("rows", "added"):
        for row_path, row in _rows(reader, change.get(key, []), (*path, key)):
            if whole := _complete(reader, name, row, row_path, row):
                table = table.with_row(whole)
    return table


def _without(reader: Reader, name: str, table: Table, fields: Any, path: Path) -> Table:
    columns = reader.world.tables[name].columns
    known = list(reader.only_known(fields, path, f"column of {name!r}", columns))
    wanted = {key: reader.literal(fields[key], (*path, key)) for key in known}
    rows = table.where(**wanted)
    if not rows and len(known) == len(fields):
        reader.mistakes.add(path, f"table {name!r} has no such row to remove")
    return table.without(*rows)


def _complete(
    reader: Reader, name: str, row: Mapping[str, Any], path: Path, written: Mapping[str, Any]
) -> Row | None:
    """Return a row of the table, or nothing where it is not one."""
    columns = reader.world.tables[name].columns
    before = len(reader.mistakes.found)
    known = list(reader.only_known(written, path, f"column of {name!r}", columns))
    values = {key: reader.literal(written[key], (*path, key)) for key in known}
    for key, value in values.items():
        if not columns[key].accepts(value):
            text = f"column {key!r} takes {columns[key].type.__name__}, not {found(value)}"
            reader.mistakes.add((*path, key), text)
    if len(reader.mistakes.found) > before:
        return None
    try:
        return Row(reader.world.complete(name, {**row, **values}, "/".join(map(str, path))))
    except ValueError as error:
        reader.mistakes.add(path, str(error))
        return None


def read_block(
    reader: Reader, name: str, block: Any, path: Path, threshold: float | None
) -> list[StateConstraint]:
    """Return what a block of ``state:`` asks of the table ``name``."""
    if not isinstance(block, dict) or not block:
        reader.mistakes.add(path, f"expected a mapping, found {found(block)}")
        return []
    schema = reader.world.tables[name]
    label = f"state.{name}"
    if schema.single_row and "unchanged" not in block:
        rows = (_expected_row(reader, name, block, path, threshold),)
        return [StateConstraint(label, name, "fields", rows)]
    kinds = [key for key in block if key in BLOCKS]
    for key in block:
        if key not in (*BLOCKS, "since"):
            reader.mistakes.unknown((*path, key), "key", key, (*BLOCKS, "since"))
    if len(kinds) != 1:
        text = f"expected exactly one of {', '.join(BLOCKS)}; found {', '.join(kinds) or 'none'}"
        reader.mistakes.add(path, text)
        return []
    return _read_kind(reader, name, kinds[0], block, path, threshold)


def _read_kind(
    reader: Reader, name: str, kind: Any, block: dict[str, Any], path: Path, threshold: float | None
) -> list[StateConstraint]:
    since = block.get("since", START) if kind in RELATIVE else None
    if "since" in block and kind not in RELATIVE:
        text = f"{kind} is not relative to anything; since goes with {', '.join(RELATIVE)}"
        reader.mistakes.add((*path, "since"), text, key=True)
    if since is not None and not isinstance(since, str):
        reader.mistakes.add((*path, "since"), f"expected a milestone, found {found(since)}")
        since = START
    elif since not in (None, START):
        reader.check_reference(since, (*path, "since"))
    label = f"state.{name}.{kind}"
    if kind == "unchanged":
        if block[kind] is not True:
            reader.mistakes.add((*path, kind), f"expected true, found {found(block[kind])}")
        return [StateConstraint(label, name, kind, since=since)]
    rows = tuple(
        _expected_row(reader, name, row, row_path, threshold)
        for row_path, row in _rows(reader, block[kind], (*path, kind))
    )
    return [StateConstraint(label, name, kind, rows, since)]


def _expected_row(
    reader: Reader, name: str, row: Mapping[str, Any], path: Path, threshold: float | None
) -> dict[str, Expected]:
    columns = reader.world.tables[name].columns
    return {
        key: reader.cell(row[key], (*path, key), key, columns[key], threshold)
        for key in reader.only_known(row, path, f"column of {name!r}", columns)
    }


def _rows(reader: Reader, rows: Any, path: Path) -> list[tuple[Path, dict[str, Any]]]:
    if not isinstance(rows, list):
        reader.mistakes.add(path, f"expected a list of rows, found {found(rows)}")
        return []
    for index, row in enumerate(rows):
        if not isinstance(row, dict) or not row:
            reader.mistakes.add(
                (*path, index), f"expected a row, column: value; found {found(row)}"
            )
    return [
        ((*path, index), row) for index, row in enumerate(rows) if isinstance(row, dict) and row
    ]
