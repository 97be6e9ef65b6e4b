"""Scripted agents: they play the solutions, counterexamples and agent turns of a scenario.

``TextCallingAgent`` writes their calls as text if the scenario's ``call_format`` asks for it.
``unhelpful`` is ToolSandbox's baseline, which calls no tools.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from pytest_toolsandbox.calls.text_format import (
    OBSERVATION,
    TEXT,
    TextFormat,
    call_text,
    read_call_text,
    with_call_text,
)
from pytest_toolsandbox.language.roles import Role, SayStep, Step, ToolStep, calls_of
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.language.tasks import AgentTurn, RecordedCall, Replay, UserTurn
from pytest_toolsandbox.language.values import FromResult, substituted
from pytest_toolsandbox.models.errors import AgentError
from pytest_toolsandbox.text.nearest_name import unknown
from pytest_toolsandbox.users.user import AS_SAID, GO_ON, earlier_message_count
from pytest_toolsandbox.worlds.tool_view import ToolView

from .robust import RobustAgent
from .wrapping import bare

ChatMessage = dict[str, Any]

NOTHING_LEFT = "I have nothing to add."
Results = Callable[[], Mapping[str, Any]]
"""Returns tool → latest result; called only if a script takes something from a result."""


@dataclass(frozen=True)
class ScriptedCall:
    """A call of a script, in the world's names; arguments of type ``str`` are sent unchanged."""

    identifier: str
    tool: str
    arguments: Mapping[str, Any] | str


@dataclass(frozen=True)
class Turn:
    """One turn of the agent: batches of parallel calls, then a text, if any."""

    batches: tuple[tuple[ScriptedCall, ...], ...]
    text: Any = None


@dataclass(frozen=True)
class ScriptedAgent:
    """Plays turns; each message that it sends is a batch of calls or a text.

    The messages tell which comes next. The first messages of the agent, ``earlier_message_count``,
    are part of the scenario. ``shown`` maps tools to how the agent sees them.
    """

    turns: tuple[Turn, ...]
    earlier_message_count: int = 0
    shown: Mapping[str, ToolView] = field(default_factory=dict)
    fillers: frozenset[str] = frozenset()
    """The user's messages that do not begin a turn."""

    def __call__(
        self, messages: list[ChatMessage], tools: list[dict[str, Any]]
    ) -> ChatMessage | str:
        """Return the next calls or the next text."""
        del tools  # counterexamples may call what is not offered
        number, batches_made = self.position(messages)
        if number >= len(self.turns):
            return NOTHING_LEFT
        turn, results = self.turns[number], cache(lambda: _latest_results(messages, self.shown))
        if batches_made >= len(turn.batches):
            return NOTHING_LEFT if turn.text is None else str(filled(turn.text, results))
        calls = [self._chat_call(call, results) for call in turn.batches[batches_made]]
        return {"role": "assistant", "content": None, "tool_calls": calls}

    def position(self, messages: Sequence[ChatMessage]) -> tuple[int, int]:
        """Return the number of the current turn, and how many of its batches have been made."""
        users = [i for i, message in enumerate(messages) if message["role"] == "user"]
        fillers = [i for i in users if messages[i]["content"] in self.fillers]
        texts = sum(m["role"] == "assistant" and not m.get("tool_calls") for m in messages)
        start = max({*users} - {*fillers})
        batches_made = sum(message["role"] == "assistant" for message in messages[start:])
        return texts - len(fillers) - self.earlier_message_count, batches_made

    def _chat_call(self, call: ScriptedCall, results: Results) -> dict[str, Any]:
        name, arguments = call.tool, call.arguments
        if not isinstance(arguments, str):
            values = filled(dict(arguments), results)
            if tool := self.shown.get(name):
                name = tool.name
                values = {tool.argument_names.get(k, k): value for k, value in values.items()}
            arguments = json.dumps(values, ensure_ascii=False)
        function = {"name": name, "arguments": arguments}
        return {"id": call.identifier, "type": "function", "function": function}


def oracle(scenario: Scenario, name: str | None = None) -> ScriptedAgent | RobustAgent:
    """Return the agent that plays a solution; by default the turns of a recording, if any.

    It copes with the conditions of the scenario.
    """
    if scenario.task.agent_turns and name is None:
        return coping(scenario, taking(scenario, scenario.task.agent_turns))
    if not scenario.solutions:
        raise AgentError(f"scenario {scenario.name!r} has no solutions for the oracle; write some")
    return _playing(scenario, "solution", scenario.solutions, name)


def counterexample(scenario: Scenario, name: str | None = None) -> ScriptedAgent | RobustAgent:
    """Return the agent that plays a counterexample, the first one unless it is named."""
    if not scenario.counterexamples:
        raise AgentError(f"scenario {scenario.name!r} has no counterexamples")
    return _playing(scenario, "counterexample", scenario.counterexamples, name)


def _playing(
    scenario: Scenario, kind: str, scripts: Mapping[str, Sequence[Step]], name: str | None
) -> ScriptedAgent | RobustAgent:
    name = next(iter(scripts)) if name is None else name
    if name not in scripts:
        raise AgentError(f"scenario {scenario.name!r}: {unknown(kind, name, scripts)}")
    return coping(scenario, scripted(scenario, scripts[name]))


def coping(scenario: Scenario, agent: ScriptedAgent) -> ScriptedAgent | RobustAgent:
    """Return an agent that copes with the conditions of a scenario, if there are any."""
    return RobustAgent(agent) if scenario.conditions else agent


