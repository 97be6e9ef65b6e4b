from __future__ import annotations

from desk import small_record

from pytest_toolsandbox.reporting.terminal import summary_lines


def test_of_an_empty_run() -> None:
    assert summary_lines([]) == []


def test_columns_are_as_wide_as_they_must_be() -> None:
    records = [
        small_record(str(number), 1.0, "a_category_with_a_long_name", outcome="passed")
        for number in range(12)
    ]
    records += [small_record("wrong", 0.25, turns=1200), small_record("broken", None, "b")]
    assert summary_lines(records) == [
        "                             scenarios  passed  failed  errors  score  turns  calls",
        "a_category_with_a_long_name         12      12       0       0  1.000    4.0    1.0",
        "b                                    1       0       0       1    n/a    n/a    n/a",
        "all scenarios                       14      12       1       1  0.942   96.0    1.0",
    ]
