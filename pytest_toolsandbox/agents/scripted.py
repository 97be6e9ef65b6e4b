"""Agents that play what a scenario has written down: solutions, counterexamples, true turns."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pytest_toolsandbox.language.mistakes import unknown
from pytest_toolsandbox.language.roles import Role
from pytest_toolsandbox.language.scenario import (
    AgentTurn,
    ParallelStep,
    SayStep,
    Scenario,
    Step,
    ToolStep,
)
from pytest_toolsandbox.language.values import FromResult, substituted
from pytest_toolsandbox.models.errors import AgentError
from pytest_toolsandbox.worlds.tool_view import ShownTool

from .agent import Message

NOTHING_LEFT = "I have nothing to add."


@dataclass(frozen=True)
class ScriptedAgent:
    """Plays steps, one for each message that it sends.

    Nothing is kept between calls: which step is next follows from the messages, of which the
    first ``said_before`` of the agent's own stood there from the start. ``shown`` maps the tools
    that it speaks of under other names to these.
    """

    steps: tuple[Step, ...]
    said_before: int = 0
    shown: Mapping[str, ShownTool] = field(default_factory=dict)

    def __call__(self, messages: list[Message], tools: list[dict[str, Any]]) -> Message | str:
        """Return the next step as a reply."""
        del tools  # counterexamples may call what is not offered
        place = sum(message["role"] == "assistant" for message in messages) - self.said_before
        if place >= len(self.steps):
            return NOTHING_LEFT
        step = self.steps[place]
        results = latest_results(messages, self.shown)
        if isinstance(step, SayStep):
            return str(filled(step.text, results))
        steps = step.steps if isinstance(step, ParallelStep) else (step,)
        calls = [self._call(f"{place}-{i}", item, results) for i, item in enumerate(steps)]
        return {"role": "assistant", "content": None, "tool_calls": calls}

    def _call(self, identifier: str, step: ToolStep, results: Mapping[str, Any]) -> dict[str, Any]:
        given = filled(dict(step.arguments), results)
        return written_call(f"call-{identifier}", step.tool, given, self.shown)


@dataclass(frozen=True)
class TurnTakingAgent:
    """Takes the agent's turns of a recorded conversation: their calls one by one, then the answer.

    Nothing is kept between calls: which turn it is follows from the answers that were given. The
    ``shown`` maps the tools that it speaks of under other names to these.
    """

    turns: tuple[AgentTurn, ...]
    shown: Mapping[str, ShownTool] = field(default_factory=dict)

    def __call__(self, messages: list[Message], tools: list[dict[str, Any]]) -> Message | str:
        """Return the next call, or the answer."""
        del tools  # a turn may call what is not offered
        answers = [m for m in messages if m["role"] == "assistant" and not m.get("tool_calls")]
        place = len(answers)
        if place >= len(self.turns):
            return NOTHING_LEFT
        turn = self.turns[place]
        asked = max(i for i, message in enumerate(messages) if message["role"] == "user")
        made = sum(message["role"] == "tool" for message in messages[asked:])
        if made >= len(turn.calls):
            return turn.content
        call = turn.calls[made]
        calls = [written_call(f"call-{place}-{made}", call.tool, dict(call.arguments), self.shown)]
        return {"role": "assistant", "content": None, "tool_calls": calls}


def oracle(scenario: Scenario, name: str | None = None) -> ScriptedAgent | TurnTakingAgent:
    """Return the agent that plays a solution, the first one unless it is named.

    In a recorded conversation it takes the true turns. Raises :class:`AgentError`.
    """
    if scenario.replay is not None and name is None:
        turns = [turn for turn in scenario.replay.turns if isinstance(turn, AgentTurn)]
        return taking(scenario, turns)
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
    if name is None:
        name = next(iter(scripts))
    if name not in scripts:
        raise AgentError(f"scenario {scenario.name!r}: {unknown(kind, name, scripts)}")
    return scripted(scenario, scripts[name])


def scripted(scenario: Scenario, steps: Sequence[Step]) -> ScriptedAgent:
    """Return the agent that plays ``steps`` in a scenario."""
    said = sum(
        line.role is Role.AGENT and (line.visible_to is None or Role.AGENT in line.visible_to)
        for line in scenario.history
    )
    return ScriptedAgent(tuple(steps), said, shown_by_name(scenario))


def taking(scenario: Scenario, turns: Sequence[AgentTurn]) -> TurnTakingAgent:
    """Return the agent that takes ``turns`` in a recorded conversation."""
    return TurnTakingAgent(tuple(turns), shown_by_name(scenario))


def latest_results(messages: Sequence[Message], shown: Mapping[str, ShownTool]) -> dict[str, Any]:
    """Return tool → its latest result. Errors are no JSON, and so no results."""
    own_names = {one.name: name for name, one in shown.items()}
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
                results[own_names.get(name, name)] = json.loads(message["content"])
            except ValueError:
                continue
    return results


def shown_by_name(scenario: Scenario) -> dict[str, ShownTool]:
    """Return tool → how the agent sees it, for those that are offered."""
    return {tool.tool.name: tool for tool in scenario.shown_tools.values()}


def written_call(
    identifier: str, name: str, given: Mapping[str, Any], shown: Mapping[str, ShownTool]
) -> dict[str, Any]:
    """Return a call as an agent writes it that knows tools under the names that are shown."""
    if tool := shown.get(name):
        name = tool.name
        given = {tool.argument_names.get(key, key): value for key, value in given.items()}
    function = {"name": name, "arguments": json.dumps(given, ensure_ascii=False)}
    return {"id": identifier, "type": "function", "function": function}


def filled(value: Any, results: Mapping[str, Any]) -> Any:
    """Return a value with what comes from results filled in. Raises :class:`AgentError`."""

    def latest(source: FromResult) -> Any:
        if source.name not in results:
            raise AgentError(f"the script needs a result of {source.name}, which has given none")
        found = source.value(results[source.name])
        if found is None:
            where = f" at {source.path!r}" if source.path else ""
            raise AgentError(f"the script finds nothing{where} in the result of {source.name}")
        return found

    return substituted(value, latest)
