"""Means over items, their intervals, and minimum scores."""

from __future__ import annotations

import random
from operator import itemgetter
from typing import Any

import pytest
from desk import small_record
from rows import every

from pytest_toolsandbox.output.tables import ALL_SCENARIOS, Total
from pytest_toolsandbox.output.totals import (
    SUMMARY_COLUMNS,
    MinimumScore,
    by_feedback,
    by_variant,
    mean_interval,
    missed_minimums,
    summary_table,
)
from pytest_toolsandbox.records.trials import played_items

HEADINGS = ("items", "pass", "fail", "error", "score", "turns", "calls")


def figures(totals: list[Total[Any]]) -> list[tuple[Any, ...]]:
    """Return the name of each total, and its figures in the order of ``HEADINGS``."""
    columns = {column.heading: column for column in SUMMARY_COLUMNS}
    return [(t.name, *(columns[name].value(t.items) for name in HEADINGS)) for t in totals]


def totals(records: list[Any]) -> list[Total[Any]]:
    table = summary_table(records)
    return [*table.parts, Total(ALL_SCENARIOS, table.items)]


def augmented_totals(records: list[Any]) -> list[Total[Any]]:
    return by_variant(played_items(records))


def feedback_totals(records: list[Any]) -> list[Total[Any]]:
    return by_feedback(played_items(records), itemgetter(0))


def test_of_nothing() -> None:
    assert figures(totals([])) == [(ALL_SCENARIOS, 0, 0, 0, 0, None, None, None)]


def test_of_categories_and_all() -> None:
    records = [
        small_record("one", 1.0, "b", "a", outcome="passed", turns=2, calls=0),
        small_record("two", 0.5, "b", turns=5, calls=3),
        small_record("three", None, "b", "c"),
        small_record("four", 0.0, turns=8, calls=6),
    ]
    assert figures(totals(records)) == [
        ("a", 1, 1, 0, 0, 1.0, 2.0, 0.0),
        ("b", 3, 1, 1, 1, 0.75, 3.5, 1.5),
        ("c", 1, 0, 0, 1, None, None, None),
        (ALL_SCENARIOS, 4, 1, 2, 1, 0.5, 5.0, 3.0),
    ]


def test_the_paper_says_in_which_order_categories_come() -> None:
    names = ("zoo", "canonicalization", "bees", "single_user_turn", "state_dependency", "Aal")
    records = [small_record(name, 1.0, name, "multiple_tool_call") for name in names]
    assert [total.name for total in totals(records)] == [
        *("multiple_tool_call", "single_user_turn", "state_dependency", "canonicalization"),
        *("Aal", "bees", "zoo"),
        ALL_SCENARIOS,
    ]


def augmented(variant: str | None, name: str, *arguments: Any, **more: Any) -> Any:
    """Return the part of a record of an augmented scenario that totals look at."""
    return {**small_record(f"{name}[{variant}]", *arguments, **more), "variant": variant}


def in_arm(on: bool, *arguments: Any, variant: str | None = None, **more: Any) -> Any:
    """Return the part of a record with feedback or without that totals look at."""
    name, *rest = arguments
    identifier = f"{name}[{variant}-feedback_{on}]"
    return {**small_record(identifier, *rest, **more), "feedback": on, "variant": variant}


def test_of_both_arms_of_feedback() -> None:
    records = [
        in_arm(True, "one", 1.0, outcome="passed", turns=6, calls=2),
        in_arm(False, "one", 0.5, turns=4, calls=1),
        in_arm(True, "two", None),
        in_arm(False, "two", 0.0, turns=2, calls=0),
        in_arm(True, "one", 0.0, variant="tool_name_scrambled"),
        in_arm(False, "three", 0.0),
    ]
    assert figures(feedback_totals(records)) == [
        ("feedback on", 2, 1, 0, 1, 1.0, 6.0, 2.0),
        ("feedback off", 2, 0, 2, 0, 0.25, 3.0, 0.5),
    ]
    assert feedback_totals(records[2:3]) == feedback_totals(records[-2:]) == []


