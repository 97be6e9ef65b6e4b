"""Compare values, rows and sets of rows with the expected ones (ToolSandbox, appendix A.7)."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from pytest_toolsandbox.matchers import Matcher
from pytest_toolsandbox.matchers.registry import ROUNDING
from pytest_toolsandbox.scoring.results import Difference
from pytest_toolsandbox.worlds.state import plain


@dataclass(frozen=True, slots=True)
class Comparison:
    """The similarity of something to what is expected.

    ``similarity`` is the measure. ``nearness`` is the arithmetic mean of the parts, which finds the
    nearest candidate if the similarity is 0. ``reached`` says whether every part reaches its
    threshold. ``explain`` returns the differences, which only reports need. ``exact`` is false if
    another assignment of rows might have a greater similarity.
    """

    similarity: float
    reached: bool
    nearness: float
    explain: Callable[[], tuple[Difference, ...]] = field(default=tuple, compare=False)
    exact: bool = True

    def at_nearness(self, nearness: float) -> Comparison:
        """Return the comparison with another nearness."""
        return Comparison(self.similarity, self.reached, nearness, self.explain, self.exact)

    @property
    def differences(self) -> tuple[Difference, ...]:
        """The differences from what is expected."""
        return self.explain()


NOTHING = Comparison(0.0, False, 0.0)
FULL = Comparison(1.0, True, 1.0)

_Cell = Sequence[Matcher]
"""The alternatives for one value; the best one counts. Empty if nothing can match."""

_Likeness = tuple[float, float]
"""A similarity and a nearness."""


def compare_value(where: str, cell: _Cell, actual: Any) -> Comparison:
    """Compare a value with the best of its alternatives."""
    value = plain(actual)
    best: Comparison | None = None
    for matcher in cell:
        similarity = matcher.similarity(value)
        if similarity == 1.0:
            return FULL
        if best is None or similarity > best.similarity:
            best = _compared(where, matcher, value, similarity)
    return best or no_match(where, cell, value, "there is none")


def _compared(where: str, matcher: Matcher, value: Any, similarity: float) -> Comparison:
    if type(matcher).reached is Matcher.reached:  # which would ask for the similarity again
        reached = similarity >= matcher.threshold - ROUNDING
    else:
        reached = matcher.reached(value)
    explain = partial(_explained, where, matcher, value, similarity)  # a small one: they are many
    return Comparison(similarity, reached, similarity, explain)


def _explained(
    where: str, matcher: Matcher, value: Any, similarity: float
) -> tuple[Difference, ...]:
    expected, note = matcher.describe(), matcher.explain(value)
    return (Difference(where, expected, value, similarity, note, matcher.threshold),)


def combined(parts: Sequence[Comparison]) -> Comparison:
    """Return the comparison of several parts: the geometric mean of their similarities."""
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
    """Return the geometric mean of numbers in [0, 1]; 1 if there are none."""
    if not similarities or all(similarity == 1.0 for similarity in similarities):
        return 1.0
    product = math.prod(similarities)
    if product > 0.0 or 0.0 in similarities:
        return float(product ** (1 / len(similarities)))
    return math.exp(math.fsum(map(math.log, similarities)) / len(similarities))  # it underflows


class Target(dict[str, _Cell]):
    """An expected row, which caches by ``id(row)`` how rows compare with it.

    The rows must therefore live as long as the target. A missing column is no match. ``differing``
    are rows that are known not to agree; ``costs`` and ``comparables`` are caches of the
    assignment.
    """

    def __init__(self, cells: Mapping[str, _Cell]) -> None:
        super().__init__(cells)
        self.compared: dict[int, Comparison] = {}
        self.likenesses: dict[int, _Likeness] = {}
        self.differing: set[int] = set()
        self.costs: dict[int, float] = {}
        self.comparables: dict[tuple[str, ...], dict[int, Hashable]] = {}

    def compare(self, row: Mapping[str, Any]) -> Comparison:
        """Compare a row in the target's columns."""
        if id(row) not in self.compared:
            self.compared[id(row)] = combined(
                [
                    compare_value(name, cell, row[name]) if name in row else no_match(name, cell)
                    for name, cell in self.items()
                ]
            )
        return self.compared[id(row)]

    def likeness(self, row: Mapping[str, Any]) -> _Likeness:
        """Return similarity and nearness of a row, for pairs that are not reported."""
        known = self.likenesses.get(id(row))
        if known is None:
            values = [_similarity(c, row[name]) if name in row else 0.0 for name, c in self.items()]
            known = (geometric_mean(values), sum(values) / len(values)) if values else (1.0, 1.0)
            self.likenesses[id(row)] = known
        return known

    def likenesses_of(self, rows: Sequence[Mapping[str, Any]]) -> list[_Likeness]:
        """Return similarity and nearness of each row; tables grow, so most are cached."""
        known = map(self.likenesses.get, map(id, rows))
        return [likeness or self.likeness(row) for likeness, row in zip(known, rows, strict=True)]

    def agrees(self, row: Mapping[str, Any]) -> bool:
        """Return whether the similarity is 1, stopping at the first column that is below 1."""
        known = self.likenesses.get(id(row))
        if known is not None:
            is_equal = known[0] == 1.0
        elif is_equal := all(
            name in row and _similarity(cell, row[name]) == 1.0 for name, cell in self.items()
        ):
            self.likenesses[id(row)] = 1.0, 1.0
        if not is_equal:
            self.differing.add(id(row))
        return is_equal

    def describe(self) -> str:
        """Write the row for a report."""
        return ", ".join(f"{name}: {_described(cell)}" for name, cell in self.items())


def _similarity(cell: _Cell, actual: Any) -> float:
    best, value = 0.0, plain(actual)
    for matcher in cell:
        best = max(best, matcher.similarity(value))
        if best == 1.0:
            break
    return best


def no_match(where: str, cell: _Cell, actual: Any = None, note: str | None = None) -> Comparison:
    """Return the comparison of a value that does not match, or that is missing (not null)."""
    return differing(lambda: Difference(where, _described(cell), actual, 0.0, note))


def differing(difference: Callable[[], Difference], nearness: float = 0.0) -> Comparison:
    """Return a comparison with similarity 0 and one difference."""
    return Comparison(0.0, False, nearness, lambda: (difference(),))


def _described(cell: _Cell) -> str:
    described = " or ".join(matcher.describe() for matcher in cell)
    return described or "a value from the result of another milestone's call"
