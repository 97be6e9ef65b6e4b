from __future__ import annotations

from rows import every

from pytest_toolsandbox.authoring.measures import GRAPH_SHAPES, graph_shape
from pytest_toolsandbox.language.constraints import Event

CASES = [
    ({}, "no milestones"),
    ({"a": ""}, "single"),
    ({"a": "", "b": "a"}, "chain"),
    ({"b": "a", "a": ""}, "chain"),
    ({"a": "", "b": "a", "c": "b"}, "chain"),
    ({"a": "", "b": "a", "c": "ab", "d": "ac"}, "chain"),
    ({"a": "", "b": "", "c": "ab"}, "join"),
    ({"a": "", "b": "", "c": "ab", "d": "c"}, "join"),
    ({"a": "", "b": "", "c": "ab", "d": ""}, "join"),
    ({"a": "", "b": "a", "c": "a"}, "branch"),
    ({"c": "a", "b": "a", "a": ""}, "branch"),
    ({"a": "", "b": "a", "c": "a", "d": "bc"}, "join and branch"),
    ({"a": "", "b": "a", "c": "a", "d": "abc"}, "join and branch"),
    ({"a": "", "b": "", "c": "ab", "d": "ab"}, "join and branch"),
    ({"a": "", "b": ""}, "apart"),
    ({"a": "", "b": "a", "c": "", "d": "c"}, "apart"),
]


@every(("after", "expected"), CASES)
def test_shape(after: dict[str, str], expected: str) -> None:
    milestones = {name: Event(name, (), tuple(before)) for name, before in after.items()}
    assert graph_shape(milestones) == expected


def test_every_shape_is_told() -> None:
    assert tuple(dict.fromkeys(expected for _, expected in CASES)) == GRAPH_SHAPES
