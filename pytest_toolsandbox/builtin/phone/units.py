"""Units of measurement, by pint."""

from __future__ import annotations

import math
import re
from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pint import UnitRegistry

# pint works out the arithmetic in what it reads, and m**9**9**9 would keep it busy for ever. What
# reaches it are products and quotients of names, each with one small power: "km / h", "m**2",
# "1/s", "cubic foot", "m²".
_LETTERS = "A-Za-zÀ-ÖØ-öø-ÿΑ-Ωα-ω\N{MICRO SIGN}\N{OHM SIGN}\N{ANGSTROM SIGN}\N{KELVIN SIGN}"
_NAME = rf"(?!(?:square|sq|cubic|squared|cubed)\b)(?:Δ?°?[{_LETTERS}][{_LETTERS}0-9_]*|[°%])"
_POWER = r" *(?:\*\*|\^) *-?[0-9]{1,2}(?:\.[0-9]{1,2})?| +(?:squared|cubed)|⁻?[⁰¹²³⁴-⁹]{1,2}"
_FACTOR = rf"(?:(?:square|sq|cubic) +{_NAME}|{_NAME}(?:{_POWER})?)"
_UNIT = re.compile(rf" *(?:1 */ *)?{_FACTOR}(?:(?: *[*/] *| +){_FACTOR})* *")
_LONGEST = 60


class UndefinedUnitError(Exception):
    """A text is not a unit."""


class DimensionalityError(Exception):
    """Two units do not measure the same."""


def convert(amount: float, from_unit: str, to_unit: str) -> float:
    """Return ``amount`` of ``from_unit`` in ``to_unit``.

    Case counts in the names of units; if either text is no unit, both are tried in lower case.
    Raises ``UndefinedUnitError``, ``DimensionalityError``, and ``ValueError`` if the result is not
    a finite number.
    """
    source, target = from_unit, to_unit
    if not (_is_unit(source) and _is_unit(target)):
        source, target = source.lower(), target.lower()
    for unit, written in ((source, from_unit), (target, to_unit)):
        if not _is_unit(unit):
            raise UndefinedUnitError(f"{written!r} is not a unit")
    result = _converted(amount, source, target)
    if not math.isfinite(result):
        raise ValueError(f"{amount} {source} is not a finite number of {target}")
    return result


def _is_unit(text: str) -> bool:
    if len(text) > _LONGEST or not _UNIT.fullmatch(text):
        return False
    units, error = registry()
    try:
        units.parse_units(text)
    except (error, ValueError):  # the latter for "nan", which pint takes for a number
        return False
    return True


def _converted(amount: float, source: str, target: str) -> float:
    import numpy as np

    units, error = registry()
    try:
        with np.errstate(all="ignore"):  # of decibels, say
            return float(units.Quantity(float(amount), source).to(target).magnitude)
    except OverflowError:
        return math.inf
    except (error, AssertionError):  # the latter for products with decibels
        raise DimensionalityError(
            f"{source!r} cannot be converted to {target!r}: they do not measure the same"
        ) from None


@cache
def registry() -> tuple[UnitRegistry[Any], type[Exception]]:
    """Return the registry of pint, which takes half a second to make, and what it raises."""
    import pint

    return pint.UnitRegistry(), pint.errors.PintError
