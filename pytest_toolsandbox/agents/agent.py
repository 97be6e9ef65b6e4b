"""What an agent is, and how it is called: plain or ``async``, within the time that it has.

An agent that is another one in each conversation, in the place of one for all of them.

How many conversations an agent holds at a time, where nobody says how many.
"""

from __future__ import annotations

import inspect
import threading
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Final, Protocol, Self

from pytest_toolsandbox.concurrency.event_loop import run_coroutine
from pytest_toolsandbox.concurrency.time_limit import (
    OutOfTime,
    Overseen,
    call_in_time,
    counting_down,
    has_alarm,
)
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.models.errors import AgentError, whose
from pytest_toolsandbox.models.litellm_agent import LitellmModel, load_early
from pytest_toolsandbox.models.requests import asked_by, count_told, request_context
from pytest_toolsandbox.text.error_text import blamed, describe_exception

from .frameworks import FRAMEWORKS
from .shapes import REPLIES, is_async, is_written, shape_of
from .turn_taking import TurnTaker

ChatMessage = dict[str, Any]
ChatReply = str | ChatMessage


class Agent(Protocol):
    """A callable in the shape of a chat-completions API; ``async def`` works too.

    ``messages`` is what the agent has seen so far: ``system``, ``user``, ``assistant`` (with
    ``tool_calls``) and ``tool`` messages. ``tools`` are the definitions of the functions that it
    may call. The reply is text for the user, or an assistant message with ``tool_calls``.
    """

    def __call__(
        self, messages: list[ChatMessage], tools: list[dict[str, Any]]
    ) -> ChatReply | Awaitable[ChatReply]:
        """Return the reply to the last message."""
        ...


class AgentCaller:
    """Asks an agent for its replies, in ``timeout`` seconds over a whole conversation.

    One that takes turns is told the ``facts`` where it has a prompt of its own; one of a framework
    has the ``prompt`` in its place, if there is one.
    """

    def __init__(
        self, agent: Agent, timeout: float | None, facts: str = "", prompt: str = ""
    ) -> None:
        self.agent = agent if shape_of(agent) == REPLIES else TurnTaker(agent)
        if type(self.agent) is TurnTaker:  # isinstance asks the __class__ of any object
            self.agent.facts, self.agent.prompt = facts, prompt
        self._is_at_once = is_written(agent)
        is_timeless = getattr(type(agent), "timeless", None) is True or self._is_at_once
        self.timeout = None if is_timeless else timeout
        self.used = 0.0
        self._overseen: Overseen | None = None
        is_model = issubclass(type(agent), LitellmModel)  # isinstance asks any object's __class__
        if is_model and not request_context().asks_nobody:
            load_early()

    def ask(self, messages: list[dict[str, Any]], tools: list[dict[str, Any]]) -> Any:
        """Return the agent's reply. Raises :class:`AgentError` from whatever it raises."""
        with counting_down(None) as countdown:
            try:
                with blamed(self._told, AgentError), asked_by("agent"):
                    reply = self._called(messages, tools)
                    if inspect.isawaitable(reply):
                        reply = run_coroutine(reply, self._left(countdown.spent))
                    count_told(reply)
                    return reply
            finally:
                self.used += countdown.spent

    def during(self, talk: Callable[[], None]) -> None:
        """Call a function in which the agent is asked again and again, on one thread where it can.

        Raises what that raises, and :class:`AgentError` where the agent takes too long.
        """
        if self.timeout is None or is_async(self.agent) or has_alarm():
            talk()
            return
        self._overseen, limit = Overseen(), self.timeout
        try:
            self._overseen.run(talk, lambda: limit - self.used)
        except OutOfTime as error:
            raise self._told(error) from error

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: object, raised: BaseException | None, traceback: object) -> None:
        """Close an agent that lives for this conversation. Raises :class:`AgentError`."""
        if type(self.agent) is not TurnTaker:  # isinstance asks the __class__ of any object
            return
        try:
            with blamed(closing_raised, AgentError):
                self.agent.close()
        except AgentError:
            if raised is None:  # else what was raised first says more
                raise

    def _told(self, error: BaseException) -> Exception:
        if isinstance(error, OutOfTime):
            limit = f"its timeout of {self.timeout:g} s"
            text = f"the agent took longer than {limit}; the scenario's 'timeout' sets another"
            return AgentError(text)
        return whose(error, f"the agent raised {describe_exception(error)}", AgentError)

    def _called(self, messages: list[dict[str, Any]], tools: list[dict[str, Any]]) -> Any:
        left = self._left()
        if self._is_at_once or is_async(self.agent):
            return self.agent(messages, tools)
        return call_in_time(lambda: self.agent(messages, tools), left, self._overseen)

    def _left(self, since: float = 0.0) -> float | None:
        if self.timeout is None:
            return None
        left = self.timeout - self.used - since
        if left <= 0:
            raise OutOfTime
        return left


