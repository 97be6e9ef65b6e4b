"""Asks an agent: reads its replies, cuts them, and gives its calls valid identifiers."""

from __future__ import annotations

import inspect
import itertools
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from pytest_toolsandbox.agents.agent import AgentCaller
from pytest_toolsandbox.calls.text_format import (
    TEXT_FORMATS,
    further_tools,
    invents_result,
    read_call_text,
    with_call_text,
)
from pytest_toolsandbox.calls.tool_call import ToolCall, to_world_names
from pytest_toolsandbox.language.roles import Role
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.models.errors import AgentError
from pytest_toolsandbox.models.reasoning import reasoning_in
from pytest_toolsandbox.models.requests import AgentRequest, request_context
from pytest_toolsandbox.text.error_text import blamed, describe_exception
from pytest_toolsandbox.text.formatting import VALUE_LIMIT, replace_surrogates
from pytest_toolsandbox.text.redaction import redacted_line
from pytest_toolsandbox.worlds.tool_view import ToolView

from . import messages
from .late_tools import Offer
from .messages import AgentCopies, AgentView, Message, agent_view, message_to
from .own_messages import OwnMessages, beside, has_calls, own_message

LONGEST_NAME: Final = 10_000
"""Characters of the name of a tool, and of the identifier of a call, that are kept."""
_EXPECTED = "expected text or an assistant message with tool_calls or tool_use blocks"
_EXPECTED_BLOCK = "expected blocks of the types text and tool_use"
_AS_CALLS = "return each call in tool_calls, as {id, type, function}"
_YIELDS = "it yields; collect what it yields, and return the whole reply"
_ONE_KIND = "return each call once, as one of them"
_IGNORED_BLOCKS = frozenset(
    {"thinking", "redacted_thinking", "reasoning", "server_tool_use", "web_search_tool_result"}
)
"""Blocks of content that are neither for the user nor calls of the world's tools."""


def read_reply(reply: Any, place: int) -> tuple[str, list[ToolCall]]:
    """Return the text and the tool calls of a reply.

    An assistant message has the shape of OpenAI's chat completions, with ``tool_calls``, or of
    Anthropic's messages, with blocks of content; a refusal is the text if there is no content.
    ``place`` numbers calls without an identifier. Texts are cut at ``messages.MOST_WRITTEN``
    characters. Raises :class:`AgentError` for anything else.
    """
    with blamed(_unreadable, AgentError):  # cyclic or deep values, objects that raise
        text, calls = _read(reply, place)
    room = messages.MOST_WRITTEN
    text, room = _cut(text, room), room - len(text)
    cut = []
    for call in calls:
        names = _cut(call.identifier, LONGEST_NAME), _cut(call.name, LONGEST_NAME)
        cut.append(ToolCall(*names, _cut(call.arguments, max(room, 0))))
        room -= len(call.arguments)
    return text, cut


def _cut(text: str, most: int) -> str:
    excess = len(text) - most
    return f"{text[:most]}… (and {excess:,} characters more)" if excess > 0 else text


def _unreadable(error: BaseException) -> AgentError:
    return AgentError(f"the agent's reply cannot be read: {describe_exception(error)}")


def _read(reply: Any, place: int) -> tuple[str, list[ToolCall]]:
    if isinstance(reply, str):
        return replace_surrogates(reply), []
    message = _as_mapping(reply)
    if message is not None and message.get("function_call") is not None:
        raise AgentError(f"the agent's reply has the old function_call; {_AS_CALLS}")
    if inspect.isgenerator(reply) or inspect.isasyncgen(reply):
        raise AgentError(f"the agent returned {_shown(reply)}; {_YIELDS}")
    if message is None or not {"content", "tool_calls"} & set(message):
        raise AgentError(f"the agent returned {_shown(reply)}; {_EXPECTED}")
    calls = message.get("tool_calls") or []
    if not isinstance(calls, (list, tuple)):
        raise AgentError(f"the agent's tool_calls are {_shown(calls)}; expected a list")
    content = message.get("content")
    text, blocks = _content(message.get("refusal") if content is None else content)
    if blocks and calls:
        raise AgentError(f"the agent's reply has tool_use blocks and tool_calls; {_ONE_KIND}")
    functions = list(map(_function, calls)) or blocks
    return text, [_call(*function, place, index) for index, function in enumerate(functions)]


def _as_mapping(value: Any) -> Mapping[str, Any] | None:
    """Return a mapping, or the values of a client library's message object as one."""
    if not isinstance(value, Mapping) and hasattr(value, "model_dump"):
        value = value.model_dump()
    return value if isinstance(value, Mapping) else None


