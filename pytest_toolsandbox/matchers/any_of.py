"""``any_of``: one of several values is enough."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

from . import arguments
from .matcher import Matcher, Reading, below
from .registry import matcher, read


@dataclass(frozen=True)
class Combination(Matcher):
    """Several values or matchers in one."""

    argument_schema: ClassVar[Mapping[str, Any]] = arguments.VALUES

    matchers: tuple[Matcher, ...]

    @classmethod
    def read(cls, argument: Any, reading: Reading) -> Self:
        """Take a list of values and matchers."""
        matchers = []
        for index, item in enumerate(arguments.items(argument, "values or matchers")):
            with below(index):
                matchers.append(read(item, reading))
        return cls(tuple(matchers))

    def describe(self) -> str:
        """Write it as ``any of ['Ada'; contains 'blue']``."""
        return f"{self.name.replace('_', ' ')} [{'; '.join(m.describe() for m in self.matchers)}]"


@matcher("any_of")
class AnyOf(Combination):
    """What at least one of these values or matchers accepts; the best similarity counts."""

    def similarity(self, found: Any) -> float:
        """Return the best similarity."""
        return max(one.similarity(found) for one in self.matchers)

    def reached(self, found: Any) -> bool:
        """Whether one of them is reached."""
        return any(one.reached(found) for one in self.matchers)

    def explain(self, found: Any) -> str | None:
        """Say what the found value lacks for each, unless one is reached."""
        if self.reached(found):
            return None
        reasons = [one.explain(found) for one in self.matchers]
        return " or ".join(reason for reason in reasons if reason) or None
