"""Faults of a simulated user, found by rules before an utterance is delivered.

The two published kinds are hallucination, a user that says what its information does not contain,
and instruction following, one that falls out of its role or does not end (ToolSandbox, Table 2).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final, Literal

from .inventions import invents, knows_the_world
from .manner import ends_early, is_in_a_loop, is_malformed, leaks, swaps_roles
from .situation import Situation
from .utterance import Utterance

FaultKind = Literal[
    "malformed", "leak", "roles", "invention", "world", "early_end", "loop", "reviewed"
]
PublishedKind = Literal["hallucination", "instruction_following"]
Effect = Literal["helped", "hindered"]

WHAT: Final[Mapping[FaultKind, str]] = {
    "malformed": "said nothing that could be delivered",
    "leak": "told of its instructions",
    "roles": "fell out of its role",
    "invention": "made something up",
    "world": "told what only the world knows",
    "early_end": "ended too early",
    "loop": "went in circles",
    "reviewed": "was at fault by its review",
}
"""What a user did, in words that follow "the user"."""
HALLUCINATIONS: Final[frozenset[FaultKind]] = frozenset(("invention", "world"))
HELP: Final[frozenset[FaultKind]] = frozenset(("leak", "world"))
"""The faults that tell the agent what it should have had to find out; the others hinder it."""


@dataclass(frozen=True)
class UserFault:
    """A fault in an utterance: ``told`` says to the model what is wrong with it.

    It is ``left`` where the utterance was delivered all the same. Where a reviewer found it,
    ``reviewed`` is its published kind.
    """

    kind: FaultKind
    told: str
    utterance: str
    left: bool = False
    reviewed: PublishedKind | None = None

    @property
    def what(self) -> str:
        """What the user did, in words."""
        return WHAT[self.kind]

    @property
    def published_kind(self) -> PublishedKind:
        """The kind under which Tables 2 and 3 count it."""
        if self.reviewed:
            return self.reviewed
        return "hallucination" if self.kind in HALLUCINATIONS else "instruction_following"

    @property
    def effect(self) -> Effect:
        """Whether it makes the agent's work easier or harder."""
        return "helped" if self.kind in HELP else "hindered"


def fault_in(utterance: Utterance, situation: Situation) -> UserFault | None:
    """Return the first fault of an utterance."""
    rules: _Rules = {"early_end": ends_early} if utterance.ends else _OF_TEXTS
    for kind, rule in rules.items():
        if told := rule(utterance, situation):
            return UserFault(kind, told, utterance.text or f"(ends: {utterance.reason})")
    return None


_Rules = Mapping[FaultKind, Callable[[Utterance, Situation], str | None]]
_OF_TEXTS: Final[_Rules] = {
    "malformed": is_malformed,
    "leak": leaks,
    "roles": swaps_roles,
    "world": knows_the_world,
    "invention": invents,
    "loop": is_in_a_loop,
}
