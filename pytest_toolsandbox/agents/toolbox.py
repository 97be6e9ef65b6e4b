"""The tools of one conversation, for an agent that calls them itself in ``run_turn``."""

from __future__ import annotations

import asyncio
import queue
import threading
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final

from pytest_toolsandbox.models.requests import request_context
from pytest_toolsandbox.models.usage import Usage, increase, usage_in
from pytest_toolsandbox.text.formatting import type_name

from .frameworks import framework
from .tool_functions import async_function, callable_tool, plain_function

LOOKS: Final = 10
"""How often in turn there is no further call, after which those that wait were made at once."""
APART: Final = 0.002
"""Seconds from one look to the next, besides those for which other threads want to run."""

Arguments = Mapping[str, Any] | str | None
"""A mapping, or what should be the JSON of one as a model wrote it; ``None`` for no arguments."""


class TurnOver(BaseException):  # a framework's ``except Exception`` would tell it to its model
    """A tool was called when nobody answers calls any more; the text says when, in one line."""


@dataclass(frozen=True)
class Asked:
    """Calls that wait for their results, in a task or a thread.

    Those ``alone`` can have none beside them.
    """

    calls: Sequence[tuple[str, Arguments]]
    alone: bool
    in_task: bool
    results: Future[list[str]] = field(default_factory=Future)


class Turn:
    """A turn of an agent: its calls wait here until the conversation has answered them."""

    def __init__(self) -> None:
        self.thread: int | None = None
        self.task: asyncio.Task[Any] | None = None
        self.over = "no turn was under way"
        """Why calls are refused; empty while they are not."""
        self._asked: queue.SimpleQueue[Asked | None] = queue.SimpleQueue()
        self._open: list[Asked] = []
        self._lock = threading.Lock()

    def let_in(self) -> None:
        """Take calls from now on; those of the current thread have no others beside them."""
        self.thread, self.over = threading.get_ident(), ""

    async def awaited(self, result: Awaitable[Any]) -> Any:
        """Await the result of ``run_turn`` in a task that can be cancelled."""
        self.task = asyncio.current_task()
        return await result

    def ask(self, asked: Asked) -> Future[list[str]]:
        """Let calls wait, and return where their results will be. Raises :class:`TurnOver`."""
        with self._lock:
            if self.over:
                names = ", ".join(str(name) for name, _ in asked.calls)
                raise TurnOver(f"{names}: called when {self.over}; call tools within run_turn")
            self._open.append(asked)
            self._asked.put(asked)
        return asked.results

    def next_calls(self) -> list[Asked]:
        """Wait for calls that are made at once; without any, the turn has come to its end."""
        found = [self._asked.get()]
        with suppress(queue.Empty):
            while found[-1] is not None and not found[-1].alone:
                found.append(self._further())
        if found[-1] is None:
            self._asked.put(None)
        return [asked for asked in found if asked is not None]

    def _further(self) -> Asked | None:
        """Return what comes while this thread, and so the others, got its turns to run.

        Raises ``queue.Empty``. By a clock alone a thread would be late that had to wait for others.
        """
        for _ in range(LOOKS - 1):
            with suppress(queue.Empty):
                return self._asked.get(timeout=APART)
        return self._asked.get(timeout=APART)

    def came_to_its_end(self, _: object = None) -> None:
        """Say that ``run_turn`` is done."""
        self._asked.put(None)

    def end(self, why: str) -> None:
        """Refuse the calls that still wait, and those to come; ``why`` says when they came.

        Tasks are cancelled: frameworks await them in groups, and know how to end those.
        """
        with self._lock:
            self.over = why
            for asked in self._open:
                if asked.in_task:
                    asked.results.cancel()
                elif not asked.results.done():
                    names = ", ".join(str(name) for name, _ in asked.calls)
                    asked.results.set_exception(TurnOver(f"{names}: no result, since {why}"))
            self._open.clear()


