"""Calls an agent: plain or ``async``, within the time that it has."""

from __future__ import annotations

import asyncio
import contextvars
import inspect
import threading
import time
import traceback
from typing import Any

from pytest_toolsandbox.agents.agent import Agent, AgentError


class AgentCaller:
    """Asks one agent for its replies, in one conversation.

    Coroutines of a conversation share one event loop. ``timeout`` is in seconds of the agent's
    own time, over the whole conversation; an agent that exceeds it is left behind on its thread.
    """

    def __init__(self, agent: Agent, timeout: float | None) -> None:
        self.agent = agent
        self.timeout = timeout
        self.left = timeout
        self._runner: asyncio.Runner | None = None

    def ask(self, messages: list[dict[str, Any]], tools: list[dict[str, Any]]) -> Any:
        """Return the agent's reply. Raises :class:`AgentError` for whatever it raises."""
        try:
            return self._ask(messages, tools)
        except AgentError:
            raise
        except Exception as error:
            raise AgentError(f"the agent raised {_described(error)}") from error

    def close(self) -> None:
        """Close the event loop, if there was need for one."""
        if self._runner is not None:
            self._runner.close()

    def _ask(self, messages: list[dict[str, Any]], tools: list[dict[str, Any]]) -> Any:
        if self.left is None:
            return self._reply(messages, tools)
        outcome: list[Any] = []
        context = contextvars.copy_context()

        def call() -> None:
            try:
                outcome.append((context.run(self._reply, messages, tools), None))
            except BaseException as error:  # noqa: BLE001  # raised again where it is awaited
                outcome.append((None, error))

        began = time.monotonic()
        thread = threading.Thread(target=call, daemon=True, name="agent")
        thread.start()
        thread.join(self.left)
        self.left = max(0.0, self.left - (time.monotonic() - began))
        if not outcome:
            self._runner = None  # it belongs to the thread that still uses it
            raise AgentError(f"the agent took longer than its timeout of {self.timeout:g} s")
        reply, error = outcome[0]
        if error is not None:
            raise error
        return reply

    def _reply(self, messages: list[dict[str, Any]], tools: list[dict[str, Any]]) -> Any:
        reply = self.agent(messages, tools)
        if not inspect.isawaitable(reply):
            return reply
        if self._runner is None:
            self._runner = asyncio.Runner()
        return self._runner.run(_awaited(reply))


async def _awaited(reply: Any) -> Any:
    return await reply


def _described(error: Exception) -> str:
    """Write an error in one line, with the place where the agent's code raised it."""
    message = " ".join(str(error).split())
    text = f"{type(error).__name__}: {message}" if message else type(error).__name__
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if frame.filename != __file__]
    return f"{text} ({own[-1].filename}:{own[-1].lineno})" if own else text
