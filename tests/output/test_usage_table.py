"""The table of what a run used."""

from __future__ import annotations

from typing import Any

import pytest
from desk import small_record

from pytest_toolsandbox.output.usage_table import usage_properties

GIVEN_UP = {"requests": 1, "latency": 0.0, "timed": 0}
TOLD = {"requests": 5, "latency": 0.0, "timed": 0}
"""By an agent of one's own."""


def mean_time(*usages: dict[str, Any]) -> object:
    records = [small_record("one", 1.0) | {"usage": {"agent": usage}} for usage in usages]
    return usage_properties(records).get("toolsandbox.usage.seconds_each")


@pytest.mark.parametrize("other", [GIVEN_UP, TOLD])
def test_the_mean_time_is_that_of_requests_whose_time_is_known(other: dict[str, Any]) -> None:
    answered = {"requests": 2, "latency": 3.0, "timed": 2}
    assert mean_time(answered, other) == mean_time(answered) == 1.5
    assert mean_time(other) is None