_Function = tuple[Any, Any, Any]
"""Identifier, name and arguments of a call."""


def _content(content: Any) -> tuple[str, list[_Function]]:
    if content is None or isinstance(content, str):
        return replace_surrogates(content or ""), []
    if not isinstance(content, (list, tuple)):
        raise AgentError(f"the agent's content is {_shown(content)}; {_EXPECTED}")
    texts, calls = [], []
    for block in content:
        part = {"type": "text", "text": block} if isinstance(block, str) else _as_mapping(block)
        match part:
            case {"type": "tool_use", "name": name, "input": arguments, **fields}:
                calls.append((fields.get("id"), name, arguments))
            case {"text": str() | None as text}:
                texts.append(text or "")
            case {"type": kind} if kind in _IGNORED_BLOCKS:
                pass
            case {"type": "tool_use"}:
                problem = f"the agent's content has the tool_use block {_shown(block)}"
                raise AgentError(f"{problem}; such a block needs id, name and input")
            case _:
                raise AgentError(f"the agent's content has {_shown(block)}; {_EXPECTED_BLOCK}")
    return replace_surrogates("".join(texts)), calls


def _function(call: Any) -> _Function:
    mapping = _as_mapping(call) or {}
    function = _as_mapping(mapping.get("function"))
    if function is None:
        text = "a tool call of the agent has no function with name and arguments"
        raise AgentError(f"{text}: {_shown(call)}")
    return mapping.get("id"), function.get("name"), function.get("arguments")


def _call(identifier: Any, name: Any, arguments: Any, place: int, index: int) -> ToolCall:
    if not isinstance(arguments, str):
        values = {} if arguments is None else arguments
        arguments = json.dumps(values, ensure_ascii=False, default=str)
    identifier = identifier or f"call-{place}-{index}"
    return ToolCall(
        str(identifier), replace_surrogates(str(name or "")), replace_surrogates(arguments)
    )


def _shown(value: Any) -> str:
    """Write a value with its type, or the type alone if the value is not JSON."""
    kind = type(value).__name__
    if not isinstance(value, (str, int, float, list, tuple, dict)):
        return "None" if value is None else kind
    try:
        text = json.dumps(value, ensure_ascii=False, default=lambda part: type(part).__name__)
    except (TypeError, ValueError, RecursionError):
        return kind
    return f"{redacted_line(text, VALUE_LIMIT)} ({kind})"


_VALID: Final = re.compile(r"[A-Za-z0-9_-]{1,40}")
"""Identifiers that the APIs of OpenAI and Anthropic both accept."""


