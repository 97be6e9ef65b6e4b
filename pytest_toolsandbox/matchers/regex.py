"""``regex``: a text in which a regular expression finds something."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

from pytest_toolsandbox.wording.cutting import cut

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

    pattern: re.Pattern[str]

    @classmethod
    def read(cls, argument: Any, _: Reading) -> Self:
        """Take a regular expression that is not empty."""
        pattern = arguments.text_with_content(argument)
        try:
            return cls(re.compile(pattern))
        # Overflow and recursion: absurd repetitions and nesting. A FutureWarning is raised only
        # where the user has made warnings errors.
        except (re.error, OverflowError, RecursionError, FutureWarning) as error:
            raise MatcherMistake(f"{pattern!r} is no regular expression: {error}") from None

    def similarity(self, found: Any) -> float:
        """Return 1 for a text in which something is found, else 0."""
        return float(isinstance(found, str) and self.pattern.search(found) is not None)

    def describe(self) -> str:
        """Write it as ``matches /blue|green/``."""
        return f"matches /{cut(self.pattern.pattern)}/"
