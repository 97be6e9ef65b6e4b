"""``anything``: whatever was found, null too."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

from .arguments import what
from .matcher import Matcher, MatcherMistake, Reading
from .registry import matcher


@matcher("anything")
@dataclass(frozen=True)
class Anything(Matcher):
    """Any value, null too: ``anything: true``."""

    argument_schema: ClassVar[Mapping[str, Any]] = {"const": True}

    @classmethod
    def read(cls, argument: Any, _: Reading) -> Self:
        """Take ``true``, the only argument that says something."""
        if argument is not True:
            raise MatcherMistake(f"expected true, found {what(argument)}")
        return cls()

    def similarity(self, _: Any) -> float:
        """Return 1."""
        return 1.0

    def describe(self) -> str:
        """Say that nothing is asked."""
        return "anything"
