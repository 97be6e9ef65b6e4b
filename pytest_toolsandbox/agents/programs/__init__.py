"""Agents that are programs or services in any language; they call tools over MCP.

``command.py`` runs any program (``cmd:``), ``service.py`` asks any service (``http:``); Claude Code
and Codex have a module each. Agents that are Python objects are not here.
"""

from __future__ import annotations

import re
from typing import ClassVar, Final

from pytest_toolsandbox.models.errors import AgentError
from pytest_toolsandbox.text.shells import split_command

NAMES: Final = ("claude-code", "codex", "cmd:PROGRAM", "http://HOST/PATH")
"""How ``--agent`` names them."""
_KIND: Final = re.compile(r"(claude-code|codex|cmd|https?)(?::(.*))?", re.DOTALL)


class Program:
    """Base class of the factories of such agents: each conversation gets its own process."""

    AT_ONCE: Final = 4
    """The default concurrency of programs on this machine: a process takes some hundred MB."""
    is_remote: ClassVar = False


def program_agent(text: str) -> Program | None:
    """Return the factory of agents that ``--agent`` names, ``None`` if it names no program.

    Raises :class:`AgentError` if the program is not installed.
    """
    match = _KIND.fullmatch(text)
    if match is None:
        return None
    kind, argument = match[1], match[2] or ""
    if kind == "claude-code":
        from .claude_code import ClaudeCode

        return ClaudeCode(argument or None)
    if kind == "codex":
        from .codex import Codex

        return Codex(argument or None)
    if kind == "cmd":
        from .command import Command

        return Command(tuple(_words(text, argument)))
    from .service import Service

    return Service(text) if argument.startswith("//") else None


def _words(text: str, command: str) -> list[str]:
    try:
        words = split_command(command)
    except ValueError as error:
        raise AgentError(f"{text} cannot be read as a command: {error}") from None
    if not words:
        raise AgentError(f"{text} names no program; write cmd:./my-agent --with options")
    return words
