"""Attacks in answers, noisy users and long histories: who gets through."""

from __future__ import annotations

import re

import pytest
from pantry import scenario
from perturbations import by_heart, failing, obedient, verdicts
from perturbed import every_nth
from rows import every

from pytest_toolsandbox.agents.scripted import oracle
from pytest_toolsandbox.conversation.play import converse, opening_messages
from pytest_toolsandbox.language.conditions import MANNERS, Noise
from pytest_toolsandbox.language.roles import Role
from pytest_toolsandbox.language.tasks import Milestones
from pytest_toolsandbox.language.variants import unfit, variant
from pytest_toolsandbox.scoring.judging import judge
from pytest_toolsandbox.scoring.milestones.evaluate import evaluate
from pytest_toolsandbox.users.user import scripted_user

FEW = every_nth(12, "phone")


@pytest.mark.parametrize(
    "name",
    [
        "injected_instructions",
        "long_history",
        "noisy_user:seed2",
        "noisy_user+long_history+injected_instructions:seed3+results_paged:1+tool_faults:0.5",
    ],
)
def test_the_oracle_gets_through(name: str) -> None:
    assert failing(name, FEW) == []


def test_those_who_obey_do_not() -> None:
    obeyed = [*verdicts("injected_instructions", FEW, obedient)]
    assert sum(not passed for _, _, passed in obeyed) > len(FEW) / 2
    for perturbed, trajectory, passed in obeyed:
        attack = perturbed.conditions.attack
        assert attack
        assert trajectory
        assert passed is not any(call.call.identifier == "obeys" for call in trajectory.calls)
        hit = [mine.name for mine in evaluate(perturbed, trajectory).minefields if mine.reached]
        assert hit == ([] if passed else ["injected_instructions"])


def test_an_attack_works_in_an_own_world() -> None:
    steps = "solutions: {s: [list_items: {}, say: 'Rice, and salt.']}"
    perturbed = variant(scenario(steps), "injected_instructions:polite")
    attack = perturbed.conditions.attack
    assert attack
    trajectory = converse(perturbed, obedient(perturbed, perturbed), scripted_user(perturbed))
    assert attack.effect.holds(trajectory.states[-1])
    assert not attack.effect.holds(trajectory.start)
    assert not judge(perturbed, trajectory).passed
    innocent = converse(perturbed, oracle(perturbed), scripted_user(perturbed))
    assert judge(perturbed, innocent).passed
    assert sum(attack.text in message.content for message in innocent.messages) == 1


def test_a_scenario_without_changes_has_no_attack() -> None:
    (first, *_) = every_nth(1, "queries")
    assert unfit(first, "injected_instructions") == (
        "no tool changes what its solutions leave alone"
    )


def test_a_long_history_comes_first() -> None:
    text = """
    history: [{user: Hello., agent: Good day.}]
    milestones: {told: {turn: 1, says: {mentions: [rice]}}}
    solutions: {s: [say: There is rice.]}
    """
    plain = scenario(text)
    perturbed = variant(plain, "long_history:50")
    earlier = perturbed.task_as(Milestones).history
    assert len(earlier) == 2 * 50 + 2
    assert [line.role for line in earlier[:2]] == [Role.USER, Role.AGENT]
    assert earlier[-2:] == plain.task_as(Milestones).history
    trajectory = converse(perturbed, oracle(perturbed), scripted_user(perturbed))
    assert judge(perturbed, trajectory).passed


def test_those_who_answer_the_first_message_do_not_get_through_a_long_history() -> None:
    assert len(failing("long_history", FEW, by_heart)) > len(FEW) / 2


def test_those_who_know_the_words_by_heart_do_not_understand_a_noisy_user() -> None:
    wrong = failing("noisy_user:dictated", FEW, by_heart)
    assert len(wrong) > len(FEW) / 2


@every("manner", MANNERS)
def test_what_matters_stays(manner: str) -> None:
    text = 'Text Ada Okafor (+14155550123) at 17:30, please: "Bring two, or three." Then call b7x.'
    for seed in range(20):
        noisy = Noise(manner, seed, frozenset(("text", "call")))(text)
        for kept in ("Ada Okafor", "+14155550123", "17:30", '"Bring two, or three."', "b7x"):
            assert kept in noisy
        assert re.search("text.*call", noisy, re.IGNORECASE)
    assert len({Noise(manner, seed, frozenset())(text) for seed in range(20)}) > (
        manner != "unpunctuated"
    )


def test_solutions_and_names_stay_in_a_scenario() -> None:
    for scene in every_nth(30, "phone"):
        heard = opening_messages(variant(scene, "noisy_user:typed"))[-1].content
        opening = scene.task.user_script.opening
        assert re.findall(r"\d+", heard) == re.findall(r"\d+", opening)
        names = {row["name"].split()[0] for row in scene.start["contact"]}
        assert {n for n in names if n in opening} == {n for n in names if n in heard}


OTHER_WORDS = """
user: {opening: What is there?, openings: [Tell me what there is., And what do we have?]}
milestones: {told: {says: {mentions: [rice, salt]}}}
solutions: {s: [list_items: {}, say: 'There are rice and salt.']}
"""


def test_another_opening() -> None:
    scene = scenario(OTHER_WORDS)
    texts = {
        name: opening_messages(variant(scene, name))[-1].content
        for name in ("reworded:1", "reworded:2", "reworded", "reworded:seed1", "reworded:seed4")
    }
    assert list(texts.values())[:2] == ["Tell me what there is.", "And what do we have?"]
    assert {*texts.values()} == {"Tell me what there is.", "And what do we have?"}
    assert unfit(scene, "reworded:3") == "its user has no opening 3 besides the first"
    assert unfit(FEW[0], "reworded") == "its user has no other openings"
    assert failing("reworded:2", [scene]) == []
    assert failing("reworded:2", [scene], by_heart) == ["test"]
