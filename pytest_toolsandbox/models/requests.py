"""Requests to models: their context in a conversation, usage, and rate limits.

``send_request`` counts a request and sends it to the provider or to a replacement such as a
cassette. ``Limits`` adapts the number of concurrent requests to what a provider accepts.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any, Final, Literal, NamedTuple, get_args

from pytest_toolsandbox.concurrency.time_limit import uncounted

from .errors import ProviderError
from .usage import Budget, Prices, Usage, total, usage_in

_START: Final = 20
_FLOOR: Final = 10
_CAP: Final = 100
"""The initial, smallest and largest limit of a model."""
_GROWTH: Final = 1.05
"""The growth of a limit after a clean round, once the provider has refused a request."""
_SHRINKAGE: Final = 0.8
_EPISODE: Final = 15.0
"""Seconds after a refusal in which further ones are ignored, if the provider asks for no pause."""
_LONGEST_EPISODE: Final = 600.0


class Limit:
    """The concurrency limit of one model, adapted to its provider as Inspect does it.

    It doubles after each clean round: as many answers in a row as the limit allows at once. When
    the provider refuses a request (429), it shrinks, at most once in an episode, and then grows
    slowly. Other errors of the provider restart the round; answers to retries do not count.
    """

    def __init__(self, share: int = 1, clock: Callable[[], float] = time.monotonic) -> None:
        # The workers of pytest-xdist share one provider, so each gets a part of the limits.
        self.size: float = max(1, _START // share)
        self.floor, self.cap = max(1, _FLOOR // share), max(1, _CAP // share)
        self._places: set[object] = set()
        """One for each request that is under way."""
        self._clean = 0
        self._was_refused = False
        self._episode_ends = 0.0
        self._clock = clock
        # ``with`` takes a lock in one step, a condition in several, between which a signal handler
        # may raise and leave it taken.
        self._lock = threading.Lock()
        self._changed = threading.Condition(self._lock)

    @contextmanager
    def place(self) -> Iterator[None]:
        """Wait for a free place; this time does not count against the conversation's timeout."""
        place = object()
        try:
            with uncounted(), self._lock:
                self._changed.wait_for(lambda: self.under_way < int(self.size))
                self._places.add(place)
            yield
        finally:
            with self._lock:
                self._places.discard(place)
                self._changed.notify()

    @property
    def under_way(self) -> int:
        """The number of requests that have a place."""
        return len(self._places)

    def succeeded(self) -> None:
        """Count an answer to a request that was not retried."""
        with self._lock:
            self._clean += 1
            if self._clean >= int(self.size):
                self._clean = 0
                # Double as long as the provider never refused, to reach its limit quickly; then
                # grow slowly, as in TCP's congestion control.
                grown = (
                    max(self.size * _GROWTH, self.size + 1) if self._was_refused else 2 * self.size
                )
                self.size = min(grown, self.cap)
                self._changed.notify_all()

    def failed(self) -> None:
        """Restart the round, after an error other than a refusal."""
        with self._lock:
            self._clean = 0

    def refused(self, wait: float | None) -> None:
        """Shrink if this refusal begins an episode; ``wait`` is the pause that it asks for."""
        now = self._clock()
        with self._lock:
            self._clean, self._was_refused = 0, True
            # Requests that were sent before the first refusal are refused, too. They must not
            # shrink the limit again.
            if now >= self._episode_ends:
                self.size = max(self.size * _SHRINKAGE, self.floor)
                self._episode_ends = now + (
                    _EPISODE if wait is None else min(wait, _LONGEST_EPISODE)
                )


class Limits:
    """The limits of all models, of which this process may use one part in ``share``."""

    def __init__(self, share: int = 1) -> None:
        self.share = share
        self._limits: dict[str, Limit] = {}
        self._lock = threading.Lock()

    def of(self, model: str) -> Limit:
        """Return the limit of a model, named ``provider/model``."""
        with self._lock:
            return self._limits.setdefault(model, Limit(self.share))


Asker = Literal["agent", "user", "reviewer", "judge", "embedder"]
"""Who makes a request; a reviewer is the model that checks a simulated user."""


@dataclass(frozen=True)
class ModelRequest:
    """A request before it is translated for a provider.

    ``function`` is ``completion`` or ``embedding``. ``parameters`` are those of the user's
    :class:`~pytest_toolsandbox.models.model_agent.ProviderModel`, including API keys; ``payload``
    has ``messages``, ``tools``, ``tool_choice`` and ``seed``, or the ``input`` of an embedding.
    """

    function: str
    model: str
    parameters: Mapping[str, Any]
    payload: Mapping[str, Any]
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
"""Replaces or records the provider: it answers a request itself, or asks and keeps the reply."""


class AgentRequest(NamedTuple):
    """What an agent is asked, and the index of the message that replies."""

    messages: Sequence[Any]
    tools: Sequence[Any]
    place: int


class StandIn:
    """Asks agents, users, judges and embedders themselves; a tape overrides the methods.

    If a tape ``replays``, it takes all answers from a cassette.
    """

    replays = False

    def agent(self, agent: Any, request: AgentRequest, ask: Callable[[Any], Any]) -> Any:
        """Return the reply of an agent; ``ask`` takes the messages."""
        del agent
        return ask(request.messages)

    def user(self, user: Any, messages: Sequence[Any], ask: Callable[[], Any]) -> Any:
        """Return the answer of a user to some messages."""
        del user, messages
        return ask()

    def judge(self, name: str, text: str, ask: Callable[[], dict[str, Any]]) -> Mapping[str, Any]:
        """Return the reply of a user's own judge of this name, which is shown a text."""
        del name, text
        return ask()

    def embedder(self, embedder: Any) -> Any:
        """Return the embedder, if there is one."""
        return embedder

    def known(self, model: str, ask: Callable[[], Sequence[str]]) -> Sequence[str]:
        """Return the parameters that a model is known to take."""
        del model
        return ask()


