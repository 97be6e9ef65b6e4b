"""What a replay of the phone suite costs beside the oracle.

Plays a copy of the suite in all its variants with the oracle, records it with an agent that says
the same but is somebody's own, and replays it, each in a process of its own: CPU time, peak memory,
and the size of the cassettes. The exit status is 1 where the replay takes more than twice the time
of the oracle, needs more memory than it and the largest cassettes do, or has other records.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

SUITE = Path(__file__).parents[1] / "scenarios" / "phone"
TIMES, MEGABYTES = 2.0, 25.0
"""Limits: times of the oracle's CPU time, and megabytes above its peak."""
WALL_TIMES = {"latency", "waited", "duration"}
OWN = """
import pytest

from pytest_toolsandbox.agents.scripted import oracle

@pytest.fixture
def agent(request):
    if request.config.getoption("--agent"):
        return request.getfixturevalue("agent")
    said = oracle(request.node.scenario)
    return lambda messages, tools: said(messages, tools)
"""


class Run(NamedTuple):
    """Seconds of CPU and megabytes at most."""

    cpu: float
    memory: float


def main() -> int:
    """Measure, print, and judge."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--runs", type=int, default=2, help="runs of each kind; the fastest counts")
    runs = parser.parse_args().runs
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        shutil.copytree(SUITE, place / "scenarios")
        (place / "conftest.py").write_text(OWN)
        (place / "pytest.ini").write_text("[pytest]\n")
        recorded = run(place, "--sandbox-record=new", "--sandbox-results=recorded.jsonl")
        oracle = fastest([run(place, "--agent=oracle") for _ in range(runs)])
        replayed = fastest([run(place, "--sandbox-record=replay") for _ in range(runs)])
        run(place, "--sandbox-record=replay", "--sandbox-results=replayed.jsonl")
        same = records(place / "recorded.jsonl") == records(place / "replayed.jsonl")
        sizes = [path.stat().st_size for path in place.rglob("*.cassette.yaml")]
    times, more = replayed.cpu / oracle.cpu, replayed.memory - oracle.memory
    print(f"{len(sizes)} cassettes of {sum(sizes) / 1e6:.1f} MB, {max(sizes) / 1e3:.0f} kB at most")
    for name, one in (("oracle", oracle), ("recording", recorded), ("replay", replayed)):
        print(f"{name:10} {one.cpu:6.1f} s of CPU  {one.memory:6.0f} MB")
    print(f"{times:.2f} times the oracle's time (limit {TIMES:g})")
    print(
        f"{more:+.0f} MB (limit {MEGABYTES:g}); the records are {'the same' if same else 'others'}"
    )
    return int(times > TIMES or more > MEGABYTES or not same)


def run(folder: Path, *arguments: str) -> Run:
    """Run pytest on the suite in a process of its own; all must pass."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "scenarios"]
    every = [*command, "--sandbox-augment=all", *arguments]
    with (folder / "out.txt").open("w") as out:
        process = subprocess.Popen(every, cwd=folder, stdout=out, stderr=out)
    _, status, used = os.wait4(process.pid, 0)
    if status:
        raise SystemExit(f"{' '.join(every)}: status {os.waitstatus_to_exitcode(status)}")
    return Run(used.ru_utime + used.ru_stime, used.ru_maxrss / 1000)


def fastest(runs: Sequence[Run]) -> Run:
    """Return the least time and the least memory of some runs."""
    return Run(min(one.cpu for one in runs), min(one.memory for one in runs))


def records(file: Path) -> dict[tuple[str, int], Any]:
    """Return the records of a file without wall times, by item and trial."""
    found = [json.loads(line, object_hook=_timeless) for line in file.open(encoding="utf-8")]
    return {(one["id"], one["trial"]): one for one in found}


def _timeless(fields: dict[str, Any]) -> dict[str, Any]:
    return {name: one for name, one in fields.items() if name not in WALL_TIMES}


if __name__ == "__main__":
    sys.exit(main())
