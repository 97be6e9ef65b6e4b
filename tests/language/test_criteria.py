"""Criteria for a judge: how they are written, and how those of several places add up."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from pantry import scenario, world
from rows import every

from pytest_toolsandbox.language.constraints import Criteria, criteria_of
from pytest_toolsandbox.language.mistakes import ScenarioError
from pytest_toolsandbox.protocols import read_file
from pytest_toolsandbox.worlds.world import register_world


@pytest.fixture(autouse=True)
def _pantry() -> None:
    register_world(world)


POLITE, SHORT, WARM = "stays polite", "is short", "is warm"


def in_file(text: str) -> dict[str, Criteria]:
    """Return the criteria of the scenarios of a file about a pantry."""
    usual = "world: pantry\nuser: {opening: Hi.}\nprotected: [bin]\n"
    scenarios = read_file((usual + text).encode(), "test", "test.yaml")
    return {scene.name: scene.criteria for scene in scenarios}


@every(
    ("written", "criteria"),
    [
        ("", Criteria()),
        ("judge: stays polite", Criteria((POLITE,))),
        ("judge: [stays polite, is short]", Criteria((POLITE, SHORT))),
        ("judge: [stays polite, stays polite]", Criteria((POLITE,))),
        ("judge: {all_of: [stays polite]}", Criteria((POLITE,))),
        ("judge: {any_of: [is short, is warm]}", Criteria((), ((SHORT, WARM),))),
        (
            "judge: {all_of: stays polite, any_of: [is short, is warm]}",
            Criteria((POLITE,), ((SHORT, WARM),)),
        ),
        ("judge: {all_of: [is warm], any_of: [is short, is warm]}", Criteria((WARM,))),
    ],
)
def test_a_scenario_has_criteria(written: str, criteria: Criteria) -> None:
    scene = scenario(f"{written}\nuser: {{opening: Hi.}}")
    assert scene.criteria == criteria
    assert bool(scene.criteria) == bool(criteria.texts)


def test_defaults_of_a_file_are_replaced_and_deleted_as_other_lists_are() -> None:
    criteria = in_file(
        "judge: [stays polite]\n"
        "scenarios:\n"
        "  as_it_is:\n"
        "  own: {judge: [is short]}\n"
        "  none: {judge: null}\n"
    )
    assert criteria == {
        "as_it_is": Criteria((POLITE,)),
        "own": Criteria((SHORT,)),
        "none": Criteria(),
    }


def test_those_of_a_world_come_first() -> None:
    register_world(replace(world, name="polite pantry", judge=[POLITE]))
    scene = scenario("world: polite pantry\njudge: {any_of: [is short, is warm]}")
    assert scene.criteria == Criteria((POLITE,), ((SHORT, WARM),))


@pytest.mark.parametrize("judge", [[""], [3], {"all": ["x"]}, {}, 3, {"all_of": [None]}])
def test_what_is_no_criterion_of_a_world_is_told(judge: Any) -> None:
    with pytest.raises(ValueError, match="expected a criterion, a list of them, or a mapping"):
        criteria_of(judge)
    register_world(replace(world, name="odd pantry", judge=judge))
    with pytest.raises(ScenarioError, match="the judge's criteria of world 'odd pantry': expected"):
        scenario("world: odd pantry")
