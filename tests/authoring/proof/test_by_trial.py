"""A solution that tries first what fails before a setting is changed."""

from __future__ import annotations

from pantry import scenario
from rows import every

from pytest_toolsandbox.authoring.proof.equivalent_solutions import PERMISSION, by_trial
from pytest_toolsandbox.authoring.proof.played_solution import Solved, solved
from pytest_toolsandbox.authoring.proof.proof import prove
from pytest_toolsandbox.language.roles import SayStep, ToolStep
from pytest_toolsandbox.language.scenario import Scenario

TEA = """
user: {opening: Add tea., agrees: "Yes, please.", permits: Sure.}
state: {door: {open: false}}
milestones:
  there: {state: {door: {open: true}, item: {added: [{name: tea}]}}}
  told: {says: {mentions: [added]}}
solutions:
  s:
    - weigh: {name: rice}
    - open_door:
    - add_item: {name: tea}
    - say: I have added it.
counterexamples: {c: [{say: No.}]}
"""
ADDED = ToolStep("add_item", {"name": "tea"})


def taken(scene: Scenario) -> Solved:
    return solved(scene, scene.solutions["s"])


def test_what_fails_is_tried_before_the_setting_is_changed() -> None:
    scene = scenario(TEA)
    found = by_trial(taken(scene), ())
    assert found is not None
    what, steps = found
    weighed, *others = scene.solutions["s"]
    assert what == f"add_item tried first and {PERMISSION!r} asked"
    assert [*steps] == [weighed, ADDED, SayStep(PERMISSION), *others]
    assert prove(scene).findings == []


def test_it_is_tried_before_the_user_is_asked() -> None:
    scene = scenario(TEA.replace("- open_door", "- say: Shall I open the door?\n    - open_door"))
    found = by_trial(taken(scene), ())
    assert found is not None
    assert found[1][1] == ADDED


@every(
    ("old", "new"),
    [
        ("{door: {open: false}}", "{}"),
        ("add_item: {name: tea}", "remove_item: {name: rice}"),
        ("add_item: {name: tea}", "add_item: {name: salt, note: '$list_items[0].name'}"),
    ],
)
def test_what_does_not_fail_or_is_not_known_yet_is_not_tried(old: str, new: str) -> None:
    text = TEA if "false" not in old else TEA.replace("    - open_door:\n", "")
    assert by_trial(taken(scenario(text.replace(old, new))), ()) is None


def test_what_is_forbidden_is_not_tried() -> None:
    assert by_trial(taken(scenario(TEA)), {"add_item"}) is None


def test_a_scenario_that_fails_who_tries_is_not_fair() -> None:
    found = prove(scenario(f"{TEA}\nmax_messages: 8")).findings
    what = f"add_item tried first and {PERMISSION!r} asked"
    assert f"solution 's' with {what} scores 0.0000 and not 1; missed: there, told" in found
