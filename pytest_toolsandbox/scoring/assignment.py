"""The assignment of rows to columns of the lowest cost: the Hungarian method, in whole numbers.

SciPy's ``linear_sum_assignment`` counts in floating point. The costs here encode several criteria
in one number, the least important in its last digits, so they must be exact.
"""

from __future__ import annotations

from collections.abc import Sequence


def min_cost_assignment(costs: Sequence[Sequence[int]]) -> tuple[int, ...]:
    """Return a column for each row, no column twice, so that the costs add up to the least.

    There must be at least as many columns as rows. Costs may be of any size. It takes time in the
    order of rows times rows times columns.
    """
    rows = [-1] * (len(costs[0]) if costs else 0)
    # The potentials prove it: no cost is below the sum of the potentials of its row and its column,
    # and each chosen cost is equal to it.
    of_rows, of_columns = [0] * len(costs), [0] * len(rows)
    for row, own in enumerate(costs):
        slack = [cost - potential for cost, potential in zip(own, of_columns, strict=True)]
        came_from = [-1] * len(rows)
        left = list(range(len(rows)))
        column = min(left, key=slack.__getitem__)
        while (here := rows[column]) >= 0:  # along the cheapest path to a free column
            left.remove(column)
            base = slack[column] - of_rows[here]
            for place in left:
                rest = base + costs[here][place] - of_columns[place]
                if rest < slack[place]:
                    slack[place], came_from[place] = rest, column
            column = min(left, key=slack.__getitem__)
        of_rows[row] = slack[column]
        for place in set(range(len(rows))).difference(left):
            of_rows[rows[place]] += slack[column] - slack[place]
            of_columns[place] -= slack[column] - slack[place]
        while column >= 0:
            before = came_from[column]
            rows[column] = rows[before] if before >= 0 else row
            column = before
    return tuple(map(rows.index, range(len(costs))))
