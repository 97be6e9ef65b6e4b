"""The distributions of the gate, beside SciPy's."""

from __future__ import annotations

import numpy as np
import pytest
from rows import every
from scipy import special, stats

from pytest_toolsandbox.gate.distributions import (
    beta_1_12,
    beta_2_2,
    beta_25_1,
    normal_chances,
    student_quantile,
)

SHARES = (0.001, 0.01, 0.2, 0.5, 0.7, 0.975, 0.999)


def test_the_normal_distribution_has_all_digits_also_far_out() -> None:
    values = np.linspace(-37, 9, 93).reshape(3, 31)
    assert normal_chances(values) == pytest.approx(special.ndtr(values), rel=1e-13)


@every("freedom", [1, 2, 3, 4, 5, 10, 11, 128, 129, 356, 999, 1_000, 1_001, 5_000, 1_000_000])
def test_students_quantile(freedom: int) -> None:
    for share in (0.5, 0.6, 0.9, 0.975, 0.9995):
        known = float(stats.t.ppf(share, freedom))
        assert student_quantile(share, freedom) == pytest.approx(known, rel=1e-11, abs=1e-12)


@pytest.mark.parametrize(
    ("quantile", "passes", "failures"), [(beta_25_1, 25, 1), (beta_1_12, 1, 12), (beta_2_2, 2, 2)]
)
def test_beta_distributions(quantile: object, passes: int, failures: int) -> None:
    assert callable(quantile)
    for share in SHARES:
        known = float(stats.beta.ppf(share, passes, failures))
        assert quantile(share) == pytest.approx(known, rel=1e-12)
