"""Assign rows to columns at the lowest total cost: the Hungarian method with exact integers.

SciPy's ``linear_sum_assignment`` uses floating point. The costs here encode several criteria in one
number, with the least important one in its last digits, so they must be exact.
"""

from __future__ import annotations

from collections.abc import Sequence


def min_cost_assignment(costs: Sequence[Sequence[int]]) -> tuple[int, ...]:
    """Return a different column for each row, with the lowest sum of costs.

    There must be at least as many columns as rows. Costs may be of any size. The time is in the
    order of rows * rows * columns.
    """
    rows = [-1] * (len(costs[0]) if costs else 0)
    # The potentials prove that the result is optimal: no cost is below the sum of the potentials of
    # its row and its column, and each chosen cost is equal to that sum.
    of_rows, of_columns = [0] * len(costs), [0] * len(rows)
    for row, row_costs in enumerate(costs):
        slack = [cost - potential for cost, potential in zip(row_costs, of_columns, strict=True)]
        came_from = [-1] * len(rows)
        unvisited = list(range(len(rows)))
        column = min(unvisited, key=slack.__getitem__)
        while (here := rows[column]) >= 0:  # along the cheapest path to a free column
            unvisited.remove(column)
            base = slack[column] - of_rows[here]
            for place in unvisited:
                reduced_cost = base + costs[here][place] - of_columns[place]
                if reduced_cost < slack[place]:
                    slack[place], came_from[place] = reduced_cost, column
            column = min(unvisited, key=slack.__getitem__)
        # Adjust the potentials of all visited rows and columns, so that the invariant holds again.
        of_rows[row] = slack[column]
        for place in set(range(len(rows))).difference(unvisited):
            of_rows[rows[place]] += slack[column] - slack[place]
            of_columns[place] -= slack[column] - slack[place]
        # Reassign the rows along the path, from the free column back to the new row.
        while column >= 0:
            before = came_from[column]
            rows[column] = rows[before] if before >= 0 else row
            column = before
    return tuple(map(rows.index, range(len(costs))))
