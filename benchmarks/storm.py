"""Plays hundreds of conversations at a time with a provider that fails in every known way.

Plays what ``tests/end_to_end/test_storm.py`` plays, in large, in one process and under ``-n 2``:
the first request of each conversation is refused for coming too soon, with and without a time to
wait, fails with 500, 503 or 529, is reset, hangs, is answered byte by byte, cut short, by no JSON,
by no choice, by broken arguments, unknown names, 1,000 calls at once or 10 MB of text. The exit
status is 1 where a run hangs, a record is lost, a fault of the provider is a score or one of the
model an outage, or tokens, requests and retries do not add up.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

# The tests' server, scenarios and checks.
sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
sys.path.insert(0, str(Path(__file__).parents[1]))

from desk import WORLD
from model_server import ModelServer
from stormy_provider import CONFTEST, KINDS, Storm, check, scenarios

ROOT = Path(__file__).parents[1]
HANGS = 1800.0
"""Seconds after which a run hangs."""


def main() -> int:
    """Play, print what it took, and judge."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--times", type=int, default=17, help="conversations of each kind")
    parser.add_argument("--at-a-time", type=int, default=64, help="--sandbox-concurrency")
    given = parser.parse_args()
    print(f"{given.times * len(KINDS)} conversations, {given.at_a_time} at a time")
    held = [_holds(workers, given.times, given.at_a_time) for workers in (0, 2)]
    return int(not all(held))


def _holds(workers: int, times: int, at_a_time: int) -> bool:
    storm, began, before = Storm(), time.perf_counter(), _cpu()
    with tempfile.TemporaryDirectory() as folder, ModelServer(storm) as server:
        records = _played(Path(folder), server.url, workers, times, at_a_time)
    problem = ""
    try:
        check(records, storm, times)
    except AssertionError as error:
        problem = f"; {error or 'the totals do not add up'}"
    cpu, seconds = _cpu() - before, time.perf_counter() - began
    requests = sum(storm.asked.values())
    print(
        f"-n {workers}: {len(records)} records of {requests} requests, "
        f"{seconds:.0f} s, {cpu:.0f} s of CPU{problem}",
        flush=True,
    )
    return not problem


def _played(folder: Path, url: str, workers: int, times: int, at_a_time: int) -> list[object]:
    """Play in a process of its own, and return the records."""
    (folder / "conftest.py").write_text(f"{WORLD}\n{CONFTEST}")
    for name, text in scenarios(times):
        (folder / name).write_text(text)
    own = {"OPENAI_BASE_URL": url, "OPENAI_API_KEY": "none", "NO_PROXY": "127.0.0.1"}
    own["STORM_TIMEOUT"] = "60"  # for 10 MB while many others are read
    options = ["--sandbox-results=r.jsonl", f"--sandbox-concurrency={at_a_time}", f"-n{workers}"]
    plugins = ["-p", "pytest_toolsandbox.plugin", "-p", "xdist.plugin", "-p", "no:cacheprovider"]
    subprocess.run(
        [sys.executable, "-m", "pytest", "-q", *plugins, *options],
        cwd=folder,
        env={
            **os.environ,
            **own,
            "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
            "PYTHONPATH": str(ROOT),
        },
        stdout=subprocess.DEVNULL,
        timeout=HANGS,
        check=False,
    )
    lines = (folder / "r.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def _cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    sys.exit(main())
