"""``regex``: a text in which a regular expression finds something."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

from pytest_toolsandbox.wording.cutting import cut
from pytest_toolsandbox.wording.regular_expression import RegularExpression

from . import arguments
from .matcher import Matcher, MatcherMistake, Reading
from .registry import matcher


@matcher("regex")
@dataclass(frozen=True)
class Regex(Matcher):
    """A text in which this regular expression (Python's) finds something; case counts."""

    argument_schema: ClassVar[Mapping[str, Any]] = {
        "type": "string",
        "format": "regex",
        "minLength": 1,
    }

    pattern: RegularExpression

    @classmethod
    def read(cls, argument: Any, _: Reading) -> Self:
        """Take a regular expression that is not empty."""
        pattern = arguments.text_with_content(argument)
        try:
            return cls(RegularExpression.read(pattern))
        except ValueError as error:
            raise MatcherMistake(str(error)) from None

    def similarity(self, found: Any) -> float:
        """Return 1 for a text in which something is found, else 0.

        Raises :class:`~pytest_toolsandbox.wording.regular_expression.SlowSearchError`.
        """
        return float(isinstance(found, str) and self.pattern.is_found_in(found))

    def describe(self) -> str:
        """Write it as ``matches /blue|green/``."""
        return f"matches /{cut(self.pattern.text)}/"
