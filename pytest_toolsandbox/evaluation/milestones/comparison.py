"""Compares values, rows and sets of rows with what is expected (ToolSandbox, appendix A.7)."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from pytest_toolsandbox.evaluation.results import Difference
from pytest_toolsandbox.matchers import Matcher
from pytest_toolsandbox.worlds.state import plain

FEW = 120
"""So many assignments are tried one by one, for which SciPy need not be imported."""
IMPOSSIBLE = 1e6
"""The cost of pairing rows that have nothing to do with each other; -log of a float is below."""


@dataclass(frozen=True)
class Comparison:
    """How alike something is to what is expected.

    ``similarity`` is the measure; ``nearness``, the arithmetic mean of the parts, only serves to
    find what came nearest where the similarity is 0. ``reached`` says whether every part reaches
    its threshold. ``explain`` gives the differences, which only a report needs.
    """

    similarity: float
    reached: bool
    nearness: float
    explain: Callable[[], tuple[Difference, ...]] = field(default=tuple, compare=False)

    @cached_property
    def differences(self) -> tuple[Difference, ...]:
        """What differs from what is expected."""
        return self.explain()


NOTHING = Comparison(0.0, False, 0.0)
FULL = Comparison(1.0, True, 1.0)

Cell = Sequence[Matcher]
"""The alternatives for one value, of which the best counts; none where nothing can match."""


def compare_value(where: str, cell: Cell, found: Any) -> Comparison:
    """Compare one value with the best of its alternatives."""
    value = plain(found)
    best: Comparison | None = None
    for matcher in cell:
        similarity = matcher.similarity(value)
        if similarity == 1.0:
            return FULL
        if best is None or similarity > best.similarity:
            best = _compared(where, matcher, value, similarity)
    return best or _no_match(where, cell, value, "there is none")


def _compared(where: str, matcher: Matcher, value: Any, similarity: float) -> Comparison:
    def explain() -> tuple[Difference, ...]:
        expected, note = matcher.describe(), matcher.explain(value)
        return (Difference(where, expected, value, similarity, note, matcher.threshold),)

    return Comparison(similarity, matcher.reached(value), similarity, explain)


def together(parts: Sequence[Comparison]) -> Comparison:
    """Join the comparisons of parts: the geometric mean of their similarities."""
    if not parts:
        return FULL
    if len(parts) == 1:
        return parts[0]
    return Comparison(
        geometric_mean([part.similarity for part in parts]),
        all(part.reached for part in parts),
        sum(part.nearness for part in parts) / len(parts),
        lambda: tuple(difference for part in parts for difference in part.differences),
    )


def geometric_mean(similarities: Sequence[float]) -> float:
    """Return the geometric mean of numbers in [0, 1]; 1 of none."""
    if not similarities or all(similarity == 1.0 for similarity in similarities):
        return 1.0
    product = math.prod(similarities)
    if product > 0.0 or 0.0 in similarities:
        return float(product ** (1 / len(similarities)))
    return math.exp(math.fsum(map(math.log, similarities)) / len(similarities))  # it underflows


class Target(dict[str, Cell]):
    """A row as it is expected, which is compared only once with rows that snapshots share.

    The rows must live as long as it does.
    """

    def __init__(self, cells: Mapping[str, Cell]) -> None:
        super().__init__(cells)
        self.compared: dict[int, Comparison] = {}


def compare_row(target: Mapping[str, Cell], row: Mapping[str, Any]) -> Comparison:
    """Compare a row with a target in the target's columns; a column that is missing is no match."""
    if not isinstance(target, Target):
        return _compare_row(target, row)
    known = target.compared.get(id(row))
    if known is None:
        known = target.compared[id(row)] = _compare_row(target, row)
    return known


def _compare_row(target: Mapping[str, Cell], row: Mapping[str, Any]) -> Comparison:
    return together(
        [
            compare_value(name, cell, row[name]) if name in row else absent(name, cell)
            for name, cell in target.items()
        ]
    )


