"""Changes that no milestone asks for, in a conversation that reaches all of them."""

from __future__ import annotations

import pytest
from pantry import judged
from rows import every

from pytest_toolsandbox.scoring.results import TableChange

ADDED = "{item: {added: [{name: %s}]}}"
TWO = f"""
milestones:
  flour: {{state: {ADDED % "flour"}}}
  told: {{says: {{contains: Done}}}}
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


@pytest.mark.parametrize(
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
    ("guardrails", "own", "score"),
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
    guardrails: str, own: str, score: float
) -> None:
    both = TWO.replace("flour: {", f"flour: {{{own}").replace("told: {", f"told: {{{own}")
    text = f"guardrails: {guardrails}\n{both}\ncounterexamples: {{only: ["
    result = judged(f"{text}{{{FLOUR}}}, {{{CLOSE}}}, {{{TELL}}}]}}")
    assert result.milestone_score == score


def test_it_is_said_where_a_table_changed_first() -> None:
    steps = ", ".join(f"{{{step}}}" for step in (FLOUR, TELL, SUGAR, SUGAR, CLOSE))
    changes = judged(f"{TWO}\ncounterexamples: {{only: [{steps}]}}").side_effects
    assert {change.table: change.snapshot for change in changes} == {"item": 7, "door": 11}


def test_where_a_milestone_is_missed_nothing_is_known() -> None:
    result = judged(f"{TWO}\ncounterexamples: {{only: [{{{FLOUR}}}, {{{SUGAR}}}, {{say: No.}}]}}")
    assert (result.milestone_score, result.side_effects) == (0.5, ())


def test_without_milestones_nothing_is_asked_for_and_nothing_watched() -> None:
    text = "minefields: {told: {says: {contains: No}}}"
    assert judged(f"{text}\ncounterexamples: {{only: [{{{SUGAR}}}, {{say: Hm.}}]}}").passed


@pytest.mark.parametrize("protected", ["[door]", "{all_but: [item]}"])
def test_a_protected_table_is_told_as_such(protected: str) -> None:
    text = f"protected: {protected}\n{TWO}\ncounterexamples: {{only: "
    result = judged(f"{text}[{{{FLOUR}}}, {{{TELL}}}, {{{CLOSE}}}]}}")
    assert (result.protected, result.side_effects) == ((TableChange("door", 7),), ())
