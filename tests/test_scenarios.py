"""What must be true of every scenario that comes with the project, and of its score."""

from __future__ import annotations

import json
import random
import re
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings, strategies as st
from rows import every
from shipped import SCENARIOS as FOLDER, shipped

from pytest_toolsandbox.agents.scripted import scripted
from pytest_toolsandbox.authoring.proof.proof import prove
from pytest_toolsandbox.calls.tool_call import ToolTrace
from pytest_toolsandbox.conversation.messages import Message, Trajectory
from pytest_toolsandbox.conversation.play import play
from pytest_toolsandbox.language.files import find_files
from pytest_toolsandbox.language.tasks import Query, Replay
from pytest_toolsandbox.scoring.milestones.evaluate import evaluate
from pytest_toolsandbox.users.user import scripted_user
from pytest_toolsandbox.worlds.state import State, Table, plain

UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")


ALL = {scenario.name: scenario for scenario in shipped()}
REPLAYS = {name: scenario for name, scenario in ALL.items() if isinstance(scenario.task, Replay)}
QUERIES = {name: scenario for name, scenario in ALL.items() if isinstance(scenario.task, Query)}
SCENARIOS = {name: ALL[name] for name in ALL if name not in {*REPLAYS, *QUERIES}}
PLAYS = [
    (name, script)
    for name, scenario in SCENARIOS.items()
    for script in (*scenario.solutions, *scenario.counterexamples)
]


@cache
def trajectory(name: str, script: str) -> Trajectory:
    scenario = SCENARIOS[name]
    steps = {**scenario.solutions, **scenario.counterexamples}[script]
    return play(scenario, scripted(scenario, steps), scripted_user(scenario))


def verdict(name: str, played: Trajectory) -> tuple[Any, ...]:
    """Return all that is judged: what is only told of a miss may differ."""
    result = evaluate(SCENARIOS[name], played)
    events = (*result.milestones, *result.minefields)
    matched = [(event.snapshot, event.similarity, event.reached) for event in events]
    return matched, result.score, result.passed, result.protected


@pytest.mark.parametrize("name", ALL)
def test_the_proof(name: str) -> None:
    proof = prove(ALL[name])
    assert (proof.findings, proof.survivors) == ([], [])
    assert proof.died == proof.made
    assert proof.made


def test_no_two_scenarios_have_one_name() -> None:
    assert len(ALL) == len(shipped())


@every("file", list(find_files([FOLDER])), ids=lambda file: file.stem)
def test_any_yaml_parser_reads_it(file: Path) -> None:
    """Even the one in pure Python, which is stricter than libyaml."""
    assert [*yaml.parse(file.read_text(encoding="utf-8"), Loader=yaml.SafeLoader)]


@given(st.sampled_from(PLAYS), st.randoms(use_true_random=False))
@settings(max_examples=40)
def test_the_order_of_rows_changes_nothing(play_of: tuple[str, str], source: random.Random) -> None:
    name, script = play_of
    played = trajectory(name, script)
    shuffled = replace(
        played,
        states=tuple(_shuffled(state, source) for state in played.states),
        start=_shuffled(played.start, source),
    )
    assert verdict(name, shuffled) == verdict(name, played)


def _shuffled(state: State, source: random.Random) -> State:
    return State(
        {table: Table(source.sample(rows.rows, len(rows))) for table, rows in state.items()}
    )


@given(st.sampled_from(PLAYS))
@settings(max_examples=40)
def test_other_identifiers_change_no_score(play_of: tuple[str, str]) -> None:
    name, script = play_of
    played = trajectory(name, script)
    renamed = Trajectory(
        tuple(map(_renamed_message, played.messages)),
        tuple(map(_renamed_state, played.states)),
        _renamed_state(played.start),
    )
    assert verdict(name, renamed) == verdict(name, played)


def _renamed(value: Any) -> Any:
    """Return a JSON value with every identifier turned around."""
    return json.loads(UUID.sub(lambda match: match[0][::-1], json.dumps(plain(value))))


@cache
def _renamed_state(state: State) -> State:
    return State({table: Table(_renamed(list(rows))) for table, rows in state.items()})


def _renamed_message(message: Message) -> Message:
    trace = message.trace
    return replace(
        message,
        content=_renamed(message.content),
        trace=trace
        and ToolTrace(trace.tool_name, _renamed(trace.arguments), _renamed(trace.result)),
    )
