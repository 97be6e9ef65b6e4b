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

    The potentials of rows and columns prove that it is: no cost is below the sum of the potentials
    of its row and its column, and the costs that are chosen are equal to it.
    """

    def __init__(self, costs: Sequence[Sequence[int]]) -> None:
        self.costs = costs
        self.width = len(costs[0]) if costs else 0
        self.row_potentials = [0] * len(costs)
        self.column_potentials = [0] * self.width
        self.columns = [-1] * len(costs)
        self.rows = [-1] * self.width

    def add(self, row: int) -> None:
        """Give one more row a column, along the cheapest way to a free one."""
        slack: list[int | None] = [None] * self.width
        came_from = [-1] * self.width
        reached: list[int] = []
        left = list(range(self.width))
        here, column = row, -1
        while True:
            costs, paid = self.costs[here], self.row_potentials[here]
            for one in left:
                rest = costs[one] - paid - self.column_potentials[one]
                best = slack[one]
                if best is None or rest < best:
                    slack[one], came_from[one] = rest, column
            column = min(left, key=lambda one: slack[one] or 0)
            self._shift(row, slack[column] or 0, reached, left, slack)
            left.remove(column)
            reached.append(column)
            if self.rows[column] < 0:
                break
            here = self.rows[column]
        self._take(row, column, came_from)

    def _shift(
        self, row: int, by: int, reached: list[int], left: list[int], slack: list[int | None]
    ) -> None:
        self.row_potentials[row] += by
        for column in reached:
            self.row_potentials[self.rows[column]] += by
            self.column_potentials[column] -= by
        for column in left:
            slack[column] = (slack[column] or 0) - by

    def _take(self, row: int, column: int, came_from: list[int]) -> None:
        while column >= 0:
            before = came_from[column]
            taker = self.rows[before] if before >= 0 else row
            self.rows[column] = taker
            self.columns[taker] = column
            column = before
