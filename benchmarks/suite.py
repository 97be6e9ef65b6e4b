"""What the phone suite costs beside pytest's own cost of as many empty tests.

Runs ``pytest --noconftest --agent=oracle --sandbox-augment=all scenarios/phone`` and, in turn with
it, pytest on as many empty parametrized tests, each in a process of its own: wall time, CPU time
and peak memory.
Then plays and evaluates every case in this process, for the cost of a message and of an
evaluation, and executes seven parallel calls. The exit status is 1 when a limit is exceeded.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from pytest_toolsandbox.agents.scripted import oracle
from pytest_toolsandbox.builtin.phone import world
from pytest_toolsandbox.calls.tool_call import ToolCall
from pytest_toolsandbox.conversation.environment import ExecutionEnvironment
from pytest_toolsandbox.conversation.play import play
from pytest_toolsandbox.language.files import find_files
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.language.variants import PUBLISHED, variant
from pytest_toolsandbox.protocols import load_file
from pytest_toolsandbox.scoring.milestones.evaluate import evaluate
from pytest_toolsandbox.users.user import scripted_user

SUITE = Path(__file__).parents[1] / "scenarios" / "phone"
EMPTY = """
import pytest

@pytest.mark.parametrize("case", range({count}))
def test_nothing(case):
    pass
"""
TIMES, MEGABYTES = 8.0, 250.0
MESSAGE, EVALUATION, READS, WRITES = 0.2, 2.0, 10.0, 50.0
"""Limits: how many times as long as the empty tests, and milliseconds."""


@dataclass(frozen=True)
class Run:
    """What a process took: seconds on the wall, seconds of CPU, and megabytes at most."""

    wall: float
    cpu: float
    memory: float


def main() -> int:
    """Measure, print, and judge."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--runs", type=int, default=3, help="runs of each kind")
    runs = parser.parse_args().runs
    cases = _cases()
    print(f"{len(cases)} cases")
    findings = _judge_processes(cases, runs) + _judge_parts(cases) + _judge_parallel_calls()
    return 1 if any(findings) else 0


def _cases() -> list[Scenario]:
    scenarios = [scenario for file in find_files([SUITE]) for scenario in load_file(file)]
    return [variant(scenario, name) for scenario in scenarios for name in PUBLISHED]


def _judge_processes(cases: Sequence[Scenario], runs: int) -> list[bool]:
    with tempfile.TemporaryDirectory() as folder:
        empty = Path(folder, "test_empty.py")
        empty.write_text(EMPTY.format(count=len(cases)))
        # The example at the top of the checkout, which logs each request, is no part of the plugin.
        suite_command = ["--noconftest", "--agent=oracle", "--sandbox-augment=all", str(SUITE)]
        pairs = [
            (_pytest(folder, "-p", "no:toolsandbox", str(empty)), _pytest(folder, *suite_command))
            for _ in range(runs)
        ]
    nothing, suite = (_median(column) for column in zip(*pairs, strict=True))
    print(f"{'':12} {'wall s':>7} {'CPU s':>7} {'MB':>7}")
    for name, run in (("empty tests", nothing), ("the suite", suite)):
        print(f"{name:12} {run.wall:7.2f} {run.cpu:7.2f} {run.memory:7.0f}")
    return [
        _exceeds("wall time, times that of the empty tests", suite.wall / nothing.wall, TIMES),
        _exceeds("peak memory, MB", suite.memory, MEGABYTES),
    ]


def _pytest(folder: str, *arguments: str) -> Run:
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *arguments]
    began = time.perf_counter()
    environment = {**os.environ}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)  # it would be compiled in every run
    process = subprocess.Popen(
        command, cwd=folder, env=environment, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    output = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    wall = time.perf_counter() - began
    if status:
        sys.exit(output)
    return Run(wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)


def _median(runs: Sequence[Run]) -> Run:
    return Run(
        statistics.median(run.wall for run in runs),
        statistics.median(run.cpu for run in runs),
        statistics.median(run.memory for run in runs),
    )


def _judge_parts(cases: Sequence[Scenario]) -> list[bool]:
    messages, evaluations = [], []
    for case in cases:
        agent, user = oracle(case), scripted_user(case)
        began = time.process_time()
        trajectory = play(case, agent, user)
        played = time.process_time()
        evaluate(case, trajectory)
        messages.append((played - began) * 1000 / len(trajectory.messages))
        evaluations.append((time.process_time() - played) * 1000)
    return [
        _exceeds("a message, median ms of CPU", statistics.median(messages), MESSAGE),
        _exceeds("an evaluation, median ms of CPU", statistics.median(evaluations), EVALUATION),
    ]


def _judge_parallel_calls() -> list[bool]:
    reads = [_call(i, "search_contacts", {"name": name}) for i, name in enumerate("abcdefg")]
    writes = [
        _call(i, "add_reminder", {"content": name, "reminder_timestamp": 1747300000 + i})
        for i, name in enumerate("abcdefg")
    ]
    return [
        _exceeds("7 parallel reads, median ms of CPU", _executed(reads), READS),
        _exceeds("7 parallel writes that commute, median ms of CPU", _executed(writes), WRITES),
    ]


def _call(place: int, tool: str, arguments: dict[str, object]) -> ToolCall:
    return ToolCall(str(place), tool, json.dumps(arguments))


def _executed(calls: Sequence[ToolCall]) -> float:
    start = world.start(world.now)

    def once() -> None:
        ExecutionEnvironment(world, world.now, world.shown()).execute(calls, start, 1)

    return statistics.median(_milliseconds(once) for _ in range(11))


def _milliseconds(do: Callable[[], None]) -> float:
    began = time.process_time()
    do()
    return (time.process_time() - began) * 1000


def _exceeds(what: str, found: float, limit: float) -> bool:
    """Print a figure beside its limit, and say whether it is above."""
    print(f"{what:50} {found:8.2f}  (at most {limit:g})")
    return found > limit


if __name__ == "__main__":
    sys.exit(main())
