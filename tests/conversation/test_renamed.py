"""The perturbation ``renamed``: other names for the same things, everywhere."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import pytest
from pantry import world as pantry
from perturbations import failing, memorised, verdicts
from perturbed import every_nth
from rows import every

from pytest_toolsandbox.agents.scripted import oracle
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.language.variants import unfit, variant
from pytest_toolsandbox.protocols import load_file, read_file
from pytest_toolsandbox.runs.trial import play_trial
from pytest_toolsandbox.suites import suites_folder
from pytest_toolsandbox.worlds.context import WorldError
from pytest_toolsandbox.worlds.state import plain
from pytest_toolsandbox.worlds.world import register_world

FEW = every_nth(16, "phone")


def scenario(text: str) -> Scenario:
    return read_file(text.encode(), "some", "some.yaml")[0]


TENT = r"""
world: phone
state: {contact: {added: [{name: Ada Okafor, phone_number: "+14155550123"},
                          {name: Adam Grace, phone_number: "+14155550124"},
                          {name: Front desk, phone_number: "+14155550125"}]}}
user:
  opening: Text Ada Okafor at (415) 555-0123 that Adam has the tent. With good grace, please.
  replies: [{when: '\b(which|adam)\b', say: Adam's.}]
milestones:
  sent: {state: {messaging: {added: [{recipient_phone_number: "+14155550123",
                                      content: {regex: '\bAdam\b'}}]}}}
  told: {says: {mentions: [Ada]}}
solutions:
  sends:
    - send_message_with_phone_number: {phone_number: "+14155550123", content: Adam has the tent.}
    - say: I told Ada that Adam has the tent.
"""


def test_everything_that_belongs_to_a_scenario_changes_alike() -> None:
    plain_one, renamed = scenario(TENT), variant(scenario(TENT), "renamed")
    opening = renamed.task.user_script.opening
    names = {row["name"] for row in renamed.start["contact"]}
    (ada,) = (name for name in names if f"Text {name} at" in opening)
    adam = opening.split("that ")[1].split()[0]
    assert ada != "Ada Okafor"
    assert adam.startswith(ada.split()[0])
    number = next(row["phone_number"] for row in renamed.start["contact"] if row["name"] == ada)
    assert f"(415) 555-{number[-4:]}" in opening
    assert number != "+14155550123"
    assert failing("renamed", [plain_one]) == []
    assert "Front desk" in names
    assert f"{adam} Grace" in names  # grace is a word of the scenario, too


def test_names_do_not_depend_on_what_was_played_before() -> None:
    path = suites_folder() / "phone/multiple_user_turn/lasagna_for_two.scenario.yaml"
    (scene,) = load_file(path)
    before = variant(scene, "renamed").start
    assert play_trial(scene, oracle(scene)).record["outcome"] == "passed"  # it reads matchers
    assert variant(scene, "renamed").start == before


def test_those_who_know_the_solution_by_heart_fail() -> None:
    assert failing("renamed", [scenario(TENT)], memorised) == ["some"]


@every("name", ["renamed", "renamed:seed5", "renamed:people", "renamed:ids+order:seed2"])
def test_the_oracle_passes(name: str) -> None:
    assert failing(name, FEW) == []


def test_seeds_and_parts() -> None:
    scene = FEW[0]

    def rows(name: str) -> list[object]:
        return [plain(row) for row in variant(scene, name).start["contact"]]

    assert rows("renamed") == rows("renamed") != rows("renamed:seed1")
    as_written = [plain(row) for row in scene.start["contact"]]
    in_order = rows("renamed:order")
    assert sorted(map(str, in_order)) == sorted(map(str, as_written))
    people = rows("renamed:people")
    assert [row["phone_number"] for row in people] == [row["phone_number"] for row in as_written]  # type: ignore[index]
    assert [row["name"] for row in people] != [row["name"] for row in as_written]  # type: ignore[index]


def test_other_variants_keep_what_solutions_do() -> None:
    scene = FEW[0]
    renamed = variant(scene, "renamed")
    assert renamed.memory is not scene.memory
    assert variant(scene, "ten_distraction_tools").memory is scene.memory


def test_recordings_are_renamed_too() -> None:
    recordings = every_nth(6, "office")
    assert failing("renamed", recordings) == []
    assert any(t is not None for _, t, _ in verdicts("renamed", recordings))
    assert unfit(recordings[0], "renamed") is None


@every(
    ("people", "message"),
    [
        (["name"], "must map tables to lists of their columns"),
        ({"itm": ["name"]}, "there is no table 'itm'; did you mean 'item'?"),
        ({"item": "name"}, "not 'name'"),
        ({"item": ["nam"]}, "'item' has no column 'nam'; did you mean 'name'?"),
    ],
)
def test_mistakes_of_worlds(people: Any, message: str) -> None:
    with pytest.raises(WorldError, match=re.escape(message)):
        register_world(replace(pantry, people=people))


def test_a_world_says_where_names_are() -> None:
    text = """
    world: pantry
    state: {item: {rows: [{name: Basil, note: for Ada}]}}
    user: {opening: Is there Basil left?}
    milestones: {told: {says: {mentions: [Basil]}}}
    solutions: {s: [say: Basil is there.]}
    """
    scene = scenario(text)
    assert variant(scene, "renamed").task.user_script.opening == "Is there Basil left?"
    named = replace(scene, world=replace(pantry, people={"item": ["name"]}))
    assert "Basil" not in variant(named, "renamed").task.user_script.opening


def test_keys_and_numbers_of_the_worlds_own() -> None:
    scene = scenario(TENT)
    ids = [row["person_id"] for row in variant(scene, "renamed:ids").start["contact"]]
    as_written = [row["person_id"] for row in scene.start["contact"]]
    assert len({*ids} - {*as_written}) > len(ids) / 2
    (first, *_) = as_written
    digits = next(run for run in re.findall(r"\d{3,}", first))
    mentioned = scenario(TENT.replace("Adam has the tent. With", f"Adam has tent {digits}. With"))
    assert first in [row["person_id"] for row in variant(mentioned, "renamed:ids").start["contact"]]
