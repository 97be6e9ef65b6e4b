"""The one way of requests to models: counted, and answered by a provider or in its place.

How many requests to a model may be under way at once: as many as its provider takes.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any, Final, Literal, Protocol, get_args

from pytest_toolsandbox.concurrency.time_limit import uncounted

from .errors import ProviderError
from .usage import Budget, Prices, Usage, total, usage_in

START: Final = 20
FLOOR: Final = 10
CAP: Final = 100
"""The limit at first, at least and at most, of one provider and model."""
GROWTH: Final = 1.05
"""By how much a limit grows after a clean round, once the provider has refused a request."""
SHRINKING: Final = 0.8
EPISODE: Final = 15.0
"""Seconds after a refusal in which others say nothing new, where the provider names no time."""


class Limit:
    """The limit of one model, adapted to what its provider takes, as Inspect does it.

    It doubles after each clean round, which is as many answers in a row as the limit allows at
    once, until the provider refuses a request for coming too soon (429). Then it shrinks, once in
    an episode, and grows slowly after clean rounds. Other faults of the provider begin the round
    anew; an answer to a request that was made again says nothing.
    """

    def __init__(self, share: int = 1, clock: Callable[[], float] = time.monotonic) -> None:
        self.size: float = max(1, START // share)
        self.floor, self.cap = max(1, FLOOR // share), max(1, CAP // share)
        self.under_way = 0
        self._clean = 0
        self._was_refused = False
        self._episode_ends = 0.0
        self._clock = clock
        self._changed = threading.Condition()

    @contextmanager
    def place(self) -> Iterator[None]:
        """Wait for a place among the requests under way, which is no time of the conversation's."""
        with uncounted(), self._changed:
            self._changed.wait_for(lambda: self.under_way < int(self.size))
            self.under_way += 1
        try:
            yield
        finally:
            with self._changed:
                self.under_way -= 1
                self._changed.notify()

    def succeeded(self) -> None:
        """Count an answer to a request that was made once."""
        with self._changed:
            self._clean += 1
            if self._clean >= int(self.size):
                self._clean = 0
                grown = (
                    max(self.size * GROWTH, self.size + 1) if self._was_refused else 2 * self.size
                )
                self.size = min(grown, self.cap)
                self._changed.notify_all()

    def failed(self) -> None:
        """Begin the round anew, after a fault that is no refusal."""
        with self._changed:
            self._clean = 0

    def refused(self, wait: float | None) -> None:
        """Shrink, where this refusal begins an episode; ``wait`` is what the provider asks for."""
        now = self._clock()
        with self._changed:
            self._clean, self._was_refused = 0, True
            if now >= self._episode_ends:
                self.size = max(self.size * SHRINKING, self.floor)
                self._episode_ends = now + (EPISODE if wait is None else wait)


class Limits:
    """The limits of all models, of which this process has a ``share``: one part in so many."""

    def __init__(self, share: int = 1) -> None:
        self.share = share
        self._limits: dict[str, Limit] = {}
        self._lock = threading.Lock()

    def of(self, model: str) -> Limit:
        """Return the limit of a model, named ``provider/model``."""
        with self._lock:
            return self._limits.setdefault(model, Limit(self.share))


Asker = Literal["agent", "user", "reviewer", "judge", "embedder"]
"""Who makes a request: the agent, the user, the model that looks at the user, the one that judges
words, or an embedder."""


@dataclass(frozen=True)
class ModelRequest:
    """A request before litellm makes a provider's own of it.

    ``function`` is ``completion`` or ``embedding``. ``parameters`` are those of the user's
    :class:`~pytest_toolsandbox.models.litellm_agent.LitellmModel`, keys of APIs among them;
    ``given`` is what is asked: ``messages`` and ``tools``, with ``tool_choice`` and ``seed`` where
    they are set, or the ``input`` of an embedding.
    """

    function: str
    model: str
    parameters: Mapping[str, Any]
    given: Mapping[str, Any]
    asker: Asker


@dataclass(frozen=True)
class ModelReply:
    """An ``answer`` of plain JSON values: the assistant message, or the vectors of an embedding."""

    answer: Any
    finish_reason: str | None = None
    usage: Usage = field(default_factory=Usage)


Ask = Callable[[], ModelReply]
"""Asks the provider, with retries. Raises ``ProviderError``."""
Player = Callable[[ModelRequest, Ask], ModelReply]
"""What stands before the provider: it answers a request itself, or asks and keeps the reply."""


