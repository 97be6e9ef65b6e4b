"""``TurnTaker``: an agent that calls tools itself becomes one that replies with each call.

``_with_transcript`` puts earlier messages into the text of a message.
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

from .frameworks import adapter, adapters
from .shapes import FACTORY, REPLIES, TURNS, shape_of, takes
from .toolbox import PendingCalls, Toolbox, Turn

ChatMessage = dict[str, Any]


def _with_transcript(earlier: Sequence[ChatMessage], message: str, preface: str = "") -> str:
    """Return a message of the user after a ``preface`` and the earlier messages, if any.

    Without a message, the agent goes on with a turn that was recorded up to its last call.
    """
    lines = "\n".join(_transcript(earlier))
    then = "The user says now:" if message else "Go on from here."
    before = f"The conversation so far:\n\n{lines}\n\n{then}" if lines else ""
    return "\n\n".join(filter(None, [preface, before, message]))


def _transcript(messages: Sequence[ChatMessage]) -> Iterator[str]:
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


_GRACE: Final = 2.0
"""The time limit, in seconds, for a turn that is cancelled and for closing an agent."""
_NO_TURNS: Final = "expected an agent that has run_turn(message, toolbox)"


class TurnTaker:
    """Wraps an agent that takes turns, for one conversation, as a chat-completions API.

    A turn runs on its own thread, or on the event loop of agents, while its calls wait. If the
    messages before a turn differ from those that the agent has seen, as in a recorded conversation,
    a new agent gets the earlier messages as text.
    """

    is_recorded: ClassVar = True
    """Cassettes record its replies, as they come from no model and no script of ours."""

    def __init__(self, agent: Any) -> None:
        self._agent = agent
        self.facts = ""
        """What every agent needs to know, whatever its own prompt says."""
        self.prompt = ""
        """Replaces the instructions of an agent of a framework, if not empty."""
        self._conversation: _Conversation | None = None
        self._offered: list[str] = []
        self._replying: Any = None
        """An agent from a factory that replies to messages, and so calls no tools itself."""
        self.other_calls: Counter[str] = Counter()
        """Name → how often the agent called a tool that is not the scenario's."""

    @property
    def replies(self) -> bool:
        """Whether the agent replies to messages, and so calls no tools itself."""
        return self._replying is not None

    def __call__(self, messages: list[dict[str, Any]], tools: list[dict[str, Any]]) -> Any:
        """Return the calls that the agent makes next, or its text."""
        if self._replying is not None:
            return self._replying(messages, tools)
        conversation = self._conversation
        # Results of the waiting calls continue the turn; anything else begins a new one.
        if conversation and conversation.pending and messages[-1]["role"] == "tool":
            conversation.hand_over(messages)
        else:
            conversation = self._begin_turn(messages, tools)
        if calls := conversation.next_calls():
            functions = [{"name": name, "arguments": arguments} for name, arguments in calls]
            # A model's own ids may be in the same history: these differ from them.
            tool_calls = [
                {"id": f"toolbox-{len(messages)}-{i}", "function": function}
                for i, function in enumerate(functions)
            ]
            return {"role": "assistant", "content": None, "tool_calls": tool_calls}
        try:
            return conversation.final_text(messages)
        except _RepliesError as error:
            self._replying = error.agent
            return self._replying(messages, tools)

    def close(self) -> None:
        """Close the agent, as its conversation is over, and refuse further calls."""
        conversation, self._conversation = self._conversation, None
        if conversation:
            self.other_calls += conversation.toolbox.other_calls
            conversation.close()

    def _begin_turn(
        self, messages: list[dict[str, Any]], tools: list[dict[str, Any]]
    ) -> _Conversation:
        texts = _last_contents(messages, "user")
        earlier = messages[: len(messages) - len(texts)]
        # In a replay, the history is the recorded one, which the agent has not seen.
        # An agent that was given other tools is made anew, too: most take them once.
        names = [tool["function"]["name"] for tool in tools]
        if (
            self._conversation is None
            or self._conversation.seen != earlier
            or self._offered != names
        ):
            self.close()
            self._offered = names
            prompt = "\n\n".join(m["content"] for m in earlier if m["role"] == "system")
            toolbox = Toolbox(tools, prompt, self.facts)
            self._conversation = _Conversation(self._agent, toolbox, self.prompt)
        self._conversation.begin("\n\n".join(texts), earlier)
        return self._conversation


def _last_contents(messages: Sequence[Mapping[str, Any]], role: str) -> list[Any]:
    """Return the contents of the messages of a role at the end of a conversation."""
    last = itertools.takewhile(lambda message: message["role"] == role, reversed(messages))
    return [message["content"] for message in last][::-1]


class _RepliesError(Exception):
    """A factory made an agent that replies to messages; :class:`TurnTaker` handles this."""

    def __init__(self, agent: Any) -> None:
        super().__init__()
        self.agent = agent


