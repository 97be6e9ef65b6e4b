"""``close``: a number not far from another."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

from pytest_toolsandbox.wording.literals import with_tolerance

from . import arguments
from .matcher import Matcher, Reading
from .numerals import exact_number
from .registry import matcher


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
        """Take ``{to, within}``: a number, and one that is finite and at least 0."""
        fields = arguments.fields(argument, ("to", "within"))
        return cls(
            arguments.number(fields["to"], "to"), arguments.tolerance(fields["within"], "within")
        )

    def similarity(self, found: Any) -> float:
        """Return 1 for a number that is near enough, else 0."""
        return float(arguments.is_number(found) and near(found, self.to, self.within))

    def describe(self) -> str:
        """Write it as ``5 ± 0.5``."""
        return with_tolerance(self.to, self.within)


def near(one: float, other: float, tolerance: float) -> bool:
    """Whether two numbers are at most a finite tolerance apart.

    They count as they are written, so that 0.4 is within 0.1 of 0.3, which it is not in binary.
    Infinities are near to themselves alone, and NaN to nothing.
    """
    if one == other:
        return True
    first, second, limit = map(exact_number, (one, other, tolerance))
    if first is None or second is None or limit is None:
        return False
    return abs(first - second) <= limit
