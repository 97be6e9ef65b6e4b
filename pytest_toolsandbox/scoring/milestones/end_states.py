"""Compare the tables of a conversation with those that a solution leaves.

Identifiers that a world makes depend on the place of the call, so two conversations that do the
same may have different ones. A new identifier is therefore compared by the row that it identifies,
wherever it occurs. Free texts and lists are compared by the measure of their column.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final

from pytest_toolsandbox.language.constraints import EndsAsConstraint
from pytest_toolsandbox.language.values import Expected
from pytest_toolsandbox.matchers import Reading
from pytest_toolsandbox.matchers.registry import is_graded
from pytest_toolsandbox.scoring.results import Difference
from pytest_toolsandbox.text.formatting import format_value, pluralize
from pytest_toolsandbox.worlds.state import (
    NEW_IDENTIFIER,
    Column,
    Row,
    State,
    TableSchema,
    identity,
    plain,
)

from .comparison import Comparison, Target, combined, differing
from .nested_values import ABSENT, Part, differing_parts
from .rows import compare_rows

_MOST_SHOWN: Final = 3
"""How many differing rows of a table are reported."""
_MOST_PARTS: Final = 4
"""How many differing values of a row are reported."""
_MOST_PAIRED: Final = 50
"""Up to how many differing rows are paired, to report only the columns that differ."""


@dataclass(frozen=True)
class _Side:
    """A row, as it is compared and as it is shown: with and without its new identifiers."""

    row: Row
    shown: Mapping[str, Any]


def compare_end(
    constraint: EndsAsConstraint, expected: State, actual: State, start: State
) -> Comparison:
    """Compare all tables of a constraint with the ``expected`` ones; both began at ``start``."""
    changed = {
        name: (expected[name].minus(actual[name]), actual[name].minus(expected[name]))
        for name in constraint.schemas
        if expected[name] is not actual[name] and expected[name] != actual[name]
    }
    missing = _sides({name: rows for name, (rows, _) in changed.items()}, constraint, start)
    extra = _sides({name: rows for name, (_, rows) in changed.items()}, constraint, start)
    return combined(
        [
            _compare_rows(constraint, name, *_without_equal(missing[name], extra[name]))
            for name in changed
        ]
    )


def _compare_rows(
    constraint: EndsAsConstraint, table: str, missing: Sequence[_Side], extra: Sequence[_Side]
) -> Comparison:
    schema = constraint.schemas[table]

    def explain() -> tuple[Difference, ...]:
        return tuple(_differences(constraint, table, missing, extra))

    if len(missing) != len(extra):
        compared = differing(lambda: explain()[0], 0.1)
    else:
        targets = [_target(side.row, schema, constraint.thresholds) for side in missing]
        compared = compare_rows(targets, [side.row for side in extra], all_rows=True)
    return replace(compared, explain=explain)


def _target(row: Row, schema: TableSchema, thresholds: Mapping[str, float]) -> Target:
    cells = {
        name: _cell(value, schema.columns.get(name), thresholds) for name, value in row.items()
    }
    return Target({name: cell.alternatives({}) for name, cell in cells.items()})


def _cell(value: Any, column: Column | None, thresholds: Mapping[str, float]) -> Expected:
    if column is not None and _has_measure(column) and value is not None:
        in_text = column.type is str
        return Expected(value, Reading(own=column.measure, thresholds=thresholds), in_text=in_text)
    return Expected({"exact": plain(value)})


def _has_measure(column: Column) -> bool:
    """Return whether other values than the equal one are right: free texts, lists in any order."""
    if column.type is list:
        return column.measure != "exact"
    return column.type is str and is_graded(column.measure)


def _sides(
    rows: Mapping[str, Sequence[Row]], constraint: EndsAsConstraint, start: State
) -> dict[str, list[_Side]]:
    """Return table → its rows, in which new identifiers are names that tell what they identify."""
    names: dict[str, str] = {}
    for table, of_table in rows.items():
        columns = constraint.schemas[table].columns
        made = [name for name, column in columns.items() if column.default is NEW_IDENTIFIER]
        for column in made:
            known = {row.get(column) for row in start[table]}
            new = [row for row in of_table if row.get(column) not in known]
            names |= {row[column]: _name(table, row, columns) for row in new if column in row}
    if not names:
        return {table: [_Side(row, row) for row in of_table] for table, of_table in rows.items()}
    return {
        table: [_side(row, names, constraint.schemas[table]) for row in of_table]
        for table, of_table in rows.items()
    }


def _name(table: str, row: Row, columns: Mapping[str, Column]) -> str:
    """Return what a new identifier is called: its table, and the values of its row that count."""
    told_apart = {
        name: plain(value)
        for name, value in row.items()
        if (column := columns.get(name)) is not None
        and column.default is not NEW_IDENTIFIER
        and not _has_measure(column)
    }
    return f"new {table}: {json.dumps(told_apart, sort_keys=True, default=str)}"


def _side(row: Row, names: Mapping[str, str], schema: TableSchema) -> _Side:
    renamed = Row({name: _renamed(value, names) for name, value in row.items()})
    shown = {
        name: value
        for name, value in row.items()
        if not (value in names and schema.columns[name].default is NEW_IDENTIFIER)
    }
    return _Side(renamed, shown)


def _renamed(value: Any, names: Mapping[str, str]) -> Any:
    if isinstance(value, str):
        return names.get(value, value)
    if isinstance(value, Mapping):
        return {key: _renamed(item, names) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_renamed(item, names) for item in value]
    return value


def _without_equal(
    missing: Sequence[_Side], extra: Sequence[_Side]
) -> tuple[list[_Side], list[_Side]]:
    """Return the rows of both sides that the other side lacks, once the identifiers are named."""
    return _lacking(missing, extra), _lacking(extra, missing)


def _lacking(sides: Iterable[_Side], other_sides: Iterable[_Side]) -> list[_Side]:
    there = Counter(side.row for side in other_sides)
    lacking = []
    for side in sides:
        if there[side.row] > 0:
            there[side.row] -= 1
        else:
            lacking.append(side)
    return lacking


def _differences(
    constraint: EndsAsConstraint, table: str, missing: Sequence[_Side], extra: Sequence[_Side]
) -> Iterator[Difference]:
    """Yield the rows that differ: changed ones, those that are missing, and those too many."""
    schema, thresholds = constraint.schemas[table], constraint.thresholds
    pairs, lost, added = _paired(schema, missing, extra)
    # A row that its measures accept explains nothing, unless all pairs are such rows.
    pairs = [pair for pair in pairs if not _accepted(*pair, schema, thresholds)] or pairs
    rows = [
        *(_changed(table, schema, before, after, thresholds) for before, after in pairs),
        *(Difference(f"{table} rows", _written(side.shown), [], 0.0) for side in lost),
        *(
            Difference(f"{table} rows", "no such row", [plain(dict(side.shown))], 0.0)
            for side in added
        ),
    ]
    left_out = len(rows) - _MOST_SHOWN
    for place, difference in enumerate(rows[:_MOST_SHOWN], 1):
        is_last = place == _MOST_SHOWN and left_out > 0
        more = f"and {pluralize(left_out, 'more row')} of {table} differ" if is_last else None
        yield replace(difference, note="; ".join(filter(None, (difference.note, more))) or None)


def _paired(
    schema: TableSchema, missing: Sequence[_Side], extra: Sequence[_Side]
) -> tuple[list[tuple[_Side, _Side]], list[_Side], list[_Side]]:
    """Pair rows that agree in at least half of their columns, or are the only ones."""
    if schema.single_row:
        return list(zip(missing, extra, strict=False)), [], []
    free, pairs, lost = list(extra), [], []
    if max(len(missing), len(extra)) > _MOST_PAIRED:
        return [], list(missing), free
    for side in missing:
        likeness = [_equal_cells(side.row, other.row) for other in free]
        best = max(likeness, default=0)
        if free and 2 * best >= len(side.row):
            pairs.append((side, free.pop(likeness.index(best))))
        else:
            lost.append(side)
    return pairs, lost, free


def _accepted(
    before: _Side,
    after: _Side,
    schema: TableSchema,
    thresholds: Mapping[str, float],
    columns: Iterable[str] | None = None,
) -> bool:
    """Return whether two rows differ, in these columns, only in what the measures leave free."""
    names = before.row if columns is None else columns
    expected = Row({name: before.row[name] for name in names if name in before.row})
    return bool(expected) and _target(expected, schema, thresholds).compare(after.row).reached


def _equal_cells(row: Row, other: Row) -> int:
    return sum(name in other and identity(row[name]) == identity(other[name]) for name in row)


def _changed(
    table: str, schema: TableSchema, before: _Side, after: _Side, thresholds: Mapping[str, float]
) -> Difference:
    """Return the difference of two rows: a column in which they agree, and what differs."""
    names = dict.fromkeys((*before.shown, *after.shown))
    differ = [
        name for name in names if identity(before.row.get(name)) != identity(after.row.get(name))
    ]
    differ = [
        name for name in differ if not _accepted(before, after, schema, thresholds, [name])
    ] or differ
    equal = [] if schema.single_row else [name for name in names if name not in differ]
    first = sorted(equal, key=partial(_is_identifier, schema))[:1]
    parts = [part for name in differ for part in _parts(name, before, after)]
    left_out = len(parts) - _MOST_PARTS
    expected, actual = (
        {name: side.shown[name] for name in first if name in side.shown} for side in (before, after)
    )
    for part in parts[:_MOST_PARTS]:
        expected |= {} if part.expected is ABSENT else {part.path: part.expected}
        actual |= {} if part.actual is ABSENT else {part.path: part.actual}
    note = f"and {pluralize(left_out, 'more value')} of it differ" if left_out > 0 else None
    return Difference(table, _written(expected), plain(actual), 0.0, note)


def _parts(name: str, before: _Side, after: _Side) -> Iterator[Part]:
    values = (side.row.get(name, ABSENT) for side in (before, after))
    parts = list(differing_parts(name, *values))
    if [part.path for part in parts] != [name]:
        yield from parts
    else:  # as it is, with new identifiers
        yield Part(name, *(side.shown.get(name, ABSENT) for side in (before, after)))


def _is_identifier(schema: TableSchema, name: str) -> bool:
    """Return whether a column has identifiers that the world makes, which say little to people."""
    column = schema.columns.get(name)
    return column is not None and column.default is NEW_IDENTIFIER


def _written(row: Mapping[str, Any]) -> str:
    return format_value(plain(dict(row)))
