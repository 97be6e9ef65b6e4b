"""``wrap_agent``: code around each reply of an agent, whatever shape the agent has."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from typing import Any

Before = Callable[[list[dict[str, Any]], list[dict[str, Any]]], object]
"""Gets the messages and the tools, before the agent does."""
After = Callable[[list[dict[str, Any]], Any], object]
"""Gets the messages, and the reply as the agent gave it."""


@dataclass(frozen=True)
class WrappedAgent:
    """An agent with code around its replies.

    The rest of the package asks :func:`bare` what the agent is: its shape, its concurrency, how it
    is recorded and closed are those of the agent alone.
    """

    agent: Any
    before: Before | None = None
    after: After | None = None

    def __call__(self, messages: list[dict[str, Any]], tools: list[dict[str, Any]]) -> Any:
        """Return the agent's reply, which is awaitable if the agent's is."""
        if self.before:
            self.before(messages, tools)
        reply = self.agent(messages, tools)
        if inspect.isawaitable(reply):
            return self._awaited(messages, reply)
        if self.after:
            self.after(messages, reply)
        return reply

    async def _awaited(self, messages: list[dict[str, Any]], reply: Awaitable[Any]) -> Any:
        result = await reply
        if self.after:
            self.after(messages, result)
        return result


def wrap_agent(agent: Any, *, before: Before | None = None, after: After | None = None) -> Any:
    """Return an agent that calls ``before(messages, tools)`` and ``after(messages, reply)``.

    They are called around each reply. ``agent`` may have any shape: one with ``run_turn``, of a
    framework, or a program replies with each call of a tool and with the text of each turn. Name,
    settings, limits and concurrency remain those of the agent. What the two return is ignored; if
    one raises, the item is an error. Raises ``TypeError`` if they cannot be called, or are async.
    """
    for name, function in (("before", before), ("after", after)):
        if function is not None and not callable(function):
            raise TypeError(f"{name} must be a function, not {function!r}")
        if inspect.iscoroutinefunction(function):
            raise TypeError(f"{name} must be a plain function, not async")
    return WrappedAgent(agent, before, after)


def bare(agent: Any) -> Any:
    """Return an agent without what :func:`wrap_agent` put around it."""
    while type(agent) is WrappedAgent:
        agent = agent.agent
    return agent


def rewrapped(agent: Any, inner: Any) -> Any:
    """Return ``inner`` with what :func:`wrap_agent` put around ``agent``."""
    if type(agent) is not WrappedAgent:
        return inner
    return replace(agent, agent=rewrapped(agent.agent, inner))
