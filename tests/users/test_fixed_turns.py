"""Users whose messages are fixed, one a turn, and the limit of steps in a turn."""

from __future__ import annotations

from desk import Suite
from pantry import contents, played, scenario
from rows import every

from pytest_toolsandbox.authoring.proof.proof import prove
from pytest_toolsandbox.conversation.messages import Trajectory
from pytest_toolsandbox.language.roles import Role
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.protocols.milestones import MilestonesProtocol
from pytest_toolsandbox.scoring.milestones.evaluate import evaluate

THREE = """
protected: none
user: {turns: [Fill it., And close it., Thanks.]}
HISTORY
ends_as: plain
milestones: {closed: {turn: 2, state: {door: {open: false}}}}
solutions:
  plain: [add_item: {name: oats}, say: Shall I do more?, close_door: {}, say: Done., say: Bye.]
counterexamples:
  hurries: [add_item: {name: oats}, close_door: {}, open_door: {}, say: Done.]
"""


HISTORY = "{user: Hello?, agent: Hi.}, {role: user, content: Psst., visible_to: agent}"


def spoken(trajectory: Trajectory) -> list[str]:
    return [m.content for m in trajectory.messages if m.sender is Role.USER and m.call is None]


@every(
    ("name", "history"),
    [
        ("plain", ""),
        ("hurries", ""),
        ("plain", f"history: [{HISTORY}]"),
    ],
)
def test_the_user_says_each_text_once_and_leaves(name: str, history: str) -> None:
    trajectory = played(scenario(THREE.replace("HISTORY", history)), name)
    assert spoken(trajectory)[-3:] == ["Fill it.", "And close it.", "Thanks."]
    assert trajectory.messages[-1].recipient is Role.USER


def test_a_solution_of_fixed_turns_is_proved_without_questions_more() -> None:
    proof = prove(scenario(THREE.replace("HISTORY", "")))
    assert proof.findings == []
    assert proof.died["calls swapped"] == proof.made["calls swapped"]


STEPS = """
protected: none
user: {turns: [Look., Look again.]}
max_steps: 2
milestones: {done: {turn: 2, says: {contains: done}}}
solutions: {plain: [CALLS]}
"""
LOOK = "list_items: {}"
TWICE = f"parallel: [{LOOK}, {LOOK}]"


def stepping(calls: str) -> Scenario:
    return scenario(STEPS.replace("CALLS", calls))


@every(
    ("calls", "passed"),
    [
        (f"{LOOK}, {LOOK}, say: Hm., {LOOK}, {LOOK}, say: done", True),
        (f"{TWICE}, {TWICE}, say: Hm., say: done", True),  # a step may have several calls
        (f"{LOOK}, say: Hm., {LOOK}, {LOOK}, {LOOK}, say: done", False),
        (f"{LOOK}, {LOOK}, {TWICE}, say: Hm., say: done", False),
    ],
)
def test_a_turn_has_so_many_steps(calls: str, passed: bool) -> None:
    scene = stepping(calls)
    trajectory = played(scene)
    result = evaluate(scene, trajectory)
    ran_out = MilestonesProtocol().ran_out(scene, trajectory, result)
    assert (result.passed, ran_out) == (passed, [] if passed else ["max_steps"])


def test_a_step_too_many_is_not_executed() -> None:
    trajectory = played(stepping(f"{LOOK}, {LOOK}, add_item: {{name: oats}}, say: Hm."))
    assert trajectory.calls[-1].answer is None
    assert trajectory.states[-1] == trajectory.start
    assert contents(trajectory)[-1] == ""


FILE = """
world: desk
user: {turns: [Turn the light on., Thanks.]}
max_steps: 1
milestones: {light_on: {turn: 2, state: {lamp: {on: true}}}}
solutions: {plain: [switch_lamp: {on: true}, say: It is on., say: Bye.]}
counterexamples: {twice: [switch_lamp: {on: true}, switch_lamp: {on: true}, say: It is on.]}
"""


def test_nobody_else_plays_a_fixed_user(suite: Suite) -> None:
    suite.write("light.scenario.yaml", FILE)
    user = "--sandbox-user=openai/gpt-4o"
    suite.run("--agent=oracle", user, "--sandbox-results=results.jsonl").assert_outcomes(passed=1)
    assert [record["user"] for record in suite.records()] == ["scripted"]


def test_the_page_names_the_limit(suite: Suite) -> None:
    suite.write("light.scenario.yaml", FILE)
    result = suite.run("--agent=counterexample")
    result.stdout.fnmatch_lines(["cut off: max_steps is 1; missed light_on*"])
