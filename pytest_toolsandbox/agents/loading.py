"""A user's own agent, found by ``module:attribute``."""

from __future__ import annotations

from typing import cast

from pytest_toolsandbox.models.errors import AgentError
from pytest_toolsandbox.wording.import_strings import Expected, ImportStringError, find

from .agent import Agent


def load_agent(reference: str) -> Agent:
    """Return the agent that ``module:attribute`` names.

    A callable that takes ``(messages, tools)`` is the agent, ``async def`` or not; one that needs
    no arguments makes it. Every mistake is an ``AgentError`` of one line.
    """
    module, _, attribute = reference.partition(":")
    if not (module and attribute):
        raise AgentError(f"{reference!r} names no agent; write module:attribute")
    try:
        return cast("Agent", find(reference, _EXPECTED))
    except ImportStringError as error:
        raise AgentError(str(error)) from error


_EXPECTED = Expected(
    ("messages", "tools"),
    "an agent takes (messages, tools), and a factory, which makes one, nothing",
    "an async factory; an agent may be async, a factory not",
)
