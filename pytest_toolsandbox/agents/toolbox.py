"""The ``Toolbox`` of a conversation, for an agent that calls tools itself in ``run_turn``."""

from __future__ import annotations

import asyncio
import queue
import threading
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Final

from pytest_toolsandbox.models.requests import request_context
from pytest_toolsandbox.models.usage import UNKNOWN, Usage, increase, usage_in
from pytest_toolsandbox.text.formatting import type_name

from .frameworks import adapter
from .tool_functions import async_function, callable_tool, plain_function

_POLLS: Final = 10
"""The number of polls without a further call, after which waiting calls count as parallel."""
_POLL_SECONDS: Final = 0.002

Arguments = Mapping[str, Any] | str | None
"""A mapping, or its JSON as a model wrote it; ``None`` for no arguments."""


class TurnOver(BaseException):  # a framework's ``except Exception`` would send it to its model
    """A tool was called after its turn or its conversation; the text says when, in one line."""


@dataclass(frozen=True)
class PendingCalls:
    """Calls that wait for their results, in a task or a thread.

    While calls are ``alone``, no further calls can be made in parallel.
    """

    calls: Sequence[tuple[str, Arguments]]
    alone: bool
    in_task: bool
    results: Future[list[str]] = field(default_factory=Future)


class Turn:
    """A turn of an agent: its calls wait here until the conversation answers them."""

    def __init__(self) -> None:
        self.thread: int | None = None
        self.task: asyncio.Task[Any] | None = None
        self.over = "no turn was under way"
        """Why calls are refused; empty while they are accepted."""
        self._queue: queue.SimpleQueue[PendingCalls | None] = queue.SimpleQueue()
        self._open: list[PendingCalls] = []
        self._lock = threading.Lock()

    def accept_calls(self) -> None:
        """Accept calls from now on; calls from the current thread are made alone."""
        self.thread, self.over = threading.get_ident(), ""

    async def awaited(self, result: Awaitable[Any]) -> Any:
        """Await the result of ``run_turn`` in a task that can be cancelled."""
        self.task = asyncio.current_task()
        return await result

    def submit(self, pending: PendingCalls) -> Future[list[str]]:
        """Add calls, and return the future of their results. Raises :class:`TurnOver`."""
        with self._lock:
            if self.over:
                names = ", ".join(str(name) for name, _ in pending.calls)
                raise TurnOver(f"{names}: called when {self.over}; call tools within run_turn")
            self._open.append(pending)
            self._queue.put(pending)
        return pending.results

    def next_calls(self) -> list[PendingCalls]:
        """Wait for parallel calls, and return them; an empty list if the turn has ended."""
        items = [self._queue.get()]
        with suppress(queue.Empty):
            while items[-1] is not None and not items[-1].alone:
                items.append(self._poll())
        if items[-1] is None:
            self._queue.put(None)
        return [item for item in items if item is not None]

    def _poll(self) -> PendingCalls | None:
        """Return the next item, or raise ``queue.Empty``.

        Several short polls give the other threads as many chances to run. One long timeout would
        miss the call of a thread that had to wait for other threads.
        """
        for _ in range(_POLLS - 1):
            with suppress(queue.Empty):
                return self._queue.get(timeout=_POLL_SECONDS)
        return self._queue.get(timeout=_POLL_SECONDS)

    def mark_finished(self, _: object = None) -> None:
        """Have :meth:`next_calls` return none, as ``run_turn`` has returned."""
        self._queue.put(None)

    def end(self, why: str) -> None:
        """Refuse the calls that still wait and later ones; ``why`` says when they came.

        Tasks are cancelled: frameworks await them in groups, and know how to end those.
        """
        with self._lock:
            self.over = why
            for pending in self._open:
                if pending.in_task:
                    pending.results.cancel()
                elif not pending.results.done():
                    names = ", ".join(str(name) for name, _ in pending.calls)
                    pending.results.set_exception(TurnOver(f"{names}: no result, since {why}"))
            self._open.clear()


