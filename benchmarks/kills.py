"""Kills runs, resumed runs and commands at random moments, and looks for what they lost or left.

A process that has imported everything forks for each of them, so that a kill takes half a second.
Three in five are killed by SIGKILL, the others stopped by SIGTERM and SIGINT, in turn.

- A run plays conversations at a time, alone or together, in one process or with ``-n 2``, with a
  function or a program as its agent. Then its file is resumed and killed three times more, and
  resumed to the end. Each item whose turn was over must have its record, no item with a record may
  be played again, no line but the last may be torn, no process may be left, and at the end each
  item must have passed once.
- A command writes a file that is there already. After the kill, it must be the old or the new one,
  byte by byte, and the command must do its work when it is called again.

The exit status is 1 if something is lost or left. ``interrupts.py`` stops larger runs, and
``killed_recordings.py`` kills what records cassettes.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import pkgutil
import shutil
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Any, Final

import pytest
from report import many_records

import pytest_toolsandbox
from pytest_toolsandbox.__main__ import main as toolsandbox
from pytest_toolsandbox.text.files import left_behind

ITEMS, KILLS_A_FILE, RECORDS = 12, 4, 400
SIGNALS: Final = (signal.SIGKILL, signal.SIGTERM, signal.SIGKILL, signal.SIGINT, signal.SIGKILL)
LONGEST: Final = 120.0
"""Seconds after which a process is taken to hang."""
GONE: Final = 20.0
"""Seconds in which what a killed run started must end."""
CONFTEST: Final = """
import os

import pytest


def note(name, text):
    file = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    os.write(file, f"{text}\\n".encode())
    os.close(file)


@pytest.hookimpl(trylast=True)
def pytest_runtest_logfinish(nodeid):
    note("over.txt", nodeid.rpartition("::")[2])
"""
AGENT: Final = """
import json, os, sys, time


def agent(messages, tools):
    opening = next(m["content"] for m in messages if m["role"] == "user")
    file = os.open("played.txt", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    os.write(file, (opening.split()[-1] + "\\n").encode())
    os.close(file)
    time.sleep(0.03)
    return "It is done."


if __name__ == "__main__":
    for line in sys.stdin:
        reply = agent([{"role": "user", "content": json.loads(line)["turn"]}], ())
        print(json.dumps({"reply": reply}), flush=True)
"""
SCENARIOS: Final = """
world: phone
categories: [single_tool_call]
milestones: {told: {says: {mentions: [done]}}}
"""
AGENTS: Final = ("killed:agent", "killed:agent", f"cmd:{sys.executable} -S killed.py")
WAYS: Final = ("--sandbox-concurrency=1", "--sandbox-concurrency=4", "-n2")
COMMANDS: Final = {
    "baseline add": ("baseline.jsonl", "baseline add --date 2025-03-15 many.jsonl"),
    "baseline accept": (
        "baseline.jsonl",
        "baseline accept --date 2025-03-15 --reason better many.jsonl",
    ),
    "merge": ("merged.jsonl", "merge -o merged.jsonl many.jsonl"),
    "report": ("report.html", "report -o report.html many.jsonl"),
    "export": ("chat.jsonl", "export --format chat-jsonl -o chat.jsonl many.jsonl"),
}
"""What writes → the file that it writes, and its words."""


class Seen:
    """What was killed, and what is wrong afterwards."""

    def __init__(self) -> None:
        self.kills: Counter[str] = Counter()
        self.over: Counter[str] = Counter()
        """How many items had been over, or files had been written, when the process was killed."""
        self.left: Counter[str] = Counter()
        self.wrong: list[str] = []
        self.seconds: dict[str, float] = {}
        """The options of a run → how long it takes."""

    def add(self, what: str, over: int, wrong: Iterator[str]) -> None:
        """Count a kill."""
        self.kills[what] += 1
        self.over[what] += over
        for problem in wrong:
            self.wrong.append(f"{what}, kill {self.kills[what]}: {problem}")
            print(self.wrong[-1], flush=True)


def main() -> int:
    """Kill, look, and judge."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--kills", type=int, default=1_000, help="how often (default: 1000)")
    parser.add_argument("--seed", type=int, default=21)
    asked = parser.parse_args()
    moments, seen = Random(asked.seed), Seen()  # noqa: S311  # no secret
    commands = asked.kills * 2 // 5
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        many_records(folder, RECORDS)
        os.environ |= {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}  # which workers of -n inherit
        os.environ["PYTHONPATH"] = str(Path(__file__).parents[1])
        import_package()
        for number, what in enumerate(COMMANDS):
            share = commands // len(COMMANDS) + (number < commands % len(COMMANDS))
            kill_command(folder, what, share, moments, seen)
        for turn in range((asked.kills - commands) // KILLS_A_FILE):
            way = WAYS[2] if turn % 8 == 7 else WAYS[turn % 2]  # noqa: PLR2004  # workers are slow
            options = (f"--agent={AGENTS[turn % 3]}", way)
            kill_runs(folder / f"run{turn}", options, turn, moments, seen)
    print("what             kills   over   beside   wrong")
    for what, count in seen.kills.items():
        wrong = sum(problem.startswith(f"{what},") for problem in seen.wrong)
        print(f"{what:15} {count:6} {seen.over[what]:6} {seen.left[what]:8} {wrong:7}")
    print(f"{seen.kills.total()} kills, {len(seen.wrong)} times something was lost or left")
    return int(bool(seen.wrong))


def import_package() -> None:
    """Import what runs and commands need."""
    names = ("jsonschema", "numpy", "regex", "scipy.optimize", "xdist.plugin")
    parts = pkgutil.walk_packages(pytest_toolsandbox.__path__, "pytest_toolsandbox.")
    for name in (*names, *(part.name for part in parts if "__main__" not in part.name)):
        importlib.import_module(name)


def forked(folder: Path, work: Callable[[], object]) -> int:
    """Return the id of a process that works in a folder, in a session of its own."""
    sys.stdout.flush()
    if process := os.fork():
        return process
    status = 1
    try:
        os.setsid()
        os.chdir(folder)
        sys.path.insert(0, str(folder))
        output = os.open("output.txt", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        for stream in (1, 2):
            os.dup2(output, stream)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        status = int(work())  # type: ignore[call-overload]
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)


def ended(process: int) -> int | None:
    """Wait for a process and return its status, ``None`` if it hangs."""
    stops = time.monotonic() + LONGEST
    while time.monotonic() < stops:
        pid, status = os.waitpid(process, os.WNOHANG)
        if pid:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.01)
    os.killpg(process, signal.SIGKILL)
    os.waitpid(process, 0)
    return None


