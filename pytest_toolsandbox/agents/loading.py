"""A user's own agent, found by ``module:attribute``."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, cast

from pytest_toolsandbox.models.errors import AgentError
from pytest_toolsandbox.wording.import_strings import Expected, ImportStringError, accepts, find

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
        return cast("Agent", find(reference, EXPECTED))
    except ImportStringError as error:
        raise AgentError(str(error)) from error


def _is_agent(found: Callable[..., Any]) -> bool:
    """Whether it takes messages and tools.

    Calling a class makes an instance, so a class is none; and what takes no arguments as well is
    a factory with options, ``build(model="…", temperature=0)``, unless it asks for messages.
    """
    if inspect.isclass(found) or not accepts(found, "messages", "tools"):
        return False
    parameters = inspect.signature(found).parameters
    variadic = any(each.kind is each.VAR_POSITIONAL for each in parameters.values())
    return variadic or "messages" in parameters or not accepts(found)


EXPECTED = Expected(
    _is_agent,
    "an agent takes (messages, tools), and a factory, which makes one, nothing",
    "an async factory; an agent may be async, a factory not",
)