class Toolbox:
    """The tools of one conversation: as functions, as schemas with :meth:`call`, over MCP.

    A result is the text that a model would read: the JSON of what the tool returned, or an error
    as ``Type: message``. ``prompt`` is for agents without a prompt of their own; ``facts`` is the
    part of it that every agent needs, such as the current time. ``memory`` is free for the agent,
    and empty at the start of a conversation. ``other_calls`` counts by name the agent's calls of
    tools that are not the scenario's.
    """

    def __init__(
        self, schemas: Sequence[Mapping[str, Any]], prompt: str = "", facts: str = ""
    ) -> None:
        self.schemas = [dict(schema) for schema in schemas]
        self.prompt, self.facts = prompt, facts
        self.memory: dict[str, Any] = {}
        self.other_calls: Counter[str] = Counter()
        self.counted = 0
        """How often usage was counted."""
        self._turn = Turn()
        self._requests = request_context()

    def call(self, name: str, arguments: Arguments = None) -> str:
        """Call a tool and return its result. Raises :class:`TurnOver` outside of a turn."""
        return self.call_all([(name, arguments)])[0]

    def call_all(self, calls: Sequence[tuple[str, Arguments]]) -> list[str]:
        """Make parallel calls, ``(name, arguments)`` each, and return their results."""
        turn, calls = self._turn, [(name, arguments) for name, arguments in calls]
        alone = threading.get_ident() == turn.thread or _in_event_loop()
        return turn.submit(PendingCalls(calls, alone, in_task=False)).result() if calls else []

    async def call_async(self, name: str, arguments: Arguments = None) -> str:
        """Call a tool as :meth:`call` does; calls that are awaited together are parallel."""
        turn = self._turn
        alone = asyncio.current_task() is turn.task
        pending = PendingCalls([(name, arguments)], alone, in_task=True)
        return (await asyncio.wrap_future(turn.submit(pending)))[0]

    async def call_over_mcp(self, name: str, arguments: Arguments = None) -> str:
        """Call a tool for another process, on any event loop; outside of a turn, return that."""
        pending = PendingCalls([(name, arguments)], alone=False, in_task=False)
        try:
            return (await asyncio.wrap_future(self._turn.submit(pending)))[0]
        except TurnOver as error:
            return str(error)

    @cached_property
    def functions(self) -> list[Callable[..., str]]:
        """The tools as functions, with name, signature and docstring."""
        return [plain_function(schema["function"], self.call) for schema in self.schemas]

    @cached_property
    def async_functions(self) -> list[Callable[..., Awaitable[str]]]:
        """The tools as coroutine functions, with name, signature and docstring."""
        return [async_function(schema["function"], self.call_async) for schema in self.schemas]

    def add_usage(self, usage: Any = None, model: str | None = None, **figures: float) -> None:
        """Count the agent's own requests to models, which are not counted automatically.

        ``usage`` is that of a provider's or a framework's reply. Instead, pass the ``figures``:
        ``requests`` (1), ``input_tokens``, ``output_tokens``, ``cached_tokens``,
        ``reasoning_tokens`` and ``cost`` in US dollars. Without a cost the price of the ``model``
        is looked up. Raises ``ValueError`` if there are no figures.
        """
        if not self.count_usage(figures if usage is None else usage, model):
            actual = type_name(usage) if usage is not None else ", ".join(figures) or "nothing"
            raise ValueError(f"add_usage: expected input_tokens and output_tokens, found {actual}")

    def count_usage(self, source: Any, model: str | None = None) -> bool:
        """Count the usage in a framework's object, and return whether there is one."""
        if (usage := usage_in(source)) is None:
            return False
        self._requests.count(self._requests.prices.priced(usage, model), "agent")
        self.counted += 1
        return True

    def count_unknown(self, requests: int) -> None:
        """Count requests whose usage is not known."""
        self._requests.count(replace(UNKNOWN, requests=requests), "agent")

    def count_total(self, before: Usage, source: Any, model: str | None = None) -> Usage:
        """Count the increase of a running total since ``before``, and return the new total."""
        if (now := usage_in(source)) is None:
            return before
        self.count_usage(increase(before, now), model)
        return now

    def for_(self, name: str) -> Any:
        """Return the tools in the form of a framework, such as ``pydantic_ai``.

        Raises ``ValueError`` for a name that is not known.
        """
        form = adapter(name).tool
        calls = self.call, self.call_async
        return [form(callable_tool(schema["function"], *calls)) for schema in self.schemas]

    @cached_property
    def mcp_url(self) -> str:
        """The URL of an MCP server with the tools (streamable HTTP), for this conversation only.

        It is on the loopback interface, and cannot be guessed.
        """
        from .mcp_server import mcp_server

        return mcp_server().add(self)

    def close(self) -> None:
        """Stop serving the tools over MCP."""
        if "mcp_url" in vars(self):
            from .mcp_server import mcp_server

            mcp_server().remove(self.mcp_url)

    def begin(self, turn: Turn) -> None:
        """Send the following calls to this turn."""
        self._turn = turn


RunTurn = Callable[[str, Toolbox], Awaitable[str]]
"""Takes a message of the user, and returns the reply of the agent."""


def _in_event_loop() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True
