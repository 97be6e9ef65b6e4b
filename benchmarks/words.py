"""How well reports in free words are judged, by rules or by a model.

    python benchmarks/words.py [--judge=JUDGE] [--show]

``words.jsonl`` has reports that end the first solution of a scenario in other words: right ones,
and wrong ones that look right, with a note of what is wrong in them. They were written beside the
conversations alone. The table counts right ones that fail and wrong ones that pass.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Final, NamedTuple

from pytest_toolsandbox.agents.scripted import scripted
from pytest_toolsandbox.judges.resolving import resolve_judge
from pytest_toolsandbox.language.files import find_files
from pytest_toolsandbox.language.loading import load_file
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.language.steps import SayStep, Step, ToolStep
from pytest_toolsandbox.language.tasks import FINISH
from pytest_toolsandbox.records.record import Outcome
from pytest_toolsandbox.reporting.tables import aligned
from pytest_toolsandbox.runs.judging import WordsJudge
from pytest_toolsandbox.runs.trial import play_trial

SUITES: Final = Path(__file__).parents[1] / "scenarios"
REPORTS: Final = Path(__file__).with_suffix(".jsonl")
AT_ONCE: Final = 8
"""How many reports a model reads at a time."""
HEADINGS: Final = ("suite", "right", "fail", "wrong", "pass", "no verdict")


class Report(NamedTuple):
    """A report of what a scenario's first solution does, and what it should come to."""

    suite: str
    scenario: Scenario
    text: str
    right: bool
    note: str


def main() -> int:
    """Print the table and, if asked to, each report that came to something else."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--judge", metavar="JUDGE")
    parser.add_argument("--show", action="store_true")
    given = parser.parse_args()
    found = judged([*reports()], resolve_judge(given.judge, {}) if given.judge else None)
    print(*aligned([HEADINGS, *rows(found)]), sep="\n")
    for report, outcome in found if given.show else ():
        if outcome != wanted(report):
            print(f"{outcome}: {report.scenario.name}: {report.text!r} {report.note}")
    return 0


def reports() -> Iterator[Report]:
    """Yield the reports, with their scenarios."""
    known = {
        scenario.name: (suite, scenario)
        for suite in ("phone", "queries")
        for file in find_files([SUITES / suite])
        for scenario in load_file(file)
    }
    for line in REPORTS.read_text(encoding="utf-8").splitlines():
        one = json.loads(line)
        where = known[one["scenario"]]
        yield Report(*where, one["report"], one["right"], one.get("note", ""))


def judged(found: Sequence[Report], judge: WordsJudge | None) -> list[tuple[Report, Outcome]]:
    """Return what becomes of each report."""
    with ThreadPoolExecutor(AT_ONCE if judge else 1) as threads:
        return [*zip(found, threads.map(partial(outcome_of, judge), found), strict=True)]


def outcome_of(judge: WordsJudge | None, report: Report) -> Outcome:
    """Play the first solution up to its report, and this one in its place."""
    scenario = report.scenario
    agent = scripted(scenario, [*ending(scenario, report.text)])
    return play_trial(scenario, agent, judge=judge).outcome


def ending(scenario: Scenario, text: str) -> Iterator[Step]:
    """Yield the first solution's steps, of which the last one that reports says ``text``."""
    steps = next(iter(scenario.solutions.values()))
    last = max(place for place, step in enumerate(steps) if _reports(step))
    for place, step in enumerate(steps):
        if place != last:
            yield step
        elif isinstance(step, ToolStep):
            yield replace(step, arguments={**step.arguments, "answer": text})
        else:
            yield SayStep(text)


def _reports(step: Step) -> bool:
    concludes = isinstance(step, ToolStep) and step.tool == FINISH.name
    return concludes or isinstance(step, SayStep)


def wanted(report: Report) -> Outcome:
    """Return what should become of a report."""
    return "passed" if report.right else "failed"


def rows(found: Sequence[tuple[Report, Outcome]]) -> Iterator[tuple[str, ...]]:
    """Yield a row for each suite: how many reports there are, and how many are misjudged."""
    suites: Mapping[str, list[tuple[Report, Outcome]]] = defaultdict(list)
    for one in found:
        suites[one[0].suite].append(one)
    for suite, some in suites.items():
        right = [outcome for report, outcome in some if report.right]
        wrong = [outcome for report, outcome in some if not report.right]
        lost = sum(outcome not in ("passed", "failed") for _, outcome in some)
        counts = (len(right), right.count("failed"), len(wrong), wrong.count("passed"), lost)
        yield suite, *map(str, counts)


if __name__ == "__main__":
    sys.exit(main())
