"""Columns of an updated row that nobody asked to change."""

from __future__ import annotations

from pathlib import Path

import pytest
from pantry import judged, played, scenario
from rows import every

from pytest_toolsandbox.agents.scripted import scripted
from pytest_toolsandbox.conversation.play import converse
from pytest_toolsandbox.language.files import find_files
from pytest_toolsandbox.language.loading import load_file
from pytest_toolsandbox.language.roles import ToolStep
from pytest_toolsandbox.scoring.milestones.evaluate import evaluate
from pytest_toolsandbox.scoring.milestones.side_effects import _differing
from pytest_toolsandbox.scoring.results import Evaluation, TableChange
from pytest_toolsandbox.users.user import scripted_user
from pytest_toolsandbox.worlds.state import Row

RENAMED = """
world: phone
protected: []
user: {opening: Leo is called Leonard now.}
milestones: {renamed: MILESTONE}
state: {contact: {added: [{person_id: leo, name: Leo, phone_number: "+14155550111"}]}}
solutions: {s: [SOLUTION, {say: Done.}]}
counterexamples: {c: [CALLS, {say: Done.}]}
"""
UPDATED = "{state: {contact: {updated: [{person_id: leo, name: Leonard}]}}}"
CALLED = "{call: {modify_contact: {person_id: leo}}}"
THERE = "{state: {contact: {includes: [{name: Leonard}]}}}"
RELATED = "{modify_contact: {person_id: leo, name: Leonard, relationship: friend}}"
OTHER, SAME = (
    f'{{modify_contact: {{person_id: leo, phone_number: "+141555501{end}"}}}}' for end in (99, 11)
)
ANEW = "{remove_contact: {person_id: leo}}, {add_contact: {name: Leonard, phone_number: '1'}}"
NAMED = "{modify_contact: {person_id: leo, name: Leonard}}"


@every(
    ("milestone", "solution", "calls", "effects"),
    [
        (UPDATED, NAMED, NAMED, []),
        (UPDATED, NAMED, RELATED, [3]),
        (UPDATED, NAMED, f"{NAMED}, {OTHER}", [5]),
        (UPDATED, NAMED, f"{OTHER}, {SAME}, {NAMED}", []),  # it is as it was
        (UPDATED, RELATED, RELATED, []),
        (CALLED, NAMED, RELATED, []),
        (THERE, ANEW, RELATED, []),  # no solution changes a row: what a tool changes is unknown
    ],
)
def test_what_no_milestone_names_and_no_solution_changes_is_a_side_effect(
    milestone: str, solution: str, calls: str, effects: list[int]
) -> None:
    result = judged_renaming(milestone, solution, calls)
    assert [*result.side_effects] == [TableChange("contact", at) for at in effects]
    assert result.passed is not bool(effects)


def judged_renaming(milestone: str, solution: str, calls: str) -> Evaluation:
    text = RENAMED.replace("MILESTONE", milestone).replace("SOLUTION", solution)
    scene = scenario(text.replace("CALLS", calls))
    return evaluate(scene, played(scene, "c"))


def test_a_nan_that_stays_is_no_change() -> None:
    nan = float("nan")
    assert _differing(Row({"key": 1, "weight": nan}), Row({"key": 1, "weight": nan})) == set()


MORE = {"modify_contact": ("relationship", "neighbor"), "modify_reminder": ("latitude", 12.5)}


@pytest.mark.any_pytest
def test_an_argument_more_is_seen_in_all_scenarios_of_the_phone() -> None:
    passed = []
    for file in find_files([Path(__file__).parents[3] / "scenarios" / "phone"]):
        for scene in load_file(file):
            steps = [*next(iter(scene.solutions.values()))]
            for place, step in enumerate(steps):
                if not isinstance(step, ToolStep) or step.tool not in MORE:
                    continue
                name, value = MORE[step.tool]
                if name not in step.arguments:
                    further = ToolStep(step.tool, {**step.arguments, name: value})
                    changed = [*steps[:place], further, *steps[place + 1 :]]
                    made = converse(scene, scripted(scene, changed), scripted_user(scene))
                    if evaluate(scene, made).passed:
                        passed.append(scene.name)
    assert passed == ["more_coins_for_the_meter"]  # whose reminder is not there at the start


