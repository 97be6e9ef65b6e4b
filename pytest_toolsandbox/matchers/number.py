"""``number``: a number somewhere in a text."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar, Final, Self

from pytest_toolsandbox.wording.literals import with_tolerance

from . import arguments
from .matcher import Matcher, Reading
from .numerals import exact_number, number_text, numbers_in
from .registry import matcher

SHOWN: Final = 8
"""Numbers of a text that an explanation lists at most."""


@matcher("number")
@dataclass(frozen=True)
class Number(Matcher):
    """A text with a number in it, or a number, at most ``within`` away from ``to``."""

    argument_schema: ClassVar[Mapping[str, Any]] = arguments.mapping_schema(
        {"to": {"type": "number"}, "within": {**arguments.TOLERANCE, "default": 0}},
        required=("to",),
    )

    to: float
    within: float = 0

    @classmethod
    def read(cls, argument: Any, _: Reading) -> Self:
        """Take ``{to, within}``: finite numbers; ``within`` is 0 unless given."""
        fields = arguments.fields(argument, ("to",), ("within",))
        return cls(
            arguments.finite_number(fields["to"], "to"),
            arguments.tolerance(fields.get("within", 0), "within"),
        )

    def similarity(self, found: Any) -> float:
        """Return 1 where one of the numbers is near enough, else 0."""
        to, limit = exact_number(self.to), exact_number(self.within)
        if to is None or limit is None:
            return 0.0
        return float(any(abs(number - to) <= limit for number in _numbers(found)))

    def describe(self) -> str:
        """Write it as ``number 5 ± 0.5``."""
        return f"number {with_tolerance(self.to, self.within)}"

    def explain(self, found: Any) -> str | None:
        """Say which numbers were found instead."""
        if self.reached(found):
            return None
        numbers = ", ".join(map(number_text, _numbers(found)[:SHOWN]))
        return f"numbers found: {numbers}" if numbers else "no number found"


def _numbers(found: Any) -> tuple[Fraction, ...]:
    if isinstance(found, str):
        return numbers_in(found)
    number = exact_number(found)
    return () if number is None else (number,)
