"""The hard scenarios: what all have, and the proof of one of each kind.

``toolsandbox check scenarios/frontier`` proves all of them, in some minutes.
"""

from __future__ import annotations

from collections import Counter

import pytest
from rows import every
from shipped import SCENARIOS, scenarios_of

from pytest_toolsandbox.authoring.proof.proof import prove
from pytest_toolsandbox.language.scenario import Scenario

WORLDS = ("office", "phone", "store")
KILLED = 0.9
"""The share of the mutants of each scenario that must fail; of all together it is 97 %."""
FILES = [
    file
    for world in WORLDS
    for file in sorted(SCENARIOS.joinpath("frontier", world).glob("*.yaml"))
]
KINDS = sorted({file.stem for file in FILES})


@every(
    ("kind", "scenario"),
    [(file.stem, scenario) for file in FILES for scenario in scenarios_of(file)],
    ids=lambda value: getattr(value, "name", value),
)
def test_a_scenario_has_a_kind_and_several_ways(kind: str, scenario: Scenario) -> None:
    """Its kind is the name of its file, three solutions differ, and there are counterexamples."""
    assert scenario.categories == (kind,)
    ways = Counter(map(str, scenario.solutions.values()))
    assert len(ways) >= 3
    assert ways.total() == len(ways)
    assert 1 <= len(scenario.counterexamples) <= 3


@pytest.mark.parametrize("place", range(len(KINDS)), ids=KINDS)
def test_one_of_each_kind_is_proved(place: int) -> None:
    file = SCENARIOS.joinpath("frontier", WORLDS[place % len(WORLDS)], f"{KINDS[place]}.yaml")
    proof = prove(min(scenarios_of(file), key=_steps))  # the shortest one
    assert proof.findings == []
    assert proof.died.total() >= KILLED * proof.made.total() > 0


def _steps(scenario: Scenario) -> int:
    return sum(map(len, scenario.solutions.values()))
