"""Compare the rows of a table, or its changes, with expected rows under the best assignment.

The best assignment has the greatest product of similarities. A row whose value differs in a column
that must be equal has similarity 0. So rows are looked up by these columns, and only pairs that may
be above 0 are compared. If a target has no such row, the assignment only decides which rows the
page compares.
"""

from __future__ import annotations

import itertools
import math
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, TypeVar

from pytest_toolsandbox.language.constraints import StateKind
from pytest_toolsandbox.matchers.exact import Exact, comparable
from pytest_toolsandbox.matchers.rouge_l import RougeL
from pytest_toolsandbox.matchers.semantic import Semantic
from pytest_toolsandbox.scoring.results import Difference
from pytest_toolsandbox.text.formatting import pluralize
from pytest_toolsandbox.worlds.state import Row, Table, plain

from .assignment import cheapest_assignment, is_small
from .comparison import FULL, Comparison, Target, combined, differing, no_match

PAIRS: Final = 100_000
"""The limit of pairs of a target and a row that are compared to find the best assignment."""
_FEW: Final = 120
"""Up to this many assignments are tried one by one."""
_IMPOSSIBLE: Final = 1e6
"""The cost of a pair with similarity 0; -log of the smallest positive float is far below it."""

_Value = TypeVar("_Value")
_Targets = Sequence[Target]
_TableRows = Sequence[Mapping[str, Any]]
_Candidates = Sequence[Sequence[int]]
"""The indices of rows for each target."""


def assign_rows(targets: _Targets, rows: _TableRows) -> tuple[tuple[int, ...], bool]:
    """Return a different row for each target, and whether no assignment is better.

    There must be at least as many rows as targets.
    """
    # Often the rows are in the expected order already.
    if all(map(Target.agrees, targets, rows)):
        return tuple(range(len(targets))), True
    if math.perm(len(rows), len(targets)) <= _FEW or len(targets) == 1:
        return _among_all(targets, rows), True
    candidates = candidates_of(targets, rows)
    agreeing = _first_agreeing(targets, rows, candidates)
    all_agree = len(agreeing) == len(targets)
    # Beyond the limit the greedy result is used. The record then says ``exact: false``, unless no
    # assignment can be above 0.
    if all_agree or sum(map(len, candidates)) > PAIRS:
        exact = all_agree or _is_always_zero(candidates, len(rows))
        return _completed(targets, rows, agreeing), exact
    return _among_candidates(targets, rows, candidates), True


def _is_always_zero(candidates: _Candidates, rows: int) -> bool:
    """Return whether a target has no candidate, or a row that must be used has no target."""
    used = set[int]().union(*{id(places): places for places in candidates}.values())
    return not all(candidates) or rows == len(candidates) > len(used)


def candidates_of(targets: _Targets, rows: _TableRows) -> _Candidates:
    """Return, for each target, the rows that agree in the columns that must be equal.

    A single target gets all rows, since it caches every comparison anyway.
    """
    if len(targets) == 1:
        return [range(len(rows))]
    return _rows_with(targets, [_expected_values(target, (Exact,)) for target in targets], rows)


def _expected_values(target: Target, kinds: tuple[type, ...]) -> dict[str, Any]:
    """Return column → value, if a target expects one value by a matcher of these kinds."""
    return {
        name: comparable(getattr(cell[0], "value" if isinstance(cell[0], Exact) else "text"))
        for name, cell in target.items()
        if len(cell) == 1 and isinstance(cell[0], kinds)
    }


def _rows_with(
    targets: _Targets, expected: Sequence[Mapping[str, Any]], rows: _TableRows
) -> _Candidates:
    """Return the rows with these values; targets with the same values share one list."""
    first = {tuple(values): target for values, target in zip(expected, targets, strict=True)}
    indexes = {columns: _index(rows, columns, target) for columns, target in first.items()}
    return [indexes[tuple(values)][tuple(values.values())] for values in expected]


def _index(
    rows: _TableRows, columns: tuple[str, ...], target: Target
) -> defaultdict[Any, list[int]]:
    """Return values → rows for some columns; the target caches the values of each row."""
    index: defaultdict[Any, list[int]] = defaultdict(list)
    if not columns:
        index[()] = list(range(len(rows)))
        return index
    known = target.comparables.setdefault(columns, {})
    for number, row in enumerate(rows):
        if id(row) not in known:
            has_all = all(column in row for column in columns)
            known[id(row)] = tuple(comparable(row[c]) for c in columns) if has_all else None
        index[known[id(row)]].append(number)
    return index


