from __future__ import annotations

from typing import Any

from hypothesis import given, strategies as st
from rows import every

from pytest_toolsandbox.scoring.tooltalk.comparison import MEASURES, equal, same_day, same_members
from pytest_toolsandbox.worlds.state import Row

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=3),
    lambda values: st.lists(values, max_size=3) | st.dictionaries(st.text(max_size=2), values),
    max_leaves=5,
)


@given(VALUES, VALUES)
def test_whatever_is_compared_the_answer_is_yes_or_no(one: Any, other: Any) -> None:
    for measure in MEASURES.values():
        assert measure(one, other) in (True, False)
        assert measure(one, other) == measure(other, one)


@every(
    ("one", "other", "expected"),
    [
        (1, 1.0, True),
        (1, True, True),
        (1, "1", False),
        ("London", "london", False),
        (None, None, True),
        (None, "", False),
        ([1, 2], [1, 2], True),
        ([1, 2], (1, 2), True),
        ([1, 2], [2, 1], False),
        ({"a": [1]}, Row({"a": [1]}), True),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}, True),
        ({"a": 1}, {"a": 1, "b": None}, False),
    ],
)
def test_equal(one: Any, other: Any, expected: bool) -> None:
    assert equal(one, other) is expected


@every(
    ("one", "other", "expected"),
    [
        (["a", "b"], ["b", "a"], True),
        (["a", "a", "b"], ("b", "a"), True),
        ([], [], True),
        (["a"], ["a", "b"], False),
        (["a", "b"], ["a"], False),
        (["a"], [], False),
        ([["a"], {"b": 1}], [{"b": 1}, ["a"]], True),
        ([["a", "b"]], [["b", "a"]], False),
        (["a"], "a", False),
        ("ab", "ab", False),
        (None, None, False),
        (7, [7], False),
    ],
)
def test_same_members(one: Any, other: Any, expected: bool) -> None:
    assert same_members(one, other) is expected


@every(
    ("one", "other", "expected"),
    [
        ("2023-09-12 07:00:00", "2023-09-12 19:30:00", True),
        ("2023-09-12 07:00:00", "2023-9-12 7:0:0", True),
        ("2023-09-12 07:00:00", "2023-09-13 07:00:00", False),
        ("2023-09-12", "2023-09-12T19:30:00Z", True),
        ("2023-09-12", "2023-09-11", False),
        ("2023-09-12 07:00:00", "tomorrow", False),
        ("tomorrow", "tomorrow", True),
        ("tomorrow", "Tomorrow", False),
        ("2023-09-12 07:00:00", None, False),
        ("2023-09-12 07:00:00", ["2023-09-12 07:00:00"], False),
        (None, None, True),
    ],
)
def test_same_day(one: Any, other: Any, expected: bool) -> None:
    assert same_day(one, other) is expected
    assert same_day(other, one) is expected
