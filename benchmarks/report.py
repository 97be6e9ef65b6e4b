"""Measures the size of the HTML report, and the CPU time and memory to write it.

The conversations of the shipped scenarios, played by their solutions, are repeated as other trials
until there are as many as asked for. ``--keep FILE`` keeps the page, to be opened in a browser.
"""

from __future__ import annotations

import argparse
import itertools
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from pytest_toolsandbox.records.reading import UsableLines
from pytest_toolsandbox.records.record import Summary
from pytest_toolsandbox.records.writing import as_line
from pytest_toolsandbox.suites import suites_folder

RECORDS = 1032
MEGABYTES, SECONDS, MEMORY = 12.0, 3.0, 300.0
"""What 1,032 records may take: of the page, of CPU time, and of memory in megabytes."""


def main() -> int:
    """Measure, print, and return 1 where a limit is missed."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--records", type=int, default=RECORDS)
    parser.add_argument("--keep", type=Path, help="where to keep the page")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        results = many_records(Path(name), given.records)
        page = given.keep or Path(name) / "report.html"
        command = [sys.executable, "-m", "pytest_toolsandbox", "report", results, "-o", page]
        begun, before = time.perf_counter(), used()
        subprocess.run([*map(str, command)], check=True, stdout=subprocess.DEVNULL)
        wall, seconds = time.perf_counter() - begun, used() - before
        size = page.stat().st_size / 1e6
    memory = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    print(f"{given.records} records: {size:.1f} MB, {seconds:.1f} s of CPU ({wall:.1f} s)")
    print(f"most memory of a process, also of those that played: {memory:.0f} MB")
    scale = max(1, given.records / RECORDS)
    within = (size <= MEGABYTES * scale, seconds <= SECONDS * scale, memory <= MEMORY * scale)
    return 0 if all(within) else 1


def used() -> float:
    """Return the CPU time of the processes that have ended."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return children.ru_utime + children.ru_stime


def many_records(folder: Path, count: int) -> Path:
    """Write so many records to a file and return it."""
    results = folder / "played.jsonl"
    options = ["--agent=oracle", f"--sandbox-results={results}", "-p", "no:cacheprovider", "-q"]
    command = [sys.executable, "-m", "pytest", *options, str(suites_folder())]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, cwd=folder)
    lines = [*UsableLines(results, Summary)]
    rounds = ((trial, line) for trial in itertools.count(1) for line in lines)
    many = folder / "many.jsonl"
    with many.open("w", encoding="utf-8") as file:
        for trial, line in itertools.islice(rounds, count):
            record = {**line.record, "id": f"{line.read['id']}[{trial}]"}
            file.write(f"{as_line(record)}\n")
    return many


if __name__ == "__main__":
    sys.exit(main())
