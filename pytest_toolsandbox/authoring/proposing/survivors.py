"""Lines that would kill the mutants which survive the proof of a proposal."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from pytest_toolsandbox.authoring.proof.mutants import mutants
from pytest_toolsandbox.authoring.proof.played_solution import solved
from pytest_toolsandbox.authoring.proof.proof import Survivor
from pytest_toolsandbox.conversation.messages import Trajectory
from pytest_toolsandbox.language.compact_yaml import write_compact_yaml
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.scoring.judging import judge
from pytest_toolsandbox.scoring.words import differing_tables
from pytest_toolsandbox.worlds.state import plain

from .changes import differing_columns

Document = dict[str, Any]
Read = Callable[[Document], Scenario]


def killing_lines(
    document: Document, read: Read, survivors: Sequence[Survivor], good: Sequence[Trajectory]
) -> list[str | None]:
    """Return for each survivor a line that kills it in the milestone ``done``, if there is any.

    All ``good`` conversations pass with it.
    """
    name, steps = next(iter(read(document).solutions.items()))
    solution = solved(read(document), steps)
    played = {
        (mutant.kind, mutant.what): mutant.play
        for mutant in (mutants(solution) if survivors else ())
    }
    lines: list[str | None] = []
    for survivor in survivors:
        wrong = played[survivor.kind, survivor.what]()
        kills = (
            addition
            for addition in _additions(solution.scenario, name, solution.trajectory, wrong)
            if _kills(read(_with(document, addition)), wrong, good)
        )
        addition = next(kills, None)
        lines.append(write_compact_yaml(addition, {}).strip() if addition else None)
    return lines


def _additions(
    scenario: Scenario, solution: str, right: Trajectory, wrong: Trajectory
) -> Iterator[Document]:
    """Yield what the end of the solution has and that of a mutant lacks."""
    for table in differing_tables(scenario.world, right, wrong):
        rows, wrong_rows = (played.states[-1][table].rows for played in (right, wrong))
        if scenario.world.tables[table].single_row and rows and wrong_rows:
            names = differing_columns(rows[0], wrong_rows[0])
            yield {"state": {table: {column: plain(rows[0][column]) for column in names}}}
        else:
            yield {"ends_as": {"solution": solution, "tables": [table]}}


def _with(document: Document, addition: Mapping[str, Any]) -> Document:
    done = dict(document["milestones"]["done"])
    for key, value in addition.items():
        done[key] = {**done.get(key, {}), **value}
    return {**document, "milestones": {**document["milestones"], "done": done}}


def _kills(scenario: Scenario, wrong: Trajectory, good: Sequence[Trajectory]) -> bool:
    """Return whether a mutant fails, and all good conversations pass."""
    is_right = all(judge(scenario, trajectory).passed for trajectory in good)
    return is_right and not judge(scenario, wrong).passed