def _first_agreeing(targets: _Targets, rows: _TableRows, candidates: _Candidates) -> dict[int, int]:
    """Return target → row: for each target the first free row that agrees with it, if any.

    A row with exactly the values of a target agrees without a comparison.
    """
    expected = [_expected_values(target, (Exact, RougeL, Semantic)) for target in targets]
    waiting: dict[int, Iterator[int]] = {}
    equal = _rows_with(targets, expected, rows)
    taken: dict[int, int] = {}
    budget = PAIRS
    for number, target in enumerate(targets):
        row = None
        if len(expected[number]) == len(target):
            same = waiting.setdefault(id(equal[number]), iter(equal[number]))
            row = next((row for row in same if row not in taken), None)
        if row is None:
            kept, differs = candidates[number], target.differing
            free = [n for n in kept if n not in taken and id(rows[n]) not in differs][:budget]
            budget -= len(free)
            row = next((row for row in free if target.agrees(rows[row])), None)
        if row is not None:
            taken[row] = number
    return {number: row for row, number in taken.items()}


def _among_candidates(
    targets: _Targets, rows: _TableRows, candidates: _Candidates
) -> tuple[int, ...]:
    """Return the best assignment among the pairs that may be above 0."""
    pairs = len(targets) * len(rows)
    if pairs <= PAIRS and pairs <= 2 * sum(map(len, candidates)):
        return _among_all(targets, rows)
    alike = {
        (number, row): similarity
        for number, target in enumerate(targets)
        for row in candidates[number]
        if (similarity := target.likeness(rows[row])[0]) > 0.0
    }
    if pairs <= PAIRS and is_small(len(targets), len(rows)):
        costs = [[_IMPOSSIBLE] * len(rows) for _ in targets]
        for (number, row), similarity in alike.items():
            costs[number][row] = -math.log(similarity)
        chosen = cheapest_assignment(costs)
        return chosen if alike.keys() >= {*enumerate(chosen)} else _among_all(targets, rows)
    # The sparse solvers see only the pairs that can be above 0. A dense matrix of all pairs would
    # not fit for large tables.
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import maximum_bipartite_matching, min_weight_full_bipartite_matching

    # -log turns the product into a sum. The 1 is added since SciPy reads a weight of 0 as no pair.
    weights = [1.0 - math.log(similarity) for similarity in alike.values()]
    places = [number for number, _ in alike], [row for _, row in alike]
    graph: Any = csr_array((weights, places), shape=(len(targets), len(rows)))
    matched = maximum_bipartite_matching(graph, perm_type="column").tolist()
    # ``min_weight_full_bipartite_matching`` raises an error if a target stays without a row.
    if -1 not in matched:
        return tuple(min_weight_full_bipartite_matching(graph)[1].tolist())
    if pairs <= PAIRS:
        return _among_all(targets, rows)
    return _completed(targets, rows, {t: row for t, row in enumerate(matched) if row >= 0})


def _completed(targets: _Targets, rows: _TableRows, kept: Mapping[int, int]) -> tuple[int, ...]:
    """Assign the remaining rows to the remaining targets: the nearest ones, or any."""
    taken = set(kept.values())
    open_targets = [number for number in range(len(targets)) if number not in kept]
    free = [row for row in range(len(rows)) if row not in taken]
    if open_targets and len(open_targets) * len(free) <= PAIRS:
        nearest = _among_all([targets[t] for t in open_targets], [rows[row] for row in free])
        free = [free[place] for place in nearest]
    chosen = {**kept, **dict(zip(open_targets, free, strict=False))}
    return tuple(chosen[number] for number in range(len(targets)))


def _among_all(targets: _Targets, rows: _TableRows) -> tuple[int, ...]:
    """Return the assignment with the greatest product of similarities, then of nearness."""
    if len(targets) == 1:
        alike = targets[0].likenesses_of(rows)
        return (alike.index(max(alike)),)
    costs = [_costs(target, rows) for target in targets]
    if math.perm(len(rows), len(targets)) <= _FEW:
        choices = itertools.permutations(range(len(rows)), len(targets))
        return min(choices, key=lambda chosen: sum(map(list.__getitem__, costs, chosen)))
    return cheapest_assignment(costs)


