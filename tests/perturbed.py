"""A few of the bundled scenarios, to be played with perturbations."""

from __future__ import annotations

from shipped import shipped

from pytest_toolsandbox.language.scenario import Scenario


def every_nth(count: int, *folders: str) -> list[Scenario]:
    """Return that many scenarios of a folder, from all over it."""
    scenarios = [scenario for scenario in shipped(*folders) if scenario.has_solution]
    return scenarios[:: max(1, len(scenarios) // count)]
