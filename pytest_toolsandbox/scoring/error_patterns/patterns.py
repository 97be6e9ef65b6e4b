"""Results of the search for error patterns: accepted calls, findings and scores.

``api_similarity`` measures how similar tool names are, since models confuse similar names
(SpecTool, section 7.2.2).
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from math import fsum
from typing import Any, Final

from pytest_toolsandbox.calls.tool_call import ToolCall
from pytest_toolsandbox.language.error_patterns import PATTERNS, Pattern
from pytest_toolsandbox.text.formatting import VALUE_LIMIT, one_line
from pytest_toolsandbox.worlds.state import frozen, identity

_NO_NAME: Final = "''"
"""How an empty name of an argument is written."""

MAX_CALLS: Final = 15
"""The default number of allowed calls: N in the scores of SpecTool, section 6."""


FREE: Final = object()
"""Marks an argument of an accepted call that may have any value or be left out."""


@dataclass(frozen=True)
class OneOf:
    """The accepted values of an argument; ``NOT_GIVEN`` means that it may be left out."""

    values: tuple[Any, ...]


@dataclass(frozen=True)
class AcceptedCall:
    """A call of an accepted solution, with the world's names.

    An argument is a JSON value, a matcher, ``OneOf`` or ``FREE``. Other arguments must be left out
    or have their defaults. A call that ``fails`` in the solution may fail in the conversation, too.
    """

    tool: str
    arguments: Mapping[str, Any] = field(default_factory=dict)
    fails: bool = False

    @property
    def request(self) -> Hashable:
        """A key that is equal for calls that accept the same."""
        values = {
            name: (OneOf, *value.values) if isinstance(value, OneOf) else value
            for name, value in self.arguments.items()
        }
        return self.tool, frozenset((name, identity(frozen(v))) for name, v in values.items())


AcceptedSolution = tuple[AcceptedCall, ...]


@dataclass(frozen=True)
class Finding:
    """One fault of the agent, with the names that the agent sees.

    ``message`` is the index of the message with the fault, ``None`` for a missing call. ``call`` is
    ``None`` for a missing call and for a text. ``function`` is the name that was called or should
    have been; ``argument`` is the wrong argument, if any. ``expected`` says what is allowed or was
    expected; ``found`` is the actual JSON value, name or text; ``given`` is false if the argument
    was left out. ``nearest`` is the valid name that a wrong name probably means.
    """

    pattern: Pattern
    message: int | None
    call: ToolCall | None
    function: str
    argument: str | None = None
    expected: str = ""
    found: Any = None
    given: bool = True
    nearest: str | None = None

    @property
    def words(self) -> str:
        """A short label, equal for equal mistakes: ``IAN page for search``."""
        function = one_line(self.function, VALUE_LIMIT) or "no call"
        if self.argument is None:
            surplus = " (not asked for)" if self.pattern == "IAV" else ""
            return f"{self.pattern} {function}{surplus}"
        missing = "" if self.given else " (missing)"
        argument = one_line(self.argument, VALUE_LIMIT) or _NO_NAME
        return f"{self.pattern} {argument} for {function}{missing}"


@dataclass(frozen=True)
class SolutionErrors:
    """The number of missing calls (IAC) and of wrong calls (IAV) against one solution.

    A wrong call has a wrong value or lacks a required argument.
    """

    missing: int
    wrong: int


@dataclass(frozen=True)
class SolutionCall:
    """A call of an accepted solution, and the index of the message that makes it.

    ``expected`` has the world's names. ``message`` is ``None`` if the call was not made.
    """

    expected: str
    message: int | None


@dataclass(frozen=True)
class ErrorPatterns:
    """All findings of a conversation in the order of the messages; missing calls come last.

    ``solutions`` are in the given order. ``closest`` is the place of the solution with the fewest
    errors, with which the findings were made, or ``None`` without solutions; ``closest_calls`` are
    its calls. With ``too_many`` there were more calls than are compared.
    """

    findings: tuple[Finding, ...]
    solutions: tuple[SolutionErrors, ...] = ()
    closest: int | None = None
    closest_calls: tuple[SolutionCall, ...] = ()
    too_many: bool = False

    @property
    def calls(self) -> Mapping[Pattern, int]:
        """Pattern → the number of calls with it, including missing calls."""
        return {pattern: _calls(pattern, self.findings) for pattern in PATTERNS}

    def scores(self, max_calls: int = MAX_CALLS) -> Mapping[Pattern, float | None]:
        """Return pattern → score in [0, 1]; IAV and IAC against the closest solution, if any."""
        closest = () if self.closest is None else (self.solutions[self.closest],)
        return self._scores(closest, max_calls)

    def lowest_scores(self, max_calls: int = MAX_CALLS) -> Mapping[Pattern, float | None]:
        """Return pattern → score in [0, 1]; IAV and IAC the minimum over all solutions (paper)."""
        return self._scores(self.solutions, max_calls)

    def _scores(
        self, solutions: Sequence[SolutionErrors], max_calls: int
    ) -> Mapping[Pattern, float | None]:
        scores = {pattern: score(count, max_calls) for pattern, count in self.calls.items()}
        wrong = min((score(errors.wrong, max_calls) for errors in solutions), default=None)
        missing = min((score(errors.missing, max_calls) for errors in solutions), default=None)
        return {**scores, "IAV": wrong, "IAC": missing}


def score(errors: int, max_calls: int = MAX_CALLS) -> float:
    """Return the score of a pattern that ``errors`` calls show, in [0, 1] (SpecTool, section 6)."""
    # An agent may make more wrong calls than N.
    return max(0.0, (max_calls - errors) / max_calls)


def _calls(pattern: Pattern, findings: Iterable[Finding]) -> int:
    """Count calls: several wrong arguments of one call count once."""
    places = [finding.message for finding in findings if finding.pattern == pattern]
    return len({place for place in places if place is not None}) + places.count(None)


_TOKEN = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_A-Za-z]+")


def api_similarity(names: Collection[str]) -> float | None:
    """Return the mean Jaccard similarity of all pairs of names; ``None`` for fewer than two.

    A name is the set of its words, without the words that all names share.
    """
    return _similarity(tuple(sorted(names)))


@lru_cache(maxsize=256)  # many scenarios offer the same tools
def _similarity(names: tuple[str, ...]) -> float | None:
    # ``searchContacts`` and ``search_contacts`` are the same words.
    words = [frozenset(token.casefold() for token in _TOKEN.findall(name)) for name in names]
    shared = frozenset[str]().union(*words).intersection(*words)
    pairs = list(itertools.combinations([name_words - shared for name_words in words], 2))
    shares = [
        len(first & second) / len(first | second) if first | second else 1.0
        for first, second in pairs
    ]
    # ``fsum`` does not depend on the order of the names.
    return fsum(shares) / len(shares) if shares else None