def killed(process: int, after: float, sent: signal.Signals) -> int | None:
    """Kill a process some seconds later, and return its status, ``None`` if it hangs."""
    time.sleep(after)
    with suppress(ProcessLookupError):
        os.kill(process, sent)
    return ended(process)


def kill_command(folder: Path, what: str, count: int, moments: Random, seen: Seen) -> None:
    """Kill a command so many times."""
    name, words = COMMANDS[what]
    file = folder / name
    old = _old_file(folder, what)

    def reset() -> None:
        file.unlink(missing_ok=True)
        if old is not None:
            file.write_bytes(old)

    def whole() -> tuple[bytes, float]:
        reset()
        began = time.monotonic()
        if ended(forked(folder, lambda: toolsandbox(words.split()))):
            raise SystemExit(f"{words}: {(folder / 'output.txt').read_text()}")
        return file.read_bytes(), time.monotonic() - began

    (folder / "first.jsonl").unlink(missing_ok=True)
    (new, first), (_, second) = whole(), whole()
    longest = 1.2 * min(first, second)
    for turn in range(count):
        reset()
        process = forked(folder, lambda: toolsandbox(words.split()))
        status = killed(process, moments.uniform(0, longest), SIGNALS[turn % len(SIGNALS)])
        now = file.read_bytes() if file.exists() else None
        seen.add(what, now == new, _wrong_file(status, now, old, new))
        seen.left[what] += len(_removed(folder))
        if turn % 5 == 4 and whole()[0] != new:  # noqa: PLR2004  # it is slower than a kill
            seen.wrong.append(f"{what}, kill {turn}: another file when called again")


def _removed(folder: Path) -> list[Path]:
    """Remove the unfinished files that a kill left in a folder, and return them."""
    left = left_behind(folder)
    for path in left:
        path.unlink()
    return left


def _old_file(folder: Path, what: str) -> bytes | None:
    """Return what is in the file before a command writes it; ``None`` if it must not be there."""
    if not what.startswith("baseline"):
        return None if what == "merge" else b"of an earlier call"
    words = "baseline add --date 2025-03-14 --file first.jsonl played.jsonl"
    ended(forked(folder, lambda: toolsandbox(words.split())))
    return (folder / "first.jsonl").read_bytes()


