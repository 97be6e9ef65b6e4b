"""``reworded``: the user begins with one of the other ``openings`` of the scenario."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Final, Self

from pytest_toolsandbox.language.conditions import draw
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.language.tasks import Milestones

from .perturbation import Perturbation, read_count

_MOST: Final = 1000


@dataclass(frozen=True)
class Reworded(Perturbation):
    """The user asks for the same in other words."""

    number: int | None

    name: ClassVar[str] = "reworded"
    summary: ClassVar[str] = "another opening of the scenario"

    @classmethod
    def read(cls, parameters: Sequence[str], seed: int) -> Self:
        """Read the number of the opening, from 1; by default any of them."""
        return cls(seed, read_count(parameters, 1, _MOST) if parameters else None)

    def unfit(self, scenario: Scenario) -> str | None:
        """Return why a scenario has no such opening."""
        openings = scenario.task.user_script.openings
        if not openings or not isinstance(scenario.task, Milestones):
            return "its user has no other openings"
        if (self.number or 1) > len(openings):
            return f"its user has no opening {self.number} besides the first"
        return None

    def apply(self, scenario: Scenario) -> Scenario:
        """Return the scenario with another opening."""
        task = scenario.task_as(Milestones)
        number = self.number or 1 + int(draw(self.seed, scenario.name) * len(task.user.openings))
        user = replace(task.user, opening=task.user.openings[number - 1])
        return replace(scenario, task=replace(task, user=user))
