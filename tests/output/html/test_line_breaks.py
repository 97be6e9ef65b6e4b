"""Where lines of the HTML report may break."""

from __future__ import annotations

import pytest

from pytest_toolsandbox.output.html.line_breaks import with_breaks


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("'+14155550122'", ["'+14155550122'"]),
        ("send_message_with_phone_number(", ["send_", "message_", "with_", "phone_", "number("]),
        ("get_current_timestamp()", ["get_", "current_", "timestamp()"]),
        ("two.scenario.yaml::a_light", ["two.", "scenario.", "yaml::", "a_", "light"]),
        ("amount=3.2476089786", ["amount=3.2476089786"]),
        ("two short words", ["two short words"]),
    ],
)
def test_a_long_name_breaks_where_its_words_end(text: str, parts: list[str]) -> None:
    assert with_breaks(text).split("<wbr>") == [part.replace("'", "&#39;") for part in parts]


def test_an_option_and_a_date_stay_whole() -> None:
    for word in ("--agent=counterexample", "2025-10-14"):
        assert with_breaks(word) == f'<span class="whole">{word}</span>'


def test_only_a_part_that_is_longer_than_a_line_may_break_anywhere() -> None:
    assert (
        with_breaks(f"name_of_{'x' * 60}")
        == f'name_<wbr>of_<wbr><span class="any">{"x" * 60}</span>'
    )


def test_markup_is_escaped() -> None:
    assert "<b>" not in with_breaks("a_long_name_<b>_with_markup <b>")