def _costs(target: Target, rows: _TableRows) -> list[float]:
    known, places = target.costs, [id(row) for row in rows]
    for place, row in zip(places, rows, strict=True):
        if place not in known:
            similarity, nearness = target.likeness(row)
            # Impossible pairs still differ by nearness, so that the page compares the nearest
            # rows.
            is_possible = similarity > 0.0
            known[place] = -math.log(similarity) if is_possible else _IMPOSSIBLE * (2.0 - nearness)
    return [known[place] for place in places]


Changes = tuple[tuple[Row, ...], tuple[Row, ...]]
"""The rows that were added to a table, and those that were removed."""

_MOST_TRIED = 1000
"""Pairs of an expected row and one of a table that are compared to order them."""
_UNEXPECTED_ROWS = 0.1
"""The nearness of rows that have nothing in common with the expected ones."""


def compare_rows(targets: _Targets, rows: _TableRows, *, all_rows: bool) -> Comparison:
    """Compare rows with targets under the best assignment.

    With ``all_rows`` the numbers must be equal, otherwise there may be more rows.
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
    numbered = [_in_row(target, comparison) for target, comparison in enumerate(compared)]
    return replace(combined(numbered), exact=exact)


def _other_count(targets: _Targets, rows: _TableRows, at_least: str) -> Difference:
    """Return the difference in numbers; the rows without a counterpart come first on each side.

    Pages cut long lists, and these rows explain the failure.
    """
    if len(targets) * len(rows) <= _MOST_TRIED:
        fits = [[target.compare(row).reached for row in rows] for target in targets]
        surplus = [not any(of_target[place] for of_target in fits) for place in range(len(rows))]
        rows = _first(rows, surplus)
        targets = _first(targets, [not any(of_target) for of_target in fits])
    expected = " and ".join(f"{{{target.describe()}}}" for target in targets)
    count = f"{at_least}{pluralize(len(targets), 'row')}" + (f": {expected}" if expected else "")
    return Difference("rows", count, [dict(plain(row)) for row in rows], 0.0)


def _first(values: Sequence[_Value], chosen: Sequence[bool]) -> tuple[_Value, ...]:
    """Return the values with the chosen ones first."""
    pairs = [*zip(values, chosen, strict=True)]
    return (
        *(v for v, is_chosen in pairs if is_chosen),
        *(v for v, is_chosen in pairs if not is_chosen),
    )


def _in_row(target: int, compared: Comparison) -> Comparison:
    """Add the number of the expected row to each difference."""

    def explain() -> tuple[Difference, ...]:
        return tuple(replace(d, where=f"rows[{target}].{d.where}") for d in compared.differences)

    return replace(compared, explain=explain)


def compare_table(kind: StateKind, targets: _Targets, table: Table) -> Comparison:
    """Compare a table with its expected rows."""
    if kind == "excludes":
        return _excludes(targets, table)
    return compare_rows(targets, table.rows, all_rows=kind != "includes")


def compare_changes(
    kind: StateKind, targets: _Targets, new: tuple[Row, ...], lost: tuple[Row, ...]
) -> Comparison:
    """Compare the added and removed rows of a table with the expected changes."""
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
    # Any change is a little nearer than none, so that the page points to it.
    least = _UNEXPECTED_ROWS if rows else 0.0
    return compared if compared.nearness >= least else replace(compared, nearness=least)


def _excludes(targets: _Targets, table: Table) -> Comparison:
    for target, places in zip(targets, candidates_of(targets, table.rows), strict=True):
        missing = next((name for name, cell in target.items() if not cell), None)
        if missing is not None:
            return no_match(missing, ())
        rows = (table.rows[place] for place in places)
        row_found = next((row for row in rows if target.compare(row).reached), None)
        if row_found is not None:
            return _unexpected(f"no row with {target.describe()}", row_found)
    return FULL


def _unexpected(expected: str, rows: Any) -> Comparison:
    return differing(lambda: Difference("rows", expected, plain(rows), 0.0), _UNEXPECTED_ROWS)
