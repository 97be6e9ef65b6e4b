"""Regular expressions that a scenario or a world brings along, searched in bounded time.

The syntax is that of :mod:`re`. Nested repetition can keep ``re`` busy for years, and nothing in it
limits the search; the engine of the package ``regex`` finds its way through most of these patterns
and has a limit for the others. Reaching the limit is an error and never a verdict, which would
depend on the machine.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cached_property, lru_cache
from re import _compiler, _parser  # type: ignore[attr-defined]  # the one tree of a pattern there is
from typing import Any, Final, Self

from .formatting import quote

SECONDS: Final = 2.0
"""CPU time of a search, and of all searches of one judgement; the slowest of the shipped scenarios
takes a hundredth of it."""
_left: ContextVar[list[float] | None] = ContextVar("left", default=None)
"""The seconds that a judgement has left, as its one element."""

_BRACE: Final = re.compile(r"(\\N\{[^}]*\}|\\.)|\{(?!\d*(?:,\d*)?\})", re.DOTALL)
"""What is escaped, or a brace that ``re`` reads as itself and ``regex`` as a fuzzy match."""

_MOST: Final = 100_000
"""Repetitions that a pattern may count out: ``regex`` writes each of them down to compile it."""
_ESCAPED: Final = re.compile(r"\\.", re.DOTALL)
_POSIX: Final = re.compile(r"\[\^?\]?[^]]*\[:")
"""The start of a class inside of a set; ``re`` reads ``[[:alpha:]]`` as a set of characters."""


class SlowSearchError(Exception):
    """A search was given up. One line that says what to do; an error of the item, no score."""


@dataclass(frozen=True)
class RegularExpression:
    """A regular expression in the syntax of :mod:`re`."""

    text: str
    ignore_case: bool = False

    @classmethod
    def read(cls, text: str, *, ignore_case: bool = False) -> Self:
        """Check the syntax. Raises ``ValueError`` with what is wrong."""
        if _POSIX.search(_ESCAPED.sub("", text)):
            raise ValueError(
                f"{quote(text)} has a POSIX class ([[:…), which Python's regular expressions lack;"
                r" write \w, \d, \s or a range such as [a-z]"
            )
        try:
            parsed = _parser.parse(text)
            _compiler.compile(parsed)  # refuses a look-behind of no fixed width
            repetitions = _repetitions(parsed) if "{" in text else 1
        # Overflow and recursion: absurd repetitions and nesting. A FutureWarning is raised only
        # where the user has made warnings errors.
        except (re.error, OverflowError, RecursionError, FutureWarning) as error:
            raise ValueError(f"{quote(text)} is not a regular expression: {error}") from None
        if repetitions > _MOST:
            times = f"{repetitions:,} times, counting repetitions inside of others"
            raise ValueError(f"{quote(text)} repeats {times}; {_MOST:,} is the most")
        return cls(text, ignore_case)

    def is_found_in(self, text: str) -> bool:
        """Whether the pattern matches somewhere in a text. Raises :class:`SlowSearchError`."""
        return _is_found(self, text)

    @cached_property
    def engine(self) -> Any:
        """The pattern as ``regex`` compiles it."""
        import regex

        escaped = _BRACE.sub(lambda brace: brace[1] or r"\{", self.text)
        return regex.compile(escaped, regex.IGNORECASE if self.ignore_case else 0)


@contextmanager
def few_seconds() -> Iterator[None]:
    """Give all searches of a block the time together that a single one has."""
    token = _left.set([SECONDS])
    try:
        yield
    finally:
        _left.reset(token)


@lru_cache(maxsize=4096)  # variants and trials of a scenario search the same texts
def _is_found(pattern: RegularExpression, text: str) -> bool:
    began, left = time.process_time(), _left.get() or [SECONDS]
    try:
        return pattern.engine.search(text, timeout=left[0]) is not None
    except TimeoutError:
        alone = "" if left == [SECONDS] else ", with the others of this conversation,"
        raise SlowSearchError(
            f"the regular expression {quote(pattern.text)} was given up after {SECONDS:g} seconds"
            f"{alone} in a text of {len(text):,} characters; write it without a repetition"
            " inside of another one, as in (a+)+"
        ) from None
    finally:
        left[0] = max(left[0] - (time.process_time() - began), 0.001)


def _repetitions(parsed: Any) -> int:
    """Return the largest product of counted repetitions that stand inside of one another."""
    parts = getattr(parsed, "data", parsed)
    if not isinstance(parts, (list, tuple)):
        return 1
    inner = max(map(_repetitions, parts), default=1)
    if parts and getattr(parts[0], "name", "").endswith("_REPEAT"):
        least, most, _ = parts[1]
        return inner * max(1, int(least if most == _parser.MAXREPEAT else most))
    return inner
