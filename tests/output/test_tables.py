from __future__ import annotations

import pytest

from pytest_toolsandbox.output.tables import aligned, format_figure


def test_words_stand_to_the_left_and_numbers_to_the_right() -> None:
    rows = [("", "one", "a longer word"), ("first", "1", "2"), (), ("b", "1000", "")]
    assert aligned(rows) == [
        "        one  a longer word",
        "first     1              2",
        "",
        "b      1000",
    ]
    assert aligned(rows, words=2) == [
        "       one   a longer word",
        "first  1                 2",
        "",
        "b      1000",
    ]


def test_of_nothing() -> None:
    assert aligned([]) == []
    assert aligned([()]) == [""]


@pytest.mark.parametrize(
    ("value", "form", "text"),
    [
        (None, ".3f", "n/a"),
        (0.0, ".3f", "0.000"),
        (2, ".1f", "2.0"),
        (12.25, ".1f", "12.2"),
        (1 / 3, ".3f", "0.333"),
        (1 / 3, ".1%", "33.3%"),
        (3, "d", "3"),
    ],
)
def test_numbers(value: float | None, form: str, text: str) -> None:
    assert format_figure(value, form) == text