class AgentSession:
    """Asks an agent, with native tool calls or calls in texts, as the scenario has it."""

    def __init__(self, scenario: Scenario, offer: Offer | None = None) -> None:
        self.scenario = scenario
        self._text_format = TEXT_FORMATS.get(scenario.call_format)
        self._offer = offer or Offer(scenario)
        self._offered: list[ToolView] = []
        self._tools = AgentCopies()
        self._view = AgentView()
        self._identifiers: set[str] = set()
        self._history: list[Message] = []
        self.is_cut = False
        """Whether the last reply had calls for which there was no room."""
        self.reasoning: str | None = None
        """What the agent thought before its last reply; empty if that is illegible."""
        self._own_messages = OwnMessages()
        self._returned: dict[str, Any] | None = None
        """The last reply as the agent returned it, if it is asked and does not keep it itself."""

    def ask(
        self, caller: AgentCaller, history: Sequence[Message], place: int, room: int
    ) -> list[Message]:
        """Return the messages of the agent's reply: one to the user, or one for each call.

        ``history`` is what the agent may know; ``place`` is the index of the first new message.
        Each call and its answer need a message: calls beyond ``room`` are cut off. A text that
        should have a call and has none goes to the execution environment as it is. The agent sees
        its earlier replies as it returned them. Raises :class:`AgentError`.
        """
        replies = self._ask(caller, history, place, room)
        if self._returned is not None:
            self._keep(self._returned, replies)
        return replies

    def _ask(
        self, caller: AgentCaller, history: Sequence[Message], place: int, room: int
    ) -> list[Message]:
        view = self._view.of(history)
        if self._text_format:
            view = with_call_text(view, self._text_format)
            for index, tools in self._offer.new_in(self._view.sources).items():
                text = further_tools([tool.schema for tool in tools])
                view[index] = {**view[index], "content": f"{view[index]['content']}\n\n{text}"}
        text, calls = self._reply(caller, view, place)
        if self._text_format and not calls:
            must_call = self.scenario.task.must_call
            reply = read_call_text(text, must_call=must_call, text_format=self._text_format)
            if reply is None:
                return [message_to(Role.AGENT, Role.EXECUTION_ENVIRONMENT, text)]
            text = reply.before
            calls = [ToolCall(f"call-{place}-{i}", *call) for i, call in enumerate(reply.calls)]
        if not calls:
            return [message_to(Role.AGENT, Role.USER, text)]
        most = max(1, room // 2)
        self.is_cut = len(calls) > most
        self._learn_identifiers(history)
        calls = with_identifiers(calls[:most], place, self._identifiers)
        self._identifiers |= {call.identifier for call in calls}
        calls = [to_world_names(call, self.scenario.tool_views) for call in calls]
        return [
            message_to(Role.AGENT, Role.EXECUTION_ENVIRONMENT, "" if index else text, call)
            for index, call in enumerate(calls)
        ]

    def _learn_identifiers(self, history: Sequence[Message]) -> None:
        known = len(self._history) if history[: len(self._history)] == self._history else 0
        self._identifiers |= {m.call.identifier for m in history[known:] if m.call}
        self._history = list(history)

    def _reply(
        self, caller: AgentCaller, view: list[dict[str, Any]], place: int
    ) -> tuple[str, list[ToolCall]]:
        """Return text and calls of the reply of the agent, or of the tape that replaces it."""
        tools, sources = self._shown_tools(), self._view.sources
        self._returned = returned = None

        def ask(messages: Sequence[dict[str, Any]]) -> Any:
            nonlocal returned
            returned = caller.ask(self._own_messages.restored(messages, sources), tools)
            self._returned = None if caller.remembers else own_message(returned)
            return returned

        request = AgentRequest(view, tools, place)
        reply = request_context().stand_in.agent(caller.agent, request, ask)
        # A tape has a reply of its own, which is the same in the recording and in the replay.
        message = self._returned if reply is returned else own_message(reply)
        self.reasoning = reasoning_in(message)
        return read_reply(reply, place)

    def _shown_tools(self) -> list[Any]:
        """Return the schemas of the tools that are offered in this turn, unless in the prompt."""
        offered = [] if self._text_format else self._offer.views
        if offered is not self._offered and offered != self._offered:
            self._offered, self._tools = offered, AgentCopies()
            for tool in offered:
                self._tools.add(tool.shared_schema, tool.packed_schema)
        return self._tools.shown()

    def _keep(self, message: dict[str, Any], replies: Sequence[Message]) -> None:
        """Keep a reply as the agent returned it, for the agent."""
        (rebuilt,) = agent_view(replies)
        if self._text_format:
            (rebuilt,) = with_call_text([rebuilt], self._text_format)
            # Results are the user's messages here, so calls are texts, and no result is invented.
            text = message["content"]
            if has_calls(message) or (isinstance(text, str) and invents_result(text)):
                message = beside(message, rebuilt)
        self._own_messages.keep(message, rebuilt, replies, self._identifiers)


def reply_message(reply: Any, place: int) -> dict[str, Any]:
    """Return a reply as an assistant message. Raises what :func:`read_reply` raises.

    Beside text and calls it has the ``reasoning``, if the agent has thought.
    """
    text, calls = read_reply(reply, place)
    reasoning = reasoning_in(own_message(reply))
    tool_calls = [
        {"id": call.identifier, "function": {"name": call.name, "arguments": call.arguments}}
        for call in calls
    ]
    thought = {} if reasoning is None else {"reasoning": reasoning or True}
    return {"role": "assistant", "content": text, "tool_calls": tool_calls, **thought}


def with_identifiers(calls: Sequence[ToolCall], place: int, taken: Iterable[str]) -> list[ToolCall]:
    """Return calls with identifiers that are valid and not ``taken``: their own if possible."""
    used, identified = set(taken), []
    for index, call in enumerate(calls):
        proposed = call.identifier
        is_free = _VALID.fullmatch(proposed) and proposed not in used
        identifier = proposed if is_free else _free(f"call-{place}-{index}", used)
        used.add(identifier)
        identified.append(replace(call, identifier=identifier))
    return identified


def _free(name: str, taken: set[str]) -> str:
    numbered = (f"{name}-{number}" for number in itertools.count(2))
    return next(free for free in itertools.chain([name], numbered) if free not in taken)
