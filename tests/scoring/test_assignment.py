from __future__ import annotations

import itertools

import pytest
from hypothesis import given, strategies as st

from pytest_toolsandbox.scoring.assignment import min_cost_assignment

SIZES = st.tuples(st.integers(1, 4), st.integers(0, 2))
COSTS = SIZES.flatmap(
    lambda size: st.lists(
        st.lists(
            st.integers(0, 6) | st.integers(0, 10**40), min_size=sum(size), max_size=sum(size)
        ),
        min_size=size[0],
        max_size=size[0],
    )
)


@pytest.mark.parametrize(
    ("costs", "columns"),
    [
        ([], ()),
        ([[3]], (0,)),
        ([[3, 1, 2]], (1,)),
        ([[1, 2], [1, 9]], (1, 0)),
        ([[1, 2, 9], [1, 3, 9], [2, 1, 8]], (1, 0, 2)),
    ],
)
def test_the_cheapest_columns(costs: list[list[int]], columns: tuple[int, ...]) -> None:
    chosen = min_cost_assignment(costs)
    assert sum(costs[row][column] for row, column in enumerate(chosen)) == sum(
        costs[row][column] for row, column in enumerate(columns)
    )


@given(COSTS)
def test_no_assignment_is_cheaper(costs: list[list[int]]) -> None:
    chosen = min_cost_assignment(costs)
    assert len(set(chosen)) == len(chosen) == len(costs)
    every = itertools.permutations(range(len(costs[0])), len(costs))
    least = min(sum(costs[row][column] for row, column in enumerate(columns)) for columns in every)
    assert sum(costs[row][column] for row, column in enumerate(chosen)) == least
