"""Who does what at the lowest cost: the Hungarian method, in whole numbers."""

from __future__ import annotations

from collections.abc import Sequence


def cheapest(costs: Sequence[Sequence[int]]) -> tuple[int, ...]:
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

    What a row pays and a column earns proves that it is the cheapest: no cost is below the sum of
    its row's and its column's, and all that are chosen are equal to it.
    """

    def __init__(self, costs: Sequence[Sequence[int]]) -> None:
        self.costs = costs
        self.width = len(costs[0]) if costs else 0
        self.of_row = [0] * len(costs)
        self.of_column = [0] * self.width
        self.columns = [-1] * len(costs)
        self.rows = [-1] * self.width

    def add(self, row: int) -> None:
        """Give one more row a column, along the cheapest way to a free one."""
        slack: list[int | None] = [None] * self.width
        came_from = [-1] * self.width
        reached: list[int] = []
        here, column = row, -1
        while True:
            left = [one for one in range(self.width) if one not in reached]
            for one in left:
                rest = self.costs[here][one] - self.of_row[here] - self.of_column[one]
                best = slack[one]
                if best is None or rest < best:
                    slack[one], came_from[one] = rest, column
            column = min(left, key=lambda one: slack[one] or 0)
            self._shift(row, slack[column] or 0, reached, left, slack)
            reached.append(column)
            if self.rows[column] < 0:
                break
            here = self.rows[column]
        self._take(row, column, came_from)

    def _shift(
        self, row: int, by: int, reached: list[int], left: list[int], slack: list[int | None]
    ) -> None:
        self.of_row[row] += by
        for column in reached:
            self.of_row[self.rows[column]] += by
            self.of_column[column] -= by
        for column in left:
            slack[column] = (slack[column] or 0) - by

    def _take(self, row: int, column: int, came_from: list[int]) -> None:
        while column >= 0:
            before = came_from[column]
            taker = self.rows[before] if before >= 0 else row
            self.rows[column] = taker
            self.columns[taker] = column
            column = before
