"""The hard scenarios of store and office, beyond what ``toolsandbox check`` proves of each."""

from __future__ import annotations

from collections import Counter

from rows import every
from shipped import SCENARIOS, scenarios_of

from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.language.tasks import Milestones

WORLDS = ("office", "store")
FILES = [
    file
    for world in WORLDS
    for file in sorted(SCENARIOS.joinpath("frontier", world).glob("*.yaml"))
]


@every(
    ("kind", "scenario"),
    [(file.stem, scenario) for file in FILES for scenario in scenarios_of(file)],
    ids=lambda value: getattr(value, "name", value),
)
def test_a_scenario_has_a_kind_and_several_ways(kind: str, scenario: Scenario) -> None:
    """Its kind is the name of its file, three solutions differ, and something is forbidden."""
    assert scenario.categories == (kind,)
    ways = Counter(map(str, scenario.solutions.values()))
    assert len(ways) >= 3
    assert ways.total() == len(ways)
    assert 1 <= len(scenario.counterexamples) <= 3
    assert isinstance(scenario.task, Milestones)
    assert scenario.task.minefields
