"""``contains``: a part of a text, letter by letter."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

from pytest_toolsandbox.wording.literals import literal

from . import arguments
from .matcher import Matcher, Reading
from .registry import matcher


@matcher("contains")
@dataclass(frozen=True)
class Contains(Matcher):
    """A text of which this is a part; case counts."""

    argument_schema: ClassVar[Mapping[str, Any]] = {"type": "string", "minLength": 1}

    text: str

    @classmethod
    def read(cls, argument: Any, _: Reading) -> Self:
        """Take a text that is not empty."""
        return cls(arguments.text_with_content(argument))

    def similarity(self, found: Any) -> float:
        """Return 1 for a text of which this is a part, else 0."""
        return float(isinstance(found, str) and self.text in found)

    def describe(self) -> str:
        """Write it as ``contains 'blue pot'``."""
        return f"contains {literal(self.text)}"
