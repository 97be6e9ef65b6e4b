"""The base class of perturbations."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Self

from pytest_toolsandbox.language.scenario import Scenario

_MORE_MESSAGES = 3
"""The factor by which limits grow if calls may have to be repeated."""


@dataclass(frozen=True)
class Perturbation(ABC):
    """A way to make scenarios harder; equal seeds do the same to a scenario."""

    seed: int

    name: ClassVar[str]
    summary: ClassVar[str]
    """What it does, in a few words."""

    @classmethod
    @abstractmethod
    def read(cls, parameters: Sequence[str], seed: int) -> Self:
        """Return the perturbation with these parameters. Raises ``ValueError``."""

    def unfit(self, scenario: Scenario) -> str | None:
        """Return why it does nothing to a scenario, ``None`` if it does something."""
        del scenario
        return None

    @abstractmethod
    def apply(self, scenario: Scenario) -> Scenario:
        """Return the scenario that is harder."""


def read_one(parameters: Sequence[str], default: str, allowed: Sequence[str] | None = None) -> str:
    """Return the only parameter, or the default. Raises ``ValueError``."""
    if len(parameters) > 1:
        raise ValueError(f"takes one parameter, not {len(parameters)}")
    value = parameters[0] if parameters else default
    if allowed is not None and value not in allowed:
        raise ValueError(f"takes one of {', '.join(allowed)}, not {value!r}")
    return value


def read_count(parameters: Sequence[str], default: int, most: int) -> int:
    """Return the only parameter, a whole number from 1 to ``most``. Raises ``ValueError``."""
    text = read_one(parameters, str(default))
    if not (text.isascii() and text.isdigit() and 1 <= int(text) <= most):
        raise ValueError(f"takes a whole number from 1 to {most}, not {text!r}")
    return int(text)


def with_room(scenario: Scenario) -> Scenario:
    """Return a scenario with limits that allow calls to be repeated."""
    task, steps = scenario.task, scenario.task.most_steps
    if steps is not None:
        task = task.with_most_steps(steps * _MORE_MESSAGES)
    return replace(
        scenario,
        task=task,
        max_messages=scenario.max_messages * _MORE_MESSAGES,
        max_calls=scenario.max_calls * _MORE_MESSAGES,
    )


def free_name(scenario: Scenario, name: str) -> str:
    """Return the name for a further tool: that one, or with a number if it is taken."""
    taken = {*scenario.world.tools, *scenario.task.further_tools}
    taken |= {view.name for view in scenario.world.shown(scenario.scrambled).values()}
    numbered = (f"{name}_{number}" for number in range(2, len(taken) + 3))
    return name if name not in taken else next(n for n in numbered if n not in taken)
