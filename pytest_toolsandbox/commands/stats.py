"""``toolsandbox stats``: what a suite of scenarios is made of."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from pytest_toolsandbox.agents.scripted import oracle
from pytest_toolsandbox.conversation.converse import converse
from pytest_toolsandbox.conversation.play import PlayError
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.language.variants import read_augmentations
from pytest_toolsandbox.statistics.suite import Solved
from pytest_toolsandbox.statistics.tables import similarity_lines, statistics_lines
from pytest_toolsandbox.users.user import scripted_user
from pytest_toolsandbox.wording.phrases import counted

from .conftests import ConftestError
from .scenarios import find_scenarios

NO_SOLUTION = "without a solution: turns, tool calls and needed tools are those of the others"


def print_similarity(paths: Sequence[Path]) -> int:
    """Print how alike the names of tools are; return 1 if a file cannot be read."""
    try:
        found = find_scenarios(paths)
    except ConftestError as error:
        print(error)
        return 1
    scenarios = [scenario for _, scenario in found.scenarios]
    for line in similarity_lines(scenarios) if scenarios else ["no scenario was found"]:
        print(line)
    return 1 if found.unread or not scenarios else 0


def print_statistics(paths: Sequence[Path], augmentations: str = "none") -> int:
    """Print the statistics of every scenario below ``paths``; return 1 if anything is wrong.

    ``augmentations`` multiplies the test cases, as the option ``--sandbox-augment`` does. A file
    that cannot be read, or a solution that cannot be played, is reported and left out.
    """
    try:
        variants = len(read_augmentations(augmentations)) or 1
    except ValueError as error:
        print(f"--augment: {error}")
        return 1
    try:
        found = find_scenarios(paths)
    except ConftestError as error:
        print(error)
        return 1
    suite = [_solved(file, scenario) for file, scenario in found.scenarios]
    for line in statistics_lines(suite, variants) if suite else ():
        print(line)
    for line in _left_out(suite, found.unread):
        print(line)
    unplayed = any(one.scenario.has_solution and one.trajectory is None for one in suite)
    return 1 if found.unread or unplayed or not suite else 0


def _solved(file: Path, scenario: Scenario) -> Solved:
    """Play the first solution, if there is one that can be played."""
    if not scenario.has_solution:
        return Solved(scenario, None)
    try:
        trajectory = converse(scenario, oracle(scenario), scripted_user(scenario))
        return Solved(scenario, trajectory)
    except PlayError as error:
        name = next((f"solution {name!r}" for name in scenario.solutions), "the conversation")
        print(f"{file}::{scenario.name}: {name} cannot be played: {error}")
        return Solved(scenario, None)


def _left_out(suite: Sequence[Solved], unread: int) -> list[str]:
    """Return what the tables leave out, in words."""
    unsolved = sum(not one.scenario.has_solution for one in suite)
    lines = [] if suite else ["no scenario was found"]
    lines += [f"{counted(unsolved, 'scenario')} {NO_SOLUTION}"] if unsolved else []
    return lines + ([f"{counted(unread, 'file')} not read"] if unread else [])
