from __future__ import annotations

import random

import pytest
from desk import small_record

from pytest_toolsandbox.reporting.totals import ALL, Total, shortfalls, totals
from pytest_toolsandbox.settings import MinimumScore


def test_of_nothing() -> None:
    assert totals([]) == [Total(ALL, 0, 0, 0, None, None, None)]


def test_of_categories_and_all() -> None:
    records = [
        small_record("one", 1.0, "b", "a", outcome="passed", turns=2, calls=0),
        small_record("two", 0.5, "b", turns=5, calls=3),
        small_record("three", None, "b", "c"),
        small_record("four", 0.0, turns=8, calls=6),
    ]
    assert totals(records) == [
        Total("a", 1, 1, 0, 1.0, 2.0, 0.0),
        Total("b", 3, 1, 1, 0.75, 3.5, 1.5),
        Total("c", 1, 0, 1, None, None, None),
        Total(ALL, 4, 1, 1, 0.5, 5.0, 3.0),
    ]
    assert [total.failed for total in totals(records)] == [0, 1, 0, 2]


def test_an_item_counts_once_whatever_its_trials() -> None:
    records = [
        small_record("one", 1.0, "a", outcome="passed", turns=2),
        small_record("one", 0.0, "a", turns=4),
        small_record("two", 1.0, "a", outcome="passed", turns=7),
        small_record("two", 1.0, "a", outcome="passed", turns=7),
        small_record("three", 1.0, "a", outcome="passed"),
        small_record("three", None, "a"),
    ]
    assert totals(records)[0] == Total("a", 3, 1, 1, 0.75, 5.0, 1.0)


def test_a_category_may_be_called_all() -> None:
    records = [small_record("one", 1.0, "all"), small_record("two", 0.0)]
    assert [(total.name, total.score) for total in totals(records)] == [
        ("all", 1.0),
        ("all scenarios", 0.5),
    ]


def test_the_order_of_records_does_not_matter() -> None:
    generator = random.Random(5)
    records = [small_record(str(number), generator.random(), "a") for number in range(100)]
    expected = totals(records)
    for _ in range(5):
        generator.shuffle(records)
        assert totals(records) == expected


@pytest.mark.parametrize(
    ("minimum", "line"),
    [
        (MinimumScore(None, 0.5, required=True), None),
        (MinimumScore(None, 0.5 + 1e-12, required=True), None),
        (
            MinimumScore(None, 0.50001, required=True),
            "min-score: all scenarios reached 0.5000, less than 0.50001",
        ),
        (MinimumScore("a", 1.0, required=False), None),
        (MinimumScore("b", 0.5, required=False), "min-score: b reached 0.0000, less than 0.5"),
        (
            MinimumScore("c", 0.0, required=True),
            "min-score: c must reach 0, but nothing was scored",
        ),
        (MinimumScore("c", 0.5, required=False), None),
        (
            MinimumScore("error", 0.5, required=True),
            "min-score: error must reach 0.5, but nothing was scored",
        ),
        (MinimumScore("error", 0.5, required=False), None),
    ],
)
def test_shortfalls(minimum: MinimumScore, line: str | None) -> None:
    records = [
        small_record("one", 1.0, "a"),
        small_record("two", 0.0, "b"),
        small_record("three", None, "error"),
    ]
    assert shortfalls(records, [minimum]) == ([line] if line else [])


def test_shortfalls_of_nothing() -> None:
    minimums = [MinimumScore(None, 0.5, required=True), MinimumScore("a", 0.5, required=False)]
    assert shortfalls([], minimums) == [
        "min-score: all scenarios must reach 0.5, but nothing was scored"
    ]
