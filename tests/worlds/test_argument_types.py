from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import pytest
from hypothesis import given, strategies as st
from pydantic import TypeAdapter
from rows import every

from pytest_toolsandbox.worlds.schemas import has_type, type_in_words
from pytest_toolsandbox.worlds.tool import Tool


@dataclass
class Place:
    city: str
    floors: list[int]


@dataclass
class Tree:
    children: list[Tree]


HINTS = [
    int,
    float,
    str,
    bool,
    int | None,
    int | str,
    list[int],
    list[str] | None,
    dict[str, float],
    tuple[int, str],
    Literal["asc", "desc"],
    Place,
    Tree,
    Any,
]
JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False), st.text("a")),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(st.sampled_from(["city", "floors", "children", "x"]), inner, max_size=3),
    ),
    max_leaves=6,
)


def schema(hint: Any) -> dict[str, Any]:
    return TypeAdapter(hint).json_schema()


@every(
    ("value", "hint", "has"),
    [
        (3, int, True),
        (3.0, int, False),
        (True, int, False),
        (False, float, False),
        ([1, True], list[int], False),
        (True, bool | int, True),
        ("3", int, False),
        (None, int, False),
        (None, int | None, True),
        (3, float, True),
        (3, str, False),
        ("up", Literal["asc", "desc"], True),
        (1, Literal["asc", "desc"], False),
        ([1, 2], list[int], True),
        ([1, "2"], list[int], False),
        ("1", list[int], False),
        ({"a": 1.5}, dict[str, float], True),
        ({"a": "b"}, dict[str, float], False),
        ([1, "b"], tuple[int, str], True),
        ([1, 2], tuple[int, str], False),
        ({"city": "Rome"}, Place, True),
        ({"city": "Rome", "floors": ["one"]}, Place, False),
        ({"children": [{"children": []}]}, Tree, True),
        ({"children": [{"children": [1]}]}, Tree, False),
        ({"anything": 1}, Any, True),
    ],
)
def test_the_type_counts_and_no_more(value: Any, hint: Any, has: bool) -> None:
    assert has_type(value, schema(hint)) is has


@pytest.mark.parametrize(
    ("hint", "words"),
    [
        (int, "integer"),
        (float, "number"),
        (int | str, "integer or string"),
        (list[str], "array of string"),
        (list[int | str], "array of integer or string"),
        (list[Any], "array"),
        (Literal["asc", "desc"], "string"),
        (list[Place], "array of object"),
        (Any, "any"),
    ],
)
def test_a_type_in_words(hint: Any, words: str) -> None:
    assert type_in_words(schema(hint)) == words


def has_booleans(value: Any) -> bool:
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return isinstance(value, bool) or any(map(has_booleans, inner))


@given(JSON, st.sampled_from(HINTS))
def test_what_a_tool_takes_has_its_type(value: Any, hint: Any) -> None:
    def take(argument: Any) -> None:
        """Take it."""

    take.__annotations__["argument"] = hint
    tool = Tool(take)
    # As in ToolSandbox a boolean is executed where a number is asked for; it is none to SpecTool.
    if not has_booleans(value) and tool.problem("argument", value) is None:
        assert has_type(value, tool.parameters["argument"].schema)
