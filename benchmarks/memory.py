"""Measures the memory and the CPU time of the commands that read records.

The conversations of the bundled scenarios, played by their solutions, are repeated as other items
until there are as many as asked for. The exit status is 1 if a command takes more memory than the
limit or fails. ``--records=1000000 --only=merge`` needs 24 GB of disk and some 20 minutes.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from pathlib import Path

from report import many_records

RECORDS = 50_000
MEGABYTES = 500.0
"""The limit for each command; more records may take more in proportion."""
COMMANDS = (
    "tables FILE",
    "show FILE",
    "compare FILE",
    "baseline add FILE --file FOLDER/baseline.jsonl",
    "merge FILE -o FOLDER/merged.jsonl",
    "report FILE -o FOLDER/report.html",
)


def main() -> int:
    """Measure, print, and return 1 where a limit is missed."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--records", type=int, default=RECORDS)
    parser.add_argument("--only", default="", help="the first word of the commands to measure")
    asked = parser.parse_args()
    is_within, limit = True, MEGABYTES * max(1, asked.records / RECORDS)
    with tempfile.TemporaryDirectory() as name:
        file = many_records(Path(name), asked.records)
        print(f"{asked.records:,} records, {file.stat().st_size / 1e6:,.0f} MB")
        for command in (each for each in COMMANDS if each.startswith(asked.only)):
            words = command.replace("FILE", str(file)).replace("FOLDER", name).split()
            status, megabytes, seconds, wall = measured(words)
            label = " ".join(word for word in command.split() if word[0].islower())
            times = f"{seconds:6.1f} s of CPU ({wall:.1f} s)"
            print(f"{label:12}  {megabytes:5.0f} MB  {times}", flush=True)
            is_within = is_within and status == 0 and megabytes <= limit
    return 0 if is_within else 1


def measured(words: list[str]) -> tuple[int, float, float, float]:
    """Run a command of ``toolsandbox``: its status, megabytes, seconds of CPU and of the clock."""
    started = time.perf_counter()
    command = [sys.executable, "-m", "pytest_toolsandbox", *words]
    silent = [(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)]
    process = os.posix_spawn(sys.executable, command, os.environ, file_actions=silent)
    _, status, usage = os.wait4(process, 0)
    wall = time.perf_counter() - started
    megabytes = usage.ru_maxrss / 1024
    return status, megabytes, usage.ru_utime + usage.ru_stime, wall


if __name__ == "__main__":
    sys.exit(main())
