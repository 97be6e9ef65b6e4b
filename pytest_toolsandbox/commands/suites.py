"""``toolsandbox suites``, ``stats`` and ``schema``: which suites there are, and of what they are.

``suites`` lists the bundled suites, ``stats`` counts what scenarios are made of, ``schema`` prints
the JSON Schema of scenario files, for editors, or of records.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from pytest_toolsandbox.agents.scripted import oracle
from pytest_toolsandbox.authoring.difficulty import difficulty_lines
from pytest_toolsandbox.authoring.measures import SolvedScenario
from pytest_toolsandbox.authoring.statistics import similarity_lines, statistics_lines
from pytest_toolsandbox.conversation.play import PlayError, converse
from pytest_toolsandbox.language.files import find_files
from pytest_toolsandbox.language.mistakes import ScenarioError
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.language.schema import language_schema
from pytest_toolsandbox.language.variants import read_augmentations
from pytest_toolsandbox.output.tables import aligned
from pytest_toolsandbox.protocols import load_file
from pytest_toolsandbox.records.record import SCHEMA_FILE
from pytest_toolsandbox.suites import suites
from pytest_toolsandbox.text.formatting import pluralize
from pytest_toolsandbox.text.nearest_name import unknown
from pytest_toolsandbox.users.user import scripted_user
from pytest_toolsandbox.worlds.world import find_world, known_worlds

from .gate import print_quarantine
from .parsing import CommandError
from .scenarios import Conftests, find_scenarios
from .worlds import named_world


def print_suites(name: str | None) -> int:
    """Print name, size and folder of each suite; of the named one its folder alone."""
    folders = suites()
    if name is not None:
        if name not in folders:
            raise CommandError(unknown("suite", name, folders))
        print(folders[name])
        return 0
    rows = []
    for suite, folder in folders.items():
        files = list(find_files([folder]))
        try:
            scenarios = sum(len(load_file(file)) for file in files)
        except ScenarioError as error:
            raise CommandError(str(error)) from error
        sizes = pluralize(len(files), "file"), pluralize(scenarios, "scenario")
        rows.append((suite, *sizes, str(folder)))
    print(*aligned(rows, words=4), sep="\n")
    return 0


def print_statistics(
    paths: Sequence[Path], augment: str, passes: int, *, quarantine: bool, api_similarity: bool
) -> int:
    """Print what the scenarios below ``paths`` are made of; return 1 if anything is wrong.

    With ``quarantine`` these are files of records, in order of time, and what is printed is which
    scenarios passed often enough.
    """
    if quarantine:
        return print_quarantine(paths, passes)
    try:
        variants = len(read_augmentations(augment)) or 1
    except ValueError as error:
        raise CommandError(f"--augment: {error}") from error
    collected = find_scenarios(paths)
    if not collected.scenarios:
        return 1
    if api_similarity:
        unsolved = [SolvedScenario(scenario, None) for _, scenario in collected.scenarios]
        print(*similarity_lines(unsolved), sep="\n")
        return 1 if collected.unread else 0
    suite = [_solved(file, scenario) for file, scenario in collected.scenarios]
    print(*statistics_lines(suite, variants), sep="\n")
    for table in difficulty_lines([solved.scenario for solved in suite]):
        print("", *table, sep="\n")
    if count_unsolved := sum(not solved.scenario.has_solution for solved in suite):
        text = "without a solution: turns, tool calls and needed tools are those of the others"
        print(f"{pluralize(count_unsolved, 'scenario')} {text}")
    if collected.unread:
        print(f"{pluralize(collected.unread, 'file')} not read")
    unplayed = any(s.scenario.has_solution and s.trajectory is None for s in suite)
    return 1 if collected.unread or unplayed else 0


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


def print_schema(*, record: bool, world: str | None) -> int:
    """Print the schema of records, or of scenarios with what is registered below here.

    It suggests the names of a ``world``, or of all known ones.
    """
    if record:
        print(SCHEMA_FILE.read_text(encoding="utf-8"), end="")
        return 0
    here = Path.cwd()
    conftests = Conftests([here])
    for file in (here / "any.yaml", *find_files([here])):
        conftests.import_for(file)
    worlds = [named_world(world, "--world: ")] if world else map(find_world, known_worlds())
    print(json.dumps(language_schema(worlds), indent=2, ensure_ascii=False))
    return 0
