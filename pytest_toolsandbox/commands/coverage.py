"""``toolsandbox coverage``: what of their worlds scenarios touch, and how to reach the rest."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from pathlib import Path
from typing import Any, Final

import yaml

from pytest_toolsandbox.authoring.coverage.reaching import Reached, Reaching
from pytest_toolsandbox.authoring.coverage.touched import KINDS, Coverage, Part, Talk
from pytest_toolsandbox.conversation.solutions import right_conversations
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.output.pages.wording import call_as_code
from pytest_toolsandbox.output.tables import aligned
from pytest_toolsandbox.records.record import read_record
from pytest_toolsandbox.text.formatting import pluralize

from .record_files import consistent_records, stored_runs
from .scenarios import Project, find_scenarios

_HEADINGS: Final = ("", *KINDS)


def print_coverage(
    paths: Sequence[Path], project: Project, *, results: Sequence[Path], skeletons: bool
) -> int:
    """Print what is covered of each world, and the shortest calls to the rest.

    With ``skeletons``, these are printed as scenarios to be completed. Returns 1 if a file of
    scenarios cannot be read.
    """
    collected = find_scenarios(paths, project.scenario_files)
    if not collected.scenarios:
        return 1
    worlds: dict[str, list[Scenario]] = {}
    for _, scenario in collected.scenarios:
        worlds.setdefault(scenario.world.name, []).append(scenario)
    coverage = {name: Coverage(scenarios[0].world) for name, scenarios in worlds.items()}
    for name, scenarios in worlds.items():
        for scenario in scenarios:
            for played in right_conversations(scenario):
                coverage[name].add(Talk.of_trajectory(played))
    for run in stored_runs([*results]):
        for line in run.lines:
            if (world := coverage.get(line.read["world"])) is not None:
                with consistent_records(run.path):
                    world.add(Talk.of_record(read_record(line.record)))
    reached = {name: _reached(coverage[name], worlds[name]) for name in worlds}
    if skeletons:
        print(*(_skeleton(r) for parts in reached.values() for r in parts.values()), sep="\n")
    else:
        print(*_report(coverage, reached), sep="\n")
    return 1 if collected.unread else 0


def _reached(coverage: Coverage, scenarios: Sequence[Scenario]) -> Mapping[Part, Reached]:
    """Return the shortest calls to what is not covered; a live world is not searched."""
    if scenarios[0].world.source is not None:
        return {}
    return Reaching(coverage, scenarios).search()


def _report(
    coverage: Mapping[str, Coverage], reached: Mapping[str, Mapping[Part, Reached]]
) -> Iterator[str]:
    rows = [(name, *_counts(coverage[name], reached[name])) for name in coverage]
    yield from aligned([_HEADINGS, *rows])
    for name, world in coverage.items():
        missing = [part for part in world.declared if part not in world.touched]
        missing += [part for part in sorted(reached[name]) if part not in missing]
        for kind in KINDS:
            parts = [part for part in missing if part.kind == kind]
            if parts:
                yield f"\n{name}: {kind} that no conversation touches"
            for part in parts:
                yield f"  {part.words}"
                yield f"      {_how(reached[name].get(part), world)}"


def _counts(world: Coverage, reached: Mapping[Part, Reached]) -> Iterator[str]:
    """Yield how many parts of each kind are touched, of how many that are known."""
    known = {part for part in world.touched if world.known(part)}
    every = known | {*world.declared} | {*reached}
    for kind in KINDS:
        touched = sum(part.kind == kind for part in known)
        yield f"{touched} of {sum(part.kind == kind for part in every)}"


def _how(reached: Reached | None, world: Coverage) -> str:
    if reached is not None:
        return ", then ".join(call_as_code(*call) for call in reached.calls)
    return "not reached" if world.world.source is None else "a live world is not searched"


def _skeleton(reached: Reached) -> str:
    """Return a scenario that reaches a part, with gaps for what only a person can say."""
    part, steps = reached.part, [{tool: dict(arguments)} for tool, arguments in reached.calls]
    name = "_".join(filter(None, ("reach", part.name, *part.what.split())))
    scenario: dict[str, Any] = {
        "world": reached.scenario.world.name,
        "summary": f"{part.kind}: {part.words}",
        "tools": [*dict.fromkeys(tool for tool, _ in reached.calls)],
        "user": {"opening": "TODO"},
        "milestones": {"TODO": {"call": deepcopy(steps[-1])}},  # without an alias of YAML
        "solutions": {"shortest": [*steps, {"say": "TODO"}]},
    }
    start = pluralize(len(reached.calls), "call")
    text = yaml.safe_dump({name: scenario}, sort_keys=False, allow_unicode=True, width=100)
    return f"# {start} from the start of {reached.scenario.name}: copy its state\n{text}"
