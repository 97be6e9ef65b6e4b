"""Calls an agent: plain or ``async``, within the time that it has."""

from __future__ import annotations

import asyncio
import contextvars
import inspect
import threading
import time
from concurrent.futures import Future, wait
from typing import Any

from pytest_toolsandbox.models.errors import AgentError
from pytest_toolsandbox.wording.error_text import describe_exception

from .agent import Agent


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
        self._left_behind = False

    def ask(self, messages: list[dict[str, Any]], tools: list[dict[str, Any]]) -> Any:
        """Return the agent's reply. Raises :class:`AgentError` for whatever it raises."""
        try:
            if self.left is None:
                return self._reply(messages, tools)
            return self._reply_in_time(messages, tools, self.left)
        except AgentError:
            raise
        except (Exception, SystemExit, asyncio.CancelledError) as error:
            raise AgentError(f"the agent raised {describe_exception(error)}") from error

    def close(self) -> None:
        """Close the event loop, if there was need for one and no thread still uses it."""
        if not self._left_behind:
            self._close_loop()

    def _reply_in_time(
        self, messages: list[dict[str, Any]], tools: list[dict[str, Any]], left: float
    ) -> Any:
        outcome: Future[Any] = Future()
        context = contextvars.copy_context()

        def call() -> None:
            reply, error = None, None
            try:
                reply = context.run(self._reply, messages, tools)
            except BaseException as caught:  # noqa: BLE001  # raised again where it is awaited
                error = caught
            if not outcome.set_running_or_notify_cancel():
                self._close_loop()
            elif error is not None:
                outcome.set_exception(error)
            else:
                outcome.set_result(reply)

        began = time.monotonic()
        threading.Thread(target=call, daemon=True, name="agent").start()
        try:
            wait([outcome], left)
        finally:
            self._left_behind = outcome.cancel()
        self.left = max(0.0, left - (time.monotonic() - began))
        if self._left_behind:
            raise AgentError(f"the agent took longer than its timeout of {self.timeout:g} s")
        return outcome.result()

    def _reply(self, messages: list[dict[str, Any]], tools: list[dict[str, Any]]) -> Any:
        reply = self.agent(messages, tools)
        if not inspect.isawaitable(reply):
            return reply
        if self._runner is None:
            # With a factory the runner does not touch what other code uses as its current loop.
            self._runner = asyncio.Runner(loop_factory=asyncio.new_event_loop)
        return self._runner.run(_awaited(reply))

    def _close_loop(self) -> None:
        if self._runner is not None:
            self._runner.close()


async def _awaited(reply: Any) -> Any:
    return await reply
