"""``toolsandbox check``: a scenario's own proof.

Every solution must pass with a score of exactly 1, and no counterexample may pass.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from pytest_toolsandbox.agents.oracle import scripted
from pytest_toolsandbox.agents.user import scripted_user
from pytest_toolsandbox.conversation.play import PlayError, play
from pytest_toolsandbox.evaluation.embedders import resolve_embedder
from pytest_toolsandbox.evaluation.milestones import evaluate
from pytest_toolsandbox.evaluation.results import Evaluation
from pytest_toolsandbox.language.files import find_files
from pytest_toolsandbox.language.loading import load_file
from pytest_toolsandbox.language.mistakes import ScenarioError
from pytest_toolsandbox.language.scenario import Scenario, Step
from pytest_toolsandbox.language.wording import counted
from pytest_toolsandbox.matchers.embedding import EmbedderError, Embeddings, using

from .conftests import ConftestError, import_conftests


def check_paths(paths: Sequence[Path], embedder: str | None = None) -> int:
    """Check every scenario below ``paths``, print what is wrong, and return 1 if anything is.

    ``embedder`` says what compares meanings, as the ini option ``sandbox_embedder`` does.
    """
    missing = [path for path in paths if not path.exists()]
    for path in missing:
        print(f"{path}: there is no such file or folder")
    there = [path for path in paths if path.exists()]
    files = list(find_files(there))
    try:
        import_conftests(there, files)
    except ConftestError as error:
        print(error)
        return 1
    scenarios, unread = _load(files)
    try:
        embeddings = Embeddings(resolve_embedder(embedder)) if embedder else None
    except EmbedderError as error:
        print(f"--embedder: {error}")
        return 1
    findings = 0
    with using(embeddings):
        for file, scenario in scenarios:
            for finding in check_scenario(scenario):
                findings += 1
                print(f"{file}::{scenario.name}: {finding}")
    unread += len(missing)
    print(_summary([scenario for _, scenario in scenarios], findings, unread))
    return 1 if findings or unread or not scenarios else 0


def _load(files: Sequence[Path]) -> tuple[list[tuple[Path, Scenario]], int]:
    """Return the scenarios with their files, and how many files could not be read."""
    scenarios, unread = [], 0
    for file in files:
        try:
            scenarios += [(file, scenario) for scenario in load_file(file)]
        except ScenarioError as error:
            print(error)
            unread += 1
    return scenarios, unread


def _summary(scenarios: Sequence[Scenario], findings: int, unread: int) -> str:
    counts = (
        (len(scenarios), "scenario"),
        (sum(len(scenario.solutions) for scenario in scenarios), "solution"),
        (sum(len(scenario.counterexamples) for scenario in scenarios), "counterexample"),
    )
    text = f"{', '.join(counted(*pair) for pair in counts)}: {counted(findings, 'finding')}"
    return f"{text}, {counted(unread, 'file')} not read" if unread else text


def check_scenario(scenario: Scenario) -> Iterator[str]:
    """Yield what is wrong with a scenario's solutions and counterexamples.

    Meanings are compared by the embedder that is in use.
    """
    if not scenario.solutions:
        yield "it has no solution"
    if not scenario.counterexamples:
        yield "it has no counterexample"
    for kind, scripts in (
        ("solution", scenario.solutions),
        ("counterexample", scenario.counterexamples),
    ):
        for name, steps in scripts.items():
            try:
                result = _result(scenario, steps)
            except PlayError as error:
                yield f"{kind} {name!r} cannot be played: {error}"
                continue
            except EmbedderError as error:
                yield f"{kind} {name!r} cannot be judged: {error}"
                continue
            if kind == "counterexample" and result.passed:
                yield f"counterexample {name!r} passes"
            if kind == "solution" and (result.score != 1 or not result.passed):
                yield f"solution {name!r} scores {result.score:.4f} and not 1; {_reasons(result)}"


def _result(scenario: Scenario, steps: Sequence[Step]) -> Evaluation:
    trajectory = play(scenario, scripted(scenario, steps), scripted_user(scenario))
    return evaluate(scenario, trajectory)


def _reasons(result: Evaluation) -> str:
    inexact = [event.name for event in result.milestones if event.reached and event.similarity < 1]
    reasons = (
        ("missed", [event.name for event in result.milestones if not event.reached]),
        ("not fully reached", inexact),
        ("minefields hit", [event.name for event in result.minefields if event.similarity > 0]),
        ("protected tables changed", [change.table for change in result.protected]),
    )
    return "; ".join(f"{what}: {', '.join(names)}" for what, names in reasons if names)
