from __future__ import annotations

from fractions import Fraction

import pytest
from rows import every

from pytest_toolsandbox.text.quantities.units import amounts_with_units, with_other_units


@every(
    ("text", "amounts"),
    [
        ("177 °C", [("177", "celsius")]),
        ("177 degrees Fahrenheit", [("177", "fahrenheit")]),
        ("177-degF", [("177", "fahrenheit")]),
        ("2.02 miles", [("2.02", "mile")]),
        ("$1,280.50", [("1280.5", "dollar")]),
        ("US$12", [("12", "dollar")]),
        ("12 US dollars", [("12", "dollar")]),
        ("£22 a kilo", [("22", "pound"), ("22", "kilogram")]),
        ("13.27 dollars per pound", [("13.27", "dollar"), ("13.27", "pound of mass")]),
        ("4100 t", [("4100", "tonne")]),
        ("85 %", [("85", "percent")]),
        ("27.9 µg/m³", [("27.9", "microgram"), ("27.9", "meter")]),
        ("12 US fluid ounces or 12 fl. oz.", [("12", "fluid ounce")] * 2),
        ("12 imperial fluid ounces", [("12", "imperial fluid ounce")]),
        ("$73.1 million, or 2 thousand km", [("73100000", "dollar"), ("2000", "kilometer")]),
        ("seven feet, twelve of them", [("7", "foot")]),
        ("13 USD", [("13", "dollar")]),
        ("twenty-six days", [("26", "day")]),
        ("a hundred and fifty miles", [("150", "mile")]),
        ("three dollars and fifty cents", [("3.5", "dollar")]),
        ("3 quid, 5 pence", [("3.05", "pound")]),
        ("ten dollars thirty", [("10.3", "dollar")]),
        ("ten dollars thirty times", [("10", "dollar")]),
        ("95,00 EUR", [("95", "euro")]),
        ("€42,50, or 4,9 euros", [("42.5", "euro"), ("4.9", "euro")]),
        ("1.542,50 € a month", [("1542.5", "euro"), ("1542.5", "month")]),
        ("CHF 12,50 and EUR 42.50", [("12.5", "franc"), ("42.5", "euro")]),
        ("1,500 euros or $1,500", [("1500", "euro"), ("1500", "dollar")]),
        ("3,50 and 4 euros", [("4", "euro")]),
        ("13 degrees, so cold", []),
        ("at 6:30, room 12, 3 kids", []),
        ("+1 510 555 0121", []),
    ],
)
def test_amounts(text: str, amounts: list[tuple[str, str]]) -> None:
    found = [(one.number, one.unit) for one in amounts_with_units(text)]
    assert found == [(Fraction(number), unit) for number, unit in amounts]


@pytest.mark.parametrize(
    ("text", "other"),
    [
        ("177 °F", ["177 °f"]),
        ("177 °C", []),
        ("177", []),
        ("350 °F is 177 °C", []),
        ("2.02 km", ["2.02 km"]),
        ("5 euros", []),
        ("177 percent", ["177 percent"]),
        ("177 ml", ["177 ml"]),
        ("177 million", []),
    ],
)
def test_numbers_with_other_units(text: str, other: list[str]) -> None:
    assert with_other_units(text, ["It is 177 °C, which is 350 °F, 2.02 miles away."]) == other
