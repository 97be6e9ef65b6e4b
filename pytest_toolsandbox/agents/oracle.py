"""Agents that play what a scenario has written down: its solutions and counterexamples."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pytest_toolsandbox.language.mistakes import unknown
from pytest_toolsandbox.language.roles import Role
from pytest_toolsandbox.language.scenario import ParallelStep, SayStep, Scenario, Step, ToolStep
from pytest_toolsandbox.language.values import FromResult, substituted
from pytest_toolsandbox.worlds.shown import ShownTool

from .agent import AgentError, Message

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
        results = self._results(messages)
        if isinstance(step, SayStep):
            return str(_filled(step.text, results))
        steps = step.steps if isinstance(step, ParallelStep) else (step,)
        calls = [self._call(f"{place}-{i}", item, results) for i, item in enumerate(steps)]
        return {"role": "assistant", "content": None, "tool_calls": calls}

    def _call(self, identifier: str, step: ToolStep, results: Mapping[str, Any]) -> dict[str, Any]:
        given, name = _filled(dict(step.arguments), results), step.tool
        if shown := self.shown.get(step.tool):
            name = shown.name
            given = {shown.argument_names.get(key, key): value for key, value in given.items()}
        function = {"name": name, "arguments": json.dumps(given, ensure_ascii=False)}
        return {"id": f"call-{identifier}", "type": "function", "function": function}

    def _results(self, messages: list[Message]) -> dict[str, Any]:
        """Return tool → its latest result. Errors are no JSON, and so no results."""
        own_names = {shown.name: name for name, shown in self.shown.items()}
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


def oracle(scenario: Scenario) -> ScriptedAgent:
    """Return the agent that plays the first solution. Raises :class:`AgentError`."""
    if not scenario.solutions:
        raise AgentError(f"scenario {scenario.name!r} has no solutions that the oracle could play")
    return scripted(scenario, next(iter(scenario.solutions.values())))


def counterexample(scenario: Scenario, name: str | None = None) -> ScriptedAgent:
    """Return the agent that plays a counterexample, the first one unless it is named."""
    examples = scenario.counterexamples
    if not examples:
        raise AgentError(f"scenario {scenario.name!r} has no counterexamples")
    if name is None:
        name = next(iter(examples))
    if name not in examples:
        raise AgentError(f"scenario {scenario.name!r}: {unknown('counterexample', name, examples)}")
    return scripted(scenario, examples[name])


def scripted(scenario: Scenario, steps: Sequence[Step]) -> ScriptedAgent:
    """Return the agent that plays ``steps`` in a scenario."""
    said = sum(
        line.role is Role.AGENT and (line.visible_to is None or Role.AGENT in line.visible_to)
        for line in scenario.history
    )
    shown = {tool.tool.name: tool for tool in scenario.shown_tools.values()}
    return ScriptedAgent(tuple(steps), said, shown)


def _filled(value: Any, results: Mapping[str, Any]) -> Any:
    def latest(source: FromResult) -> Any:
        if source.name not in results:
            raise AgentError(f"the script needs a result of {source.name}, which has given none")
        found = source.value(results[source.name])
        if found is None:
            where = f" at {source.path!r}" if source.path else ""
            raise AgentError(f"the script finds nothing{where} in the result of {source.name}")
        return found

    return substituted(value, latest)
