"""Measures the cost of a replay, and checks that recordings and replays are the same.

Plays a copy of the phone suite in all its variants with the oracle, records it with an agent that
says the same but is somebody's own, and replays it, each in a process of its own: CPU time, peak
memory, and the size of the cassettes. Then two folders are recorded with a model on a server, four
times and in four ways, and replayed without a network; prompt, model, a parameter and the
description of a tool are changed. The exit status is 1 where the replay takes more than twice the
time of the oracle, needs more memory than it and the largest cassettes do, where files or records
differ, or where a replay tells anything but what was changed.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

HERE = Path(__file__).parent
SUITES = HERE.parent / "scenarios"
SERVED = ("office/easy", "phone/state_dependency")
RESULTS, ALL = "records.jsonl", ["--sandbox-augment=all"]
RECORDS = [f"--sandbox-results={RESULTS}"]
WAYS = {
    "one at a time": ["--sandbox-concurrency=1"],
    "once more": ["--sandbox-concurrency=1"],
    "by two workers": ["-n2"],
    "32 at a time": ["--sandbox-concurrency=32"],
}
CHANGES = {
    "prompt": ("PYTEST_ADDOPTS", "--sandbox-prompt=conftest.py", "prompt"),
    "model": ("MODEL", "openai/other", "model"),
    "parameter": ("TEMPERATURE", "0.5", r"parameters\.temperature"),
    "description": ("DESCRIPTION", "It does something.", r"tools\.\w+\.description"),
}
"""What is changed: a variable of the environment, its value, and where a replay tells it."""
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
BY_MODEL = """
import os, socket, sys
import pytest

from pytest_toolsandbox import ModelAgent

def refuse(*_, **__):
    raise AssertionError("a connection is opened")

if os.environ.get("ALONE"):
    for name in ("connect", "connect_ex", "sendto"):
        setattr(socket.socket, name, refuse)
    socket.getaddrinfo = refuse
    sys.modules["httpx"] = None

class Described(ModelAgent):
    def __call__(self, messages, tools):
        first = {**tools[0]["function"]}
        first["description"] = os.environ.get("DESCRIPTION", first["description"])
        return super().__call__(messages, [{**tools[0], "function": first}, *tools[1:]])

@pytest.fixture
def agent():
    temperature = float(os.environ.get("TEMPERATURE", 0))
    return Described(os.environ.get("MODEL", "openai/stub"), 60, {"temperature": temperature})
"""


class Run(NamedTuple):
    """Seconds of CPU and megabytes at most."""

    cpu: float
    memory: float


def main() -> int:
    """Measure, print, and judge."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--runs", type=int, default=2, help="runs of each kind; the fastest counts")
    parser.add_argument("--only", choices=["phone", "served"], help="one of the two parts")
    given = parser.parse_args()
    held = [given.only == "served" or _phone(given.runs), given.only == "phone" or _served()]
    return int(not all(held))


def _phone(runs: int) -> bool:
    with tempfile.TemporaryDirectory() as folder:
        place = project(Path(folder), ["phone"], OWN)
        recorded = run(place, "--sandbox-record=new", *RECORDS, *ALL)
        before = records(place)
        oracle = fastest([run(place, "--agent=oracle", *ALL) for _ in range(runs)])
        replayed = fastest([run(place, "--sandbox-record=replay", *ALL) for _ in range(runs)])
        run(place, "--sandbox-record=replay", *RECORDS, *ALL)
        same = records(place) == before
        sizes = [len(one) for one in cassettes(place).values()]
    times, more = replayed.cpu / oracle.cpu, replayed.memory - oracle.memory
    print(f"{len(sizes)} cassettes of {sum(sizes) / 1e6:.1f} MB, {max(sizes) / 1e3:.0f} kB at most")
    for name, one in (("oracle", oracle), ("recording", recorded), ("replay", replayed)):
        print(f"{name:10} {one.cpu:6.1f} s of CPU  {one.memory:6.0f} MB")
    print(f"{times:.2f} times the oracle's time (limit {TIMES:g})")
    told = "the same" if same else "others"
    print(f"{more:+.0f} MB (limit {MEGABYTES:g}); the records are {told}", flush=True)
    return times <= TIMES and more <= MEGABYTES and same


