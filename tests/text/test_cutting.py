from __future__ import annotations

import pytest

from pytest_toolsandbox.text.formatting import escape_control, one_line, truncate


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
