from __future__ import annotations

from typing import Any

from judged import record

from pytest_toolsandbox.output.error_table import (
    error_lines,
    error_properties,
    irrelevance_table,
    judged_items,
)
from pytest_toolsandbox.output.tables import aligned

PREFIX = "toolsandbox.error_patterns.irrelevance"


def irrelevant(name: str, base: str, **more: Any) -> Any:
    return record(name, query={"manner": "irrelevance", "base": base}, **more)


def properties(*records: Any) -> dict[str, object]:
    """Return the properties without their common prefix."""
    found = irrelevance_table(judged_items(records)).properties(PREFIX)
    return {name.removeprefix(f"{PREFIX}."): value for name, value in found.items()}


def test_irrelevance_is_paired_with_its_base() -> None:
    found = properties(
        record("a", IFN=0.9),
        irrelevant("a_more", "a", IFN=0.5),
        irrelevant("a_even_more", "a", IFN=0.7),
        record("b", IFN=0.0),
        record("b_retold", IFN=0.0, query={"manner": "sentences", "base": "b"}),
        irrelevant("c_more", "c", IFN=0.0),  # its base was not played
    )
    assert found == {"pairs": 2, "IFN_base": 0.9, "IFN": 0.6}


def test_it_is_paired_within_its_arm_and_augmentation() -> None:
    records = [
        record("a[x-feedback_on]", IFN=1.0),
        record("a[x-feedback_off]", IFN=0.0),
        irrelevant("b[x-feedback_on]", "a", IFN=0.5),
        record("a", IFN=0.0),
    ]
    assert properties(*records) == {"pairs": 1, "IFN_base": 1.0, "IFN": 0.5}


def test_worlds_and_arms_have_a_row_each_where_there_are_several() -> None:
    records = [
        record("a[on]", IFN=1.0),
        irrelevant("b[on]", "a", IFN=0.5),
        record("a[off]", IFN=0.9, feedback=False),
        irrelevant("b[off]", "a", IFN=0.25, feedback=False),
        record("c[on]", IFN=0.8, world="shelf"),
        irrelevant("d[on]", "c", IFN=0.75, world="shelf"),
    ]
    assert aligned(irrelevance_table(judged_items(records)).rows()) == [
        "irrelevance added  pairs  IFN without  IFN with",
        "desk                   2         0.95      0.38",
        "shelf                  1         0.80      0.75",
        "",
        "feedback on            1         1.00      0.50",
        "feedback off           1         0.90      0.25",
        "",
        "all scenarios          3         0.90      0.50",
    ]
    found = properties(*records)
    assert [found[name] for name in ("pairs", "IFN_base", "IFN")] == [3, 0.9, 0.5]
    assert found["shelf.IFN"] == 0.75
    assert found["feedback_off.pairs"] == 1


def test_scenarios_that_say_themselves_who_gets_feedback_are_no_arms() -> None:
    records = [
        record("a", IFN=1.0),
        irrelevant("b", "a", IFN=0.5),
        record("c", IFN=0.9, feedback=False),
        irrelevant("d", "c", IFN=0.25, feedback=False),
    ]
    found = properties(*records)
    assert found["pairs"] == 2
    assert not any(name.startswith("feedback") for name in found)


def test_what_was_asked_in_one_way_only_is_not_compared() -> None:
    records = [record("a"), irrelevant("c_more", "c")]
    assert irrelevance_table(judged_items(records)).items == []
    assert not any("irrelevance" in line for line in error_lines(records))
    assert not any("irrelevance" in name for name in error_properties(records))


def test_it_stands_among_the_tables_and_properties_of_a_run() -> None:
    records = [record("a", IFN=0.9), irrelevant("b", "a", IFN=0.5)]
    table = irrelevance_table(judged_items(records))
    assert error_lines(records)[-3:] == ["", *aligned(table.rows())]
    assert table.properties(PREFIX).items() <= error_properties(records).items()
