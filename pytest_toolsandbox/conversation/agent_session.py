"""What goes between an agent and the others: messages to it, its replies, and their identifiers.

Reads what an agent replied.
"""

from __future__ import annotations

import inspect
import itertools
import json
import marshal
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from pytest_toolsandbox.agents.agent import AgentCaller
from pytest_toolsandbox.calls.text_format import TEXT_FORMATS, read_call_text, with_call_text
from pytest_toolsandbox.calls.tool_call import ToolCall, to_world_names
from pytest_toolsandbox.language.roles import Role
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.models.errors import AgentError
from pytest_toolsandbox.models.requests import request_context
from pytest_toolsandbox.text.error_text import blamed, describe_exception
from pytest_toolsandbox.text.formatting import VALUE_LIMIT, replace_surrogates
from pytest_toolsandbox.text.redaction import redacted_line
from pytest_toolsandbox.worlds.tool_view import ToolView

from . import messages
from .messages import AgentView, Message, message_to

LONGEST_NAME: Final = 10_000
"""Characters of the name of a tool, and of the identifier of a call, that are read."""
_EXPECTED = "expected text or an assistant message with tool_calls or tool_use blocks"
_EXPECTED_BLOCK = "expected blocks of the types text and tool_use"
_AS_CALLS = "return each call in tool_calls, as {id, type, function}"
_YIELDS = "it yields; collect what it yields, and return the whole reply"
_ONE_KIND = "return each call once, as one of them"
PASSED_OVER = frozenset(
    {"thinking", "redacted_thinking", "reasoning", "server_tool_use", "web_search_tool_result"}
)
"""Blocks of content that neither say anything to the user nor call a tool of the world."""


def read_reply(reply: Any, place: int) -> tuple[str, list[ToolCall]]:
    """Return the text and the tool calls of a reply.

    An assistant message is in the shape of OpenAI's chat completions, with ``tool_calls``, or of
    Anthropic's messages, with blocks of content; a refusal is text where there is no content.
    ``place`` numbers calls without an identifier. What is beyond the most that an agent writes in a
    conversation is cut off. Raises :class:`AgentError` for anything else.
    """
    with blamed(_unreadable, AgentError):  # cyclic or deep values, objects that raise
        text, calls = _read(reply, place)
    left = messages.MOST_WRITTEN
    text, left = _cut(text, left), left - len(text)
    cut = []
    for call in calls:
        names = _cut(call.identifier, LONGEST_NAME), _cut(call.name, LONGEST_NAME)
        cut.append(ToolCall(*names, _cut(call.arguments, max(left, 0))))
        left -= len(call.arguments)
    return text, cut


def _cut(text: str, most: int) -> str:
    left_out = len(text) - most
    return f"{text[:most]}… (and {left_out:,} characters more)" if left_out > 0 else text


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
    return text, [_call(*found, place, index) for index, found in enumerate(functions)]


def _as_mapping(value: Any) -> Mapping[str, Any] | None:
    """Return a mapping, or the one that a message object of a client library stands for."""
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
            case {"type": "tool_use", "name": name, "input": given, **others}:
                calls.append((others.get("id"), name, given))
            case {"text": str() | None as text}:
                texts.append(text or "")
            case {"type": kind} if kind in PASSED_OVER:
                pass
            case {"type": "tool_use"}:
                given = f"the agent's content has the tool_use block {_shown(block)}"
                raise AgentError(f"{given}; such a block needs id, name and input")
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
        given = {} if arguments is None else arguments
        arguments = json.dumps(given, ensure_ascii=False, default=str)
    identifier = identifier or f"call-{place}-{index}"
    return ToolCall(
        str(identifier), replace_surrogates(str(name or "")), replace_surrogates(arguments)
    )


def _shown(value: Any) -> str:
    """Write what an agent returned with its type, or the type alone where it is not JSON."""
    kind = type(value).__name__
    if not isinstance(value, (str, int, float, list, tuple, dict)):
        return "None" if value is None else kind
    try:
        text = json.dumps(value, ensure_ascii=False, default=lambda part: type(part).__name__)
    except (TypeError, ValueError, RecursionError):
        return kind
    return f"{redacted_line(text, VALUE_LIMIT)} ({kind})"


_VALID: Final = re.compile(r"[A-Za-z0-9_-]{1,40}")
"""What the APIs of OpenAI and Anthropic both accept."""


