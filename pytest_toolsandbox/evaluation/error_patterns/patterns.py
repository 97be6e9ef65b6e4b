"""SpecTool's seven error patterns, and what is said of a conversation in their terms."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, get_args

from pytest_toolsandbox.calls.tool_call import ToolCall
from pytest_toolsandbox.language.tasks import Pattern
from pytest_toolsandbox.wording.cutting import LONGEST, one_line

PATTERNS: Final[tuple[Pattern, ...]] = get_args(Pattern)
PATTERN_NAMES: Final[Mapping[Pattern, str]] = {
    "IFE": "invalid format error",
    "IFN": "incorrect function name",
    "IAN": "incorrect argument name",
    "IAT": "incorrect argument type",
    "RAC": "repeated API call",
    "IAV": "incorrect argument value",
    "IAC": "insufficient API calls",
}

NO_NAME: Final = "''"
"""How an empty name is written, which a model may give an argument."""

MAX_CALLS: Final = 15
"""N of the scores where nothing else is said: how many calls are allowed."""


class Free:
    """The type of ``FREE``, an argument of an accepted call that may be anything, or left out."""

    def __repr__(self) -> str:
        return "FREE"


FREE: Final = Free()


@dataclass(frozen=True)
class AcceptedCall:
    """A call of an accepted solution, in the world's terms.

    An argument is a JSON value, a matcher or ``FREE``; one that is not named must be left out or
    have its default. A call that ``fails`` in the solution is made even if it fails.
    """

    tool: str
    arguments: Mapping[str, Any] = field(default_factory=dict)
    fails: bool = False


AcceptedSolution = tuple[AcceptedCall, ...]


@dataclass(frozen=True)
class Finding:
    """One fault of the agent's, in its own terms.

    ``message`` is the index of the message in which it stands, with its ``call``; a call that was
    never made stands nowhere, and a text instead of one is no call. ``function`` is the name that
    was called, or should have been; ``argument`` the one that is wrong, if one is. ``expected``
    says what is allowed or was expected; ``found`` is the JSON value, name or text instead, and
    ``given`` is false where the argument was left out. ``nearest`` is the valid name that was
    probably meant, where a name is wrong.
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
        """What is wrong in a few words, the same for the same mistake: ``IAN page for search``."""
        function = one_line(self.function, LONGEST)
        if self.pattern == "IFE":
            return f"IFE {function or 'no call'}"
        if self.argument is None:
            return f"{self.pattern} {function}"
        missing = "" if self.given else " (missing)"
        return (
            f"{self.pattern} {one_line(self.argument, LONGEST) or NO_NAME} for {function}{missing}"
        )


@dataclass(frozen=True)
class SolutionErrors:
    """How many calls are at fault against one accepted solution.

    ``missing`` are the solution's calls that were not made (IAC), ``wrong`` the calls of the agent
    with a wrong value or without a necessary argument (IAV).
    """

    missing: int
    wrong: int


@dataclass(frozen=True)
class ErrorPatterns:
    """All findings of a conversation, in the order of the messages; calls not made come last.

    ``solutions`` has the accepted solutions, as they were given, and ``closest`` is the place of
    the one with the fewest errors, from which the findings are; ``None`` where there is none.
    """

    findings: tuple[Finding, ...]
    solutions: tuple[SolutionErrors, ...] = ()
    closest: int | None = None

    @property
    def calls(self) -> Mapping[Pattern, int]:
        """Pattern → how many calls show it, made or missing."""
        return {pattern: _calls(pattern, self.findings) for pattern in PATTERNS}

    def scores(self, max_calls: int = MAX_CALLS) -> Mapping[Pattern, float | None]:
        """Return pattern → score in [0, 1]; IAV and IAC against the closest solution.

        ``None`` where there is no solution to compare with.
        """
        errors = self.solutions if self.closest is None else (self.solutions[self.closest],)
        return self._scores(errors, max_calls)

    def lowest_scores(self, max_calls: int = MAX_CALLS) -> Mapping[Pattern, float | None]:
        """Return pattern → score in [0, 1]; IAV and IAC the minimum over all solutions (paper)."""
        return self._scores(self.solutions, max_calls)

    def _scores(
        self, solutions: Iterable[SolutionErrors], max_calls: int
    ) -> dict[Pattern, float | None]:
        compared = tuple(solutions)
        scores: dict[Pattern, float | None] = {
            pattern: score(count, max_calls) for pattern, count in self.calls.items()
        }
        scores["IAV"] = min((score(one.wrong, max_calls) for one in compared), default=None)
        scores["IAC"] = min((score(one.missing, max_calls) for one in compared), default=None)
        return scores


def score(errors: int, max_calls: int = MAX_CALLS) -> float:
    """Return the score of a pattern that ``errors`` calls show: 1 is none (SpecTool, section 6)."""
    return max(0.0, (max_calls - errors) / max_calls)


def _calls(pattern: Pattern, findings: Iterable[Finding]) -> int:
    """Count calls: several wrong arguments of one call are one call that shows the pattern."""
    places = [finding.message for finding in findings if finding.pattern == pattern]
    return len({place for place in places if place is not None}) + places.count(None)
