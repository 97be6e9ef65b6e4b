"""The assignment of rows to columns of the lowest cost: the Hungarian method, in whole numbers.

Libraries have it in floating point, or take a hundred times as long.
"""

from __future__ import annotations

from collections.abc import Sequence


def min_cost_assignment(costs: Sequence[Sequence[int]]) -> tuple[int, ...]:
    """Return a column for each row, no column twice, so that the costs add up to the least.

    There must be at least as many columns as rows. Costs may be of any size. It takes time in the
    order of rows times rows times columns.
    """
    assignment = _Assignment(costs)
    for row in range(len(costs)):
        assignment.add(row)
    return tuple(assignment.columns)


class _Assignment:
    """The cheapest assignment of the rows so far.

    The row and column potentials prove it: no cost is below the sum of the potentials of its row
    and its column, and each chosen cost is equal to it.
    """

    def __init__(self, costs: Sequence[Sequence[int]]) -> None:
        self.costs = costs
        self.width = len(costs[0]) if costs else 0
        self.row_potentials = [0] * len(costs)
        self.column_potentials = [0] * self.width
        self.columns = [-1] * len(costs)
        self.rows = [-1] * self.width

    def add(self, row: int) -> None:
        """Give one more row a column, along the cheapest path to a free one."""
        slack = [c - p for c, p in zip(self.costs[row], self.column_potentials, strict=True)]
        came_from = [-1] * self.width
        reached: list[int] = []
        left = list(range(self.width))
        column = min(left, key=slack.__getitem__)
        while (here := self.rows[column]) >= 0:
            left.remove(column)
            reached.append(column)
            costs, base = self.costs[here], slack[column] - self.row_potentials[here]
            for one in left:
                rest = base + costs[one] - self.column_potentials[one]
                if rest < slack[one]:
                    slack[one], came_from[one] = rest, column
            column = min(left, key=slack.__getitem__)
        self._shift(row, slack[column], reached, slack)
        self._take(row, column, came_from)

    def _shift(self, row: int, length: int, reached: list[int], slack: list[int]) -> None:
        """Raise rows and lower columns so that every cost along the path becomes equal."""
        self.row_potentials[row] = length
        for column in reached:
            self.row_potentials[self.rows[column]] += length - slack[column]
            self.column_potentials[column] -= length - slack[column]

    def _take(self, row: int, column: int, came_from: list[int]) -> None:
        while column >= 0:
            before = came_from[column]
            taker = self.rows[before] if before >= 0 else row
            self.rows[column] = taker
            self.columns[taker] = column
            column = before
