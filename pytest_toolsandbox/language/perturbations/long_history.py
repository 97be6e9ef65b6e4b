"""``long_history``: much earlier conversation before the opening."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any, ClassVar, Final, Self

from pytest_toolsandbox.language.conditions import draw
from pytest_toolsandbox.language.constraints import Event
from pytest_toolsandbox.language.roles import Role
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.language.tasks import Line, Milestones
from pytest_toolsandbox.language.yaml12 import read_yaml

from .perturbation import Perturbation, read_count

_FILE: Final = Path(__file__).with_name("data") / "long_history.yaml"
_EXCHANGES: Final = 30
_MOST: Final = 200


@cache
def _exchanges() -> tuple[tuple[str, str], ...]:
    content, _ = read_yaml(_FILE.read_bytes(), _FILE.name)
    return tuple((exchange["user"], exchange["agent"]) for exchange in content)


@dataclass(frozen=True)
class LongHistory(Perturbation):
    """The user has asked about this and that before; nothing of it matters."""

    count: int

    name: ClassVar[str] = "long_history"
    summary: ClassVar[str] = "an earlier conversation about other things"

    @classmethod
    def read(cls, parameters: Sequence[str], seed: int) -> Self:
        """Read the number of exchanges."""
        return cls(seed, read_count(parameters, _EXCHANGES, _MOST))

    def unfit(self, scenario: Scenario) -> str | None:
        """Return why a scenario can have no history."""
        return None if isinstance(scenario.task, Milestones) else "it has no history"

    def apply(self, scenario: Scenario) -> Scenario:
        """Return the scenario with earlier lines before its own history."""
        task = scenario.task_as(Milestones)
        lines = tuple(self._lines(scenario.name))
        return replace(
            scenario,
            task=replace(
                task,
                history=(*lines, *task.history),
                milestones=_later(task.milestones, self.count),
                minefields=_later(task.minefields, self.count),
            ),
        )

    def _lines(self, scenario: str) -> Sequence[Line]:
        known = _exchanges()
        order = sorted(known, key=lambda exchange: draw(self.seed, scenario, exchange[0]))
        exchanges = (order * (1 + self.count // len(order)))[: self.count]
        return [
            Line(role, text)
            for user, agent in exchanges
            for role, text in ((Role.USER, user), (Role.AGENT, agent))
        ]


def _later(events: Mapping[str, Event], lines: int) -> dict[str, Event]:
    """Return events whose constraints know how many messages of the user precede the opening."""

    def moved(constraint: Any) -> Any:
        if not hasattr(constraint, "before_opening"):
            return constraint
        return replace(constraint, before_opening=constraint.before_opening + lines)

    return {
        name: replace(event, constraints=tuple(map(moved, event.constraints)))
        for name, event in events.items()
    }
