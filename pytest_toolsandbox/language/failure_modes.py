"""What is wrong with a conversation beside single calls: its words, and what they leave behind.

The error patterns name wrong, repeated and missing calls. A failure mode names the rest, so
that each conversation that failed has a mistake that can be counted.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal

FailureMode = Literal[
    "side effect",
    "protected table",
    "without consent",
    "minefield hit",
    "nothing asked",
    "wrong report",
    "criterion not met",
    "no answer",
    "wrong answer",
    "incorrect action",
    "wrong text",
    "call out of place",
    "left undone",
    "wrong value",
    "wrong order",
]

FAILURE_MODES: Final[Mapping[FailureMode, str]] = {
    "side effect": "a side effect",
    "protected table": "a side effect",
    "incorrect action": "a side effect",
    "without consent": "an act without consent",
    "minefield hit": "a minefield hit",
    "nothing asked": "it asked nothing",
    "wrong report": "a wrong report",
    "criterion not met": "a criterion that is not met",
    "no answer": "no answer",
    "wrong answer": "a wrong answer",
    "wrong text": "a wrong text",
    "call out of place": "a call out of place",
    "left undone": "something was left undone",
    "wrong value": "a wrong value",
    "wrong order": "a wrong order",
}
"""Failure mode → how the page of a conversation says it, in the order of the page."""


def failure_words(mode: FailureMode, where: str = "") -> str:
    """Return a failure mode as it is counted, with the table or tool that it concerns, if any."""
    return f"{mode}: {where}" if where else mode


def kind_of(words: str) -> str:
    """Return the failure mode, or the error pattern, that a mistake in a few words is of."""
    mode = words.partition(":")[0]
    return mode if mode in FAILURE_MODES else words.partition(" ")[0]
