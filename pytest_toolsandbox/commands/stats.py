"""``toolsandbox stats``: what a suite of scenarios is made of."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from pytest_toolsandbox.agents.scripted import oracle
from pytest_toolsandbox.conversation.play import PlayError, converse
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.language.variants import read_augmentations
from pytest_toolsandbox.statistics.suite import SolvedScenario
from pytest_toolsandbox.statistics.tables import similarity_lines, statistics_lines
from pytest_toolsandbox.users.user import scripted_user
from pytest_toolsandbox.wording.phrases import counted

from . import CommandError
from .scenarios import find_scenarios


def print_statistics(
    paths: Sequence[Path], augment: str, passes: int, *, quarantine: bool, api_similarity: bool
) -> int:
    """Print what the scenarios below ``paths`` are made of; return 1 if anything is wrong.

    With ``quarantine`` these are files of records, in order of time, and what is printed is which
    scenarios passed often enough.
    """
    if quarantine:
        from .quarantine import print_quarantine

        return print_quarantine(paths, passes)
    try:
        variants = len(read_augmentations(augment)) or 1
    except ValueError as error:
        raise CommandError(f"--augment: {error}") from error
    found = find_scenarios(paths)
    if not found.scenarios:
        return 1
    if api_similarity:
        unsolved = [SolvedScenario(one, None) for _, one in found.scenarios]
        print(*similarity_lines(unsolved), sep="\n")
        return 1 if found.unread else 0
    suite = [_solved(file, scenario) for file, scenario in found.scenarios]
    print(*statistics_lines(suite, variants), *_left_out(suite, found.unread), sep="\n")
    unplayed = any(one.scenario.has_solution and one.trajectory is None for one in suite)
    return 1 if found.unread or unplayed else 0


def _solved(file: Path, scenario: Scenario) -> SolvedScenario:
    """Play the first solution, if there is one that can be played."""
    trajectory = None
    try:
        if scenario.has_solution:
            trajectory = converse(scenario, oracle(scenario), scripted_user(scenario))
    except PlayError as error:
        name = next((f"solution {name!r}" for name in scenario.solutions), "the conversation")
        print(f"{file}::{scenario.name}: {name} cannot be played: {error}")
    return SolvedScenario(scenario, trajectory)


def _left_out(suite: Sequence[SolvedScenario], unread: int) -> list[str]:
    unsolved = sum(not one.scenario.has_solution for one in suite)
    text = "without a solution: turns, tool calls and needed tools are those of the others"
    lines = [f"{counted(unsolved, 'scenario')} {text}"] if unsolved else []
    return lines + ([f"{counted(unread, 'file')} not read"] if unread else [])
