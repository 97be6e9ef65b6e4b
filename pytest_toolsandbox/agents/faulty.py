"""An agent that errs by schedule and obeys feedback: what feedback is worth can be tried with it.

It plays a scenario's first solution, but every second call is wrong at first. If it is told what is
allowed, it makes the call as it should; after any other answer it goes on without. It then says
that it could not find out.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from pytest_toolsandbox.language.roles import Role
from pytest_toolsandbox.language.scenario import (
    FINISH,
    AgentTurn,
    ParallelStep,
    SayStep,
    Scenario,
    Step,
    ToolStep,
)
from pytest_toolsandbox.models.errors import AgentError
from pytest_toolsandbox.worlds.tool_view import ShownTool

from .agent import Message
from .scripted import filled, latest_results, shown_by_name, written_call

FEEDBACK: Final = "ERROR |"
"""How feedback begins."""

EVERY: Final = 2
"""Of so many calls the first is wrong."""

GIVEN_UP: Final = "I could not find that out."

Function = dict[str, Any]


@dataclass(frozen=True)
class ErringTurn:
    """The calls of a turn, one after the other, and what is said at its end, if anything is."""

    calls: tuple[ToolStep, ...]
    text: Any


@dataclass(frozen=True)
class ErringAgent:
    """Takes its turns with a fault in every second call; nothing is kept between its replies."""

    turns: tuple[ErringTurn, ...]
    said_before: int = 0
    shown: Mapping[str, ShownTool] = field(default_factory=dict)

    def __call__(self, messages: list[Message], tools: list[dict[str, Any]]) -> Message | str:
        """Return the next reply."""
        del tools
        spoken = [m for m in messages if m["role"] == "assistant" and not m.get("tool_calls")]
        place = len(spoken) - self.said_before
        if place >= len(self.turns):
            return GIVEN_UP
        turn, before = self.turns[place], sum(len(turn.calls) for turn in self.turns[:place])
        asked = max(i for i, message in enumerate(messages) if message["role"] == "user")
        answers = [m["content"] for m in messages[asked:] if m["role"] == "tool"]
        progress = _progress(answers, before)
        try:
            return self._next(turn, progress, latest_results(messages, self.shown))
        except AgentError:  # a value is missing that an earlier call should have given
            return self._conclusion(turn)

    def _next(
        self, turn: ErringTurn, progress: _Progress, results: Mapping[str, Any]
    ) -> Message | str:
        if progress.index >= len(turn.calls):
            return GIVEN_UP if progress.gave_up else str(filled(turn.text or "", results))
        step = turn.calls[progress.index]
        if step.tool == FINISH.name and progress.gave_up:
            return self._conclusion(turn)
        reply = self._call(progress.index, step, results)
        if step.tool == FINISH.name or progress.is_second or not _errs(progress.number):
            return reply
        (call,) = reply["tool_calls"]
        fault = FAULTS[progress.number // EVERY % len(FAULTS)]
        return reply | {"tool_calls": [call | {"function": fault(call["function"])}]}

    def _conclusion(self, turn: ErringTurn) -> Message | str:
        if turn.calls and turn.calls[-1].tool == FINISH.name:
            return self._call(-1, ToolStep(FINISH.name, {"answer": GIVEN_UP}), {})
        return GIVEN_UP

    def _call(self, index: int, step: ToolStep, results: Mapping[str, Any]) -> Message:
        given = filled(dict(step.arguments), results)
        call = written_call(f"call-{index}", step.tool, given, self.shown)
        return {"role": "assistant", "content": None, "tool_calls": [call]}


def erring(scenario: Scenario) -> ErringAgent:
    """Return the agent for a scenario. Raises :class:`AgentError` where there is no solution."""
    if scenario.replay is not None:
        turns = [
            ErringTurn(
                tuple(ToolStep(call.tool, call.arguments) for call in turn.calls), turn.content
            )
            for turn in scenario.replay.turns
            if isinstance(turn, AgentTurn)
        ]
    elif scenario.solutions:
        turns = list(_turns(next(iter(scenario.solutions.values()))))
    else:
        raise AgentError(f"scenario {scenario.name!r} has no solution in which it could err")
    said = sum(
        line.role is Role.AGENT and (line.visible_to is None or Role.AGENT in line.visible_to)
        for line in scenario.history
    )
    return ErringAgent(tuple(turns), said, shown_by_name(scenario))


def _turns(steps: Sequence[Step]) -> Iterator[ErringTurn]:
    calls: list[ToolStep] = []
    for step in steps:
        if isinstance(step, SayStep):
            yield ErringTurn(tuple(calls), step.text)
            calls = []
        else:
            calls += step.steps if isinstance(step, ParallelStep) else (step,)
    if calls:
        yield ErringTurn(tuple(calls), None)


def _errs(number: int) -> bool:
    return number % EVERY == 0


@dataclass(frozen=True)
class _Progress:
    """Which call of a turn is next: its place there and among all, and whether it is made again.

    ``gave_up`` says that one of the turn's calls was left as it was, which is wrong.
    """

    index: int
    number: int
    is_second: bool
    gave_up: bool


def _progress(answers: Sequence[str], before: int) -> _Progress:
    """Return how far a turn has come, before which there were so many calls."""
    index, is_second, gave_up = 0, False, False
    for answer in answers:
        if answer.startswith(FEEDBACK) and not is_second:
            is_second = True
            continue
        gave_up = gave_up or (_errs(before + index) and not is_second)
        index, is_second = index + 1, False
    return _Progress(index, before + index, is_second, gave_up)


def _another_name(function: Function) -> Function:
    return {**function, "name": f"{function['name']}_now"}


def _another_argument(function: Function) -> Function:
    given = json.loads(function["arguments"])
    return {**function, "arguments": json.dumps({**given, "page_number_x": 1})}


def _another_type(function: Function) -> Function:
    given = json.loads(function["arguments"])
    if not given:
        return _another_argument(function)
    name = next(iter(given))
    return {**function, "arguments": json.dumps({**given, name: {"value": given[name]}})}


def _no_json(function: Function) -> Function:
    return {**function, "arguments": function["arguments"][:-1]}


FAULTS: Final[Sequence[Callable[[Function], Function]]] = (
    _another_name,
    _another_argument,
    _another_type,
    _no_json,
)
"""What it does wrong, one after the other: IFN, IAN, IAT, IFE."""
