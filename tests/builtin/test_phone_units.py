from __future__ import annotations

import math
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import example, given, strategies as st
from phone import call, error

from pytest_toolsandbox.builtin.phone.units import DimensionalityError, UndefinedUnitError, convert


@pytest.mark.parametrize(
    ("amount", "from_unit", "to_unit", "result"),
    [
        (2, "km", "m", 2000),
        (1, "mile", "kilometer", 1.609344),
        (26.2, "miles", "km", 42.1648128),
        (5, "foot", "inch", 60),
        (1, "hour", "minute", 60),
        (1, "pound", "gram", 453.59237),
        (1, "gallon", "liter", 3.785411784),
        (3, "dozen * 0", "count", None),
        # Temperatures have offsets.
        (20, "degC", "degF", 68),
        (-40, "°C", "°F", -40),
        (0, "degree_Celsius", "kelvin", 273.15),
        (9, "delta_degF", "delta_degC", 5),
        # Units that are made of others.
        (36, "km/h", "m/s", 10),
        (60, "miles per hour", "mph", 60),
        (1, "m**2", "cm^2", 10000),
        (1, "square meter", "sq foot", 10.763910417),
        (1, "cubic foot", "m³", 0.028316846592),
        (1, "meter squared", "m²", 1),
        (1, "meter cubed", "liter", 1000),
        (1, "kg*m/s**2", "N", 1),
        (1, "N m", "J", 1),
        (9.81, "m s^-2", "m⋅s", None),
        (9.81, "m s⁻²", "km/hour**2", 127137.6),
        (1, "1/s", "Hz", 1),
        (4, "m**0.5", "cm**0.5", 40),
        (1, " kPa ", "Pa", 1000),
        (50, "%", "percent", 50),
        (1, "kΩ", "ohm", 1000),
        (1, "µm", "\N{GREEK SMALL LETTER MU}m", 1),
        (20, "dBm", "mW", 100),
        # C is coulomb, and F farad.
        (1, "C", "ampere * second", 1),
        # Where a name is no unit, both are tried in lower case.
        (1, " " * 59 + "m", "cm", 100),
        (1, "Meter", "Centimeter", 100),
        (2, "Miles", "km", 3.218688),
        (20, "Celsius", "Fahrenheit", 68),
        (1, "Square Meter", "cm**2", 10000),
        (True, "km", "m", 1000),
        (0, "km", "m", 0),
    ],
)
def test_conversion(amount: float, from_unit: str, to_unit: str, result: float | None) -> None:
    arguments: dict[str, Any] = {"amount": amount, "from_unit": from_unit, "to_unit": to_unit}
    if result is None:
        with pytest.raises(UndefinedUnitError):
            call("unit_conversion", **arguments)
        return
    converted, _ = call("unit_conversion", **arguments)
    assert converted == pytest.approx(result, rel=1e-8)
    assert type(converted) is float


@pytest.mark.parametrize(
    "unit",
    [
        *("", " ", "5", "1", "1e3", "nan", "2 m", "m 2", "m/2", "1/", "m*", "*m", "m**", "m**m"),
        *("m + m", "m - s", "(m)", "m^(2)", "xyzzy", "m xyzzy", "US gallons of tea", "__class__"),
        *("_m", "m._registry", "import os", "lambda x", "m\n", "m\tkg", "½", "m½", "[length]"),
        *("m,s", " " * 60 + "m", "m " * 40, "squared", "square", "per"),
    ],
)
def test_what_is_no_unit_is_refused(unit: str) -> None:
    text = f"UndefinedUnitError: {unit!r} is not a unit"
    assert error("unit_conversion", amount=1, from_unit=unit, to_unit="m") == text
    assert error("unit_conversion", amount=1, from_unit="m", to_unit=unit) == text


@pytest.mark.parametrize(
    "unit",
    [
        *("9**9**9**9", "m**9**9**9**9", "m**999999999", "m⁹⁹⁹⁹⁹⁹⁹⁹⁹", "m²**99", "m²³**99"),
        *("cubic m cubed**99", "cubic m**99", "square cubic m squared**99", "m cubed**99"),
        "m squared squared squared squared squared squared",
    ],
)
def test_powers_of_powers_are_not_worked_out(unit: str) -> None:
    assert error("unit_conversion", amount=1, from_unit=unit, to_unit="m") == (
        f"UndefinedUnitError: {unit!r} is not a unit"
    )


@pytest.mark.parametrize(
    ("from_unit", "to_unit"),
    [("meter", "second"), ("C", "degF"), ("US gallon", "liter"), ("dBm * m", "mW * m")],
)
def test_units_that_do_not_measure_the_same(from_unit: str, to_unit: str) -> None:
    shown = from_unit.replace("US", "us")
    assert error("unit_conversion", amount=1, from_unit=from_unit, to_unit=to_unit) == (
        f"DimensionalityError: '{shown}' cannot be converted to '{to_unit}': they do not measure "
        "the same"
    )


@pytest.mark.parametrize(
    ("amount", "from_unit", "to_unit", "text"),
    [
        # The first of two that are no unit is named, as it was written.
        (1, "Foo", "BAR", "UndefinedUnitError: 'Foo' is not a unit"),
        (1, "Meter", "Xyzzy", "UndefinedUnitError: 'Xyzzy' is not a unit"),
        (1e308, "km", "mm", "ValueError: 1e+308 km is not a finite number of mm"),
        (1, "km**99", "fm**99", "ValueError: 1 km**99 is not a finite number of fm**99"),
        (math.inf, "km", "mm", "ValueError: inf km is not a finite number of mm"),
        (math.nan, "km", "mm", "ValueError: nan km is not a finite number of mm"),
        (-1, "mW", "dBm", "ValueError: -1 mW is not a finite number of dBm"),
        (10**309, "m", "m", f"ValueError: {10**309} m is not a finite number of m"),
    ],
)
def test_what_cannot_be_converted(amount: float, from_unit: str, to_unit: str, text: str) -> None:
    assert error("unit_conversion", amount=amount, from_unit=from_unit, to_unit=to_unit) == text


PIECES = st.sampled_from(
    [
        *("m", "km", "kB", "C", "e", "pi", "degC", "dBm", "%", "°", "Δ", "²", "⁻¹", "½", "nan"),
        *("inf", "per", "square", "cubic", "squared", "cubed", "**9", "^-99", "**0.5", "*", "/"),
        *(".", "1/", "9", "lambda", "None", "and", "xyzzy", "(", ")", "[", "]", ",", "\n", ""),
    ]
)
TEXTS = st.one_of(st.text(max_size=12), st.lists(PIECES, max_size=8).map(" ".join))


@given(TEXTS, TEXTS)
@example("dB m", "dB m")
@example("nan", "nan")
@example("m ** 99 km ** 99", "m ** 99 mm ** 99")
def test_any_two_texts_are_converted_or_refused(from_unit: str, to_unit: str) -> None:
    for target in (from_unit, to_unit):
        with suppress(DimensionalityError, UndefinedUnitError, ValueError):
            assert math.isfinite(convert(2, from_unit, target))
