"""Compares the rows of a table with those that are expected, or with those it had earlier."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from pytest_toolsandbox.evaluation.results import Difference
from pytest_toolsandbox.worlds.state import Row, Table, plain

from .comparison import (
    FULL,
    Cell,
    Comparison,
    absent,
    combined,
    compare_row,
    describe_rows,
    describe_target,
    differing,
)
from .row_assignment import TableRows, Targets, assign_rows, candidates_of

UNEXPECTED_ROWS = 0.1
"""How near something comes that has nothing else in common with what was expected."""


def compare_rows(targets: Targets, rows: TableRows, *, all_rows: bool) -> Comparison:
    """Compare rows with targets under the best assignment.

    With ``all_rows`` there must be as many of one as of the other, else there may be more rows.
    """
    if len(rows) < len(targets) or (all_rows and len(rows) > len(targets)):
        return differing(
            lambda: _other_count(targets, rows, "" if all_rows else "at least "),
            0.1 if rows and targets else 0.0,
        )
    if not targets:
        return FULL
    found = assign_rows(targets, rows)
    compared = [compare_row(targets[i], rows[row]) for i, row in enumerate(found.rows)]
    if len(targets) == 1:
        return compared[0]
    numbered = [_in_row(target, one) for target, one in enumerate(compared)]
    return replace(combined(numbered), exact=found.exact)


def _other_count(targets: Targets, rows: TableRows, at_least: str) -> Difference:
    found = [dict(plain(row)) for row in rows]
    return Difference("rows", f"{at_least}{describe_rows(targets)}", found, 0.0)


def _in_row(target: int, compared: Comparison) -> Comparison:
    """Say of each difference in which of several expected rows it is."""

    def explain() -> tuple[Difference, ...]:
        return tuple(replace(d, where=f"rows[{target}].{d.where}") for d in compared.differences)

    return replace(compared, explain=explain)


def _rows(targets: Targets, table: Table, _: Table) -> Comparison:
    return compare_rows(targets, table.rows, all_rows=True)


def _includes(targets: Targets, table: Table, _: Table) -> Comparison:
    return compare_rows(targets, table.rows, all_rows=False)


def _excludes(targets: Targets, table: Table, _: Table) -> Comparison:
    candidates = candidates_of(targets, table.rows)
    for target, places in zip(targets, candidates, strict=True):
        found = _excluded(target, [table.rows[place] for place in places])
        if found is not FULL:
            return found
    return FULL


def _excluded(target: Mapping[str, Cell], rows: Sequence[Row]) -> Comparison:
    missing = next((name for name, cell in target.items() if not cell), None)
    if missing is not None:
        return absent(missing, ())
    found = next((row for row in rows if compare_row(target, row).reached), None)
    return FULL if found is None else _unexpected(f"no row with {describe_target(target)}", found)


def _added(targets: Targets, table: Table, earlier: Table) -> Comparison:
    if lost := earlier.minus(table):
        return _unexpected("no row changed or removed", lost)
    return _changed(targets, table.minus(earlier))


def _removed(targets: Targets, table: Table, earlier: Table) -> Comparison:
    if new := table.minus(earlier):
        return _unexpected("no row changed or added", new)
    return _changed(targets, earlier.minus(table))


def _updated(targets: Targets, table: Table, earlier: Table) -> Comparison:
    if len(table) != len(earlier):
        return _unexpected("as many rows as before", table.minus(earlier) or earlier.minus(table))
    return _changed(targets, table.minus(earlier))


def _changed(targets: Targets, rows: Sequence[Row]) -> Comparison:
    """Compare rows that changed; that there are any comes a little near, whatever is in them."""
    compared = compare_rows(targets, rows, all_rows=True)
    if not rows or compared.nearness >= UNEXPECTED_ROWS:
        return compared
    return replace(compared, nearness=UNEXPECTED_ROWS)


def _unchanged(_: Targets, table: Table, earlier: Table) -> Comparison:
    if table == earlier:
        return FULL
    return _unexpected("no change", table.minus(earlier) + earlier.minus(table))


def _unexpected(expected: str, rows: Any) -> Comparison:
    return differing(lambda: Difference("rows", expected, plain(rows), 0.0), UNEXPECTED_ROWS)


STATE_KINDS: Mapping[str, Callable[[Targets, Table, Table], Comparison]] = {
    "fields": _rows,
    "rows": _rows,
    "includes": _includes,
    "excludes": _excludes,
    "added": _added,
    "removed": _removed,
    "updated": _updated,
    "unchanged": _unchanged,
}