def test_of_augmentations() -> None:
    records = [
        augmented("tool_name_scrambled", "one", 0.5, "a", turns=6, calls=2),
        augmented("no_distraction_tools", "one", 1.0, "a", outcome="passed", turns=4, calls=1),
        augmented("tool_name_scrambled", "two", None, "b"),
        augmented("no_distraction_tools", "two", 0.0, "b", turns=5, calls=2),
        augmented("argument_name_scrambled", "two", None, "b"),
    ]
    assert figures(augmented_totals(records)) == [
        ("no_distraction_tools", 2, 1, 1, 0, 0.5, 4.5, 1.5),
        ("tool_name_scrambled", 2, 0, 1, 1, 0.5, 6.0, 2.0),
        ("argument_name_scrambled", 1, 0, 0, 1, None, None, None),
    ]
    assert figures(totals(records)) == [
        ("a", 2, 1, 1, 0, 0.75, 5.0, 1.5),
        ("b", 3, 0, 1, 2, 0.0, 5.0, 2.0),
        (ALL_SCENARIOS, 5, 1, 2, 2, 0.5, 5.0, 5 / 3),
    ]


def test_without_augmentations_there_are_no_totals_of_any() -> None:
    assert augmented_totals([]) == []
    assert augmented_totals([small_record("old", 1.0), augmented(None, "new", 1.0)]) == []


def test_an_item_counts_once_whatever_its_trials() -> None:
    records = [
        small_record("one", 1.0, "a", outcome="passed", turns=2),
        small_record("one", 0.0, "a", turns=4),
        small_record("two", 1.0, "a", outcome="passed", turns=7),
        small_record("two", 1.0, "a", outcome="passed", turns=7),
        small_record("three", 1.0, "a", outcome="passed"),
        small_record("three", None, "a"),
    ]
    assert figures(totals(records))[0] == ("a", 3, 1, 1, 1, 0.75, 5.0, 1.0)


def test_a_category_may_be_called_all() -> None:
    records = [small_record("one", 1.0, "all"), small_record("two", 0.0)]
    assert [total.name for total in totals(records)] == ["all", "all scenarios"]


def test_the_order_of_records_does_not_matter() -> None:
    generator = random.Random(5)
    records = [small_record(str(number), generator.random(), "a") for number in range(100)]
    expected = figures(totals(records))
    for _ in range(5):
        generator.shuffle(records)
        assert figures(totals(records)) == expected


@every(
    ("category", "score", "required", "line"),
    [
        (None, 0.5, True, None),
        (None, 0.5 + 1e-12, True, None),
        (None, 0.50001, True, "min-score: all scenarios reached 0.5000, less than 0.50001"),
        ("a", 1.0, False, None),
        ("b", 0.5, False, "min-score: b reached 0.0000, less than 0.5"),
        ("c", 0.0, True, "min-score: c must reach 0, but nothing was scored"),
        ("c", 0.5, False, None),
        ("error", 0.5, True, "min-score: error must reach 0.5, but nothing was scored"),
        ("error", 0.5, False, None),
    ],
)
def test_minimums(category: str | None, score: float, required: bool, line: str | None) -> None:
    records = [
        small_record("one", 1.0, "a"),
        small_record("two", 0.0, "b"),
        small_record("three", None, "error"),
    ]
    minimum = MinimumScore(category, score, required=required)
    assert list(missed_minimums(records, [minimum])) == ([line] if line else [])


def test_minimums_without_records() -> None:
    minimums = [MinimumScore(None, 0.5, required=True), MinimumScore("a", 0.5, required=False)]
    assert list(missed_minimums([], minimums)) == [
        "min-score: all scenarios must reach 0.5, but nothing was scored"
    ]


def test_an_augmentation_may_have_its_minimum_unless_a_category_has_its_name() -> None:
    records = [
        augmented("tool_name_scrambled", "one", 0.25),
        augmented("all_tools_available", "one", 0.75),
        augmented("all_tools_available", "two", 0.0, "tool_description_scrambled"),
        augmented("tool_description_scrambled", "three", 1.0),
    ]
    names = ("tool_name_scrambled", "all_tools_available", "tool_description_scrambled")
    minimums = [MinimumScore(name, 0.375, required=True) for name in names]
    assert list(missed_minimums(records, minimums)) == [
        "min-score: tool_name_scrambled reached 0.2500, less than 0.375",
        "min-score: tool_description_scrambled reached 0.0000, less than 0.375",
    ]


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
