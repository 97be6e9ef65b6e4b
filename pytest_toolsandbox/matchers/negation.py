"""``not``: anything but this."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

from . import arguments
from .matcher import Matcher, Reading
from .registry import matcher, read


@matcher("not")
@dataclass(frozen=True)
class Not(Matcher):
    """What this value or matcher does not accept."""

    argument_schema: ClassVar[Mapping[str, Any]] = arguments.ANY_VALUE

    inner: Matcher

    @classmethod
    def read(cls, argument: Any, reading: Reading) -> Self:
        """Take a value or a matcher."""
        return cls(read(argument, reading))

    def similarity(self, found: Any) -> float:
        """Return 0 for a value that reaches the inner matcher, else 1."""
        return float(not self.inner.reached(found))

    def describe(self) -> str:
        """Write it as ``not 'Ada'``."""
        return f"not {self.inner.describe()}"