def _served() -> bool:
    """Record and replay with a model on a server, and return whether nothing differs."""
    folders = [str(SUITES / name) for name in SERVED]
    command = [sys.executable, str(HERE / "solving_model.py"), *folders]
    with (
        tempfile.TemporaryDirectory() as folder,
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as own,
    ):
        assert own.stdout is not None
        asking = {"OPENAI_BASE_URL": own.stdout.readline().strip(), "OPENAI_API_KEY": "none"}
        held = dict(_held(Path(folder), asking))
        own.communicate("")
    for what, is_so in held.items():
        print(f"{what:30} {'yes' if is_so else 'NO'}")
    return all(held.values())


def _held(folder: Path, asking: Mapping[str, str]) -> Iterator[tuple[str, bool]]:
    """Yield what should hold, and whether it does."""
    places = {way: project(folder / way, SERVED, BY_MODEL) for way in WAYS}
    found = {way: _recorded(asking, places[way], WAYS[way]) for way in WAYS}
    first, *others = WAYS
    files, before = found[first]
    yield f"{len(files)} cassettes, one a record", len(files) == len(before) > 0
    for way in others:
        yield f"the same {way}", found[way] == found[first]
    run(places[first], "--sandbox-record=replay", *RECORDS, statuses=(0, 1), ALONE="yes")
    yield "the same without a network", records(places[first]) == before
    for what, change in CHANGES.items():
        yield f"another {what} is told", _tells(places[first], *change)


def _recorded(asking: Mapping[str, str], place: Path, options: Sequence[str]) -> tuple[Any, Any]:
    """Return the cassettes and the records of a recording."""
    run(place, "--sandbox-record=new", *RECORDS, *options, statuses=(0, 1), **asking)
    return cassettes(place), records(place)


def _tells(folder: Path, variable: str, value: str, place: str) -> bool:
    """Return whether a replay tells a change in each first request, and nothing else."""
    own = {variable: value, "ALONE": "yes"}
    run(folder, "--sandbox-record=replay", *RECORDS, statuses=(1,), **own)
    told = f"request 1 to the agent is not recorded: {place} differs from the nearest one"
    reasons = [json.loads(one)["reason"] or "" for one in records(folder).values()]
    return reasons != [] and all(re.match(told, reason) for reason in reasons)


def project(folder: Path, suites: Sequence[str], conftest: str) -> Path:
    """Write a project with copies of some suites, and return its folder."""
    for name in suites:
        shutil.copytree(SUITES / name, folder / "scenarios" / name)
    (folder / "conftest.py").write_text(conftest)
    (folder / "pytest.ini").write_text("[pytest]\n")
    return folder


def cassettes(folder: Path) -> dict[Path, bytes]:
    """Return the cassettes of a project."""
    found = folder.rglob("*.cassette.yaml")
    return {path.relative_to(folder): path.read_bytes() for path in found}


def run(folder: Path, *arguments: str, statuses: Collection[int] = (0,), **own: str) -> Run:
    """Run pytest on the suites in a process of its own, with its ``own`` environment."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "scenarios"]
    every = [*command, *arguments]
    environment = {**os.environ, "PYTHONPATH": str(HERE.parent), **own}
    (folder / RESULTS).unlink(missing_ok=True)
    with (folder / "out.txt").open("w") as out:
        process = subprocess.Popen(every, cwd=folder, stdout=out, stderr=out, env=environment)
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in statuses:
        text = (folder / "out.txt").read_text()[-2000:]
        raise SystemExit(f"{' '.join(every)}: status {process.returncode}\n{text}")
    return Run(used.ru_utime + used.ru_stime, used.ru_maxrss / 1000)


def fastest(runs: Sequence[Run]) -> Run:
    """Return the least time and the least memory of some runs."""
    return Run(min(one.cpu for one in runs), min(one.memory for one in runs))


def records(folder: Path) -> dict[tuple[str, int], str]:
    """Return the records of the last run without wall times, by item and trial."""
    lines = (folder / RESULTS).open(encoding="utf-8")
    found = [json.loads(line, object_hook=_timeless) for line in lines]
    return {(one["id"], one["trial"]): json.dumps(one) for one in found}


def _timeless(fields: dict[str, Any]) -> dict[str, Any]:
    return {name: one for name, one in fields.items() if name not in WALL_TIMES}


if __name__ == "__main__":
    sys.exit(main())
