"""How well reports in free words are judged, by rules or by a model.

    python benchmarks/words.py [--judge=JUDGE] [--show]

``words.jsonl`` has reports that end the first solution of a scenario in other words, and texts that
stand in its calls in the place of others: right ones, and wrong ones that look right, with a note
of what is wrong in them. They were written beside the conversations alone. The table counts right
ones that fail and wrong ones that pass.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import fields, replace
from functools import partial
from pathlib import Path
from typing import Any, Final, NamedTuple, get_args

from pytest_toolsandbox.agents.scripted import scripted, taking
from pytest_toolsandbox.judges.resolving import resolve_judge
from pytest_toolsandbox.language.files import find_files
from pytest_toolsandbox.language.loading import load_file
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.language.steps import SayStep, Step, ToolStep
from pytest_toolsandbox.language.tasks import FINISH, AgentTurn, RecordedCall
from pytest_toolsandbox.records.record import Outcome
from pytest_toolsandbox.reporting.tables import aligned
from pytest_toolsandbox.runs.judging import WordsJudge
from pytest_toolsandbox.runs.trial import play_trial

SUITES: Final = Path(__file__).parents[1] / "scenarios"
REPORTS: Final = Path(__file__).with_suffix(".jsonl")
AT_ONCE: Final = 8
"""How many reports a model reads at a time."""
SPEAKING: Final = (*get_args(Step), AgentTurn, RecordedCall)
"""What texts stand in."""
HEADINGS: Final = ("suite", "right", "fail", "wrong", "pass", "no verdict")


class Report(NamedTuple):
    """What an agent says and writes while it does what the first solution does, or a recording.

    ``text`` is its last report, if not the written one; ``texts`` stand in place of others.
    """

    suite: str
    scenario: Scenario
    text: str | None
    texts: Mapping[str, str]
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
            said = [*report.texts.values(), *filter(None, [report.text])]
            print(f"{outcome}: {report.scenario.name}: {said} {report.note}")
    return 0


def reports() -> Iterator[Report]:
    """Yield the reports, with their scenarios."""
    known = {
        scenario.name: (suite, scenario)
        for suite in ("phone", "queries", "office")
        for file in find_files([SUITES / suite])
        for scenario in load_file(file)
    }
    for line in REPORTS.read_text(encoding="utf-8").splitlines():
        one = json.loads(line)
        where = known[one["scenario"]]
        said = one.get("report"), one.get("texts", {})
        yield Report(*where, *said, one["right"], one.get("note", ""))


def judged(found: Sequence[Report], judge: WordsJudge | None) -> list[tuple[Report, Outcome]]:
    """Return what becomes of each report."""
    with ThreadPoolExecutor(AT_ONCE if judge else 1) as threads:
        return [*zip(found, threads.map(partial(outcome_of, judge), found), strict=True)]


def outcome_of(judge: WordsJudge | None, report: Report) -> Outcome:
    """Play what is written with the words of a report."""
    scenario, steps = report.scenario, reworded(written(report.scenario), report.texts)
    if scenario.task.agent_turns:
        agent = taking(scenario, steps)
    else:
        agent = scripted(scenario, [*ending(steps, report.text)])
    return play_trial(scenario, agent, judge=judge).outcome


def written(scenario: Scenario) -> tuple[Any, ...]:
    """Return the turns of a recording, or the steps of the first solution."""
    return scenario.task.agent_turns or tuple(next(iter(scenario.solutions.values())))


def reworded(value: Any, texts: Mapping[str, str]) -> Any:
    """Return steps, or turns of a recording, with other texts in the place of some."""
    if isinstance(value, str):
        return texts.get(value, value)
    if isinstance(value, tuple):
        return tuple(reworded(one, texts) for one in value)
    if isinstance(value, Mapping):
        return {name: reworded(one, texts) for name, one in value.items()}
    if isinstance(value, SPEAKING):
        parts = {field.name: getattr(value, field.name) for field in fields(value)}
        return replace(value, **reworded(parts, texts))
    return value


def ending(steps: Sequence[Step], text: str | None) -> Iterator[Step]:
    """Yield steps, of which the last one that reports says ``text``, if there is any."""
    last = max(place for place, step in enumerate(steps) if _reports(step))
    for place, step in enumerate(steps):
        if place != last or text is None:
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
