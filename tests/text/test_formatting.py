"""How values and texts are formatted for messages."""

from __future__ import annotations

from typing import Any

import pytest
from rows import every

from pytest_toolsandbox.text.formatting import (
    describe_value,
    escape_control,
    join_words,
    one_line,
    pluralize,
    quote,
    truncate,
    type_name,
)


@pytest.mark.parametrize(("count", "text"), [(0, "0 files"), (1, "1 file"), (2, "2 files")])
def test_things_are_counted(count: int, text: str) -> None:
    assert pluralize(count, "file") == text


@pytest.mark.parametrize(
    ("value", "text"), [(None, "None"), ([], "a list"), (1, "an int"), (object(), "an object")]
)
def test_a_type_has_its_article(value: object, text: str) -> None:
    assert type_name(value) == text


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("  two \n\t lines ", "two lines"),
        ("x" * 10, "x" * 10),
        ("x" * 11, "x" * 9 + "…"),
        ("", ""),
        ("\x1b[31m", r"\x1b[31m"),
        ("\x1b" * 10, r"\x1b\x1b\…"),
        ("a \ud83d", r"a \ud83d"),
        ("\x00\x9b", r"\x00\x9b"),
        ("caf\u00e9 \U0001f600", "caf\u00e9 \U0001f600"),
    ],
)
def test_one_line(text: str, line: str) -> None:
    assert one_line(text, limit=10) == line
    assert len(line) <= 10


def test_a_mark_stands_where_a_text_was_cut() -> None:
    assert truncate("x" * 11, 10, "...") == "x" * 7 + "..."


def test_a_text_of_several_lines_keeps_them() -> None:
    assert escape_control("one\n  two\x1b[2J\n\udc00") == "one\n  two\\x1b[2J\n\\udc00"


def test_a_text_of_several_lines_loses_its_colours() -> None:
    assert escape_control("\x1b[1;31mred\x1b[0m and \x1b[38:5:1mred\x1b[m") == "red and red"


@every(
    ("value", "text"),
    [
        (None, "null"),
        (True, "the boolean true"),
        (0, "the number 0"),
        (1.5, "the number 1.5"),
        (10**80, "the number 1" + "0" * 58 + "…"),
        ("x", "the text 'x'"),
        ("x\ny", "the text 'x\\ny'"),
        ("", "an empty text"),
        ("x" * 61, "the text '" + "x" * 59 + "…'"),
        ([], "an empty list"),
        ([1, 2], "a list of 2"),
        ({}, "an empty mapping"),
        ({"a": 1, "b\n": 2}, "a mapping of a, 'b\\n'"),
    ],
)
def test_what_was_found(value: Any, text: str) -> None:
    assert describe_value(value) == text


def test_words_are_listed() -> None:
    assert join_words([]) == "none"
    assert join_words(["a"]) == "a"
    assert join_words(["a", "b"]) == "a or b"
    assert join_words(["a", "b", "c"], "and") == "a, b and c"
    assert quote("it's") == '"it\'s"'
