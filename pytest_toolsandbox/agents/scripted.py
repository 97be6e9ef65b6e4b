"""Agents that play what a scenario has written down: solutions, counterexamples, agent turns.

``--agent=unhelpful``: the baseline of ToolSandbox that calls nothing and helps nobody.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Final

from pytest_toolsandbox.language.roles import Role, SayStep, Step, ToolStep, calls_of
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.language.tasks import AgentTurn, RecordedCall, Replay, UserTurn
from pytest_toolsandbox.language.values import FromResult, substituted
from pytest_toolsandbox.models.errors import AgentError
from pytest_toolsandbox.text.nearest_name import unknown
from pytest_toolsandbox.users.user import AS_SAID, GO_ON, said_before
from pytest_toolsandbox.worlds.tool_view import ToolView

from .agent import ChatMessage

NOTHING_LEFT = "I have nothing to add."
Results = Callable[[], Mapping[str, Any]]
"""Tool → its latest result; worked out where a script takes something from it."""


@dataclass(frozen=True)
class ScriptedCall:
    """A call of a script, in the world's names; arguments that are a text stand as they are."""

    identifier: str
    tool: str
    arguments: Mapping[str, Any] | str


@dataclass(frozen=True)
class Turn:
    """What an agent does until somebody else speaks: batches of calls, then a text, if any."""

    batches: tuple[tuple[ScriptedCall, ...], ...]
    text: Any = None


@dataclass(frozen=True)
class ScriptedAgent:
    """Takes turns, a batch of calls or a text with each message that it sends.

    Which is next follows from the messages, of which the first ``said_before`` of the agent's own
    stood there from the start. ``shown`` maps tools to how the agent sees them.
    """

    turns: tuple[Turn, ...]
    said_before: int = 0
    shown: Mapping[str, ToolView] = field(default_factory=dict)
    beside: frozenset[str] = frozenset()
    """What the user says without beginning a turn."""

    def __call__(
        self, messages: list[ChatMessage], tools: list[dict[str, Any]]
    ) -> ChatMessage | str:
        """Return the next calls, or what is said."""
        del tools  # counterexamples may call what is not offered
        place, made = self.place(messages)
        if place >= len(self.turns):
            return NOTHING_LEFT
        turn, results = self.turns[place], cache(lambda: latest_results(messages, self.shown))
        if made >= len(turn.batches):
            return NOTHING_LEFT if turn.text is None else str(filled(turn.text, results))
        calls = [self._written(call, results) for call in turn.batches[made]]
        return {"role": "assistant", "content": None, "tool_calls": calls}

    def place(self, messages: Sequence[ChatMessage]) -> tuple[int, int]:
        """Return which turn it is, and how many of its batches have been made."""
        users = [i for i, message in enumerate(messages) if message["role"] == "user"]
        again = [i for i in users if messages[i]["content"] in self.beside]
        said = sum(m["role"] == "assistant" and not m.get("tool_calls") for m in messages)
        said, asked = said - len(again), max({*users} - {*again})
        made = sum(message["role"] == "assistant" for message in messages[asked:])
        return said - self.said_before, made

    def _written(self, call: ScriptedCall, results: Results) -> dict[str, Any]:
        name, given = call.tool, call.arguments
        if not isinstance(given, str):
            given = filled(dict(given), results)
            if tool := self.shown.get(name):
                name = tool.name
                given = {tool.argument_names.get(key, key): value for key, value in given.items()}
            given = json.dumps(given, ensure_ascii=False)
        function = {"name": name, "arguments": given}
        return {"id": call.identifier, "type": "function", "function": function}


def oracle(scenario: Scenario, name: str | None = None) -> ScriptedAgent:
    """Return the agent that plays a solution, or by default the turns of a recording."""
    if scenario.task.agent_turns and name is None:
        return taking(scenario, scenario.task.agent_turns)
    if not scenario.solutions:
        raise AgentError(f"scenario {scenario.name!r} has no solutions for the oracle; write some")
    return _playing(scenario, "solution", scenario.solutions, name)


def counterexample(scenario: Scenario, name: str | None = None) -> ScriptedAgent:
    """Return the agent that plays a counterexample, the first one unless it is named."""
    if not scenario.counterexamples:
        raise AgentError(f"scenario {scenario.name!r} has no counterexamples")
    return _playing(scenario, "counterexample", scenario.counterexamples, name)


def _playing(
    scenario: Scenario, kind: str, scripts: Mapping[str, Sequence[Step]], name: str | None
) -> ScriptedAgent:
    name = next(iter(scripts)) if name is None else name
    if name not in scripts:
        raise AgentError(f"scenario {scenario.name!r}: {unknown(kind, name, scripts)}")
    return scripted(scenario, scripts[name])


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
    said = said_before(scenario, Role.AGENT)
    return ScriptedAgent(tuple(turns), said, shown_by_name(scenario))


def taking(scenario: Scenario, turns: Sequence[AgentTurn]) -> ScriptedAgent:
    """Return the agent that takes ``turns`` of a recorded conversation, call after call."""
    scripts = (
        Turn(tuple((call,) for call in _batch(place, turn.calls)), turn.content)
        for place, turn in enumerate(turns)
    )
    heard = {one.content for one in scenario.task_as(Replay).turns if isinstance(one, UserTurn)}
    beside = frozenset((GO_ON, AS_SAID)) - heard
    return ScriptedAgent(tuple(scripts), shown=shown_by_name(scenario), beside=beside)


def _batch(place: int, calls: Sequence[ToolStep | RecordedCall]) -> tuple[ScriptedCall, ...]:
    return tuple(
        ScriptedCall(f"call-{place}-{index}", call.tool, call.arguments)
        for index, call in enumerate(calls)
    )


def latest_results(
    messages: Sequence[ChatMessage], shown: Mapping[str, ToolView]
) -> dict[str, Any]:
    """Return tool → its latest result. Errors are no JSON, and so no results."""
    world_names = {one.name: name for name, one in shown.items()}
    names = {
        call["id"]: call["function"]["name"]
        for message in messages
        for call in message.get("tool_calls") or ()
    }
    results: dict[str, Any] = {}
    for message in messages:
        if message["role"] == "tool":
            name = names[message["tool_call_id"]]
            try:
                results[world_names.get(name, name)] = json.loads(message["content"])
            except ValueError:
                continue
    return results


def shown_by_name(scenario: Scenario) -> dict[str, ToolView]:
    """Return tool → how the agent sees it, for those that are offered."""
    return {tool.tool.name: tool for tool in scenario.tool_views.values()}


def filled(value: Any, results: Results) -> Any:
    """Return a value with what comes from results filled in. Raises :class:`AgentError`."""

    def latest(source: FromResult) -> Any:
        if source.name not in results():
            raise AgentError(f"the script needs a result of {source.name}, which has given none")
        found = source.value(results()[source.name])
        if found is None:
            where = f" at {source.path!r}" if source.path else ""
            raise AgentError(f"the script finds nothing{where} in the result of {source.name}")
        return found

    return substituted(value, latest)


SORRY: Final = "I'm sorry, but I can't help you with that."


def unhelpful(messages: list[dict[str, Any]], tools: list[dict[str, Any]]) -> str:
    """Return the same words to whatever was said."""
    del messages, tools
    return SORRY
