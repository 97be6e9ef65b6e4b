"""Measures how collection, playing, memory and records grow with scenarios and trials.

Plays so many scenarios on the phone with their solutions, in one process: as many items, and a
tenth of them with ten trials each. Then one of ten shards of them. The CPU time and the memory are
those of the process of pytest, its start included. From the two largest numbers of items follow
what one more item takes, and what is paid once.

Then the 1,032 variants of the bundled phone suite are played, and the scenarios alone. The exit
status is 1 if a case or what is paid once takes longer than its limit; on a busy machine both do.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
ITEMS = (100, 1_000, 10_000)
A_FILE = 100
CASE, ONCE = 2.0, 1.2
"""Limits for the bundled phone suite: milliseconds a case, and seconds once."""
SUITE, VARIANTS = 129, 1_032
SCENARIO = """
world: phone
categories: [single_tool_call]
milestones:
  off:
    state:
      setting: {wifi: false, cellular: true, location_service: true, low_battery_mode: false}
  told: {after: off, says: {mentions: [wifi]}}
solutions:
  at_once: [{set_wifi_status: {on: false}}, say: The wifi is off.]
"""


class Run(NamedTuple):
    """What a run took: seconds of CPU time, MB of memory, and MB of records."""

    cpu: float
    peak: float
    records: float


def main() -> int:
    """Measure, print, and return 1 where a limit is missed."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--items", type=int, nargs="+", default=ITEMS, help="numbers of scenarios")
    parser.add_argument("--usual-garbage", action="store_true", help="let Python collect as usual")
    given = parser.parse_args()
    numbers = sorted(given.items)
    if given.usual_garbage:
        os.environ["PYTEST_ADDOPTS"] = "-p usual_garbage"
    print("                                  CPU s  peak MB  records MB")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        whole = [_measured(folder, number) for number in numbers]
    if len(numbers) > 1:
        _print_slope(numbers, whole)
    suite = str(ROOT / "scenarios" / "phone")
    small = _run("phone suite", ROOT, suite)
    large = _run("phone suite, all variants", ROOT, suite, "--sandbox-augment=all")
    case = 1000 * (large.cpu - small.cpu) / (VARIANTS - SUITE)
    once = small.cpu - SUITE * case / 1000
    print(f"a case {case:.2f} ms (at most {CASE:g}), once {once:.2f} s (at most {ONCE:g})")
    return int(case > CASE or once > ONCE)


def _measured(folder: Path, number: int) -> Run:
    """Measure a number of scenarios in four ways, and return what they took in one process."""
    suite = folder / f"suite{number}"
    _write(suite, number)
    _run(f"{number} collected", suite, "--collect-only")
    played = _run(f"{number} played", suite)
    _run(f"{number} in the first of 10 shards", suite, "--sandbox-shard=1/10")
    few = folder / f"trials{number}"
    _write(few, number // 10)
    _run(f"{number // 10} with 10 trials", few, "--sandbox-trials=10")
    return played


def _write(suite: Path, number: int) -> None:
    suite.mkdir()
    for first in range(0, number, A_FILE):
        names = range(first, min(first + A_FILE, number))
        lines = "".join(f"  c{name}: {{user: {{opening: Wifi off {name}}}}}\n" for name in names)
        (suite / f"f{first:05}.scenario.yaml").write_text(f"scenarios:\n{lines}{SCENARIO}")


def _run(name: str, folder: Path, *options: str) -> Run:
    """Run pytest in a folder, print what it took and return it."""
    with tempfile.TemporaryDirectory() as place:
        results = Path(place) / "results.jsonl"
        plugins = ["-p", "pytest_toolsandbox.plugin", "-p", "no:cacheprovider", "-q"]
        command = [sys.executable, "-m", "pytest", *plugins, "--agent=oracle", *options]
        environment = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
        environment |= {"PYTHONPATH": os.pathsep.join(map(str, (ROOT, ROOT / "benchmarks")))}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        run = subprocess.Popen(  # wait4 tells its time and memory
            [*command, f"--sandbox-results={results}"],
            cwd=folder,
            env=environment,
            stdout=subprocess.DEVNULL,
        )
        _, status, used = os.wait4(run.pid, 0)
        run.returncode = os.waitstatus_to_exitcode(status)
        size = results.stat().st_size / 1e6 if results.exists() else 0.0
    if run.returncode:
        raise SystemExit(f"{name}: pytest ended with status {run.returncode}")
    taken = Run(used.ru_utime + used.ru_stime, used.ru_maxrss / 1024, size)
    print(f"{name:32} {taken.cpu:6.1f}  {taken.peak:7.0f}  {taken.records:10.1f}", flush=True)
    return taken


def _print_slope(numbers: list[int], runs: list[Run]) -> None:
    (few, many), (before, after) = numbers[-2:], runs[-2:]
    one = [(late - early) / (many - few) for early, late in zip(before, after, strict=True)]
    once = before.cpu - few * one[0]
    kilobytes = (1000 * one[1], 1000 * one[2])
    texts = ("one more item", f"{1000 * one[0]:.2f} ms", *(f"{size:.1f} kB" for size in kilobytes))
    print("{}: {} of CPU time, {} of memory, {} of records".format(*texts), end="")
    print(f"; once: {once:.2f} s")


if __name__ == "__main__":
    sys.exit(main())
