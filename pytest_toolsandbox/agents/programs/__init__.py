"""Agents that are programs or services, of any language; they call tools over MCP."""

from __future__ import annotations

import re
import shlex
from typing import Any, Final

from pytest_toolsandbox.models.errors import AgentError

NAMES: Final = ("claude-code", "codex", "cmd:PROGRAM", "http://HOST/PATH")
"""How they are written."""
_KIND: Final = re.compile(r"(claude-code|codex|cmd|https?)(?::(.*))?", re.DOTALL)


def program_agent(text: str) -> Any | None:
    """Return the factory of agents that ``--agent`` names, ``None`` where it names no program.

    Raises :class:`AgentError` for a program that is not there.
    """
    found = _KIND.fullmatch(text)
    if found is None:
        return None
    kind, rest = found[1], found[2] or ""
    if kind == "claude-code":
        from .claude_code import ClaudeCode

        return ClaudeCode(rest or None)
    if kind == "codex":
        from .codex import Codex

        return Codex(rest or None)
    if kind == "cmd":
        from .command import Command

        return Command(tuple(_words(text, rest)))
    from .command import Service

    return Service(text) if rest.startswith("//") else None


def _words(text: str, command: str) -> list[str]:
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise AgentError(f"{text} cannot be read as a command: {error}") from None
    if not words:
        raise AgentError(f"{text} names no program; write cmd:./my-agent --with options")
    return words
