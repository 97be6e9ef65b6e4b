"""Regular expressions of scenarios and worlds, searched in bounded time.

The syntax is that of :mod:`re`. With nested repetitions, ``re`` may search for years, and it has no
time limit. The package ``regex`` is fast for most of these patterns and has a limit for the others.
Reaching the limit is an error and not a result, which would depend on the machine.
"""

from __future__ import annotations

import re
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cached_property, lru_cache
from re import _compiler, _parser  # type: ignore[attr-defined]  # the one tree of a pattern there is
from typing import Any, Final, Self

from .formatting import quote

SECONDS: Final = 2.0
"""The limit of CPU time for a search, and for all searches of one judgement.

The bundled scenarios need a hundredth of it.
"""
_left: ContextVar[list[float] | None] = ContextVar("left", default=None)
"""A list with the remaining seconds for a judgement."""

_BRACE: Final = re.compile(r"(\\N\{[^}]*\}|\\.)|\{(?!\d*(?:,\d*)?\})", re.DOTALL)
"""An escape, or a brace that is literal in ``re`` but a fuzzy match in ``regex``."""

_LONGEST: Final = 10_000
"""Characters of a pattern; Python takes a second to read 300,000 of them."""
_MOST: Final = 100_000
"""The largest number of counted repetitions, since ``regex`` expands them to compile a pattern."""
_ESCAPED: Final = re.compile(r"\\.", re.DOTALL)
_POSIX: Final = re.compile(r"\[\^?\]?[^]]*\[:")
"""The start of a POSIX class, which ``re`` reads as a set of characters."""


class SlowSearchError(Exception):
    """A search reached its time limit: the test ends in an error and gets no score."""


@dataclass(frozen=True)
class RegularExpression:
    """A regular expression in the syntax of :mod:`re`."""

    text: str
    ignore_case: bool = False

    @classmethod
    def read(cls, text: str, *, ignore_case: bool = False) -> Self:
        """Check the syntax. Raises ``ValueError`` with what is wrong."""
        if len(text) > _LONGEST:
            many = f"has {len(text):,} characters; at most {_LONGEST:,} are allowed"
            raise ValueError(f"the regular expression {quote(text)} {many}")
        if _POSIX.search(_ESCAPED.sub("", text)):
            raise ValueError(
                f"{quote(text)} has a POSIX class ([[:…), which Python's regular expressions lack;"
                r" write \w, \d, \s or a range such as [a-z]"
            )
        try:
            # A warning, as about a set inside a set, is a mistake of the scenario.
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                parsed = _parser.parse(text)
                _compiler.compile(parsed)  # refuses a look-behind of variable width
            repetitions = _repetitions(parsed) if "{" in text else 1
        # Overflow and recursion: absurd repetitions and nesting.
        except (re.error, OverflowError, RecursionError, Warning) as error:
            raise ValueError(f"{quote(text)} is not a regular expression: {error}") from None
        if repetitions > _MOST:
            times = f"{repetitions:,} times, counting repetitions inside others"
            raise ValueError(f"{quote(text)} repeats {times}; at most {_MOST:,} are allowed")
        return cls(text, ignore_case)

    def is_found_in(self, text: str) -> bool:
        """Whether the pattern matches somewhere in a text. Raises :class:`SlowSearchError`."""
        return _is_found(self, text)

    @cached_property
    def engine(self) -> Any:
        """The pattern as ``regex`` compiles it."""
        import regex

        # In ``regex``, ``{e<=1}`` would match approximately; in ``re`` it is plain text.
        escaped = _BRACE.sub(lambda brace: brace[1] or r"\{", self.text)
        return regex.compile(escaped, regex.IGNORECASE if self.ignore_case else 0)


@contextmanager
def few_seconds() -> Iterator[None]:
    """Share the time limit of one search between all searches in this block."""
    token = _left.set([SECONDS])
    try:
        yield
    finally:
        _left.reset(token)


@lru_cache(maxsize=4096)  # variants and trials of a scenario search the same texts
def _is_found(pattern: RegularExpression, text: str) -> bool:
    # CPU time, as other threads and a loaded machine must not turn a search into an error.
    began, remaining = time.process_time(), _left.get() or [SECONDS]
    try:
        return pattern.engine.search(text, timeout=remaining[0]) is not None
    except TimeoutError:
        alone = "" if remaining == [SECONDS] else ", with the others of this conversation,"
        raise SlowSearchError(
            f"the regular expression {quote(pattern.text)} was given up after {SECONDS:g} seconds"
            f"{alone} in a text of {len(text):,} characters; write it without a repetition"
            " inside another one, as in (a+)+"
        ) from None
    finally:
        # ``regex`` takes a negative timeout as no limit.
        remaining[0] = max(remaining[0] - (time.process_time() - began), 0.001)


def _repetitions(parsed: Any) -> int:
    """Return the largest product of nested counted repetitions."""
    parts = getattr(parsed, "data", parsed)
    if not isinstance(parts, (list, tuple)):
        return 1
    # ``(a{1000}){1000}`` compiles to a million nodes, so nested counts are multiplied.
    inner = max(map(_repetitions, parts), default=1)
    if parts and getattr(parts[0], "name", "").endswith("_REPEAT"):
        least, most, _ = parts[1]
        return inner * max(1, int(least if most == _parser.MAXREPEAT else most))
    return inner