TWO = """
milestones:
  flour: {state: {item: {added: [{name: flour}]}}}
  told: {says: {contains: Done}}
"""
LATER = """
milestones:
  looked: {call: list_items}
  flour: {state: {item: {added: [{name: flour}], since: looked}}}
  told: {says: {contains: Done}}
"""
CLOSED = """
milestones:
  closed: {call: close_door}
  told: {says: {contains: Done}}
"""
BACK = """
milestones:
  closed: {state: {door: {open: false}}}
  back: {state: {door: {unchanged: true}}}
  told: {says: {contains: Done}}
"""
FLOUR, SUGAR = "add_item: {name: flour}", "add_item: {name: sugar}"
CLOSE, OPEN = "close_door: {}", "open_door: {}"
LOOK, TELL = "list_items: {}", "say: Done?"


def side_effects(text: str, *steps: str) -> list[str]:
    """Return the tables, of a conversation that fails for them, or of one that passes."""
    result = judged(text + "\ncounterexamples:\n  only:\n" + "".join(f"    - {s}\n" for s in steps))
    assert result.milestone_score == 1
    assert (result.score, result.passed) == ((0, False) if result.side_effects else (1, True))
    return [change.table for change in result.side_effects]


@every(
    ("text", "steps", "tables"),
    [
        (TWO, (FLOUR, TELL), []),
        (TWO, (FLOUR, TELL, SUGAR), ["item"]),
        (TWO, (FLOUR, TELL, SUGAR, CLOSE), ["door", "item"]),
        (TWO, (FLOUR, SUGAR, TELL), ["item"]),
        (LATER, (LOOK, FLOUR, TELL), []),
        (LATER, (SUGAR, LOOK, FLOUR, TELL), ["item"]),
        (LATER, (CLOSE, OPEN, LOOK, FLOUR, TELL), ["door"]),
        (CLOSED, (CLOSE, TELL), []),
        (BACK, (CLOSE, OPEN, TELL), []),
        (BACK, (CLOSE, OPEN, TELL, CLOSE), ["door"]),
        (CLOSED, (CLOSE, TELL, OPEN), ["door"]),
        (CLOSED, (SUGAR, CLOSE, TELL), ["item"]),
    ],
)
def test_a_change_that_no_milestone_asks_for(
    text: str, steps: tuple[str, ...], tables: list[str]
) -> None:
    assert sorted(side_effects(text, *steps)) == tables


@every(
    ("guardrails", "tables"),
    [
        ("all", ["door", "item"]),
        ("none", []),
        ("[door]", ["door"]),
        ("{all_but: [door]}", ["item"]),
        ("[]", []),
    ],
)
def test_which_tables_are_watched(guardrails: str, tables: list[str]) -> None:
    text = f"guardrails: {guardrails}\n{TWO}"
    assert sorted(side_effects(text, FLOUR, TELL, SUGAR, CLOSE)) == tables


@every(
    ("guardrails", "own_guardrail", "score"),
    [
        ("{all_but: [door]}", "", 1),
        ("{all_but: [door]}", "guardrails: all, ", 0.5),
        ("{all_but: [item]}", "", 0.5),
        ("all", "", 0.5),
        ("[item]", "", 0.5),
        ("none", "", 0.5),
    ],
)
def test_what_a_scenario_spares_may_change_on_the_way_to_milestones(
    guardrails: str, own_guardrail: str, score: float
) -> None:
    both = TWO.replace("flour: {", f"flour: {{{own_guardrail}").replace(
        "told: {", f"told: {{{own_guardrail}"
    )
    text = f"guardrails: {guardrails}\n{both}\ncounterexamples: {{only: ["
    result = judged(f"{text}{{{FLOUR}}}, {{{CLOSE}}}, {{{TELL}}}]}}")
    assert result.milestone_score == score


def test_a_side_effect_names_the_first_change_of_its_table() -> None:
    def made(text: str, *steps: str) -> Evaluation:
        return judged(f"{text}\ncounterexamples: {{only: [{{{'}, {'.join(steps)}}}]}}")

    changes = made(TWO, FLOUR, TELL, SUGAR, SUGAR, CLOSE).side_effects
    assert {change.table: change.snapshot for change in changes} == {"item": 7, "door": 11}
    missed = made(TWO, FLOUR, SUGAR, "say: No.")  # where a milestone is missed nothing is known
    assert (missed.milestone_score, missed.side_effects) == (0.5, ())
    assert made("minefields: {told: {says: {contains: No}}}", SUGAR, "say: Hm.").passed
    for protected in ("[door]", "{all_but: [item]}"):
        result = made(f"protected: {protected}\n{TWO}", FLOUR, TELL, CLOSE)
        assert (result.protected, result.side_effects) == ((TableChange("door", 7),), ())
