"""Columns of an updated row that nobody asked to change."""

from __future__ import annotations

from pathlib import Path

import pytest
from rows import every

from pytest_toolsandbox.agents.scripted import scripted
from pytest_toolsandbox.conversation.play import converse
from pytest_toolsandbox.language.files import find_files
from pytest_toolsandbox.language.loading import load_file, read_file
from pytest_toolsandbox.language.roles import SayStep, Step, ToolStep
from pytest_toolsandbox.scoring.milestones.evaluate import evaluate
from pytest_toolsandbox.scoring.milestones.side_effects import _differing
from pytest_toolsandbox.scoring.results import TableChange
from pytest_toolsandbox.users.user import scripted_user
from pytest_toolsandbox.worlds.state import Row

PHONE = Path(__file__).parents[3] / "scenarios" / "phone"
RENAMED = """
world: phone
user: {opening: Leo is called Leonard now.}
milestones: {renamed: {state: {contact: {updated: [{person_id: leo, name: Leonard}]}}}}
state: {contact: {added: [{person_id: leo, name: Leo, phone_number: "+14155550111"}]}}
solutions: {s: [{modify_contact: {person_id: leo, name: Leonard}}, {say: Done.}]}
counterexamples: {c: [CALLS, {say: Done.}]}
"""
NAMED = "{modify_contact: {person_id: leo, name: Leonard}}"
NUMBER = '{modify_contact: {person_id: leo, phone_number: "%s"}}'


@every(
    ("calls", "effects"),
    [
        ([NAMED], []),
        (["{modify_contact: {person_id: leo, name: Leonard, relationship: friend}}"], [3]),
        ([NAMED, NUMBER % "+14155550199"], [5]),
        ([NUMBER % "+14155550199", NUMBER % "+14155550111", NAMED], []),  # it is as it was
    ],
)
def test_what_no_milestone_names_and_no_solution_changes_is_a_side_effect(
    calls: list[str], effects: list[int]
) -> None:
    text = RENAMED.replace("CALLS", ", ".join(calls))
    (scene,) = read_file(text.encode(), "renamed", "renamed.yaml")
    made = converse(scene, scripted(scene, scene.counterexamples["c"]), scripted_user(scene))
    result = evaluate(scene, made)
    assert [*result.side_effects] == [TableChange("contact", at) for at in effects]
    assert result.passed is not bool(effects)


def test_what_a_solution_changes_besides_may_change() -> None:
    both = "{modify_contact: {person_id: leo, name: Leonard, relationship: friend}}"
    text = RENAMED.replace("{modify_contact: {person_id: leo, name: Leonard}}", both)
    (scene,) = read_file(text.replace("CALLS", both).encode(), "renamed", "renamed.yaml")
    made = converse(scene, scripted(scene, scene.counterexamples["c"]), scripted_user(scene))
    assert evaluate(scene, made).passed


def test_what_the_call_of_a_milestone_changes_is_asked_for() -> None:
    asked = "{call: {modify_contact: {person_id: leo}}}"
    text = RENAMED.replace(
        "{state: {contact: {updated: [{person_id: leo, name: Leonard}]}}}", asked
    )
    call = "{modify_contact: {person_id: leo, name: Leonard, relationship: friend}}"
    (scene,) = read_file(text.replace("CALLS", call).encode(), "renamed", "renamed.yaml")
    made = converse(scene, scripted(scene, scene.counterexamples["c"]), scripted_user(scene))
    assert evaluate(scene, made).passed


def test_where_no_solution_changes_a_row_nobody_knows_what_a_tool_changes() -> None:
    solution = (
        "{remove_contact: {person_id: leo}}, {add_contact: {name: Leonard, phone_number: '1'}}"
    )
    call = "{modify_contact: {person_id: leo, name: Leonard, relationship: friend}}"
    text = RENAMED.replace("[{modify_contact: {person_id: leo, name: Leonard}}, ", f"[{solution}, ")
    text = text.replace("updated: [{person_id: leo, name: Leonard}]", "includes: [{name: Leonard}]")
    (scene,) = read_file(text.replace("CALLS", call).encode(), "renamed", "renamed.yaml")
    made = converse(scene, scripted(scene, scene.counterexamples["c"]), scripted_user(scene))
    assert evaluate(scene, made).passed


def test_a_number_that_is_none_is_as_it_was() -> None:
    nan = float("nan")
    assert _differing(Row({"key": 1, "weight": nan}), Row({"key": 1, "weight": nan})) == set()


MORE = {
    "modify_contact": ("relationship", "neighbor"),
    "modify_reminder": ("latitude", 12.5),
}


@pytest.mark.any_pytest
def test_an_argument_more_is_seen_in_all_scenarios_of_the_phone() -> None:
    passed = []
    for file in find_files([PHONE]):
        for scene in load_file(file):
            steps = [*next(iter(scene.solutions.values()))]
            for place, step in enumerate(steps):
                more = _with_more(step)
                if more is None:
                    continue
                changed = [*steps[:place], more, *steps[place + 1 :]]
                made = converse(scene, scripted(scene, changed), scripted_user(scene))
                if evaluate(scene, made).passed:
                    passed.append(scene.name)
    assert passed == ["more_coins_for_the_meter"]  # whose reminder is not there at the start


def _with_more(step: Step) -> ToolStep | None:
    if isinstance(step, SayStep) or not isinstance(step, ToolStep) or step.tool not in MORE:
        return None
    name, value = MORE[step.tool]
    return None if name in step.arguments else ToolStep(step.tool, {**step.arguments, name: value})
