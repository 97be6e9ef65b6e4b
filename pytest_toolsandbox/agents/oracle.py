"""Agents that play what a scenario has written down: its solutions and counterexamples."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pytest_toolsandbox.language.mistakes import unknown
from pytest_toolsandbox.language.roles import Role
from pytest_toolsandbox.language.scenario import ParallelStep, SayStep, Scenario, Step, ToolStep
from pytest_toolsandbox.language.values import FromResult, substituted

from .agent import AgentError, Message

NOTHING_LEFT = "I have nothing to add."


@dataclass(frozen=True)
class ScriptedAgent:
    """Plays steps, one for each message that it sends.

    Nothing is kept between calls: which step is next follows from the messages, of which the
    first ``said_before`` of the agent's own stood there from the start.
    """

    steps: tuple[Step, ...]
    said_before: int = 0

    def __call__(self, messages: list[Message], tools: list[dict[str, Any]]) -> Message | str:
        """Return the next step as a reply."""
        del tools  # counterexamples may call what is not offered
        place = sum(message["role"] == "assistant" for message in messages) - self.said_before
        if place >= len(self.steps):
            return NOTHING_LEFT
        step = self.steps[place]
        results = _results(messages)
        if isinstance(step, SayStep):
            return str(_filled(step.text, results))
        steps = step.steps if isinstance(step, ParallelStep) else (step,)
        calls = [_call(f"{place}-{i}", item, results) for i, item in enumerate(steps)]
        return {"role": "assistant", "content": None, "tool_calls": calls}


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
    return ScriptedAgent(tuple(steps), said)


def _call(identifier: str, step: ToolStep, results: Mapping[str, Any]) -> dict[str, Any]:
    arguments = json.dumps(_filled(dict(step.arguments), results), ensure_ascii=False)
    function = {"name": step.tool, "arguments": arguments}
    return {"id": f"call-{identifier}", "type": "function", "function": function}


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


def _results(messages: list[Message]) -> dict[str, Any]:
    """Return tool → its latest result. Errors are no JSON, and so no results."""
    names = {
        call["id"]: call["function"]["name"]
        for message in messages
        for call in message.get("tool_calls") or ()
    }
    results: dict[str, Any] = {}
    for message in messages:
        if message["role"] == "tool":
            try:
                results[names[message["tool_call_id"]]] = json.loads(message["content"])
            except ValueError:
                continue
    return results