class Meter:
    """Counts the usage of a conversation's requests by asker, and why their replies ended.

    Threads may share it.
    """

    def __init__(self) -> None:
        self._used: list[tuple[Asker, Usage, tuple[str, ...]]] = []

    def add(
        self, usage: Usage, asker: Asker | None = None, finish_reasons: Sequence[str] = ()
    ) -> None:
        """Count the usage of requests; the default ``asker`` is the current one."""
        # Appending is atomic, unlike a sum.
        self._used.append((asker or _ASKER.get(), usage, tuple(finish_reasons)))

    @property
    def place(self) -> int:
        """The number of counted usages."""
        return len(self._used)

    def used(self, start: int = 0, end: int | None = None) -> dict[Asker, Usage]:
        """Return asker → usage, of the usages counted between the places ``start`` and ``end``."""
        rows = self._used[start:end]
        return {
            asker: total(usage for who, usage, _ in rows if who == asker)
            for asker in get_args(Asker)
            if any(who == asker for who, *_ in rows)
        }

    def finish_reasons(self, start: int = 0, end: int | None = None) -> dict[Asker, list[str]]:
        """Return asker → finish reasons of its replies, as far as known, between two places."""
        reasons: dict[Asker, list[str]] = {}
        for asker, _, ended in self._used[start:end]:
            if ended:
                reasons.setdefault(asker, []).extend(ended)
        return reasons


_LIMITS: Final = Limits()
"""The limits of a process without workers."""


@dataclass(frozen=True)
class RequestContext:
    """The settings and counts of the requests of one conversation.

    A request is retried ``retries`` times after temporary errors. The conversations of a process
    share ``limits``, which bound the concurrent requests, and ``prices``. With ``keeps_reasoning``,
    the conversation has the thoughts of its agent.
    """

    meter: Meter = field(default_factory=Meter)
    player: Player | None = None
    stand_in: StandIn = field(default_factory=StandIn)
    retries: int = 4
    limits: Limits = _LIMITS
    prices: Prices = field(default_factory=Prices)
    budget: Budget | None = None
    keeps_reasoning: bool = False

    def count(self, usage: Usage, asker: Asker | None = None) -> None:
        """Count a usage that the agent reports."""
        self.meter.add(usage, asker)
        self.spend(usage)

    def spend(self, usage: Usage) -> None:
        """Count a usage against the budget of the run, unless it is replayed."""
        if self.budget is not None and not self.replays:
            self.budget.spend(usage)

    def end(self) -> None:
        """Tell the budget of the run that the conversation has ended."""
        if self.budget is not None:
            self.budget.end_conversation()

    @property
    def replays(self) -> bool:
        """Whether all replies come from a recording."""
        return self.stand_in.replays


_CURRENT: Final = ContextVar[RequestContext | None]("requests", default=None)
_ASKER: Final = ContextVar[Asker]("asker", default="embedder")


def request_context() -> RequestContext:
    """Return the context of the current conversation, or a new one."""
    return _CURRENT.get() or RequestContext()


@contextmanager
def requests_in(context: RequestContext) -> Iterator[RequestContext]:
    """Within the block, requests belong to a conversation, on any thread.

    The workers and event loops of ``concurrency`` inherit the context of their callers.
    """
    before = _CURRENT.set(context)
    try:
        yield context
    finally:
        _CURRENT.reset(before)


@contextmanager
def asked_by(asker: Asker) -> Iterator[None]:
    """Within the block, count requests for an asker."""
    before = _ASKER.set(asker)
    try:
        yield
    finally:
        _ASKER.reset(before)


def current_asker() -> Asker:
    """Return for whom requests are counted at the moment."""
    return _ASKER.get()


def count_reply_usage(reply: Any) -> None:
    """Count the ``usage`` of the ``model`` in a reply of an agent, if there is one."""
    source, model = (
        reply.get(name) if isinstance(reply, Mapping) else getattr(reply, name, None)
        for name in ("usage", "model")
    )
    if source is not None and (usage := usage_in(source)):
        context = request_context()
        context.count(context.prices.priced(usage, model))


def send_request(
    function: str,
    model: str,
    parameters: Mapping[str, Any],
    payload: Mapping[str, Any],
    ask: Ask,
) -> ModelReply:
    """Return the reply to a request, from the player or the provider, and count its usage.

    Raises what ``ask`` or the player raises.
    """
    context = request_context()
    request = ModelRequest(function, model, parameters, payload, _ASKER.get())

    def paid() -> ModelReply:
        reply = ask()
        # Only here: replies from a cassette cost nothing.
        context.spend(reply.usage)
        return reply

    try:
        reply = context.player(request, paid) if context.player else paid()
    except ProviderError as error:
        # Failed requests used no known tokens, but count as requests and retries.
        if error.tries and not error.lacks_key:
            context.meter.add(Usage(requests=1, retries=error.tries - 1))
        raise
    context.meter.add(reply.usage, finish_reasons=[*filter(None, [reply.finish_reason])])
    return reply
