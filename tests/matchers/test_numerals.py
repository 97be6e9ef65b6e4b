from __future__ import annotations

from fractions import Fraction

import pytest

from pytest_toolsandbox.matchers.numerals import numbers_in


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("5 and 15", ["5", "15"]),
        ("It is 5.", ["5"]),
        ("5, 6; 7!", ["5", "6", "7"]),
        ("5.5 0.5 .5 5.", ["5.5", "0.5", "0.5", "5"]),
        ("wait...5", ["5"]),
        ("1,500 1,234,567.89", ["1500", "1234567.89"]),
        ("1,2,3", ["1", "2", "3"]),
        ("1,5000", ["1", "5000"]),
        ("1,2.5", ["1", "2.5"]),
        ("12,50", ["12", "50"]),
        # Letters and signs after a number, signs before it.
        ("68°F 5pm 5th 20% 12.50€", ["68", "5", "5", "20", "12.5"]),
        ("$12.50 £3 €1,000 #5 +5 ~5 **5** _5_ (5) [5]", ["12.5", "3", "1000", *["5"] * 7]),
        ("+14155550123", ["14155550123"]),
        ("5/6", ["5", "6"]),
        # Minus signs, hyphens and ranges.
        ("-5", ["-5"]),
        ("\u22125°C, temp:-6, x = -7, (-8)", ["-5", "-6", "-7", "-8"]),
        ("-$5 and $-6", ["-5", "-6"]),
        ("5-7, 5\u20137, 20%-30%, $10-$15", ["5", "7", "5", "7", "20", "30", "10", "15"]),
        ("covid-19 --3 ---4", ["19", "3", "4"]),
        ("-1,2", ["-1", "2"]),
        # No numbers: times, versions, words, codes.
        ("5:30 17:00:05 3:1", []),
        ("1.2.3 192.168.0.1 14.03.2025", []),
        ("A5 v2 B12 USD12", []),
        ("3fa85f64 10x10 5_a a_5", []),
        ("007 00 0123 01.5", []),
        ("2025-03-14T17:00", ["2025"]),
        ("2025-03-14", ["2025", "14"]),
        ("9" * 301, []),
        ("9" * 300, ["9" * 300]),
        # Other scripts and typesetting.
        ("\u0665 and \uff15", ["5", "5"]),
        ("気温は5度、7時", ["5", "7"]),
        ("10² 5½ m² CO₂", ["10", "2", "5", "1", "2"]),
        ("", []),
    ],
)
def test_numbers_in_a_text(text: str, numbers: list[str]) -> None:
    assert list(numbers_in(text)) == [Fraction(number) for number in numbers]
