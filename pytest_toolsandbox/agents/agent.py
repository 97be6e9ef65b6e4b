"""The ``Agent`` protocol, and how agents are called: ``AgentCaller`` keeps their time limit.

``PerConversation`` makes an agent for each conversation, and ``conversations_at_once`` is the
default concurrency of an agent.
"""

from __future__ import annotations

import inspect
import threading
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Final, Protocol, Self, cast

from pytest_toolsandbox.concurrency.event_loop import run_coroutine
from pytest_toolsandbox.concurrency.time_limit import (
    OutOfTime,
    Overseen,
    call_in_time,
    counting_down,
    has_alarm,
)
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.models.errors import AgentError, outage_or
from pytest_toolsandbox.models.model_agent import ProviderModel, load_client
from pytest_toolsandbox.models.requests import asked_by, count_reply_usage, request_context
from pytest_toolsandbox.text.error_text import blamed, describe_exception

from .frameworks import adapters
from .programs import Program
from .scripted import is_scripted
from .shapes import REPLIES, is_async, shape_of
from .turn_taking import TurnTaker
from .wrapping import bare, rewrapped

ChatMessage = dict[str, Any]


class Agent(Protocol):
    """A callable in the shape of a chat-completions API; ``async def`` works too.

    ``messages`` is what the agent has seen so far: ``system``, ``user``, ``assistant`` (with
    ``tool_calls``) and ``tool`` messages. ``tools`` are the definitions of the functions that it
    may call. The reply is text for the user, or an assistant message with ``tool_calls``.
    """

    def __call__(
        self, messages: list[ChatMessage], tools: list[dict[str, Any]]
    ) -> str | ChatMessage | Awaitable[str | ChatMessage]:
        """Return the reply to the last message."""
        ...


class AgentCaller:
    """Asks an agent for its replies, within ``timeout`` seconds for a whole conversation.

    An agent that takes turns gets the ``facts`` if it has a prompt of its own. The ``prompt``, if
    any, replaces the instructions of an agent of a framework.
    """

    def __init__(
        self, agent: Agent, timeout: float | None, facts: str = "", prompt: str = ""
    ) -> None:
        wrapped, agent = agent, bare(agent)
        # isinstance would ask the __class__ of any object, which may raise: type() does not.
        self.agent = agent if shape_of(agent) == REPLIES else TurnTaker(agent)
        self._ask_agent: Agent = rewrapped(wrapped, self.agent)
        if type(self.agent) is TurnTaker:
            self.agent.facts, self.agent.prompt = facts, prompt
        self._is_scripted = is_scripted(agent)
        self.timeout = None if is_human(agent) or self._is_scripted else timeout
        self.used = 0.0
        self._overseen: Overseen | None = None
        if issubclass(type(agent), ProviderModel) and not request_context().replays:
            load_client(cast("ProviderModel", agent).model)

    @property
    def remembers(self) -> bool:
        """Whether the agent has its own history, or a script, and reads no earlier message."""
        takes_turns = type(self.agent) is TurnTaker and not self.agent.replies
        return self._is_scripted or takes_turns

    def ask(self, messages: list[dict[str, Any]], tools: list[dict[str, Any]]) -> Any:
        """Return the agent's reply. Raises :class:`AgentError` for whatever the agent raises."""
        with counting_down(None) as countdown:
            try:
                with blamed(self._error_for, AgentError), asked_by("agent"):
                    reply = self._call(messages, tools)
                    if inspect.isawaitable(reply):
                        reply = run_coroutine(reply, self._time_left(countdown.spent))
                    count_reply_usage(reply)
                    return reply
            finally:
                self.used += countdown.spent

    def during(self, talk: Callable[[], None]) -> None:
        """Call a function that asks the agent again and again, on one thread if possible.

        Raises what the function raises, and :class:`AgentError` if the agent takes too long.
        """
        if self.timeout is None or is_async(self.agent) or has_alarm():
            talk()
            return
        self._overseen, limit = Overseen(), self.timeout
        try:
            self._overseen.run(talk, lambda: limit - self.used)
        except OutOfTime as error:
            raise self._error_for(error) from error

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: object, raised: BaseException | None, traceback: object) -> None:
        """Close an agent that was made for this conversation. Raises :class:`AgentError`."""
        if type(self.agent) is not TurnTaker:
            return
        try:
            with blamed(closing_error, AgentError):
                self.agent.close()
        except AgentError:
            if raised is None:  # the first error says more
                raise

    def _error_for(self, error: BaseException) -> Exception:
        if isinstance(error, OutOfTime):
            limit = f"its timeout of {self.timeout:g} s"
            text = f"the agent took longer than {limit}; the scenario's 'timeout' sets another"
            return AgentError(text)
        return outage_or(error, f"the agent raised {describe_exception(error)}", AgentError)

    def _call(self, messages: list[dict[str, Any]], tools: list[dict[str, Any]]) -> Any:
        seconds = self._time_left()
        if self._is_scripted or is_async(self.agent):
            return self._ask_agent(messages, tools)
        return call_in_time(lambda: self._ask_agent(messages, tools), seconds, self._overseen)

    def _time_left(self, spent: float = 0.0) -> float | None:
        if self.timeout is None:
            return None
        remaining = self.timeout - self.used - spent
        if remaining <= 0:
            raise OutOfTime
        return remaining


