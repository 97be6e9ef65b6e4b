"""What trials used of models, in words."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_toolsandbox.output.usage_table import spent_words


def used(**values: Any) -> dict[str, Any]:
    return {"input_tokens": 100, "output_tokens": 20, "cost": 0.25, "latency": 1.5, **values}


def test_all_who_asked_a_model_are_added_up() -> None:
    one = {"usage": {"agent": used(), "user": used(cost=0.5)}}
    assert spent_words([one, one]) == ("480", "1.5000", "6.0")


def test_what_is_not_known_is_no_zero() -> None:
    one = {"usage": {"agent": used(cost=None, output_tokens=None)}}
    assert spent_words([one]) == ("unknown", "unknown", "1.5")


@pytest.mark.parametrize("user", [{}, {"user": used()}])
def test_time_that_nobody_saw_is_no_zero(user: dict[str, Any]) -> None:
    one = {"usage": {"agent": used(timed=0, latency=0.0), **user}}
    assert spent_words([one])[2] == "unknown"


def test_without_a_model_nothing_is_said() -> None:
    assert spent_words([{}]) == ("", "", "")
