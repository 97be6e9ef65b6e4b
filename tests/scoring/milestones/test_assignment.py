from __future__ import annotations

import math
from unittest.mock import patch

from hypothesis import given, strategies as st
from scipy.optimize import linear_sum_assignment

from pytest_toolsandbox.scoring.milestones import assignment

COSTS = st.sampled_from([0.0, 1.0, 2.0, -math.log(0.3), -math.log(0.5), 1e6, 1.1e6, 2e6])


@st.composite
def problems(draw: st.DrawFn) -> list[list[float]]:
    columns = draw(st.integers(1, 9))
    count = draw(st.integers(1, columns))
    rows = st.lists(COSTS, min_size=columns, max_size=columns)
    return draw(st.lists(rows, min_size=count, max_size=count))


@given(problems())
def test_it_is_that_of_scipy_even_if_several_are_best(costs: list[list[float]]) -> None:
    expected = tuple(linear_sum_assignment(costs)[1].tolist())
    assert assignment.cheapest_assignment(costs) == expected
    with patch.object(assignment, "_STEPS", 0):
        assert assignment.cheapest_assignment(costs) == expected
