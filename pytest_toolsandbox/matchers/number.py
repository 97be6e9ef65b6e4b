"""``close``, ``number`` and ``phone_number``: numbers, numbers in texts, and phone numbers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any, ClassVar, Final, Self

from pytest_toolsandbox.text.amounts import amounts_in
from pytest_toolsandbox.text.formatting import beginning_and_end, with_tolerance
from pytest_toolsandbox.text.numerals import exact_number, is_number, number_text, numbers_in

from . import arguments
from .registry import Matcher, MatcherMistake, Reading, matcher

SHOWN: Final = 8
"""The largest number of numbers that an explanation lists."""


@matcher("close")
@dataclass(frozen=True)
class Close(Matcher):
    """A number at most ``within`` away from ``to``, inclusive and never relative."""

    argument_schema: ClassVar[Mapping[str, Any]] = arguments.mapping_schema(
        {"to": {"type": "number"}, "within": arguments.TOLERANCE}, required=("to", "within")
    )

    to: float
    within: float

    @classmethod
    def read(cls, argument: Any, _: Reading) -> Self:
        parts = arguments.fields(argument, ("to", "within"))
        to = arguments.number(parts["to"], "to")
        return cls(to, arguments.tolerance(parts["within"], "within"))

    def similarity(self, value: Any) -> float:
        """Return 1 or 0; infinities are close to themselves only, NaN to nothing."""
        if not is_number(value):
            return 0.0
        return float(value == self.to or self.is_near(exact_number(value)))

    def is_near(self, number: Fraction | None) -> bool:
        """Whether a finite number is close enough; exactly, so 0.4 is within 0.1 of 0.3."""
        to, limit = exact_number(self.to), exact_number(self.within)
        if to is None or limit is None or number is None:
            return False
        return abs(number - to) <= limit

    def describe(self) -> str:
        """Write it as ``5 ± 0.5``."""
        return with_tolerance(self.to, self.within)


@matcher("number")
@dataclass(frozen=True)
class Number(Close):
    """A number, or a text that contains a number, at most ``within`` away from ``to``."""

    argument_schema: ClassVar[Mapping[str, Any]] = arguments.mapping_schema(
        {"to": {"type": "number"}, "within": {**arguments.TOLERANCE, "default": 0}},
        required=("to",),
    )

    within: float = 0

    @classmethod
    def read(cls, argument: Any, _: Reading) -> Self:
        parts = arguments.fields(argument, ("to",), ("within",))
        to = arguments.finite_number(parts["to"], "to")
        return cls(to, arguments.tolerance(parts.get("within", 0), "within"))

    def similarity(self, value: Any) -> float:
        amounts = amounts_in(beginning_and_end(value)) if isinstance(value, str) else ()
        return float(any(map(self.is_near, (*_numbers(value), *amounts))))

    @property
    def facts(self) -> tuple[tuple[str | int | float, ...], ...]:
        return ((self.to,),)

    def describe(self) -> str:
        """Write it as ``number 5 ± 0.5``."""
        return f"number {super().describe()}"

    def explain(self, value: Any) -> str | None:
        """List the numbers that were found instead."""
        if self.reached(value):
            return None
        numbers = ", ".join(map(number_text, _numbers(value)[:SHOWN]))
        return f"numbers found: {numbers}" if numbers else "no number found"


def _numbers(value: Any) -> tuple[Fraction, ...]:
    if isinstance(value, str):
        return numbers_in(beginning_and_end(value))
    number = exact_number(value)
    return () if number is None else (number,)


@matcher("phone_number")
@dataclass(frozen=True)
class PhoneNumber(Matcher):
    """The same phone number with its country code, with any gaps and brackets.

    Numbers are compared in the format E.164.
    """

    argument_schema: ClassVar = {"type": "string", "minLength": 1}

    number: str

    @classmethod
    def read(cls, argument: Any, _: Reading) -> Self:
        """Read a number in any format. Raises ``MatcherMistake`` if it has no country code."""
        text = arguments.text_with_content(argument)
        if e164(text) is None:
            raise MatcherMistake(f"expected a number with + and its country code, found {text!r}")
        return cls(text)

    def similarity(self, value: Any) -> float:
        """Return 1 for the same number, else 0."""
        if not isinstance(value, str):
            return 0.0
        return float(value == self.number or e164(value) == e164(self.number))

    def describe(self) -> str:
        """Write it as the number."""
        return repr(self.number)

    @classmethod
    def fits(cls, literal: Any) -> bool:
        """Whether a bare value is a phone number with its country code."""
        return isinstance(literal, str) and e164(literal) is not None


@lru_cache(maxsize=4096)
def e164(text: str) -> str | None:
    """Return a number as ``+15105550121``, or ``None`` if a text is not one."""
    if "+" not in text:  # avoids the slow import for most texts
        return None
    import phonenumbers

    try:
        number = phonenumbers.parse(text)
    except phonenumbers.NumberParseException:
        return None
    formatted: str = phonenumbers.format_number(number, phonenumbers.PhoneNumberFormat.E164)
    return formatted