class StandIn(Protocol):
    """What stands before agents and users: it replies in their place, or asks and keeps the reply.

    One that ``replays`` asks nobody.
    """

    replays: bool

    def agent(
        self, agent: Any, given: Mapping[str, Any], ask: Callable[[Any], dict[str, Any]]
    ) -> dict[str, Any]:
        """Return the assistant message of an agent; ``given`` has ``messages`` and ``tools``."""
        ...

    def user(self, user: Any, messages: Sequence[Any], ask: Callable[[], Any]) -> Any:
        """Return what a user says to some messages."""
        ...

    def judge(self, name: str, text: str, ask: Callable[[], dict[str, Any]]) -> Mapping[str, Any]:
        """Return the reply of a judge of one's own of that name, which is shown a text."""
        ...

    def embedder(self, embedder: Any) -> Any:
        """Return what compares meanings in place of an embedder; of ``None``, ``None``."""
        ...

    def known(self, model: str, ask: Callable[[], Sequence[str]]) -> Sequence[str]:
        """Return which parameters a model is known to take."""
        ...


class Meter:
    """Counts what the requests of a conversation used, by who made them. Threads may share it."""

    def __init__(self) -> None:
        self._used: list[tuple[Asker, Usage]] = []

    def add(self, usage: Usage, asker: Asker | None = None) -> None:
        """Count the usage of requests; without an ``asker`` they are of the one asked right now."""
        self._used.append((asker or _ASKER.get(), usage))  # atomic, unlike a sum

    @property
    def place(self) -> int:
        """How often something was counted."""
        return len(self._used)

    def used(self, start: int = 0, end: int | None = None) -> dict[Asker, Usage]:
        """Return what was used by everybody of whose requests something is known.

        With ``start`` and ``end`` it is what was counted between these places.
        """
        rows = self._used[start:end]
        return {
            asker: total(usage for who, usage in rows if who == asker)
            for asker in get_args(Asker)
            if any(who == asker for who, _ in rows)
        }


LIMITS: Final = Limits()
"""Those of a process that shares them with no other one."""


@dataclass(frozen=True)
class RequestContext:
    """What a conversation wants of the requests in it.

    One that failed for a fault that passes is made again, ``retries`` times at most. ``limits``
    say how many are under way at once; the conversations of a process share them, and ``prices``.
    """

    meter: Meter = field(default_factory=Meter)
    player: Player | None = None
    stand_in: StandIn | None = None
    retries: int = 4
    limits: Limits = LIMITS
    prices: Prices = field(default_factory=Prices)
    budget: Budget | None = None

    def count(self, usage: Usage, asker: Asker | None = None) -> None:
        """Count what an agent of one's own tells."""
        self.meter.add(usage, asker)
        self.spend(usage)

    def spend(self, usage: Usage) -> None:
        """Count a usage against the budget of the run, if it was paid for now."""
        if self.budget is not None and not self.replays:
            self.budget.spend(usage)

    def end(self) -> None:
        """Let the budget of the run know that the conversation has come to its end."""
        if self.budget is not None:
            self.budget.end_conversation()

    @property
    def replays(self) -> bool:
        """Whether all that is asked is answered from what was recorded."""
        return bool(self.stand_in and self.stand_in.replays)


_CURRENT: Final = ContextVar[RequestContext | None]("requests", default=None)
_ASKER: Final = ContextVar[Asker]("asker", default="embedder")


def request_context() -> RequestContext:
    """Return the context of the conversation that is held, or one of which nobody knows."""
    return _CURRENT.get() or RequestContext()


@contextmanager
def requests_in(context: RequestContext) -> Iterator[RequestContext]:
    """Let the requests of a block be those of a conversation, on whatever thread they are made.

    Workers and event loops of ``waiting`` take the context of their callers on.
    """
    before = _CURRENT.set(context)
    try:
        yield context
    finally:
        _CURRENT.reset(before)


@contextmanager
def asked_by(asker: Asker) -> Iterator[None]:
    """Let the requests of a block count as somebody's."""
    before = _ASKER.set(asker)
    try:
        yield
    finally:
        _ASKER.reset(before)


def count_reply_usage(reply: Any) -> None:
    """Count what an agent of one's own tells with its reply: ``usage``, and of which ``model``."""
    told, model = (
        reply.get(name) if isinstance(reply, Mapping) else getattr(reply, name, None)
        for name in ("usage", "model")
    )
    if told is not None and (usage := usage_in(told)):
        context = request_context()
        context.count(context.prices.priced(usage, model))


def answered(
    function: str,
    model: str,
    parameters: Mapping[str, Any],
    given: Mapping[str, Any],
    ask: Ask,
) -> ModelReply:
    """Return the reply to a request, from the provider or from what stands before it; count it.

    Raises what ``ask`` raises, or the player.
    """
    context = request_context()
    request = ModelRequest(function, model, parameters, given, _ASKER.get())

    def paid() -> ModelReply:
        reply = ask()
        context.spend(reply.usage)
        return reply

    try:
        reply = context.player(request, paid) if context.player else paid()
    except ProviderError as error:
        if error.tries and not error.lacks_key:
            context.meter.add(Usage(requests=1, retries=error.tries - 1))
        raise
    context.meter.add(reply.usage)
    return reply
