from __future__ import annotations

import json

import pytest
from hypothesis import given, strategies as st
from rows import every

from pytest_toolsandbox.calls.tool_call import MAX_DEPTH, read_arguments

FLAT = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False), st.text())
FINITE = FLAT.filter(lambda value: value not in (float("inf"), float("-inf")))
VALUES = st.recursive(
    FINITE,
    lambda inner: st.one_of(st.lists(inner), st.dictionaries(st.text(), inner)),
    max_leaves=6,
)


def nested(levels: int) -> str:
    """Return arguments of so many levels."""
    return '{"a": ' * (levels - 1) + "{}" + "}" * (levels - 1)


@given(st.dictionaries(st.text(), VALUES))
def test_an_object_is_read_as_it_is(arguments: dict[str, object]) -> None:
    assert read_arguments(json.dumps(arguments)) == arguments
    assert read_arguments(json.dumps(arguments, ensure_ascii=False)) == arguments


def test_no_text_means_no_arguments() -> None:
    assert read_arguments("") == {}


def test_a_character_in_two_escapes_is_one() -> None:
    assert read_arguments(r'{"face": "\ud83d\ude00"}') == {"face": "😀"}


def test_arguments_may_be_nested() -> None:
    assert read_arguments(nested(MAX_DEPTH)).keys() == {"a"}
    assert read_arguments('{"a": [1, [2, {"b": []}]]}') == {"a": [1, [2, {"b": []}]]}


@every(
    ("text", "message"),
    [
        (
            "{",
            "no JSON: Expecting property name enclosed in double quotes: line 1 column 2 (char 1)",
        ),
        ("name=1", "no JSON: Expecting value: line 1 column 1 (char 0)"),
        ("{} {}", "no JSON: Extra data: line 1 column 4 (char 3)"),
        ('{"a": NaN}', "no JSON: NaN is not allowed"),
        ('{"a": [-Infinity]}', "no JSON: -Infinity is not allowed"),
        ('{"a": 1e999}', "no JSON: 1e999 is out of range"),
        (f'{{"a": {"9" * 400}}}', f"no JSON: {'9' * 40} is out of range"),
        (f'{{"a": [-{"9" * 5000}]}}', f"no JSON: -{'9' * 39} is out of range"),
        (nested(MAX_DEPTH + 1), f"no JSON: nested deeper than {MAX_DEPTH} levels"),
        (nested(100_000), "no JSON: nested too deeply"),
        ("[" * 100_000, "no JSON: nested too deeply"),
        (r'{"a": "\ud83d"}', "no JSON: a \\u escape is half of a character"),
        (r'{"\udc00": 1}', "no JSON: a \\u escape is half of a character"),
        ('{"a": "\ud83d"}', "no JSON: a \\u escape is half of a character"),
    ],
)
def test_what_is_no_json_says_why(text: str, message: str) -> None:
    with pytest.raises(ValueError) as caught:  # noqa: PT011  # the whole message is compared
        read_arguments(text)
    assert str(caught.value) == f"the arguments are {message}"


@pytest.mark.parametrize("text", ["", " \n", "null", " null "])
def test_blanks_and_null_are_no_arguments(text: str) -> None:
    assert read_arguments(text) == {}


@pytest.mark.parametrize("text", ["[]", "1", '"a"', "true", "[1, 2]"])
def test_what_is_no_object_says_so(text: str) -> None:
    with pytest.raises(TypeError, match=r"^the arguments are no JSON object$"):
        read_arguments(text)
