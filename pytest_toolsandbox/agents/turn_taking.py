"""Turns an agent that calls tools itself inside out, into one that replies with each call.

What was said before, as a text, for an agent that is told a message and no history.
"""

from __future__ import annotations

import inspect
import itertools
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future, InvalidStateError, wait
from contextlib import ExitStack, suppress
from typing import Any, ClassVar, Final

from pytest_toolsandbox.concurrency.event_loop import OF_AGENTS, entered, run_coroutine
from pytest_toolsandbox.concurrency.time_limit import free_worker
from pytest_toolsandbox.models.errors import AgentError
from pytest_toolsandbox.text.formatting import replace_surrogates, type_name

from .frameworks import FRAMEWORKS, framework
from .shapes import FACTORY, REPLIES, TURNS, shape_of, takes
from .toolbox import Asked, Toolbox, Turn

ChatMessage = dict[str, Any]


def with_transcript(earlier: Sequence[ChatMessage], message: str, preface: str = "") -> str:
    """Return a message of the user's, after what was said and done before it, if anything was.

    A ``preface`` stands before all of it.
    """
    lines = "\n".join(_lines(earlier))
    before = f"The conversation so far:\n\n{lines}\n\nThe user says now:" if lines else ""
    return "\n\n".join(filter(None, [preface, before, message]))


def _lines(messages: Sequence[ChatMessage]) -> Iterator[str]:
    names: dict[str, str] = {}
    for message in messages:
        role, content = message["role"], message["content"]
        if role == "tool":
            yield f"{names[message['tool_call_id']]} returned: {content}"
        elif role != "system" and content:
            yield f"{'You' if role == 'assistant' else 'User'}: {content}"
        for call in message.get("tool_calls") or ():
            names[call["id"]] = call["function"]["name"]
            yield f"You called {call['function']['name']}({call['function']['arguments']})"


GRACE: Final = 2.0
"""Seconds in which a turn that is broken off, and an agent that is closed, have to end."""
_NO_TURNS: Final = "expected an agent that has run_turn(message, toolbox)"


class TurnTaker:
    """An agent of one conversation, in the shape of a chat-completions API.

    A turn runs on a thread of its own, or on the event loop of agents, while its calls wait. Where
    the messages before a turn are others than those that it has lived through, as in a recorded
    conversation, a new agent is told what was said before.
    """

    is_recorded: ClassVar = True
    """Cassettes record what it says: no model and no script of ours says it."""

    def __init__(self, agent: Any) -> None:
        self._agent = agent
        self.facts = ""
        """What every agent has to know of its task, whatever its own prompt says."""
        self.prompt = ""
        """What somebody wants to be said in the place of its own instructions."""
        self._present: _Present | None = None
        self._replying: Any = None
        """What a factory made that replies to messages, and so calls no tools itself."""
        self.other_calls: Counter[str] = Counter()
        """How often it called tools that are not the scenario's, by name."""

    def __call__(self, messages: list[dict[str, Any]], tools: list[dict[str, Any]]) -> Any:
        """Return the calls that the agent makes next, or else what it says."""
        if self._replying is not None:
            return self._replying(messages, tools)
        present = self._present
        if present and present.waits and messages[-1]["role"] == "tool":
            present.hand_over(messages)
        else:
            present = self._begun(messages, tools)
        if calls := present.next_calls():
            made = [
                {"id": f"toolbox-{len(messages)}-{i}", "function": {"name": n, "arguments": given}}
                for i, (n, given) in enumerate(calls)
            ]  # no model's own, which stand beside them in the history of an agent
            return {"role": "assistant", "content": None, "tool_calls": made}
        try:
            return present.said(messages)
        except _Replies as made:
            self._replying = made.agent
            return self._replying(messages, tools)

    def close(self) -> None:
        """Tell the agent that its conversation is over, and refuse what it still calls."""
        present, self._present = self._present, None
        if present:
            self.other_calls += present.toolbox.other_calls
            present.close()

    def _begun(self, messages: list[dict[str, Any]], tools: list[dict[str, Any]]) -> _Present:
        newest = itertools.takewhile(lambda one: one["role"] == "user", reversed(messages))
        said = [message["content"] for message in newest][::-1]
        earlier = messages[: len(messages) - len(said)]
        if self._present is None or not self._present.lived(earlier):
            self.close()
            prompt = "\n\n".join(m["content"] for m in earlier if m["role"] == "system")
            self._present = _Present(self._agent, Toolbox(tools, prompt, self.facts), self.prompt)
        self._present.begin("\n\n".join(said), earlier)
        return self._present


class _Replies(Exception):  # noqa: N818  # it never leaves this module
    """A factory made an agent that replies to messages."""

    def __init__(self, agent: Any) -> None:
        super().__init__()
        self.agent = agent


