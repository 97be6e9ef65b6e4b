"""What goes between an agent and the others: messages to it, its replies, and their identifiers."""

from __future__ import annotations

import itertools
import marshal
import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, Final

from pytest_toolsandbox.agents.agent import AgentCaller
from pytest_toolsandbox.calls.text_format import TEXT_FORMATS, read_call_text, with_call_text
from pytest_toolsandbox.calls.tool_call import ToolCall, to_world_names
from pytest_toolsandbox.language.roles import Role
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.models.requests import request_context
from pytest_toolsandbox.worlds.tool_view import ToolView

from .messages import Message, message_to
from .replies import read_reply
from .views import AgentView

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
