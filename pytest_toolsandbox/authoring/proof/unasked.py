"""What no milestone asks for, by how a mutant ends differently from the solution."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from pytest_toolsandbox.conversation.messages import Trajectory
from pytest_toolsandbox.scoring.words import compared_columns, differing_tables
from pytest_toolsandbox.text.formatting import format_value
from pytest_toolsandbox.worlds.state import TableSchema
from pytest_toolsandbox.worlds.world import World

_Row = Mapping[str, Any]


def unasked(world: World, solution: Trajectory, mutant: Trajectory) -> str:
    """Say which columns and rows nothing asks for, and which rows nothing forbids."""
    asked: dict[str, None] = {}
    further: list[str] = []
    for name in differing_tables(world, solution, mutant):
        schema = world.tables[name]
        tables = [played.states[-1][name] for played in (solution, mutant)]
        columns = compared_columns(schema, tables)
        rows, other_rows = (
            [{column: row.get(column) for column in columns} for row in table] for table in tables
        )
        missing, added = _without(rows, other_rows), _without(other_rows, rows)
        for row in missing:
            changed = _changed(row, added)
            cells = [f"{name}.{column}" for column in changed]
            asked.update(dict.fromkeys(cells or [f"the row of {name} with {_shown(row, schema)}"]))
        further += [f"a further row of {name}"] if added else []
    parts = (("asks for", list(asked)), ("forbids", further))
    return "; ".join(f"nothing {verb} {', '.join(what)}" for verb, what in parts if what)


def _without(rows: Iterable[_Row], other_rows: Iterable[_Row]) -> list[_Row]:
    """Return the rows that the others lack, each as often as it is missing."""
    remaining, missing = list(other_rows), []
    for row in rows:
        if row in remaining:
            remaining.remove(row)
        else:
            missing.append(row)
    return missing


def _changed(row: _Row, candidates: list[_Row]) -> Sequence[str]:
    """Return the columns in which the most similar row differs, and remove that row.

    Rows that have nothing in common are different rows: then nothing is returned or removed.
    """
    differing = [[column for column in row if row[column] != other[column]] for other in candidates]
    nearest = min(range(len(candidates)), key=lambda place: len(differing[place]), default=None)
    if nearest is None or len(differing[nearest]) == len(row) > 1:
        return []
    del candidates[nearest]
    return differing[nearest]


def _shown(row: _Row, schema: TableSchema) -> str:
    """Return the cells of a row that are not its defaults."""
    return ", ".join(f"{column}={format_value(value)}" for column, value in _cells(row, schema))


def _cells(row: _Row, schema: TableSchema) -> Iterator[tuple[str, Any]]:
    cells = [(name, value) for name, value in row.items() if value != schema.column(name).default]
    yield from cells or row.items()
