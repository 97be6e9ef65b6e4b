"""Compares the rows of a table with those that are expected, or with those it had earlier."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from pytest_toolsandbox.evaluation.results import Difference
from pytest_toolsandbox.language.constraints import StateKind
from pytest_toolsandbox.wording.phrases import counted
from pytest_toolsandbox.worlds.state import Row, Table, plain

from .comparison import FULL, Comparison, combined, differing, no_match
from .row_assignment import TableRows, Targets, assign_rows, candidates_of

Changes = tuple[tuple[Row, ...], tuple[Row, ...]]
"""The rows that are new in a table, and those that it lost."""

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
    places, exact = assign_rows(targets, rows)
    compared = [target.compare(rows[row]) for target, row in zip(targets, places, strict=True)]
    if len(targets) == 1:
        return compared[0]
    numbered = [_in_row(target, one) for target, one in enumerate(compared)]
    return replace(combined(numbered), exact=exact)


def _other_count(targets: Targets, rows: TableRows, at_least: str) -> Difference:
    expected = " and ".join(f"{{{target.describe()}}}" for target in targets)
    count = f"{at_least}{counted(len(targets), 'row')}" + (f": {expected}" if expected else "")
    return Difference("rows", count, [dict(plain(row)) for row in rows], 0.0)


def _in_row(target: int, compared: Comparison) -> Comparison:
    """Say of each difference in which of several expected rows it is."""

    def explain() -> tuple[Difference, ...]:
        return tuple(replace(d, where=f"rows[{target}].{d.where}") for d in compared.differences)

    return replace(compared, explain=explain)


def compare_table(kind: StateKind, targets: Targets, table: Table) -> Comparison:
    """Compare a table with what is expected of it."""
    if kind == "excludes":
        return _excludes(targets, table)
    return compare_rows(targets, table.rows, all_rows=kind != "includes")


def compare_changes(
    kind: StateKind, targets: Targets, new: tuple[Row, ...], lost: tuple[Row, ...]
) -> Comparison:
    """Compare what is new in a table, and what it lost, with what is expected of its changes."""
    expected, forbidden = {
        "unchanged": ("no change", new + lost),
        "added": ("no row changed or removed", lost),
        "removed": ("no row changed or added", new),
        "updated": ("as many rows as before", (new or lost) if len(new) != len(lost) else ()),
    }[kind]
    if forbidden:
        return _unexpected(expected, forbidden)
    if kind == "unchanged":
        return FULL
    rows = lost if kind == "removed" else new
    compared = compare_rows(targets, rows, all_rows=True)
    # That there are any changes comes a little near, whatever is in them.
    least = UNEXPECTED_ROWS if rows else 0.0
    return compared if compared.nearness >= least else replace(compared, nearness=least)


def _excludes(targets: Targets, table: Table) -> Comparison:
    for target, places in zip(targets, candidates_of(targets, table.rows), strict=True):
        missing = next((name for name, cell in target.items() if not cell), None)
        if missing is not None:
            return no_match(missing, ())
        rows = (table.rows[place] for place in places)
        found = next((row for row in rows if target.compare(row).reached), None)
        if found is not None:
            return _unexpected(f"no row with {target.describe()}", found)
    return FULL


def _unexpected(expected: str, rows: Any) -> Comparison:
    return differing(lambda: Difference("rows", expected, plain(rows), 0.0), UNEXPECTED_ROWS)
