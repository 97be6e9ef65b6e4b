"""Kills runs while they record, again and again, and checks the cassettes that remain.

Two processes record the same scenarios at the same time, and are killed at a random moment. After
each kill every cassette must be there, be whole, and have all the trials that it had before; the
exit status is 1 where one does not. What lies beside them is counted: the next runs do without it.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import sys
import tempfile
import time
from functools import partial
from pathlib import Path
from typing import Any

from pytest_toolsandbox.agents.scripted import oracle
from pytest_toolsandbox.language.files import find_files
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.protocols import load_file
from pytest_toolsandbox.runs.cassettes.cassette import UnreadableError, load, whole_trials
from pytest_toolsandbox.runs.cassettes.recording import Recording, play_recorded
from pytest_toolsandbox.runs.trial import play_trial
from pytest_toolsandbox.text.files import left_behind

SUITE = Path(__file__).parents[1] / "scenarios" / "phone"
SCENARIOS, TRIALS = 10, 3
LONGEST: float = 0.4
"""Seconds after which a run is killed at the latest."""


def main() -> int:
    """Kill, look, and judge."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--kills", type=int, default=100, help="how often runs are killed")
    kills, moments = parser.parse_args().kills, random.Random(15)  # noqa: S311  # no secret
    scenarios = [load_file(file)[0] for file in sorted(find_files([SUITE]))[:SCENARIOS]]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        record(folder, scenarios, "first")
        begun = seen(folder)
        broken = lost = written = 0
        for turn in range(kills):
            before = texts(folder)
            runs = [started(folder, scenarios, f"{turn} {run}") for run in range(2)]
            time.sleep(moments.uniform(0.01, LONGEST))
            for run in runs:
                os.kill(run, signal.SIGKILL)
                os.waitpid(run, 0)
            now = seen(folder)
            broken += sum(one is None for one in now.values())
            lost += sum(now.get(path) != trials for path, trials in begun.items())
            written += sum(one != before[path] for path, one in texts(folder).items())
        left = len(left_behind(folder))
    print(f"{kills} times two runs were killed; between kills {written} cassettes were written")
    print(f"{broken} broken, {lost} that lost a trial, {left} files left beside them")
    return int(bool(broken or lost or not written))


def record(folder: Path, scenarios: list[Scenario], text: str) -> None:
    """Record each trial of each scenario; the agent ends with some words of its own."""
    for number in range(1, TRIALS + 1):
        for one in scenarios:
            agent = said_by(one, text)
            play = partial(play_trial, one, agent, None, number)
            about = {"id": one.name, "agent": "own", "user": "scripted"}
            path = folder / f"{one.name}.cassette.yaml"
            recording = Recording("all", path, one.name, about)
            assert play_recorded(recording, number, (agent, None), play).outcome != "error"


def said_by(scenario: Scenario, text: str) -> Any:
    """Return an agent of one's own that does what the solution does."""
    own = oracle(scenario)

    def agent(messages: Any, tools: Any) -> Any:
        reply: Any = own(messages, tools)
        return f"{reply} ({text})" if isinstance(reply, str) else reply

    return agent


def started(folder: Path, scenarios: list[Scenario], text: str) -> int:
    """Return the id of a process that records for ever."""
    if process := os.fork():
        return process
    for turn in range(sys.maxsize):
        record(folder, scenarios, f"{text} {turn}")
    return 0


def texts(folder: Path) -> dict[Path, bytes]:
    """Return the cassettes of a folder as they are."""
    return {path: path.read_bytes() for path in folder.glob("*.cassette.yaml")}


def seen(folder: Path) -> dict[Path, list[int] | None]:
    """Return the trials of each cassette, ``None`` of one that cannot be read."""
    return {path: _trials(path) for path in folder.glob("*.cassette.yaml")}


def _trials(path: Path) -> list[int] | None:
    try:
        return sorted(whole_trials(load(path)))
    except UnreadableError:
        return None


if __name__ == "__main__":
    sys.exit(main())