def absent(where: str, cell: Cell, note: str | None = None) -> Comparison:
    """Say that there is no value to compare, not even null."""
    return _no_match(where, cell, None, note)


def _no_match(where: str, cell: Cell, found: Any, note: str | None) -> Comparison:
    return differing(lambda: Difference(where, _described(cell), found, 0.0, note))


def differing(difference: Callable[[], Difference], nearness: float = 0.0) -> Comparison:
    """Return a comparison of what has nothing in common, with the one difference."""
    return Comparison(0.0, False, nearness, lambda: (difference(),))


def compare_rows(
    targets: Sequence[Mapping[str, Cell]], rows: Sequence[Mapping[str, Any]], *, all_rows: bool
) -> Comparison:
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
    assignment = _whole(targets, rows) or _assigned(
        [[compare_row(target, row) for row in rows] for target in targets]
    )
    assigned = [compare_row(targets[i], rows[row]) for i, row in enumerate(assignment)]
    if len(targets) > 1:
        assigned = [_in_row(target, compared) for target, compared in enumerate(assigned)]
    return together(assigned)


def _other_count(
    targets: Sequence[Mapping[str, Cell]], rows: Sequence[Mapping[str, Any]], at_least: str
) -> Difference:
    found = [dict(plain(row)) for row in rows]
    return Difference("rows", f"{at_least}{describe_rows(targets)}", found, 0.0)


def _in_row(target: int, compared: Comparison) -> Comparison:
    """Say of each difference in which of several expected rows it is."""

    def explain() -> tuple[Difference, ...]:
        return tuple(replace(d, where=f"rows[{target}].{d.where}") for d in compared.differences)

    return replace(compared, explain=explain)


def _whole(
    targets: Sequence[Mapping[str, Cell]], rows: Sequence[Mapping[str, Any]]
) -> list[int] | None:
    """Return an assignment in which all is as expected, where taking the first one finds it.

    Rows that are as expected are mostly in the order of the targets, or near to it; then but few of
    all pairs are compared.
    """
    taken: dict[int, None] = {}
    for target in targets:
        free = (i for i in range(len(rows)) if i not in taken)
        row = next((i for i in free if compare_row(target, rows[i]).similarity == 1.0), None)
        if row is None:
            return None
        taken[row] = None
    return list(taken)


def _assigned(pairs: Sequence[Sequence[Comparison]]) -> list[int]:
    """Return the row of each target: the greatest product of similarities, then of nearness."""
    if len(pairs) == 1:
        return [max(range(len(pairs[0])), key=lambda row: _rank(pairs[0][row]))]
    costs = [[_cost(comparison) for comparison in comparisons] for comparisons in pairs]
    count = len(pairs[0])
    if math.perm(count, len(pairs)) <= FEW:
        choices = itertools.permutations(range(count), len(pairs))
        return list(min(choices, key=lambda rows: sum(map(list.__getitem__, costs, rows))))
    from scipy.optimize import linear_sum_assignment

    return [int(row) for row in linear_sum_assignment(costs)[1]]


def _rank(comparison: Comparison) -> tuple[float, float]:
    return comparison.similarity, comparison.nearness


def _cost(comparison: Comparison) -> float:
    if comparison.similarity > 0.0:
        return -math.log(comparison.similarity)
    return IMPOSSIBLE * (2.0 - comparison.nearness)


def describe_target(target: Mapping[str, Cell]) -> str:
    """Write a target row for a report."""
    return ", ".join(f"{name}: {_described(cell)}" for name, cell in target.items())


def describe_rows(targets: Sequence[Mapping[str, Cell]]) -> str:
    """Write how many rows are expected, and which."""
    rows = " and ".join(f"{{{describe_target(target)}}}" for target in targets)
    return f"{len(targets)} row{_s(targets)}" + (f": {rows}" if rows else "")


def _described(cell: Cell) -> str:
    described = " or ".join(matcher.describe() for matcher in cell)
    return described or "a value from the result of another milestone's call"


def _s(items: Iterable[Any]) -> str:
    return "" if sum(1 for _ in items) == 1 else "s"