def _wrong_file(
    status: int | None, now: bytes | None, old: bytes | None, new: bytes
) -> Iterator[str]:
    if status is None:
        yield "it hangs"
    if now not in (old, new):
        yield f"a torn file of {len(now or b'')} bytes"


def kill_runs(folder: Path, options: Sequence[str], turn: int, moments: Random, seen: Seen) -> None:
    """Kill a run, resume it and kill it again, and resume it to the end."""

    def play() -> int:
        resume = ["--sandbox-resume=results.jsonl", "-q"]
        plugins = ["-p", "pytest_toolsandbox.plugin", "-p", "xdist.plugin"]
        return pytest.main([*options, *resume, *plugins, "-p", "no:cacheprovider"])

    key = " ".join(options)
    if key not in seen.seconds:
        _prepare(folder)
        began = time.monotonic()
        ended(forked(folder, play))
        seen.seconds[key] = time.monotonic() - began
        shutil.rmtree(folder)
    _prepare(folder)
    for number in range(KILLS_A_FILE):
        what = f"{'resume' if number else 'run'}{' -n2' * ('-n2' in options)}"
        with_records = {*_records(folder)[0]}
        before = len(_lines(folder / "played.txt"))
        process = forked(folder, play)
        sent = SIGNALS[(turn + number) % len(SIGNALS)]
        status = killed(process, moments.uniform(0, seen.seconds[key]), sent)
        played = _lines(folder / "played.txt")[before:]
        over = {*_lines(folder / "over.txt")}
        problems = [*_wrong_run(folder, status, over)]
        problems += [f"{name} was played again" for name in with_records & {*played}]
        seen.add(what, len(over), iter(problems))
        seen.left[what] += len(_removed(folder))
    if status := ended(forked(folder, play)):
        seen.add("to the end", 0, iter([f"{status}: {(folder / 'output.txt').read_text()}"]))
    names, _ = _records(folder)
    if names != {f"c{number}": ["passed"] for number in range(ITEMS)}:
        seen.add("to the end", 0, iter([f"there are {names}"]))
    shutil.rmtree(folder)


def _prepare(folder: Path) -> None:
    folder.mkdir()
    names = "".join(
        f"  c{number}: {{user: {{opening: Do c{number}}}}}\n" for number in range(ITEMS)
    )
    (folder / "all.scenario.yaml").write_text(f"scenarios:\n{names}{SCENARIOS}")
    (folder / "killed.py").write_text(AGENT)
    (folder / "conftest.py").write_text(CONFTEST)
    (folder / "pytest.ini").write_text("[pytest]\n")


def _lines(file: Path) -> list[str]:
    return file.read_text().splitlines() if file.exists() else []


def _records(folder: Path) -> tuple[dict[str, list[str]], int]:
    """Return the outcomes of the records by item, without ``not_run``, and the torn lines."""
    outcomes: dict[str, list[str]] = {}
    torn = 0
    file = folder / "results.jsonl"
    for line in file.read_bytes().split(b"\n") if file.exists() else ():
        record: dict[str, Any] = {"outcome": "not_run"}
        if line:
            try:
                record = json.loads(line)
            except ValueError:
                torn += 1
        if record["outcome"] != "not_run":
            outcomes.setdefault(record["scenario"], []).append(record["outcome"])
    return outcomes, torn


def _wrong_run(folder: Path, status: int | None, over: set[str]) -> Iterator[str]:
    if status is None:
        yield f"it hangs: {(folder / 'output.txt').read_text()[-800:]}"
    names, torn = _records(folder)
    if torn:
        yield f"{torn} torn lines"
    if lost := over - names.keys():
        yield f"no record of {', '.join(sorted(lost))}"
    if left := [*_processes_of(folder)]:
        yield f"processes are left: {left}"
    for process in left:
        os.kill(process, signal.SIGKILL)


def _processes_of(folder: Path) -> Iterator[int]:
    """Yield the processes that still run in a folder after some time."""
    stops = time.monotonic() + GONE
    while (running := [*_running_in(folder)]) and time.monotonic() < stops:
        time.sleep(0.05)
    yield from running


def _running_in(folder: Path) -> Iterator[int]:
    for place in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            is_here = (place / "cwd").readlink() == folder.resolve()
            if is_here and (place / "cmdline").read_bytes():
                yield int(place.name)


if __name__ == "__main__":
    sys.exit(main())
