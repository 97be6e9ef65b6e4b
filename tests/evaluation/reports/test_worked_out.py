"""Figures that a report may work out from what tools and users told."""

from __future__ import annotations

from fractions import Fraction

import pytest

from pytest_toolsandbox.evaluation.reports.worked_out import (
    amounts_in,
    comes_from,
    durations_in,
    ends,
)

PRICES = frozenset(map(Fraction, ("13.5", "5.2", "34.7", "2.5")))
NINE, TEN, ELEVEN = (("time", hour * 3600) for hour in (9, 10, 11))


@pytest.mark.parametrize(
    ("amount", "is_reckoned"),
    [
        ("27", True),  # two of 13.50
        ("32.2", True),  # 34.70 less 2.50
        ("18.7", True),  # 13.50 and 5.20
        ("386.4", True),  # 34.70 less 2.50, each month of a year
        ("162", True),  # 13.50 each month of a year
        ("40.1", False),
        ("99", False),
    ],
)
def test_an_amount_may_be_a_sum_a_difference_or_a_multiple(amount: str, is_reckoned: bool) -> None:
    assert comes_from(Fraction(amount), PRICES) is is_reckoned


def test_of_many_numbers_nobody_reckons() -> None:
    assert comes_from(Fraction(3), frozenset(map(Fraction, range(1, 30))))
    assert not comes_from(Fraction(300), frozenset(map(Fraction, range(1, 100))))


def test_what_begins_at_a_time_ends_after_its_duration() -> None:
    assert ends([TEN], frozenset({Fraction(3600)})) == {NINE, ELEVEN}
    assert ends([TEN, ("date", 3, 14)], frozenset()) == frozenset()
    assert ends([("time", 86000)], frozenset({Fraction(800)})) == {("time", 400), ("time", 85200)}
    assert ends([TEN], frozenset(map(Fraction, range(60, 600, 60)))) == frozenset()


def test_names_say_what_numbers_are() -> None:
    found: dict[str, object] = {
        "slots": [{"durationMinutes": 20, "terminal": 5}, {"hours": 1.5}],
        "minutes": "20",
    }
    assert {*durations_in(found)} == {Fraction(1200), Fraction(5400)}
    found = {"totalPrice": 8, "coffee": 3, "items": [{"unit_price": 2.5, "count": 2}], "fee": True}
    found["price"] = float("nan")
    assert {*amounts_in(found)} == {Fraction(8), Fraction("2.5")}
