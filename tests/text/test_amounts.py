"""Amounts in a larger unit, and as they are written beside euros."""

from __future__ import annotations

from fractions import Fraction

from rows import every

from pytest_toolsandbox.matchers import read
from pytest_toolsandbox.text.amounts import amounts_in


@every(
    ("text", "amounts"),
    [
        ("5.4 t", ["5400"]),
        ("5.4 tonnes, or 1.2 metric tons", ["5400", "1200"]),
        ("98.4 million bytes", ["98400000"]),
        ("26.95k", ["26950"]),
        ("1,210 thousand", ["1210000"]),
        ("8h46m", ["526"]),
        ("1h 47m 17s", ["107", "2837", "1", "47", "17"]),
        ("26kg in the 90er bag", ["26"]),
        ("11h32m", ["692"]),
        ("8 hours and 46 minutes", ["526"]),
        ("8 hrs, 46 min", ["526"]),
        ("1 minute 34 seconds", ["94"]),
        ("three minutes and 12 seconds", ["192"]),
        ("one hour, 20 minutes", ["80"]),
        ("It took 2:07, or a bit more.", ["127"]),
        ("half past, and 26 and a half minutes", ["26.5"]),
        ("at 4:15 pm, at 7:30am, 1:02:03, in 5:7", []),
        ("1.542 €", ["1542"]),
        ("€1.542", ["1542"]),
        ("1.542,50 EUR", ["1542.5"]),
        ("42,95 euros", ["42.95"]),
        ("447€", ["447"]),
        ("forty-eight kilometers per hour", ["48"]),
        ("some eleven kilometers, or thirty-seven and a half", ["11", "37.5"]),
        ("one hundred and seventy-seven degrees", ["177"]),
        ("About twelve thousand three hundred and five steps", ["12305"]),
        ("two dozen eggs", ["24"]),
        ("Three dollars and fifty cents.", ["3.5", "50"]),
        ("3 dollars 50", ["3.5"]),
        ("twelve euros, five cents", ["12.05", "12"]),
        ("two pounds eighty", ["2.8", "80"]),
        ("3 quid, 5 pence", ["3.05"]),
        ("ten dollars thirty times", ["30"]),
        ("nine point nine eight kilometers", ["9.98"]),
        ("2.333 hundred dollars and fifty cents", ["2333", "233.3", "50"]),
        ("five, or one of ten", []),
        ("five, to the point", []),
        ("on the twenty-sixth", []),
        ("at seven thirty", []),
        ("two dollars for five people", []),
        ("5.4 times", []),
        ("1.542 kg", ["1542"]),
        ("5 thousandths", []),
        ("8 h", []),
        ("10.000.000", ["10000000"]),
        ("A5 t", []),
    ],
)
def test_amounts(text: str, amounts: list[str]) -> None:
    assert amounts_in(text) == set(map(Fraction, amounts))


def test_a_number_is_found_in_an_amount() -> None:
    assert read({"number": {"to": 5400, "within": 10}}).reached("5.405 t")
    assert not read({"mentions": 5400}).reached("5.4 m")
