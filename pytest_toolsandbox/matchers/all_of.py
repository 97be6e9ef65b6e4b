"""``all_of``: several matchers must agree."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

from . import arguments
from .any_of import descriptions, read_all
from .matcher import Matcher, Reading
from .registry import matcher


@matcher("all_of")
@dataclass(frozen=True)
class AllOf(Matcher):
    """What every one of these values or matchers accepts; the least similarity counts."""

    argument_schema: ClassVar[Mapping[str, Any]] = arguments.VALUES

    matchers: tuple[Matcher, ...]

    @classmethod
    def read(cls, argument: Any, reading: Reading) -> Self:
        """Take a list of values and matchers."""
        return cls(read_all(argument, reading))

    def similarity(self, found: Any) -> float:
        """Return the least similarity."""
        return min(one.similarity(found) for one in self.matchers)

    def reached(self, found: Any) -> bool:
        """Whether all of them are reached."""
        return all(one.reached(found) for one in self.matchers)

    def describe(self) -> str:
        """Write it as ``all of ['Ada'; contains 'blue']``."""
        return f"all of {descriptions(self.matchers)}"

    def explain(self, found: Any) -> str | None:
        """Say which of them are not reached, and why."""
        unmet = [one for one in self.matchers if not one.reached(found)]
        reasons = [one.explain(found) or f"unmet: {one.describe()}" for one in unmet]
        return "; ".join(reasons) or None
