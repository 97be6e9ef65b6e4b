from __future__ import annotations

from typing import Any

from desk import small_record

from pytest_toolsandbox.output.junit import item_properties, suite_properties
from pytest_toolsandbox.records.parts import UsageRecord


def test_of_an_item() -> None:
    assert item_properties([small_record("one", 1 / 3, "a", "b", turns=6, calls=2)]) == {
        "score": 0.333333,
        "milestone_score": 0.333333,
        "minefield_score": 0.0,
        "turn_count": 6,
        "tool_calls": 2,
        "categories": "a,b",
    }


def test_of_an_item_of_several_trials() -> None:
    records: list[Any] = [
        small_record("one", 1.0, turns=6, calls=2),
        small_record("one", 0.5, turns=5, calls=2),
    ]
    assert item_properties(records) == {
        "score": 0.75,
        "milestone_score": 0.75,
        "minefield_score": 0.0,
        "turn_count": 5.5,
        "tool_calls": 2,
        "categories": "",
        "trials": 2,
        "trials_passed": 0,
    }


def test_of_an_error() -> None:
    records = [small_record("one", 1.0, "a"), small_record("one", None, "a", turns=1, calls=1)]
    assert item_properties(records) == {
        "turn_count": 2.5,
        "tool_calls": 1,
        "categories": "a",
        "trials": 2,
        "trials_passed": 0,
    }


def test_what_a_lost_trial_used_is_in_the_sum() -> None:
    used = {**dict.fromkeys(UsageRecord.__annotations__, 0), "input_tokens": 100}
    lost = small_record("one", None) | {"outcome": "error", "cause": "provider"}
    plan = {"of_trials": {"planned": 2, "needed": 1}, "usage": {"agent": used}}
    won = small_record("one", 1.0, outcome="passed")
    records: list[Any] = [trial | plan for trial in (won, lost)]
    properties = item_properties(records)
    assert (properties["score"], properties["agent.input_tokens"]) == (1.0, 200)


def test_of_the_suite() -> None:
    records: list[Any] = [
        small_record("one", 1.0, "a", outcome="passed"),
        small_record("two", 1 / 3, "a", turns=6, calls=2),
        small_record("three", None, "b"),
    ]
    assert suite_properties(records) == {
        "toolsandbox.a.scenarios": 2,
        "toolsandbox.a.passed": 1,
        "toolsandbox.a.errors": 0,
        "toolsandbox.a.score": 0.666667,
        "toolsandbox.a.turn_count": 5.0,
        "toolsandbox.a.tool_calls": 1.5,
        "toolsandbox.b.scenarios": 1,
        "toolsandbox.b.passed": 0,
        "toolsandbox.b.errors": 1,
        "toolsandbox.scenarios": 3,
        "toolsandbox.passed": 1,
        "toolsandbox.errors": 1,
        "toolsandbox.score": 0.666667,
        "toolsandbox.turn_count": 5.0,
        "toolsandbox.tool_calls": 1.5,
    }


def test_of_augmentations() -> None:
    names = ("tool_name_scrambled", "all_tools_available")
    records: list[Any] = [
        {**small_record(f"one[{name}]", score, turns=turns), "variant": name}
        for name, score, turns in zip(names, (1 / 3, None), (5, 2), strict=True)
    ]
    assert item_properties(records[:1])["variant"] == "tool_name_scrambled"
    properties = suite_properties(records)
    assert properties["toolsandbox.variant.all_tools_available.errors"] == 1
    assert "toolsandbox.variant.all_tools_available.score" not in properties
    assert properties["toolsandbox.variant.tool_name_scrambled.score"] == 0.333333
    assert properties["toolsandbox.variant.tool_name_scrambled.turn_count"] == 5.0


def test_of_a_suite_without_scenarios() -> None:
    assert suite_properties([]) == {}
