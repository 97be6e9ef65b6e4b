from __future__ import annotations

import itertools

from hypothesis import given, strategies as st

from pytest_toolsandbox.scoring.assignment import min_cost_assignment

COSTS = st.tuples(st.integers(1, 4), st.integers(0, 2)).flatmap(
    lambda size: st.lists(
        st.lists(
            st.integers(0, 6) | st.integers(0, 10**40), min_size=sum(size), max_size=sum(size)
        ),
        min_size=size[0],
        max_size=size[0],
    )
)


@given(COSTS)
def test_no_assignment_is_cheaper(costs: list[list[int]]) -> None:
    assert min_cost_assignment([]) == ()
    chosen = min_cost_assignment(costs)
    assert len(set(chosen)) == len(chosen) == len(costs)
    every = itertools.permutations(range(len(costs[0])), len(costs))
    least = min(sum(costs[row][column] for row, column in enumerate(columns)) for columns in every)
    assert sum(costs[row][column] for row, column in enumerate(chosen)) == least
