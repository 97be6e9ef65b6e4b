"""``--sandbox-user=human``: somebody at the terminal plays the user.

The controlling terminal, whatever was made of standard input and output.
"""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Final

from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.text.formatting import escape_unprintable
from pytest_toolsandbox.users.simulated.by_tools import section

from .user import knowledge_of

TERMINAL: Final = "/dev/tty"
LEAVE: Final = "/end"
_STANDARD: Final = (0, 1)
"""The descriptors of standard input and output."""

_MODES: Final = ((0, "r"), (1, "w"))

Candidates = Callable[[str], Sequence[str]]
"""From what is typed so far to the words that its last one may become."""


class NoTerminalError(Exception):
    """There is nobody to ask. The text says why, in words that follow a name."""


def check_terminal() -> None:
    """Raise :class:`NoTerminalError` where nobody can be asked."""
    if "PYTEST_XDIST_WORKER" in os.environ:
        raise NoTerminalError("plays at one terminal, and so in one process: leave out -n")
    try:
        os.close(os.open(TERMINAL, os.O_RDWR))
    except OSError:
        text = "needs a terminal, and this process has none: run it from a shell, without -n"
        raise NoTerminalError(text) from None


def show(*lines: str) -> None:
    """Write lines to the terminal; what would control it is written out."""
    with Path(TERMINAL).open("w", encoding="utf-8", errors="backslashreplace") as terminal:
        terminal.writelines(f"{escape_unprintable(line)}\n" for line in lines)


def ask(prompt: str, candidates: Candidates | None = None) -> str | None:
    """Return a line that was typed, ``None`` for :data:`LEAVE` and at the end of the input.

    The tab key completes words, where Python has ``readline``.
    """
    with _at_terminal(), _completing(candidates or _no_candidates):
        try:
            line = input(prompt).strip()
        except EOFError:
            return None
    return None if line == LEAVE else line


def _no_candidates(line: str) -> Sequence[str]:
    del line
    return ()


@contextmanager
def _at_terminal() -> Iterator[None]:
    """Put the terminal in the place of standard input and output: ``readline`` reads no other."""
    sys.stdout.flush()
    streams, kept = (sys.stdin, sys.stdout), [os.dup(one) for one in _STANDARD]
    terminal = os.open(TERMINAL, os.O_RDWR)
    try:
        for one in _STANDARD:
            os.dup2(terminal, one)
        sys.stdin, sys.stdout = (os.fdopen(one, mode, closefd=False) for one, mode in _MODES)
        yield
    finally:
        sys.stdin, sys.stdout = streams
        for one, other in zip(kept, _STANDARD, strict=True):
            os.dup2(one, other)
            os.close(one)
        os.close(terminal)


@contextmanager
def _completing(candidates: Candidates) -> Iterator[None]:
    try:
        readline = importlib.import_module("readline")
    except ImportError:  # as on Windows
        yield
        return

    def complete(word: str, state: int) -> str | None:
        line = readline.get_line_buffer()[: readline.get_endidx()]
        found = [one for one in candidates(line) if one.startswith(word)]
        return found[state] if state < len(found) else None

    before = readline.get_completer(), readline.get_completer_delims()
    is_libedit = "libedit" in (readline.__doc__ or "")
    readline.parse_and_bind("bind ^I rl_complete" if is_libedit else "tab: complete")
    readline.set_completer_delims(" ")
    readline.set_completer(complete)
    try:
        yield
    finally:
        readline.set_completer(before[0])
        readline.set_completer_delims(before[1])


HELP: Final = (
    f"Type what the user says. {LEAVE} (or Ctrl-D) ends the conversation, /help shows this."
)
_SPEAKERS: Final = {"user": "You", "assistant": "Agent"}


@dataclass(frozen=True)
class HumanUser:
    """Lets somebody at the terminal play, who sees what the user sees. Raises where nobody is."""

    is_recorded: ClassVar = True
    """Cassettes record what it says: no model and no script of ours says it."""

    retries: int = 0
    is_human: ClassVar = True

    def __post_init__(self) -> None:
        """Raise :class:`NoTerminalError` at once, not in the middle of a run."""
        check_terminal()

    def begin(self, scenario: Scenario, attempt: int = 0) -> PlayingUser:
        """Tell what there is to know, and return who plays this conversation."""
        del attempt
        known = knowledge_of(scenario)
        facts = [*([known.boundary] if known.boundary else []), *known.facts.values()]
        show(
            "",
            f"== {scenario.name}: you are the user ==",
            section("Your goals", [f"- {goal}" for goal in known.goals.values()]),
            section("What you know", facts or ["What you say yourself."]),
            HELP,
            "",
        )
        return PlayingUser()


class PlayingUser:
    """The user of one conversation."""

    is_recorded: ClassVar = True
    """Cassettes record what it says: no model and no script of ours says it."""

    def __init__(self) -> None:
        self.shown = 0

    def __call__(self, messages: list[dict[str, Any]]) -> str | None:
        """Return what is typed to the last message, ``None`` at the end."""
        new = [one for one in messages[self.shown :] if one["role"] in _SPEAKERS]
        show(*(f"{_SPEAKERS[one['role']]}: {one['content']}" for one in new))
        self.shown = len(messages) + 1  # what is typed now is not told again
        while True:
            line = ask("You: ")
            if line == "/help":
                show(HELP)
            elif line is None or line:
                return line
