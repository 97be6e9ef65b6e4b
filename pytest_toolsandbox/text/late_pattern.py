"""Regular expressions that are compiled when they are first used.

The longest of the package take 10 ms each to compile, and an agent's first request needs none.
"""

from __future__ import annotations

import re
from functools import cached_property
from typing import Any, cast


def late_pattern(pattern: str, flags: re.RegexFlag = re.IGNORECASE) -> re.Pattern[str]:
    """Return what does all that the compiled pattern does, as methods of its own."""
    return cast("re.Pattern[str]", _LatePattern(pattern, flags))


class _LatePattern:
    def __init__(self, pattern: str, flags: re.RegexFlag) -> None:
        self.pattern = pattern
        self._flags = flags

    @cached_property
    def _compiled(self) -> re.Pattern[str]:
        return re.compile(self.pattern, self._flags)

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._compiled, name)
        vars(self)[name] = method  # which is then found without this one
        return method