class _Present:
    """An agent that takes part in a conversation, with its toolbox, and its thread."""

    def __init__(self, agent: Any, toolbox: Toolbox, prompt: str) -> None:
        self.agent, self.toolbox, self.prompt = agent, toolbox, prompt
        self.turn = Turn()
        self.worker = free_worker()
        self.outcome: Future[Any] = Future()
        self.waits: list[Asked] = []
        self._run_turn: Any = None
        self._preface = ""
        """What the first message begins with, for agents that do not look into the toolbox."""
        self._past: list[dict[str, Any]] | None = None
        self._closing = ExitStack()

    def lived(self, earlier: Sequence[Mapping[str, Any]]) -> bool:
        """Whether these are the messages at the end of its last turn."""
        return self._past == earlier

    def begin(self, message: str, earlier: list[dict[str, Any]]) -> None:
        """Let the agent take a turn, in which it is told what it has not lived through."""
        self.turn = Turn()
        self.toolbox.begin(self.turn)
        self.outcome = self.worker.submit(lambda: self._turn_taken(message, earlier))
        self.outcome.add_done_callback(self.turn.came_to_its_end)

    def next_calls(self) -> list[tuple[str, Any]]:
        """Wait for calls; without any, the turn has ended."""
        self.waits = self.turn.next_calls()
        return [call for asked in self.waits for call in asked.calls]

    def hand_over(self, messages: Sequence[Mapping[str, Any]]) -> None:
        """Give the results at the end of the messages to the calls that wait for them."""
        newest = itertools.takewhile(lambda one: one["role"] == "tool", reversed(messages))
        results = iter([message["content"] for message in newest][::-1])
        for asked in self.waits:
            with suppress(InvalidStateError):  # where the agent has given it up
                asked.results.set_result(list(itertools.islice(results, len(asked.calls))))
        self.waits = []

    def said(self, messages: Sequence[dict[str, Any]]) -> str:
        """Return what a turn that has ended says to the user. Raises what it raised."""
        self.turn.end("the turn was over")
        text: object = self.outcome.result()
        if not isinstance(text, str):
            told = f"run_turn returned {type_name(text)}; expected the text for the user"
            raise AgentError(told)
        self._past = [*messages, {"role": "assistant", "content": replace_surrogates(text)}]
        return text

    def close(self) -> None:
        """End a turn that is under way, and the agent if it was made for this conversation."""
        if self.turn.task and not self.outcome.done():
            self.turn.task.get_loop().call_soon_threadsafe(self.turn.task.cancel)
            wait([self.outcome], GRACE)
        self.turn.end("the conversation was over")
        self.toolbox.close()
        closed = self.worker.submit(self._closing.close)
        wait([closed], GRACE)
        self.worker.leave(closed)
        if closed.done():
            closed.result()
        else:
            OF_AGENTS.leave_if_blocked()

    def _turn_taken(self, message: str, earlier: list[dict[str, Any]]) -> Any:
        if self._run_turn is None:
            self._run_turn = self._opened()
        self.turn.let_in()
        if takes(self._run_turn, "history"):
            result = self._run_turn(message, self.toolbox, history=earlier)
        else:
            told = message if self._past else with_transcript(earlier, message, self._preface)
            result = self._run_turn(told, self.toolbox)
        return run_coroutine(self.turn.awaited(result)) if inspect.isawaitable(result) else result

    def _opened(self) -> Any:
        agent, has_tools = self.agent, False
        if shape_of(agent) == FACTORY:
            has_tools = takes(agent, "toolbox")
            agent = agent(self.toolbox) if has_tools else agent()
            agent = self._entered(agent) if shape_of(agent) == TURNS else agent
        if (shape := shape_of(agent)) in FRAMEWORKS:
            self._preface = self.toolbox.facts
            tools = None if has_tools else self.toolbox.for_(shape)
            agent = self._entered(framework(shape).taking_turns(agent, tools, self.prompt))
        elif shape == REPLIES and callable(agent) and not has_tools:
            raise _Replies(agent)
        elif shape != TURNS:
            raise AgentError(f"the factory of the agent made {type_name(agent)}; {_NO_TURNS}")
        return getattr(agent, "run_turn", agent)

    def _entered(self, made: Any) -> Any:
        """Enter a context manager until the conversation is over, or close what can be closed."""
        if hasattr(type(made), "__aenter__"):
            return self._closing.enter_context(entered(made))
        if hasattr(type(made), "__enter__"):
            return self._closing.enter_context(made)
        self._closing.callback(close_made, made)
        return made


def close_made(agent: Any) -> None:
    """Call ``close`` or ``aclose`` of an agent that a factory made, if it has one."""
    if shape_of(agent) != TURNS:
        return
    close = getattr(agent, "close", None) or getattr(agent, "aclose", None)
    result = close() if callable(close) else None
    if inspect.isawaitable(result):
        run_coroutine(result)
