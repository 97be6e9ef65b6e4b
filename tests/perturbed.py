"""Plays bundled scenarios with perturbations: with the robust oracle, or with a naive agent."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from shipped import shipped

from pytest_toolsandbox.agents.scripted import oracle, scripted
from pytest_toolsandbox.conversation.messages import Trajectory
from pytest_toolsandbox.conversation.play import PlayError, converse
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.language.variants import read_augmentations, unfit, variant
from pytest_toolsandbox.scoring.judging import judge
from pytest_toolsandbox.users.user import scripted_user

MakeAgent = Callable[[Scenario], Any]


def naive(scenario: Scenario) -> Any:
    """Return an agent that plays the first solution whatever comes back."""
    return scripted(scenario, next(iter(scenario.solutions.values())))


def every_nth(count: int, *folders: str) -> list[Scenario]:
    """Return that many scenarios of a folder, from all over it."""
    scenarios = [scenario for scenario in shipped(*folders) if scenario.has_solution]
    return scenarios[:: max(1, len(scenarios) // count)]


def verdicts(
    name: str, scenarios: list[Scenario], agent: MakeAgent = oracle
) -> Iterator[tuple[Scenario, Trajectory | None, bool]]:
    """Yield each scenario that the variant changes, its conversation, and whether it passes."""
    (name,) = read_augmentations(name)
    for scenario in scenarios:
        if unfit(scenario, name) is None:
            perturbed = variant(scenario, name)
            try:
                trajectory = converse(perturbed, agent(perturbed), scripted_user(perturbed))
            except PlayError:  # a script needs a result that it has not got
                yield perturbed, None, False
            else:
                yield perturbed, trajectory, judge(perturbed, trajectory).passed


def failing(name: str, scenarios: list[Scenario], agent: MakeAgent = oracle) -> list[str]:
    """Return the names of the scenarios in which an agent fails."""
    return [s.name for s, _, passed in verdicts(name, scenarios, agent) if not passed]
