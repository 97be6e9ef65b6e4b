"""The assignment of rows to targets with the lowest sum of costs.

The method is that of Crouse, "On implementing 2D rectangular assignment algorithms" (2016), which
SciPy uses, too. Importing SciPy takes a second, so small problems are solved here. Both return the
same assignment, even if several are best.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

_STEPS: Final = 3_000_000
"""The limit of steps that Python takes here in the worst case, about 0.1 s."""


def cheapest_assignment(costs: Sequence[Sequence[float]]) -> tuple[int, ...]:
    """Return a different column for each row of ``costs``.

    All costs are finite, and there are at least as many columns as rows.
    """
    if is_small(len(costs), len(costs[0])):
        return _Assignment(costs).solved()
    from scipy.optimize import linear_sum_assignment

    return tuple(linear_sum_assignment(costs)[1].tolist())


def is_small(rows: int, columns: int) -> bool:
    """Whether so many rows and columns are assigned without SciPy."""
    return rows**2 * columns <= _STEPS


class _Assignment:
    """Assigns one row after the other; each moves earlier ones along the cheapest path.

    The prices of rows and columns make all costs of assigned pairs 0, and no cost negative.
    """

    def __init__(self, costs: Sequence[Sequence[float]]) -> None:
        self._costs = costs
        self._row_prices = [0.0] * len(costs)
        self._column_prices = [0.0] * len(costs[0])
        self._row_of: dict[int, int] = {}
        self._column_of: dict[int, int] = {}

    def solved(self) -> tuple[int, ...]:
        """Return the column of each row."""
        rows = range(len(self._costs))
        for row in rows:
            self._assign(row)
        return tuple(self._column_of[row] for row in rows)

    def _assign(self, first: int) -> None:
        lengths = [math.inf] * len(self._column_prices)
        reached_from = [first] * len(lengths)
        visited: list[int] = []
        # SciPy goes through the columns backwards, too: if all costs are equal, the result then
        # has the given order.
        waiting = list(range(len(lengths)))[::-1]
        row, length = first, 0.0
        while True:
            self._reach(row, length, waiting, lengths, reached_from)
            place = self._nearest(waiting, lengths)
            column = waiting[place]
            waiting[place] = waiting[-1]
            waiting.pop()
            visited.append(column)
            length = lengths[column]
            if column not in self._row_of:
                break
            row = self._row_of[column]
        self._adjust_prices(first, length, visited, lengths)
        self._move(first, column, reached_from)

    def _reach(
        self,
        row: int,
        length: float,
        waiting: Sequence[int],
        lengths: list[float],
        reached_from: list[int],
    ) -> None:
        """Note the columns to which the path over a row is shorter than those before."""
        costs, price, column_prices = self._costs[row], self._row_prices[row], self._column_prices
        for column in waiting:
            through = length + costs[column] - price - column_prices[column]
            if through < lengths[column]:
                lengths[column] = through
                reached_from[column] = row

    def _nearest(self, waiting: Sequence[int], lengths: Sequence[float]) -> int:
        """Return the place of the nearest column; the last free one, if several are as near."""
        shortest = min([lengths[column] for column in waiting])
        places = [place for place, column in enumerate(waiting) if lengths[column] == shortest]
        free = [place for place in places if waiting[place] not in self._row_of]
        return free[-1] if free else places[0]

    def _adjust_prices(
        self, first: int, length: float, visited: Sequence[int], lengths: Sequence[float]
    ) -> None:
        self._row_prices[first] += length
        for column in visited:
            if column in self._row_of:
                self._row_prices[self._row_of[column]] += length - lengths[column]
            self._column_prices[column] -= length - lengths[column]

    def _move(self, first: int, column: int, reached_from: Sequence[int]) -> None:
        """Give a free column to the row before it on the path, and so on to the first one."""
        row = None
        while row != first:
            row = reached_from[column]
            self._row_of[column] = row
            before = self._column_of.get(row, -1)
            self._column_of[row] = column
            column = before
