"""What the written solutions of a scenario do: played once, for all of its trials and variants."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from pytest_toolsandbox.agents.scripted import scripted
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.language.steps import Step, ToolStep, calls_of
from pytest_toolsandbox.users.user import scripted_user

from .messages import MadeCall, Trajectory
from .play import PlayError, converse


@dataclass(frozen=True)
class PlayedCall:
    """A call of a solution as it is written and as it was made, and what came of it."""

    step: ToolStep
    made: MadeCall

    @cached_property
    def arguments(self) -> Mapping[str, Any]:
        """The arguments with which it was made."""
        given: dict[str, Any] = json.loads(self.made.call.arguments)
        return given

    @property
    def found(self) -> Any:
        """What it found out, if that tells it from calls that find nothing; or ``None``."""
        if self.made.trace is None or self.made.changed_the_world:
            return None
        return self.made.trace.result or None


PlayedSolution = tuple[PlayedCall, ...]


def played_solutions(scenario: Scenario) -> tuple[PlayedSolution, ...]:
    """Return the calls of each solution that can be played."""
    return tuple(tuple(_calls(steps, trajectory)) for steps, trajectory in _played(scenario))


def solved(scenario: Scenario) -> tuple[Trajectory, ...]:
    """Return the conversation of each solution that can be played."""
    return tuple(trajectory for _, trajectory in _played(scenario))


def _played(scenario: Scenario) -> tuple[tuple[Sequence[Step], Trajectory], ...]:
    """Play each solution once, for a scenario and its variants."""
    return scenario.memory.value("solutions", scenario.solutions, lambda: tuple(_play(scenario)))


def _play(scenario: Scenario) -> Iterator[tuple[Sequence[Step], Trajectory]]:
    written = replace(scenario, variant=None, scrambled=None, call_format="native")
    for steps in scenario.solutions.values():
        try:
            yield steps, converse(written, scripted(written, steps), scripted_user(written))
        except PlayError:
            continue


def _calls(steps: Sequence[Step], trajectory: Trajectory) -> Iterator[PlayedCall]:
    written = itertools.chain.from_iterable(map(calls_of, steps))
    made = (call for call in trajectory.calls if call.answer is not None)
    return itertools.starmap(PlayedCall, zip(written, made, strict=False))  # it may end before