def closing_error(error: BaseException) -> AgentError:
    """Return the error for an agent whose ``close`` raised."""
    return AgentError(f"closing the agent raised {describe_exception(error)}")


_AgentsByMaker = dict[int, Any]
_conversation: ContextVar[tuple[Scenario, _AgentsByMaker] | None] = ContextVar(
    "conversation", default=None
)


@contextmanager
def conversation_of(scenario: Scenario) -> Iterator[None]:
    """Within the block, have each :class:`PerConversation` ask an agent of this conversation alone.

    The block covers its own thread, the threads that agents are called on, and tasks.
    """
    token = _conversation.set((scenario, {}))
    try:
        yield
    finally:
        _conversation.reset(token)


class PerConversation:
    """Makes an agent for each conversation.

    A session fixture may wrap it: each call reaches the agent of the current conversation.
    ``first`` is an agent that was already made, to check that the factory works. If ``is_shared``,
    all conversations of a scenario may share an agent.
    """

    def __init__(
        self, make: Callable[[Scenario | None], Any], first: Any = None, *, is_shared: bool = False
    ) -> None:
        self._make = make
        self.is_shared = is_shared
        self._unused = [] if first is None else [first]
        self.example = first
        self._lock = threading.Lock()
        self._outside: _AgentsByMaker = {} if first is None else {id(self): first}

    def of(self, scenario: Scenario | None) -> Any:
        """Return an agent for a conversation. Raises ``AgentError``."""
        with self._lock:
            unused = self._unused.pop() if self._unused else None
        return self._make(scenario) if unused is None else unused

    def __call__(self, messages: list[dict[str, Any]], tools: list[dict[str, Any]]) -> Any:
        """Return the reply of the agent of the current conversation, or of a default agent."""
        scenario, agents = _conversation.get() or (None, self._outside)
        if id(self) not in agents:
            agents[id(self)] = self.of(scenario)
        return agents[id(self)](messages, tools)


def agent_for(agent: Any, scenario: Scenario | None) -> Any:
    """Return the agent of a conversation: a new one of a :class:`PerConversation`."""
    inner = bare(agent)
    return rewrapped(agent, inner.of(scenario)) if type(inner) is PerConversation else agent


REMOTE_AT_ONCE: Final = 64
"""The default for agents that wait for a model or a service. A process handles about 300 requests a
second to models, and 100 through litellm, so it keeps up with 64 that take a second each."""


def conversations_at_once(agent: Any) -> int:
    """Return how many conversations an agent holds at once by default; 1 if that is unknown.

    A plain function may have state that two conversations must not share. Models and services only
    wait, agents of frameworks ask models, and ``async`` code is written for concurrency.
    """
    agent = bare(agent)
    if type(agent) is PerConversation:
        agent = agent.example
    kind = type(agent)
    if is_human(agent) or is_scripted(agent):
        return 1
    if issubclass(kind, Program) and not kind.is_remote:
        return Program.AT_ONCE
    is_remote = issubclass(kind, (Program, ProviderModel)) or shape_of(agent) in adapters()
    parts = (inspect.getattr_static(agent, name, None) for name in ("run_turn", "__call__"))
    return REMOTE_AT_ONCE if is_remote or any(map(is_async, (agent, *parts))) else 1


def is_human(agent: Any) -> bool:
    """Return whether a person at the terminal plays, who can follow one conversation."""
    return getattr(type(bare(agent)), "is_human", None) is True
