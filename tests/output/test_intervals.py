"""Intervals of means."""

from __future__ import annotations

import pytest

from pytest_toolsandbox.output.totals import mean_interval


def test_it_is_wilson_s() -> None:
    # 8 of 10: as published for Wilson's interval without correction.
    assert mean_interval(0.8, 10) == pytest.approx((0.4902, 0.9433), abs=1e-4)


@pytest.mark.parametrize("mean", [0.0, 0.3, 1.0])
def test_it_holds_the_mean_and_narrows(mean: float) -> None:
    few, many = mean_interval(mean, 5), mean_interval(mean, 500)
    assert 0 <= few.low <= mean + 1e-12
    assert mean - 1e-12 <= few.high <= 1
    assert many.high - many.low < few.high - few.low


def test_of_nothing_there_is_none() -> None:
    with pytest.raises(ValueError, match="without values"):
        mean_interval(0.5, 0)