def closing_raised(error: BaseException) -> AgentError:
    """Return the error that closing an agent is."""
    return AgentError(f"closing the agent raised {describe_exception(error)}")


_Made = dict[int, Any]
_present: ContextVar[tuple[Scenario, _Made] | None] = ContextVar("conversation", default=None)


@contextmanager
def conversation_of(scenario: Scenario) -> Iterator[None]:
    """Within the block, ask an agent that belongs to this conversation alone.

    The block holds for its own thread, for the threads that agents are called on, and for tasks.
    """
    token = _present.set((scenario, {}))
    try:
        yield
    finally:
        _present.reset(token)


class PerConversation:
    """Makes the agents that take part, one for each conversation.

    A fixture of the session may wrap it: it asks the agent of the conversation in which it is
    called. ``first`` is one that was made already, to see whether any can be. Where agents are
    ``is_shared``, all conversations of a scenario may have the same one.
    """

    def __init__(
        self, make: Callable[[Scenario | None], Any], first: Any = None, *, is_shared: bool = False
    ) -> None:
        self._make = make
        self.is_shared = is_shared
        self._unused = [] if first is None else [first]
        self.example = first
        self._lock = threading.Lock()
        self._outside: _Made = {} if first is None else {id(self): first}

    def of(self, scenario: Scenario | None) -> Any:
        """Return an agent for a conversation. Raises ``AgentError``."""
        with self._lock:
            unused = self._unused.pop() if self._unused else None
        return self._make(scenario) if unused is None else unused

    def __call__(self, messages: list[dict[str, Any]], tools: list[dict[str, Any]]) -> Any:
        """Return the reply of the agent of the present conversation, or else of the first one."""
        scenario, made = _present.get() or (None, self._outside)
        if id(self) not in made:
            made[id(self)] = self.of(scenario)
        return made[id(self)](messages, tools)


WAITING: Final = 64
"""For agents that wait for others: litellm, the slowest way to a model, answers about 100 requests
a second in a process, so that of requests that take a second it keeps up with so many."""
PROGRAMS: Final = 4
"""For programs on this machine, each a process with some hundred MB."""
_PACKAGE: Final = __name__.rpartition(".")[0]


def at_a_time(agent: Any) -> int:
    """Return how many conversations an agent holds at once; 1 where nothing is known of it.

    A plain function may keep things that two conversations must not share. Models and services
    wait, objects of frameworks ask models, and what is ``async`` is written for this.
    """
    if type(agent) is PerConversation:
        agent = agent.example
    kind = type(agent)
    if is_timeless(agent) or is_written(agent):
        return 1
    if issubclass(kind, LitellmModel) or kind.__module__ == f"{_PACKAGE}.programs.service":
        return WAITING
    if kind.__module__.startswith(f"{_PACKAGE}.programs."):
        return PROGRAMS
    if _is_async(agent) or (shape_of(agent) != REPLIES and shape_of(agent) in FRAMEWORKS):
        return WAITING
    return 1


def is_timeless(agent: Any) -> bool:
    """Whether somebody at a terminal plays, who can follow one conversation."""
    return getattr(type(agent), "timeless", None) is True


def _is_async(agent: Any) -> bool:
    parts = (inspect.getattr_static(agent, name, None) for name in ("run_turn", "__call__"))
    return is_async(agent) or any(map(is_async, parts))
