"""Other wordings of an opening."""

from __future__ import annotations

import pytest
from pantry import played, scenario
from rows import every

from pytest_toolsandbox.authoring.proof.proof import prove
from pytest_toolsandbox.language.mistakes import ScenarioError
from pytest_toolsandbox.language.scenario import Scenario

TEXT = """
user:
  opening: Please put 3 kg of flour in.
  openings: OPENINGS
  agrees: Yes.
milestones:
  in: {call: {add_item: {name: flour, amount: 3}}}
  told: {says: {mentions: [flour]}}
solutions:
  s:
    - say: Shall I add the flour?
    - add_item: {name: flour, amount: 3}
    - say: The flour is in.
counterexamples: {c: [{say: No.}]}
"""


def reworded(openings: str) -> Scenario:
    return scenario(TEXT.replace("OPENINGS", openings))


def test_a_scenario_with_another_opening_is_the_same_otherwise() -> None:
    scene = reworded("['We need flour: three kilos.']")
    assert prove(scene).findings == []
    other = scene.with_opening(scene.task.user_script.openings[0])
    messages = [message.content for message in played(other).messages]
    assert messages[1] == "We need flour: three kilos."
    assert played(scene).messages[1].content == "Please put 3 kg of flour in."


def test_each_opening_is_proved() -> None:
    (finding,) = prove(reworded("[Three kilos are missing.]")).findings
    assert finding.startswith("after openings 1: the user answers the question")


@every(
    ("openings", "mistake"),
    [
        ("['']", "expected what the user says first"),
        ("[Please put 3 kg of flour in.]", "this wording is there already"),
        ("[Flour!, Flour!]", "this wording is there already"),
        ("flour", "expected a list"),
    ],
)
def test_mistakes(openings: str, mistake: str) -> None:
    with pytest.raises(ScenarioError) as error:
        reworded(openings)
    assert mistake in str(error.value)
