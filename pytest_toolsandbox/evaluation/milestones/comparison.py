"""Compares values, rows and sets of rows with what is expected (ToolSandbox, appendix A.7)."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from pytest_toolsandbox.evaluation.results import Difference
from pytest_toolsandbox.matchers import Matcher
from pytest_toolsandbox.wording.phrases import counted
from pytest_toolsandbox.worlds.state import plain


@dataclass(frozen=True)
class Comparison:
    """How alike something is to what is expected.

    ``similarity`` is the measure; ``nearness``, the arithmetic mean of the parts, only serves to
    find what came nearest where the similarity is 0. ``reached`` says whether every part reaches
    its threshold. ``explain`` gives the differences, which only a report needs. ``exact`` is false
    where another assignment of rows might have a greater similarity.
    """

    similarity: float
    reached: bool
    nearness: float
    explain: Callable[[], tuple[Difference, ...]] = field(default=tuple, compare=False)
    exact: bool = True

    @cached_property
    def differences(self) -> tuple[Difference, ...]:
        """What differs from what is expected."""
        return self.explain()


NOTHING = Comparison(0.0, False, 0.0)
FULL = Comparison(1.0, True, 1.0)

Cell = Sequence[Matcher]
"""The alternatives for one value, of which the best counts; none where nothing can match."""

Likeness = tuple[float, float]
"""A similarity and a nearness."""


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


def combined(parts: Sequence[Comparison]) -> Comparison:
    """Return the comparison of all parts: the geometric mean of their similarities."""
    if not parts:
        return FULL
    if len(parts) == 1:
        return parts[0]
    return Comparison(
        geometric_mean([part.similarity for part in parts]),
        all(part.reached for part in parts),
        sum(part.nearness for part in parts) / len(parts),
        lambda: tuple(difference for part in parts for difference in part.differences),
        all(part.exact for part in parts),
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
        self.likenesses: dict[int, Likeness] = {}


def agrees(target: Mapping[str, Cell], row: Mapping[str, Any]) -> bool:
    """Whether the similarity is 1; the columns after one that is less are not compared."""
    known = target.likenesses.get(id(row)) if isinstance(target, Target) else None
    if known is not None:
        return known[0] == 1.0
    found = all(
        name in row and _similarity(cell, row[name]) == 1.0 for name, cell in target.items()
    )
    if found and isinstance(target, Target):
        target.likenesses[id(row)] = 1.0, 1.0
    return found


def likeness(target: Mapping[str, Cell], row: Mapping[str, Any]) -> Likeness:
    """Return similarity and nearness of :func:`compare_row`, for pairs that are not reported."""
    if not isinstance(target, Target):
        return _likeness(target, row)
    known = target.likenesses.get(id(row))
    if known is None:
        known = target.likenesses[id(row)] = _likeness(target, row)
    return known


def _likeness(target: Mapping[str, Cell], row: Mapping[str, Any]) -> Likeness:
    values = [_similarity(cell, row[name]) if name in row else 0.0 for name, cell in target.items()]
    return (geometric_mean(values), sum(values) / len(values)) if values else (1.0, 1.0)


def _similarity(cell: Cell, found: Any) -> float:
    best, value = 0.0, plain(found)
    for matcher in cell:
        best = max(best, matcher.similarity(value))
        if best == 1.0:
            break
    return best


def compare_row(target: Mapping[str, Cell], row: Mapping[str, Any]) -> Comparison:
    """Compare a row with a target in the target's columns; a column that is missing is no match."""
    if not isinstance(target, Target):
        return _compare_row(target, row)
    known = target.compared.get(id(row))
    if known is None:
        known = target.compared[id(row)] = _compare_row(target, row)
    return known


def _compare_row(target: Mapping[str, Cell], row: Mapping[str, Any]) -> Comparison:
    return combined(
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


def describe_target(target: Mapping[str, Cell]) -> str:
    """Write a target row for a report."""
    return ", ".join(f"{name}: {_described(cell)}" for name, cell in target.items())


def describe_rows(targets: Sequence[Mapping[str, Cell]]) -> str:
    """Write how many rows are expected, and which."""
    rows = " and ".join(f"{{{describe_target(target)}}}" for target in targets)
    return counted(len(targets), "row") + (f": {rows}" if rows else "")


def _described(cell: Cell) -> str:
    described = " or ".join(matcher.describe() for matcher in cell)
    return described or "a value from the result of another milestone's call"
