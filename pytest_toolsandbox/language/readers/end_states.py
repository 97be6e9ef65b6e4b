"""Reads what must be so at a certain moment: ``ends_as``, ``results``, ``holds``, ``turn``."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from pytest_toolsandbox.language import models
from pytest_toolsandbox.language.constraints import (
    Constraint,
    EndsAsConstraint,
    Event,
    Guarded,
    MomentConstraint,
    ResultsConstraint,
)
from pytest_toolsandbox.language.mistakes import Path
from pytest_toolsandbox.language.protocol import InWorld
from pytest_toolsandbox.language.roles import Role
from pytest_toolsandbox.language.tasks import Line
from pytest_toolsandbox.text.formatting import pluralize

from .events import ExpectedReader
from .questions import read_holds

TablesReader = Callable[[Any, Path], tuple[str, ...]]
RESULTS = "results"
ENDS_AS, HOLDS = "ends_as", "holds"
"""Keys, and the names of the milestones that they make at the end of a scenario."""


@dataclass(frozen=True)
class EndReader:
    """Reads ends of a scenario; ``solutions`` are its names, ``tables`` reads lists of tables.

    The user has ``before_opening`` messages before the opening, and ``turns`` fixed ones, if any.
    """

    in_world: InWorld
    solutions: Mapping[str, object]
    tables: TablesReader
    before_opening: int
    turns: int

    def ends_as(
        self, value: models.EndsAs, path: Path, turn: int | None = None
    ) -> EndsAsConstraint | None:
        """Return the constraint on the tables at the end, if there is one."""
        if value is None:
            return None
        name, tables, place = value, "all", path
        if isinstance(value, models.EndsAsDocument):
            name, tables, place = value.solution, value.tables, (*path, "solution")
        assert isinstance(name, str)
        mistakes = self.in_world.reader.mistakes
        self._check_solution(name, place)
        compared = self.tables(tables, (*path, "tables"))
        schemas = {
            table: self.in_world.reader.world.tables[table]
            for table in compared
            if table in self.in_world.reader.world.tables
        }
        if tables in ("none", []):
            mistakes.add((*path, "tables"), "no table is compared; name one, or leave tables out")
        thresholds = self.in_world.thresholds
        is_whole = tables == "all"
        return EndsAsConstraint(
            ENDS_AS, name, schemas, turn, self.before_opening, thresholds, is_whole
        )

    def _check_solution(self, name: str, path: Path) -> None:
        mistakes = self.in_world.reader.mistakes
        if name not in self.solutions:
            mistakes.add(path, mistakes.unknown_text("solution", name, self.solutions))

    def of_event(self, event: models.EventDocument, path: Path) -> list[Constraint]:
        """Return the constraints of an event on its moment, and on its tables at that moment."""
        constraints: list[Constraint] = []
        if event.turn is not None:
            if 0 < self.turns < event.turn:
                text = f"the user has {pluralize(self.turns, 'turn')}, and so there is no such turn"
                self.in_world.reader.mistakes.add((*path, "turn"), text)
            spoken = (event.call, event.tried, event.user_says)
            at_end = all(value is None for value in spoken)
            constraints.append(MomentConstraint("turn", event.turn, self.before_opening, at_end))
        ending = self.ends_as(event.ends_as, (*path, ENDS_AS), event.turn)
        constraints += [ending] if ending else []
        if (solution := event.results) is not None:
            self._check_solution(solution, (*path, RESULTS))
            results = ResultsConstraint(RESULTS, solution, event.turn, self.before_opening)
            constraints.append(results)
        return constraints

    def at_the_end(self, model: models.ScenarioDocument) -> dict[str, Event]:
        """Return the milestones that a scenario has at its end, by name."""
        asked: dict[str, list[Constraint]] = {}
        if ending := self.ends_as(model.ends_as, (ENDS_AS,)):
            asked[ENDS_AS] = [ending]
        if model.holds is not None:
            thresholds = self.in_world.thresholds
            reader = ExpectedReader(*self.in_world.reader.context, thresholds=thresholds)
            asked[HOLDS] = [*read_holds(reader, model.holds, (HOLDS,))]
        for name in asked:
            if name in model.milestones:
                text = f"{name!r} is the name of the milestone that the key {name} makes"
                mistakes = self.in_world.reader.mistakes
                mistakes.add(("milestones", name), f"{text}; choose another one", key=True)
        return {
            name: Event(name, (MomentConstraint("end"), *constraints))
            for name, constraints in asked.items()
        }


def without_ending_tables(guarded: Guarded, ends: Mapping[str, Event]) -> Guarded:
    """Return the tables that are guarded, but for those whose end alone counts."""
    free = {table for event in ends.values() for table in event.ending_tables}
    return {table: columns for table, columns in guarded.items() if table not in free}


def user_lines(history: tuple[Line, ...]) -> int:
    """Return how many messages of the user precede the opening."""
    return sum(line.role is Role.USER for line in history)
