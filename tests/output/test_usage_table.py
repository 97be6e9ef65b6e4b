"""What models used in a run, as figures and in words."""

from __future__ import annotations

from typing import Any

import pytest
from desk import small_record

from pytest_toolsandbox.output.usage_table import spent_words, usage_properties

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


def used(**values: Any) -> dict[str, Any]:
    return {"input_tokens": 100, "output_tokens": 20, "cost": 0.25, "latency": 1.5, **values}


def test_all_who_asked_a_model_are_added_up() -> None:
    record = {"usage": {"agent": used(), "user": used(cost=0.5)}}
    assert spent_words([record, record]) == ("480", "1.5000", "6.0")


def test_what_is_not_known_is_no_zero() -> None:
    record = {"usage": {"agent": used(cost=None, output_tokens=None)}}
    assert spent_words([record]) == ("unknown", "unknown", "1.5")


@pytest.mark.parametrize("user", [{}, {"user": used()}])
def test_time_that_nobody_saw_is_no_zero(user: dict[str, Any]) -> None:
    record = {"usage": {"agent": used(timed=0, latency=0.0), **user}}
    assert spent_words([record])[2] == "unknown"


def test_without_a_model_nothing_is_said() -> None:
    assert spent_words([{}]) == ("", "", "")
