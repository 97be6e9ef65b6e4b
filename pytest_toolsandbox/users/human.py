"""``--sandbox-user=human``: a person at the terminal plays the user.

``ask`` and ``show`` use the controlling terminal, as pytest captures standard input and output.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Final

from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.text.formatting import escape_unprintable
from pytest_toolsandbox.text.shells import WINDOWS
from pytest_toolsandbox.users.simulated.tool_calling_prompt import section, transcript

from .typed_calls import (
    HELP,
    LEAVE,
    TOOLS,
    CallError,
    Functions,
    candidates,
    describe,
    functions_of,
    read_call,
)
from .user import knowledge_of
from .user_calls import UserMessage, call_message

_TERMINAL: Final = "/dev/tty"
_MODES: Final = ((0, "r"), (1, "w"))
"""The descriptors of standard input and output."""

_Completer = Callable[[str], Sequence[str]]
"""Takes the typed line, and returns the completions of its last word."""


class NoTerminalError(Exception):
    """There is no terminal. The text says why, and follows the name of the user or agent."""


def check_terminal() -> None:
    """Raise :class:`NoTerminalError` if there is no terminal."""
    if "PYTEST_XDIST_WORKER" in os.environ:
        raise NoTerminalError("plays at one terminal, and so in one process: leave out -n")
    if WINDOWS:
        raise NoTerminalError("needs a terminal of Unix: on Windows, run pytest in WSL")
    try:
        os.close(os.open(_TERMINAL, os.O_RDWR))
    except OSError:
        text = "needs a terminal, and this process has none: run it from a shell, without -n"
        raise NoTerminalError(text) from None


def show(*lines: str) -> None:
    """Write lines to the terminal, with control characters escaped."""
    with Path(_TERMINAL).open("w", encoding="utf-8", errors="backslashreplace") as terminal:
        terminal.writelines(f"{escape_unprintable(line)}\n" for line in lines)


def ask(prompt: str, completer: _Completer = lambda _: ()) -> str | None:
    """Return a typed line, ``None`` for :data:`LEAVE` and at the end of the input.

    The tab key completes words, if Python has ``readline``.
    """
    with _at_terminal(), _completing(completer):
        try:
            line = input(prompt).strip()
        except EOFError:
            return None
    return None if line == LEAVE else line


@contextmanager
def _at_terminal() -> Iterator[None]:
    """Redirect standard input and output to the terminal, as ``readline`` uses only these."""
    sys.stdout.flush()
    streams, copies = (sys.stdin, sys.stdout), [os.dup(number) for number, _ in _MODES]
    terminal = os.open(_TERMINAL, os.O_RDWR)
    try:
        for number, _ in _MODES:
            os.dup2(terminal, number)
        sys.stdin, sys.stdout = (os.fdopen(number, mode, closefd=False) for number, mode in _MODES)
        yield
    finally:
        sys.stdin, sys.stdout = streams
        for copy, (number, _) in zip(copies, _MODES, strict=True):
            os.dup2(copy, number)
            os.close(copy)
        os.close(terminal)


@contextmanager
def _completing(completer: _Completer) -> Iterator[None]:
    try:
        readline = importlib.import_module("readline")
    except ImportError:  # as on Windows
        yield
        return

    def complete(word: str, state: int) -> str | None:
        line = readline.get_line_buffer()[: readline.get_endidx()]
        words = [candidate for candidate in completer(line) if candidate.startswith(word)]
        return words[state] if state < len(words) else None

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


_HELP: Final = (
    f"Type what the user says. {LEAVE} (or Ctrl-D) ends the conversation, /help shows this."
)
_TOOLS_HELP: Final = (
    f"You have tools: /name argument=value calls one, {TOOLS} lists them, {TOOLS} NAME shows one."
)
_SPEAKERS: Final = {"user": "You", "assistant": "Agent"}


@dataclass(frozen=True)
class HumanUser:
    """Lets a person at the terminal play the users. Raises :class:`NoTerminalError`."""

    is_recorded: ClassVar = True

    retries: int = 0
    is_human: ClassVar = True

    def __post_init__(self) -> None:
        """Raise :class:`NoTerminalError` at once, not in the middle of a run."""
        check_terminal()

    def begin(self, scenario: Scenario, attempt: int = 0) -> _PlayingUser:
        """Show the goals and the knowledge, and return the user of a conversation."""
        del attempt
        known = knowledge_of(scenario)
        facts = [*([known.boundary] if known.boundary else []), *known.facts.values()]
        show(
            "",
            f"== {scenario.name}: you are the user ==",
            *([section("Your instructions", [known.instructions])] if known.instructions else []),
            section("Your goals", [f"- {goal}" for goal in known.goals.values()]),
            section("What you know", facts or ["What you say yourself."]),
            _HELP,
        )
        tools = functions_of([view.schema for view in scenario.user_tool_views.values()])
        show(*([_TOOLS_HELP, *describe([], tools)] if tools else []), "")
        return _PlayingUser(tools)


class _PlayingUser:
    """The user of one conversation."""

    is_recorded: ClassVar = True

    def __init__(self, tools: Functions) -> None:
        self.shown, self.tools = 0, tools

    def __call__(self, messages: list[dict[str, Any]]) -> str | UserMessage | None:
        """Return the typed answer to the last message, or a call, ``None`` at the end."""
        show(*transcript(messages, _SPEAKERS, since=self.shown))
        self.shown = len(messages) + 1  # the answer that is typed now is not shown again
        while True:
            line = ask("You: ", lambda typed: candidates(typed, self.tools) if self.tools else ())
            if line is None:
                return None
            if line == HELP:
                show(_HELP, *([_TOOLS_HELP] if self.tools else []))
            elif line.startswith("/") and self.tools:
                if call := self._typed(line):
                    return call
            elif line:
                return line

    def _typed(self, line: str) -> UserMessage | None:
        """Return the call in a line; for a command or a mistake show the answer."""
        try:
            if line.split(maxsplit=1)[0] != TOOLS:
                name, arguments = read_call(line, self.tools)
                return call_message([(name, json.dumps(arguments, ensure_ascii=False))])
            show(*describe(line.split()[1:], self.tools))
        except CallError as error:
            show(str(error))
        return None