class Toolbox:
    """The tools of one conversation: as functions, as schemas with :meth:`call`, over MCP.

    A result is the text that a model would read: the JSON of what the tool returned, or an error
    as ``Type: message``. ``prompt`` is what agents without a prompt of their own are told, and
    ``facts`` the part of it that every agent has to know, such as what time it is, if any.
    ``memory`` is the agent's own, empty at the start of a conversation. ``other_calls`` counts by
    name the calls that it made of tools that are not here.
    """

    def __init__(
        self, schemas: Sequence[Mapping[str, Any]], prompt: str = "", facts: str = ""
    ) -> None:
        self.schemas = [dict(schema) for schema in schemas]
        self.prompt, self.facts = prompt, facts
        self.memory: dict[str, Any] = {}
        self.other_calls: Counter[str] = Counter()
        self._turn = Turn()
        self._requests = request_context()

    def call(self, name: str, arguments: Arguments = None) -> str:
        """Call a tool and return its result. Raises :class:`TurnOver` outside of a turn."""
        return self.call_all([(name, arguments)])[0]

    def call_all(self, calls: Sequence[tuple[str, Arguments]]) -> list[str]:
        """Make several calls at once, ``(name, arguments)`` each, and return their results."""
        turn, calls = self._turn, [(name, arguments) for name, arguments in calls]
        alone = threading.get_ident() == turn.thread or _is_on_a_loop()
        return turn.ask(Asked(calls, alone, in_task=False)).result() if calls else []

    async def call_async(self, name: str, arguments: Arguments = None) -> str:
        """Do as :meth:`call` while others go on; calls that are awaited together are parallel."""
        turn = self._turn
        alone = asyncio.current_task() is turn.task
        asked = Asked([(name, arguments)], alone, in_task=True)
        return (await asyncio.wrap_future(turn.ask(asked)))[0]

    @cached_property
    def functions(self) -> list[Callable[..., str]]:
        """The tools as functions, with name, signature and docstring."""
        return [plain_function(schema["function"], self.call) for schema in self.schemas]

    @cached_property
    def async_functions(self) -> list[Callable[..., Awaitable[str]]]:
        """The tools as coroutine functions, with name, signature and docstring."""
        return [async_function(schema["function"], self.call_async) for schema in self.schemas]

    def add_usage(self, told: Any = None, model: str | None = None, **figures: float) -> None:
        """Count what requests of the agent used, which nothing else here sees.

        ``told`` is the ``usage`` of a provider's or a framework's reply. The ``figures`` may stand
        in its place: ``requests`` (1), ``input_tokens``, ``output_tokens``, ``cached_tokens``,
        ``reasoning_tokens`` and ``cost`` in US dollars. Without a cost the price of the ``model``
        is looked up. Raises ``ValueError`` for none of them.
        """
        if not self.count_usage(figures if told is None else told, model):
            found = type_name(told) if told is not None else ", ".join(figures) or "nothing"
            raise ValueError(f"add_usage: expected input_tokens and output_tokens, found {found}")

    def count_usage(self, told: Any, model: str | None = None) -> bool:
        """Count a usage if it can be read, and return whether it can."""
        if (usage := usage_in(told)) is None:
            return False
        self._requests.count(self._requests.prices.priced(usage, model), "agent")
        return True

    def count_total(self, before: Usage, told: Any, model: str | None = None) -> Usage:
        """Count what a running total tells beyond one ``before``, and return the new one."""
        if (now := usage_in(told)) is None:
            return before
        self.count_usage(increase(before, now), model)
        return now

    def for_(self, name: str) -> Any:
        """Return the tools in the form of a framework, such as ``pydantic_ai``.

        Raises ``ValueError`` for a name that is not known.
        """
        form = framework(name).tool
        calls = self.call, self.call_async
        return [form(callable_tool(schema["function"], *calls)) for schema in self.schemas]

    @cached_property
    def mcp_url(self) -> str:
        """Where an MCP client finds the tools, over streamable HTTP, while the conversation lasts.

        The address is on the loopback interface, and cannot be guessed.
        """
        from .mcp_server import mcp_server

        return mcp_server().opened(self)

    def close(self) -> None:
        """Serve the tools no longer."""
        if "mcp_url" in vars(self):
            from .mcp_server import mcp_server

            mcp_server().close_address(self.mcp_url)

    def begin(self, turn: Turn) -> None:
        """Let the calls of a turn through."""
        self._turn = turn


RunTurn = Callable[[str, Toolbox], Awaitable[str]]
"""Takes a message of the user's, and returns the reply of the agent."""


def _is_on_a_loop() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True
