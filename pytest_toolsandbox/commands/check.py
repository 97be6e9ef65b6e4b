"""``toolsandbox check``: a scenario's own proof.

Every solution must pass with a score of exactly 1, and no counterexample may pass.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from pytest_toolsandbox.agents.oracle import scripted
from pytest_toolsandbox.agents.user import scripted_user
from pytest_toolsandbox.conversation.play import PlayError, play
from pytest_toolsandbox.evaluation.milestones import evaluate
from pytest_toolsandbox.language.files import find_files
from pytest_toolsandbox.language.loading import load_file
from pytest_toolsandbox.language.mistakes import ScenarioError
from pytest_toolsandbox.language.scenario import Scenario, Step

from .conftests import import_conftests


@dataclass(frozen=True)
class Finding:
    """Something that is not as it should be with a scenario."""

    scenario: str
    text: str


def check_paths(paths: Sequence[Path]) -> int:
    """Check every scenario below ``paths``, print a table, and return 1 where one fails."""
    missing = [path for path in paths if not path.exists()]
    for path in missing:
        print(f"{path}: there is no such file or folder")
    import_conftests(paths)
    checked = solutions = counterexamples = 0
    findings: list[Finding] = []
    broken = list(missing)
    for file in find_files(path for path in paths if path.exists()):
        try:
            scenarios = load_file(file)
        except ScenarioError as error:
            print(error)
            broken.append(file)
            continue
        for scenario in scenarios:
            checked += 1
            solutions += len(scenario.solutions)
            counterexamples += len(scenario.counterexamples)
            name = f"{file}::{scenario.name}"
            findings += [Finding(name, text) for text in check_scenario(scenario)]
    for finding in findings:
        print(f"{finding.scenario}: {finding.text}")
    print(
        f"{checked} scenarios, {solutions} solutions, {counterexamples} counterexamples: "
        f"{len(findings)} findings" + (f", {len(broken)} files not read" if broken else "")
    )
    if not checked:
        print("no scenarios found")
    return 1 if findings or broken or not checked else 0


def check_scenario(scenario: Scenario) -> Iterator[str]:
    """Yield what is wrong with a scenario's solutions and counterexamples."""
    if not scenario.solutions:
        yield "it has no solution"
    if not scenario.counterexamples:
        yield "it has no counterexample"
    for name, steps in scenario.solutions.items():
        yield from _check_solution(scenario, name, steps)
    for name, steps in scenario.counterexamples.items():
        yield from _check_counterexample(scenario, name, steps)


def _check_solution(scenario: Scenario, name: str, steps: Sequence[Step]) -> Iterator[str]:
    try:
        trajectory = play(scenario, scripted(scenario, steps), scripted_user(scenario))
    except PlayError as error:
        yield f"solution {name!r} cannot be played: {error}"
        return
    result = evaluate(scenario, trajectory)
    if result.score != 1 or not result.passed:
        missed = [event.name for event in result.milestones if not event.reached]
        hit = [event.name for event in result.minefields if event.similarity > 0]
        changed = [change.table for change in result.protected]
        reasons = [
            f"{what}: {', '.join(names)}"
            for what, names in (
                ("missed", missed),
                ("minefields hit", hit),
                ("protected tables changed", changed),
            )
            if names
        ]
        yield f"solution {name!r} scores {result.score:.4f} and not 1; {'; '.join(reasons)}"


def _check_counterexample(scenario: Scenario, name: str, steps: Sequence[Step]) -> Iterator[str]:
    try:
        trajectory = play(scenario, scripted(scenario, steps), scripted_user(scenario))
    except PlayError as error:
        yield f"counterexample {name!r} cannot be played: {error}"
        return
    if evaluate(scenario, trajectory).passed:
        yield f"counterexample {name!r} passes"
