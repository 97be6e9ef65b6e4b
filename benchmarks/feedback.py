"""Measures how much feedback helps an agent that makes scheduled mistakes.

The agent plays a scenario's first solution, but every second call is wrong at first. If it is told
what is allowed, it makes the call as it should; after any other answer it goes on without, and then
says that it could not find out. It plays every scenario twice, with feedback and without, and the
tables of error patterns are printed.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from pytest_toolsandbox.agents.agent import ChatMessage
from pytest_toolsandbox.agents.scripted import ScriptedAgent, Turn, oracle
from pytest_toolsandbox.language.files import find_files
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.language.tasks import FINISH
from pytest_toolsandbox.models.errors import AgentError
from pytest_toolsandbox.output.error_table import error_lines
from pytest_toolsandbox.protocols import load_file
from pytest_toolsandbox.records.record import Summary
from pytest_toolsandbox.runs.trial import play_trial

SUITE: Final = Path(__file__).parents[1] / "scenarios" / "queries"

FEEDBACK: Final = "ERROR |"
"""How feedback begins."""

EVERY: Final = 2
"""Of so many calls the first is wrong."""

GIVEN_UP: Final = "I could not find that out."

Function = dict[str, Any]
ARMS: Final = {"feedback_on": True, "feedback_off": False}


def main() -> int:
    """Play the scenarios in a folder, and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", type=Path, nargs="?", default=SUITE)
    print(*error_lines(list(played(parser.parse_args().folder))), sep="\n")
    return 0


def played(folder: Path) -> Iterator[Summary]:
    """Yield what became of each scenario that has a solution, with feedback and without."""
    for file in find_files([folder]):
        for scenario in load_file(file):
            for arm, feedback in ARMS.items() if scenario.has_solution else ():
                scene = replace(scenario, feedback=feedback)
                trial = play_trial(scene, erring(scene))
                yield replace(trial, identifier=f"{file}::{scenario.name}[{arm}]").summary


@dataclass(frozen=True)
class FaultyAgent:
    """Plays a script of single calls with a fault in every second one, until feedback comes."""

    script: ScriptedAgent

    def __call__(
        self, messages: list[ChatMessage], tools: list[dict[str, Any]]
    ) -> ChatMessage | str:
        """Return what the script says next, with the fault that its number asks for."""
        done, corrected, is_told = _without_corrected(messages)
        place, made = self.script.position(done)
        if place >= len(self.script.turns):
            return GIVEN_UP
        before = sum(len(turn.batches) for turn in self.script.turns[:place])
        faults = sum((before + call) % EVERY == 0 for call in range(made))
        try:
            reply = self.script(done, tools)
        except AgentError:  # a value is missing that an earlier call should have given
            return self._conclusion(place)
        gave_up = faults > corrected
        if isinstance(reply, str):
            return GIVEN_UP if gave_up else reply
        (call,) = reply["tool_calls"]
        if self.script.turns[place].batches[made][0].tool == FINISH.name:
            return self._conclusion(place) if gave_up else reply
        number = before + made
        if number % EVERY or is_told:
            return reply
        fault = FAULTS[number // EVERY % len(FAULTS)]
        return reply | {"tool_calls": [call | {"function": fault(call["function"])}]}

    def _conclusion(self, place: int) -> ChatMessage | str:
        """Return how a turn ends without a result: in words, or with the call that ends it."""
        batches = self.script.turns[place].batches
        if not batches or batches[-1][0].tool != FINISH.name:
            return GIVEN_UP
        finish = replace(batches[-1][0], identifier="call--1", arguments={"answer": GIVEN_UP})
        user = {"role": "user", "content": ""}
        return replace(self.script, turns=(Turn(((finish,),)),), earlier_message_count=0)(
            [user], []
        )


def erring(scenario: Scenario) -> FaultyAgent:
    """Return the agent for a scenario. Raises :class:`AgentError` where there is no solution."""
    if not scenario.has_solution:
        raise AgentError(f"scenario {scenario.name!r} has no solution in which it could err")
    script = oracle(scenario)
    assert isinstance(script, ScriptedAgent)
    return FaultyAgent(replace(script, turns=tuple(map(_one_by_one, script.turns))))


def _one_by_one(turn: Turn) -> Turn:
    calls = enumerate(call for batch in turn.batches for call in batch)
    return Turn(tuple((replace(call, identifier=f"call-{i}"),) for i, call in calls), turn.text)


def _without_corrected(messages: Sequence[ChatMessage]) -> tuple[list[ChatMessage], int, bool]:
    """Return the messages without the calls that feedback answers.

    Return as well how many of these calls the turn has, and whether one is to be made again. What
    follows feedback is the corrected call, whatever its answer.
    """
    kept: list[ChatMessage] = []
    corrected, is_told = 0, False
    for message in messages:
        if message["role"] == "user":
            corrected = 0
        is_answer = message["role"] == "tool"
        if is_answer and not is_told and message["content"].startswith(FEEDBACK):
            kept.pop()  # the call
            corrected, is_told = corrected + 1, True
            continue
        kept.append(message)
        is_told = is_told and not is_answer
    return kept, corrected, is_told


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

if __name__ == "__main__":
    sys.exit(main())