class AgentSession:
    """Asks an agent in the form in which it has to call tools."""

    def __init__(self, scenario: Scenario) -> None:
        self.scenario = scenario
        self.written = TEXT_FORMATS.get(scenario.call_format)
        self.tools = _OwnTools(() if self.written else scenario.tool_views.values())
        self.view = AgentView()
        self.identifiers: set[str] = set()
        self.heard: list[Message] = []
        self.left_out = False
        """Whether the last reply had calls for which there was no room."""

    def ask(
        self, caller: AgentCaller, heard: Sequence[Message], place: int, room: int
    ) -> list[Message]:
        """Return the messages that the agent replies with: to the user, or a call each.

        ``heard`` is all that the agent may know; ``place`` is the index of the first message.
        Of calls that are made at once, those for which ``room`` is left count: each call and its
        answer are a message. Where it should have written a call and none can be read, what it
        wrote goes to the execution environment as it is. Raises :class:`AgentError`.
        """
        view = self.view.of(heard)
        if self.written:
            view = with_call_text(view, self.written)
        text, calls = self._replied(caller, view, place)
        if self.written and not calls:
            must_call = self.scenario.task.must_call
            found = read_call_text(text, must_call=must_call, written=self.written)
            if found is None:
                return [message_to(Role.AGENT, Role.EXECUTION_ENVIRONMENT, text)]
            pairs = enumerate(found.calls)
            calls = [ToolCall(f"call-{place}-{i}", name, given) for i, (name, given) in pairs]
            text = found.said
        if not calls:
            return [message_to(Role.AGENT, Role.USER, text)]
        made = calls[: max(1, room // 2)]
        self.left_out, calls = len(made) < len(calls), made
        self._learn_identifiers(heard)
        calls = with_identifiers(calls, place, self.identifiers)
        self.identifiers |= {call.identifier for call in calls}
        understood = [to_world_names(call, self.scenario.tool_views) for call in calls]
        return [
            message_to(Role.AGENT, Role.EXECUTION_ENVIRONMENT, "" if index else text, call)
            for index, call in enumerate(understood)
        ]

    def _learn_identifiers(self, heard: Sequence[Message]) -> None:
        known = len(self.heard) if heard[: len(self.heard)] == self.heard else 0
        self.identifiers |= {one.call.identifier for one in heard[known:] if one.call}
        self.heard = list(heard)

    def _replied(
        self, caller: AgentCaller, view: list[dict[str, Any]], place: int
    ) -> tuple[str, list[ToolCall]]:
        """Return the text and the calls of a reply: the agent's, or of what stands before it."""
        tools = self.tools.as_offered()
        if (stand_in := request_context().stand_in) is None:
            return read_reply(caller.ask(view, tools), place)

        def ask(messages: list[dict[str, Any]]) -> dict[str, Any]:
            return _as_message(*read_reply(caller.ask(messages, tools), place))

        given = {"messages": view, "tools": tools}
        return read_reply(stand_in.agent(caller.agent, given, ask), place)


class _OwnTools:
    """The definitions of tools that are an agent's own: it may do with them what it likes."""

    def __init__(self, tools: Iterable[ToolView]) -> None:
        self._tools = tuple(tools)
        self._offered = [tool.shared_schema for tool in self._tools]
        self._given = self._new()

    def as_offered(self) -> list[Any]:
        """Return them as they were offered, anew where the agent has changed them meanwhile."""
        try:
            is_changed = self._given != self._offered
        except Exception:  # noqa: BLE001  # what an agent has put in may raise anything
            is_changed = True
        if is_changed:
            self._given = self._new()
        return self._given

    def _new(self) -> list[Any]:
        return [marshal.loads(tool.packed_schema) for tool in self._tools]  # noqa: S302  # our own


def _as_message(text: str, calls: Sequence[ToolCall]) -> dict[str, Any]:
    made = [
        {"id": one.identifier, "function": {"name": one.name, "arguments": one.arguments}}
        for one in calls
    ]
    return {"role": "assistant", "content": text, "tool_calls": made}


def with_identifiers(calls: Sequence[ToolCall], place: int, taken: Iterable[str]) -> list[ToolCall]:
    """Return calls with identifiers that are valid and not ``taken``: their own where possible."""
    known, identified = set(taken), []
    for index, call in enumerate(calls):
        own = call.identifier
        is_free = _VALID.fullmatch(own) and own not in known
        identifier = own if is_free else _free(f"call-{place}-{index}", known)
        known.add(identifier)
        identified.append(replace(call, identifier=identifier))
    return identified


def _free(name: str, taken: set[str]) -> str:
    numbered = (f"{name}-{number}" for number in itertools.count(2))
    return next(one for one in itertools.chain([name], numbered) if one not in taken)