class _Conversation:
    """An agent that takes part in a conversation, with its toolbox and its thread."""

    def __init__(self, agent: Any, toolbox: Toolbox, prompt: str) -> None:
        self.agent, self.toolbox, self.prompt = agent, toolbox, prompt
        self.turn = Turn()
        self.worker = free_worker()
        self.outcome: Future[Any] = Future()
        self.pending: list[PendingCalls] = []
        self.seen: list[dict[str, Any]] | None = None
        """The messages at the end of the last turn."""
        self._run_turn: Any = None
        self._preface = ""
        """The beginning of the first message, for agents that do not read the toolbox."""
        self._exit_stack = ExitStack()
        self._reports_at_the_end = False
        """Whether the agent tells what a turn used when the turn ends, and not before."""
        self._counted_before = 0
        self._batches = 0
        """How often the agent made calls in this turn: each time after a request, at least."""

    def begin(self, message: str, earlier: list[dict[str, Any]]) -> None:
        """Let the agent take a turn on its thread."""
        self.turn = Turn()
        self.toolbox.begin(self.turn)
        self._counted_before, self._batches = self.toolbox.counted, 0
        self.outcome = self.worker.submit(lambda: self._take_turn(message, earlier))
        self.outcome.add_done_callback(self.turn.mark_finished)

    def next_calls(self) -> list[tuple[str, Any]]:
        """Wait for calls, and return them; an empty list if the turn has ended."""
        self.pending = self.turn.next_calls()
        self._batches += bool(self.pending)
        return [call for pending in self.pending for call in pending.calls]

    def hand_over(self, messages: Sequence[Mapping[str, Any]]) -> None:
        """Give the results at the end of the messages to the calls that wait for them."""
        results = iter(_last_contents(messages, "tool"))
        for pending in self.pending:
            with suppress(InvalidStateError):  # the agent has cancelled the call
                pending.results.set_result(list(itertools.islice(results, len(pending.calls))))
        self.pending = []

    def final_text(self, messages: Sequence[dict[str, Any]]) -> str:
        """Return the text of a turn that has ended. Raises what the turn raised."""
        self.turn.end("the turn was over")
        text: object = self.outcome.result()
        if not isinstance(text, str):
            line = f"run_turn returned {type_name(text)}; expected the text for the user"
            raise AgentError(line)
        self.seen = [*messages, {"role": "assistant", "content": replace_surrogates(text)}]
        return text

    def close(self) -> None:
        """Cancel a turn under way, and close an agent that was made for the conversation."""
        is_cut_off = not self.outcome.done()
        if self.turn.task and is_cut_off:
            # Tasks may be cancelled only on the thread of their loop.
            self.turn.task.get_loop().call_soon_threadsafe(self.turn.task.cancel)
            wait([self.outcome], _GRACE)
        self.turn.end("the conversation was over")
        self.toolbox.close()
        # On the thread that entered it: sqlite3 connections and event loops belong to their
        # thread.
        closed = self.worker.submit(self._exit_stack.close)
        # Closing may block for ever, and a finished conversation must not hang the run.
        wait([closed], _GRACE)
        if is_cut_off:
            self._count_cut_off()
        self.worker.leave(closed)
        if closed.done():
            closed.result()
        else:
            OF_AGENTS.leave_if_blocked()

    def _count_cut_off(self) -> None:
        """Count the requests of a turn that was cut off, if the agent did not report them."""
        counted = self.toolbox.counted
        if counted == self._counted_before and (self._reports_at_the_end or counted):
            self.toolbox.count_unknown(max(self._batches, 1))

    def _take_turn(self, message: str, earlier: list[dict[str, Any]]) -> Any:
        if self._run_turn is None:
            self._run_turn = self._open()
        self.turn.accept_calls()
        if takes(self._run_turn, "history"):
            result = self._run_turn(message, self.toolbox, history=earlier)
        else:
            # Later turns need only the message, since the agent remembers its own conversation.
            text = message if self.seen else _with_transcript(earlier, message, self._preface)
            result = self._run_turn(text, self.toolbox)
        return run_coroutine(self.turn.awaited(result)) if inspect.isawaitable(result) else result

    def _open(self) -> Any:
        """Make or enter the agent, and return its ``run_turn``."""
        agent, has_tools = self.agent, False
        if shape_of(agent) == FACTORY:
            has_tools = takes(agent, "toolbox")
            agent = agent(self.toolbox) if has_tools else agent()
            agent = self._enter(agent) if shape_of(agent) == TURNS else agent
        if (shape := shape_of(agent)) in adapters():
            self._preface = self.toolbox.facts
            tools = None if has_tools else self.toolbox.for_(shape)
            agent = self._enter(adapter(shape).bind(agent, tools, self.prompt))
        elif shape == REPLIES and callable(agent) and not has_tools:
            raise _RepliesError(agent)
        elif shape != TURNS:
            raise AgentError(f"the factory of the agent made {type_name(agent)}; {_NO_TURNS}")
        self._reports_at_the_end = getattr(type(agent), "reports_at_the_end", False)
        return getattr(agent, "run_turn", agent)

    def _enter(self, agent: Any) -> Any:
        """Enter or later close an agent that was made for this conversation."""
        if hasattr(type(agent), "__aenter__"):
            return self._exit_stack.enter_context(entered(agent))
        if hasattr(type(agent), "__enter__"):
            return self._exit_stack.enter_context(agent)
        self._exit_stack.callback(close_made, agent)
        return agent


def close_made(agent: Any) -> None:
    """Call ``close`` or ``aclose`` of an agent that a factory made, if it has one of them."""
    if shape_of(agent) != TURNS:
        return
    close = getattr(agent, "close", None) or getattr(agent, "aclose", None)
    result = close() if callable(close) else None
    if inspect.isawaitable(result):
        run_coroutine(result)
