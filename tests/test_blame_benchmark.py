"""Planted faults: blame names their step, and none where an agent is wrong at every step."""

from __future__ import annotations

import blame
import planted_faults
import pytest

from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.protocols import load_file
from pytest_toolsandbox.suites import suites_folder

FILES = {
    "phone": "phone/state_dependency/where_i_parked.scenario.yaml",
    "office": "office/hard/weekend_without_alarms.scenario.yaml",
    "queries": "queries/tools.scenario.yaml",
}


def scenario(suite: str) -> Scenario:
    """Return the first scenario of a file."""
    return load_file(suites_folder() / FILES[suite])[0]


@pytest.mark.parametrize(
    ("suite", "kind"),
    [
        ("phone", "wrong argument"),
        ("phone", "left out"),
        ("phone", "swapped"),
        ("office", "extra write"),
        ("queries", "wrong argument"),
        ("queries", "wrong report"),
    ],
)
def test_the_planted_step_is_named(suite: str, kind: str) -> None:
    fault = planted_faults.planted(scenario(suite), kind)
    assert fault is not None
    outcome = blame.blamed(suite, kind, fault)
    assert (outcome.named, outcome.is_right) == (fault.step, True)
    assert 1 <= outcome.continuations <= blame.LIMIT


@pytest.mark.parametrize("suite", FILES)
def test_none_is_named_where_every_step_is_wrong(suite: str) -> None:
    fault = planted_faults.spread(scenario(suite))
    assert fault is not None
    assert blame.blamed(suite, "spread", fault).named is None
