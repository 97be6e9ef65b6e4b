"""``contains`` and ``regex``: a part of a text, letter by letter."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

from pytest_toolsandbox.wording.phrases import cut, literal
from pytest_toolsandbox.wording.regular_expression import RegularExpression

from . import arguments
from .matcher import Matcher, MatcherMistake, Reading
from .registry import matcher

_NOT_EMPTY = {"type": "string", "minLength": 1}


@matcher("contains")
@dataclass(frozen=True)
class Contains(Matcher):
    """A text of which this is a part; case counts."""

    argument_schema: ClassVar[Mapping[str, Any]] = _NOT_EMPTY

    text: str

    @classmethod
    def read(cls, argument: Any, _: Reading) -> Self:
        return cls(arguments.text_with_content(argument))

    def similarity(self, found: Any) -> float:
        return float(isinstance(found, str) and self.text in found)

    def describe(self) -> str:
        """Write it as ``contains 'blue pot'``."""
        return f"contains {literal(self.text)}"


@matcher("regex")
@dataclass(frozen=True)
class Regex(Matcher):
    """A text in which this regular expression (Python's) finds something; case counts."""

    argument_schema: ClassVar[Mapping[str, Any]] = {**_NOT_EMPTY, "format": "regex"}

    pattern: RegularExpression

    @classmethod
    def read(cls, argument: Any, _: Reading) -> Self:
        pattern = arguments.text_with_content(argument)
        try:
            return cls(RegularExpression.read(pattern))
        except ValueError as error:
            raise MatcherMistake(str(error)) from None

    def similarity(self, found: Any) -> float:
        """Return 1 or 0. Raises :class:`~.wording.regular_expression.SlowSearchError`."""
        return float(isinstance(found, str) and self.pattern.is_found_in(found))

    def describe(self) -> str:
        """Write it as ``matches /blue|green/``."""
        return f"matches /{cut(self.pattern.text)}/"
