"""``any_of``: one of several values is enough."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

from . import arguments
from .matcher import Matcher, Reading, below
from .registry import matcher, read


@matcher("any_of")
@dataclass(frozen=True)
class AnyOf(Matcher):
    """What at least one of these values or matchers accepts; the best similarity counts."""

    argument_schema: ClassVar[Mapping[str, Any]] = arguments.VALUES

    matchers: tuple[Matcher, ...]

    @classmethod
    def read(cls, argument: Any, reading: Reading) -> Self:
        """Take a list of values and matchers."""
        return cls(read_all(argument, reading))

    def similarity(self, found: Any) -> float:
        """Return the best similarity."""
        return max(one.similarity(found) for one in self.matchers)

    def reached(self, found: Any) -> bool:
        """Whether one of them is reached."""
        return any(one.reached(found) for one in self.matchers)

    def describe(self) -> str:
        """Write it as ``any of ['Ada'; contains 'blue']``."""
        return f"any of {descriptions(self.matchers)}"

    def explain(self, found: Any) -> str | None:
        """Say what the found value lacks for each, unless one is reached."""
        if self.reached(found):
            return None
        reasons = [one.explain(found) for one in self.matchers]
        return " or ".join(reason for reason in reasons if reason) or None


def read_all(argument: Any, reading: Reading) -> tuple[Matcher, ...]:
    """Read a list of values or matchers."""
    matchers = []
    for index, item in enumerate(arguments.items(argument, "values or matchers")):
        with below(index):
            matchers.append(read(item, reading))
    return tuple(matchers)


def descriptions(matchers: tuple[Matcher, ...]) -> str:
    """Describe several matchers on one line."""
    return f"[{'; '.join(one.describe() for one in matchers)}]"
