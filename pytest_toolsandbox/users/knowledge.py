"""What a simulated user knows: what is not here is unknown to it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.language.tasks import UserScript

ONLY_GOAL = "goal"
"""The id of the goal of a scenario that does not name its goals."""

Progress = Literal["open", "asked", "done"]


@dataclass(frozen=True)
class Knowledge:
    """The opening, and id → text of goals and facts; ``boundary`` says in prose what is known.

    ``earlier`` are the user's own lines before the opening.
    """

    opening: str
    goals: Mapping[str, str]
    facts: Mapping[str, str] = field(default_factory=dict)
    boundary: str = ""
    earlier: tuple[str, ...] = ()

    @property
    def lines(self) -> tuple[str, ...]:
        """All of it."""
        told = (*self.goals.values(), *self.facts.values(), self.boundary)
        return self.opening, *self.earlier, *told

    @property
    def text(self) -> str:
        """All of it, a line each."""
        return "\n".join(self.lines)


def knowledge_of(scenario: Scenario) -> Knowledge:
    """Return what the user of a scenario knows."""
    script = scenario.task.user_script
    return Knowledge(
        script.opening,
        _goals(script),
        script.knows,
        script.knowledge_boundary or "",
        tuple(line.content for line in scenario.task.earlier_lines if line.role == "user"),
    )


def _goals(script: UserScript) -> Mapping[str, str]:
    return script.goals or {ONLY_GOAL: script.wants or f"What you ask first: {script.opening}"}


@dataclass(frozen=True)
class Ledger:
    """How far each goal is. The first one is asked with the opening."""

    progress: Mapping[str, Progress]

    @classmethod
    def at_opening(cls, knowledge: Knowledge) -> Ledger:
        """Return it as it is when only the opening was said."""
        first = next(iter(knowledge.goals))
        return cls({goal: "asked" if goal == first else "open" for goal in knowledge.goals})

    @property
    def open_goals(self) -> list[str]:
        """The goals that nothing was said about."""
        return [goal for goal, state in self.progress.items() if state == "open"]

    def after(self, goal: str | None) -> Ledger:
        """Return it as it is when the user has turned to a goal: one asked before is done."""
        if goal is None or goal not in self.progress:
            return self
        moved: dict[str, Progress] = {
            one: "done" if state == "asked" else state for one, state in self.progress.items()
        }
        moved[goal] = "asked"
        return Ledger(moved)
