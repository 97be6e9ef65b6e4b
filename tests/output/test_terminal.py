from __future__ import annotations

from typing import Any

from desk import small_record

from pytest_toolsandbox.language.variants import PUBLISHED
from pytest_toolsandbox.output.terminal import summary_lines


def test_of_an_empty_run() -> None:
    assert summary_lines([]) == []


def test_columns_are_as_wide_as_they_must_be() -> None:
    records: list[Any] = [
        small_record(str(number), 1.0, "a_category_with_a_long_name", outcome="passed")
        for number in range(12)
    ]
    records += [small_record("wrong", 0.25, turns=1200), small_record("broken", None, "b")]
    assert summary_lines(records) == [
        "                             items  pass  fail  error  score  turns  calls",
        "a_category_with_a_long_name     12    12     0      0  1.000    4.0    1.0",
        "b                                1     0     0      1    n/a    n/a    n/a",
        "all scenarios                   14    12     1      1  0.942   96.0    1.0",
    ]


def test_augmentations_stand_by_themselves_within_80_columns() -> None:
    records: list[Any] = [
        {**small_record(f"{number}[{name}]", 0.5, "state_dependency"), "variant": name}
        for name in reversed(PUBLISHED)
        for number in range(129)
    ]
    lines = summary_lines(records)
    assert lines == [
        "                                items  pass  fail  error  score  turns  calls",
        "state_dependency                 1032     0  1032      0  0.500    4.0    1.0",
        "",
        *(f"{name:<30}    129     0   129      0  0.500    4.0    1.0" for name in PUBLISHED),
        "",
        "all scenarios                    1032     0  1032      0  0.500    4.0    1.0",
    ]
    assert max(map(len, lines)) < 80


def test_augmentations_of_scenarios_without_categories() -> None:
    record: Any = {
        **small_record("one[tool_name_scrambled]", 0.5),
        "variant": "tool_name_scrambled",
    }
    assert summary_lines([record]) == [
        "                     items  pass  fail  error  score  turns  calls",
        "tool_name_scrambled      1     0     1      0  0.500    4.0    1.0",
        "",
        "all scenarios            1     0     1      0  0.500    4.0    1.0",
    ]
