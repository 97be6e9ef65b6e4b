"""Prove a recorded conversation: its recorded turns succeed, and mutants of them fail.

A mutant leaves out a call, changes an argument of an action, or adds an action.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial

from pytest_toolsandbox.agents.agent import Agent
from pytest_toolsandbox.agents.scripted import taking
from pytest_toolsandbox.calls.tool_call import ToolCall
from pytest_toolsandbox.conversation.environment import ExecutionEnvironment
from pytest_toolsandbox.conversation.replay import GroundTruthTurn, ground_truth_turns, replay
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.language.tasks import AgentTurn, RecordedCall
from pytest_toolsandbox.scoring.judging import judge
from pytest_toolsandbox.scoring.tooltalk.evaluate_calls import CallEvaluation
from pytest_toolsandbox.scoring.tooltalk.evaluate_replay import evaluate_replay

from .mutants import ANOTHER_TEXT, Kind, mutated
from .proof import IDLE, Ask, Proof, faulty_solutions, finding, shortfalls

_SAMPLES = {"string": ANOTHER_TEXT, "integer": 7, "number": 7.5, "boolean": True, "array": []}
"""Type → an arbitrary value of an argument."""

Turns = Sequence[AgentTurn]


def prove_replay(scenario: Scenario, ask: Ask | None = None) -> Proof:
    """Prove a recorded conversation. The embedder in use compares free texts."""
    turns = scenario.task.agent_turns

    def wrong(scene: Scenario, what: str) -> str | None:
        played = partial(replay, scene, taking(scene, turns))
        return finding(
            what, played, lambda trajectory: _shortfall(evaluate_replay(scene, trajectory))
        )

    findings = [
        *_failing_calls(scenario),
        *shortfalls(scenario, "the recorded conversation", wrong),
    ]
    proof = Proof(ask, findings or [*_passing_idlers(scenario)])
    for kind, what, mutant in () if proof.findings else _mutants(scenario, turns):
        passed = _judged(scenario, taking(scenario, mutant)).passed
        proof.tried(kind, what, "it is compared as a ground-truth call" if passed else None)
    if not proof.findings:
        proof.findings += faulty_solutions(scenario, lambda *played: judge(*played).patterns)
    return proof


def _failing_calls(scenario: Scenario) -> Iterator[str]:
    """Yield the ground-truth calls that fail, although the recording does not expect it."""
    for truth in ground_truth_turns(scenario):
        for call, _, response in truth.calls:
            if response.failed and not call.recorded:
                what = f"the ground-truth call of {call.tool} fails: {response.error}"
                yield f"{what} (if that is meant, write it beside the call as its error)"


def _shortfall(result: CallEvaluation) -> str | None:
    """Return why the recorded turns do not succeed, if so."""
    if result.passed:
        return None
    missed = [truth.call.tool for truth in result.ground_truths if not truth.matched]
    wrong = [prediction.call.tool for prediction in result.predictions if prediction.bad_action]
    parts = (("calls that do not match themselves", missed), ("incorrect actions", wrong))
    return "fails; " + "; ".join(f"{part}: {', '.join(names)}" for part, names in parts if names)


def _judged(scenario: Scenario, agent: Agent) -> CallEvaluation:
    return evaluate_replay(scenario, replay(scenario, agent))


def _passing_idlers(scenario: Scenario) -> Iterator[str]:
    for what, answer in IDLE.items():
        if _judged(scenario, lambda _messages, _tools, answer=answer: answer).passed:
            yield f"an agent that {what} passes"


def _mutants(scenario: Scenario, turns: Turns) -> Iterator[tuple[Kind, str, Turns]]:
    """Yield the kind of each mutant, its change, and its turns."""
    for place, truth in enumerate(ground_truth_turns(scenario)):
        for index, (call, before, response) in enumerate(truth.calls):
            yield "call dropped", call.tool, _with_calls(turns, place, index)
            if not scenario.world.tools[call.tool].action or response.failed:
                continue
            for name, value in call.arguments.items():
                changed = mutated(value, before)
                if changed is not None:
                    mutant = replace(call, arguments={**call.arguments, name: changed})
                    what = f"{call.tool}: {name}={changed!r} instead of {value!r}"
                    yield "argument changed", what, _with_calls(turns, place, index, mutant)
        extra = _extra_action(scenario, truth)
        if extra is not None:
            end = len(truth.calls)
            yield "extra action", extra.tool, _with_calls(turns, place, end, extra)


def _with_calls(turns: Turns, place: int, index: int, *instead: RecordedCall) -> list[AgentTurn]:
    """Return the turns with other calls instead of one."""
    turn = turns[place]
    calls = (*turn.calls[:index], *instead, *turn.calls[index + 1 :])
    return [*turns[:place], replace(turn, calls=calls), *turns[place + 1 :]]


def _extra_action(scenario: Scenario, turn: GroundTruthTurn) -> RecordedCall | None:
    """Return an unrequested action that works at the end of a turn."""
    state = turn.calls[-1][2].state if turn.calls else turn.before
    with ExecutionEnvironment(scenario.world, scenario.now, scenario.world.shown()) as environment:
        for tool in scenario.world.agent_tools.values():
            if not tool.action or tool.name not in scenario.tools:
                continue
            arguments = {
                name: _SAMPLES.get(parameter.schema.get("type", ""))
                for name, parameter in tool.parameters.items()
                if parameter.required
            }
            request = ToolCall("extra", tool.name, json.dumps(arguments))
            if not environment.run(request, state, "extra").failed:
                return RecordedCall(tool.name, arguments)
    return None
