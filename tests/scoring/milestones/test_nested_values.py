"""The parts in which two JSON values differ."""

from __future__ import annotations

from typing import Any

from hypothesis import given, strategies as st
from rows import every

from pytest_toolsandbox.scoring.milestones.nested_values import ABSENT, Part, differing_parts
from pytest_toolsandbox.worlds.state import frozen, identity

LEAVES = st.none() | st.booleans() | st.integers(0, 2) | st.sampled_from(["", "a"])
KEYS = st.sampled_from("ab")
VALUES = st.recursive(
    LEAVES, lambda v: st.lists(v, max_size=2) | st.dictionaries(KEYS, v), max_leaves=8
)


@every(
    ("expected", "actual", "parts"),
    [
        (1, 1, []),
        (1, True, [Part("x", 1, True)]),
        ({"a": {"b": [1, 2]}}, {"a": {"b": [1, 3]}}, [Part("x.a.b[1]", 2, 3)]),
        ({"a": 1}, {"b": 1}, [Part("x.a", 1, ABSENT), Part("x.b", ABSENT, 1)]),
        ([1], [1, 2], [Part("x", (1,), (1, 2))]),
        ({"a": None}, {}, [Part("x.a", None, ABSENT)]),
    ],
)
def test_the_smallest_parts_are_found(expected: Any, actual: Any, parts: list[Part]) -> None:
    assert list(differing_parts("x", frozen(expected), frozen(actual))) == parts


@given(VALUES, VALUES)
def test_the_other_way_round_they_are_the_same(value: Any, other: Any) -> None:
    a, b = frozen(value), frozen(other)
    forth = set(differing_parts("x", a, b))
    back = {Part(part.path, part.actual, part.expected) for part in differing_parts("x", b, a)}
    assert forth == back
    assert bool(forth) == (identity(a) != identity(b))
