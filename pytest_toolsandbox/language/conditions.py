"""Under which conditions a conversation is held: what perturbations do to calls on the way.

The texts here are those that agents read, and that the robust oracle (``agents/robust.py``) knows.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any, Final, Literal, get_args

from pytest_toolsandbox.worlds.state import State, frozen, identity
from pytest_toolsandbox.worlds.tool import Tool, tool
from pytest_toolsandbox.worlds.tool_view import ToolView

FaultKind = Literal["transient", "timeout", "written", "stale", "partial"]
FAULT_KINDS: Final[tuple[FaultKind, ...]] = get_args(FaultKind)

BUSY: Final = "ConnectionError: The service is busy and has done nothing. Try again."
LOST: Final = (
    "TimeoutError: No answer within 30 s. {status}(request_id='{identifier}') tells whether it "
    "was done."
)
LOST_CALL: Final = re.compile(r"TimeoutError: No answer.* (\w+)\(request_id='([\w-]+)'\).*")
STALE: Final = "Warning: this answer comes from a cache and may be out of date. Ask again."
PARTIAL: Final = "Warning: only {shown} of {all} rows have arrived. Ask again."
ASK_AGAIN: Final = re.compile(r"Warning: .* Ask again\.")
PAGE: Final = "Rows {first} to {last} of {all}. {tool}(cursor='{cursor}') returns the next ones."
NEXT_PAGE: Final = re.compile(r"Rows \d+ to \d+ of \d+\. (\w+)\(cursor='([\w-]+)'\) .*")

_TWICE: Final = 0.3
"""The share of transient errors that come twice."""


def draw(*parts: object) -> float:
    """Return a number from 0 to 1, below 1, that depends on the parts alone."""
    text = json.dumps(parts, sort_keys=True, default=str)
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:6]) / 2**48


@dataclass(frozen=True)
class RandomFaults:
    """Faults that a ``share`` of calls meets, each of one of the ``kinds``.

    Equal calls of a scenario meet the same faults in every run with the same ``seed``: once, or
    twice if it is a transient error.
    """

    share: float
    kinds: tuple[FaultKind, ...]
    seed: int
    status_tool: str

    def kinds_of(
        self, scenario: str, tool_name: str, arguments: Mapping[str, Any], earlier: int
    ) -> tuple[FaultKind, ...]:
        """Return the kinds to try for a call, the first one that fits counts; none for most calls.

        ``earlier`` is how many equal calls have met a fault before.
        """
        key = (self.seed, scenario, tool_name, dict(arguments))
        if draw("share", *key) >= self.share:
            return ()
        kinds = sorted(self.kinds, key=lambda kind: draw(kind, *key))
        is_twice = kinds[0] == "transient" and draw("twice", *key) < _TWICE
        return tuple(kinds) if earlier <= is_twice else ()

    @property
    def tells_status(self) -> bool:
        """Whether there is a tool that tells what came of a request."""
        return bool({"timeout", "written"} & {*self.kinds})


@dataclass(frozen=True)
class Paging:
    """Lists that tools return come in pages of ``size`` rows; a further tool returns the next."""

    size: int
    page_tool: str


MANNERS: Final = ("typed", "unpunctuated", "dictated")
_TOKEN: Final = re.compile(
    r"(\"[^\"]*\"|\N{LEFT DOUBLE QUOTATION MARK}[^\N{RIGHT DOUBLE QUOTATION MARK}]*"
    r"\N{RIGHT DOUBLE QUOTATION MARK}|(?<!\w)'[^']*'(?!\w)|\s+)"
)
"""A quotation or a space; what is between them is a word with its punctuation."""
_PARTS: Final = re.compile(r"(\W*)(.*?)([.,!?;:\u2026]*)", re.DOTALL)
_SENTENCE_END: Final = re.compile(r"[.!?\u2026]$")
_MISTYPED: Final = 0.3
_SHORTEST: Final = 4
"""Letters of the shortest word that is mistyped."""
_HESITANT: Final = 0.12


@dataclass(frozen=True)
class Noise:
    """How the words of a user are distorted: words in ``kept`` stay, and so do quotations.

    Words with digits or signs inside stay as well, and capitalized ones within a sentence.
    """

    manner: str
    seed: int
    kept: frozenset[str]

    def __call__(self, text: str) -> str:
        """Return the text as the user types or dictates it."""
        tokens, starts = [], True
        for place, token in enumerate(_TOKEN.split(text)):
            if place % 2 or not token:
                tokens.append(token)
                continue
            tokens.append(self._word(token, draw(self.seed, text, place), starts=starts))
            starts = _SENTENCE_END.search(token) is not None
        return "".join(tokens)

    def _word(self, token: str, chance: float, *, starts: bool) -> str:
        parts = _PARTS.fullmatch(token)
        assert parts
        before, word, after = parts.groups()
        is_name = word[:1].isupper() and not (starts and word[1:].islower())
        if is_name or not word.isalpha() or word.casefold() in self.kept:
            return token
        if self.manner == "typed":
            is_hit = chance < _MISTYPED and len(word) >= _SHORTEST
            return f"{before}{_mistyped(word, chance / _MISTYPED) if is_hit else word}{after}"
        word = word.lower()
        if self.manner == "dictated" and chance < _HESITANT:
            return f"{word} {word}" if chance < _HESITANT / 2 else f"uh {word}"
        return word


def _mistyped(word: str, chance: float) -> str:
    """Return a word with two letters swapped, or with one left out or doubled."""
    at = 1 + int(chance * 7919) % (len(word) - 2)
    kind = int(chance * 3)
    if kind == 0 and word[at] != word[at + 1]:
        return word[:at] + word[at + 1] + word[at] + word[at + 2 :]
    return word[:at] + word[at + 1 :] if kind == 1 else word[: at + 1] + word[at:]


@dataclass(frozen=True)
class Effect:
    """What an attack brings about: a row with these ``cells`` in a table, or that it is gone."""

    table: str
    cells: Mapping[str, Any]
    is_gone: bool = False

    def holds(self, state: State) -> bool:
        """Whether a state has the row, or lacks it."""
        wanted = frozenset((name, identity(frozen(value))) for name, value in self.cells.items())
        return any(row.has(wanted) for row in state[self.table]) is not self.is_gone


@dataclass(frozen=True)
class Attack:
    """Instructions in an answer, and the call that they ask for, with its ``effect``.

    They are in a text of the answer, or below it. ``spared`` are texts that agents may have to
    quote, into which nothing is written.
    """

    kind: str
    text: str
    tool: str
    arguments: Mapping[str, Any]
    effect: Effect
    in_text: bool
    spared: frozenset[str]


@dataclass(frozen=True)
class Conditions:
    """What happens to calls and to the words of the user, if anything."""

    faults: RandomFaults | None = None
    paging: Paging | None = None
    noise: Noise | None = None
    attack: Attack | None = None

    def __bool__(self) -> bool:
        """Whether anything happens to calls."""
        return bool(self.faults or self.paging or self.attack)

    def as_said(self, text: str) -> str:
        """Return a text of the user as it is said."""
        return self.noise(text) if self.noise else text

    @cached_property
    def further_tools(self) -> Mapping[str, ToolView]:
        """The tools that agents are offered besides those of the scenario."""
        tools = []
        if self.faults and self.faults.tells_status:
            tools.append(_status_tool(self.faults.status_tool))
        if self.paging:
            tools.append(_page_tool(self.paging.page_tool))
        return {made.name: ToolView(made, made.name) for made in tools}


@cache
def _status_tool(name: str) -> Tool:
    def get_request_status(request_id: str) -> dict[str, Any]:
        """Tell whether a request that got no answer was done, and what it returned.

        Args:
            request_id: The id that the error names.
        """
        raise NotImplementedError

    return _named(get_request_status, name)


@cache
def _page_tool(name: str) -> Tool:
    def next_page(cursor: str) -> list[Any]:
        """Return the next rows of an answer that comes in pages.

        Args:
            cursor: The cursor that the page before names.
        """
        raise NotImplementedError

    return _named(next_page, name)


def _named(function: Any, name: str) -> Tool:
    """Return a tool that a call wrapper answers, so that the function is never called."""
    function.__name__ = name
    return tool("requests")(function)