def scripted(scenario: Scenario, steps: Sequence[Step]) -> ScriptedAgent:
    """Return the agent that plays ``steps`` in a scenario."""
    turns: list[Turn] = []
    batches: list[tuple[ScriptedCall, ...]] = []
    for place, step in enumerate(steps):
        if isinstance(step, SayStep):
            turns.append(Turn(tuple(batches), step.text))
            batches = []
        else:
            batches.append(_batch(place, calls_of(step)))
    if batches:
        turns.append(Turn(tuple(batches)))
    earlier = earlier_message_count(scenario, Role.AGENT)
    return ScriptedAgent(tuple(turns), earlier, _shown_by_name(scenario))


def taking(scenario: Scenario, turns: Sequence[AgentTurn]) -> ScriptedAgent:
    """Return the agent that takes ``turns`` of a recorded conversation, call after call."""
    scripts = (
        Turn(tuple((call,) for call in _batch(place, turn.calls)), turn.content)
        for place, turn in enumerate(turns)
    )
    turns_of_user = (t for t in scenario.task_as(Replay).turns if isinstance(t, UserTurn))
    fillers = frozenset((GO_ON, AS_SAID)) - {turn.content for turn in turns_of_user}
    return ScriptedAgent(tuple(scripts), shown=_shown_by_name(scenario), fillers=fillers)


def _batch(place: int, calls: Sequence[ToolStep | RecordedCall]) -> tuple[ScriptedCall, ...]:
    return tuple(
        ScriptedCall(f"call-{place}-{index}", call.tool, call.arguments)
        for index, call in enumerate(calls)
    )


def _latest_results(
    messages: Sequence[ChatMessage], shown: Mapping[str, ToolView]
) -> dict[str, Any]:
    """Return tool → latest result. An error of a tool is not JSON, and so not a result."""
    world_names = {view.name: name for name, view in shown.items()}
    names = {
        call["id"]: call["function"]["name"]
        for message in messages
        for call in message.get("tool_calls") or ()
    }
    results: dict[str, Any] = {}
    for message in messages:
        if message["role"] == "tool":
            name = names[message["tool_call_id"]]
            try:  # a line below a result says that it is old or incomplete
                result = json.loads(message["content"].partition("\n")[0])
            except ValueError:
                continue
            results[world_names.get(name, name)] = result
    return results


def _shown_by_name(scenario: Scenario) -> dict[str, ToolView]:
    """Return tool → how the agent sees it, for the tools that are offered."""
    return {tool.tool.name: tool for tool in scenario.tool_views.values()}


def filled(value: Any, results: Results) -> Any:
    """Return a value with references to results replaced. Raises :class:`AgentError`."""

    def latest(source: FromResult) -> Any:
        if source.name not in results():
            raise AgentError(f"the script needs a result of {source.name}, which has given none")
        value = source.value(results()[source.name])
        if value is None:
            where = f" at {source.path!r}" if source.path else ""
            raise AgentError(f"the script finds nothing{where} in the result of {source.name}")
        return value

    return substituted(value, latest)


@dataclass(frozen=True)
class TextCallingAgent:
    """Translates between an agent that makes native calls and calls written as text.

    If every reply must be a call (``must_call``), it calls ``finish`` with the agent's text.
    """

    agent: Callable[[list[ChatMessage], list[dict[str, Any]]], str | ChatMessage]
    must_call: bool = False
    written: TextFormat = TEXT

    def __call__(self, messages: list[ChatMessage], tools: list[dict[str, Any]]) -> str:
        """Return the reply of the agent as text."""
        reply = self.agent(read_messages(messages, self.written), tools)
        if isinstance(reply, str):
            answer = json.dumps({"answer": reply}, ensure_ascii=False)
            finish = call_text("finish", answer, self.written)
            return finish if self.must_call else self.written.marked(reply)
        return str(with_call_text([reply], self.written)[0]["content"])


def read_messages(messages: Sequence[ChatMessage], written: TextFormat = TEXT) -> list[ChatMessage]:
    """Return messages with written calls, and the results after them, as native ones."""
    native: list[ChatMessage] = []
    open_calls: list[str] = []
    for number, message in enumerate(messages):
        if message["role"] == "assistant":
            native.append(_with_native_calls(message, number, written))
            open_calls = [call["id"] for call in native[-1].get("tool_calls", ())]
        elif open_calls and message["content"].startswith(OBSERVATION):
            content = message["content"].removeprefix(OBSERVATION)
            native.append({"role": "tool", "tool_call_id": open_calls.pop(0), "content": content})
        else:
            native.append(message)
    return native


def _with_native_calls(message: ChatMessage, number: int, written: TextFormat) -> ChatMessage:
    text = read_call_text(message["content"], must_call=False, text_format=written)
    if text is None:
        return message
    if not text.calls:
        return {**message, "content": text.before}
    functions = [{"name": name, "arguments": arguments} for name, arguments in text.calls]
    calls = [
        {"id": f"{number}-{i}", "type": "function", "function": function}
        for i, function in enumerate(functions)
    ]
    return {"role": "assistant", "content": text.before or None, "tool_calls": calls}


def is_scripted(agent: Any) -> bool:
    """Return whether an agent plays a script: it asks no model and takes no time."""
    agent = bare(agent)
    return agent is unhelpful or type(agent) in (ScriptedAgent, RobustAgent, TextCallingAgent)


def unhelpful(messages: list[dict[str, Any]], tools: list[dict[str, Any]]) -> str:
    """Return the same refusal to every message."""
    del messages, tools
    return "I'm sorry, but I can't help you with that."
