"""Calls that meet faults of their scenario on the way."""

from __future__ import annotations

import json

import pytest
from pantry import contents, played, scenario

from pytest_toolsandbox.authoring.proof.proof import prove
from pytest_toolsandbox.conversation.messages import MadeCall
from pytest_toolsandbox.language.variants import variant
from pytest_toolsandbox.scoring.judging import judge

BUSY = "OSError: busy"


def made(fault: str, *calls: str, name: str | None = None) -> list[MadeCall]:
    """Return the calls of a solution, of which some meet a fault."""
    scene = scenario(faulty(fault, *calls))
    return list(played(variant(scene, name) if name else scene).calls)


def faulty(fault: str, *calls: str) -> str:
    steps = "".join(f"\n    - {call}" for call in calls)
    return f"faults: {{f: {fault}}}\ncounterexamples:\n  s:{steps}\n    - say: Done.\n"


def outcomes(fault: str, *calls: str) -> str:
    """Return which of the calls meet the fault, x, and which do not, o."""
    return "".join("x" if call.fault else "o" for call in made(fault, *calls))


RICE, SALT = "weigh: {name: rice}", "weigh: {name: salt}"


@pytest.mark.parametrize(
    ("fault", "met"),
    [
        ("{call: weigh, error: busy}", "xooo"),
        ("{call: weigh, error: busy, times: 3}", "xxxo"),
        ("{call: weigh, error: busy, times: always}", "xxxx"),
        ("{call: weigh, error: busy, occurrence: 2, times: 2}", "oxxo"),
        ("{call: {weigh: {name: salt}}, error: busy}", "oxoo"),
        ("{call: {weigh: {name: {contains: al}}}, error: busy, times: 2}", "oxox"),
        ("{call: weigh, error: busy, per: name}", "xxoo"),
        ("{call: {any_of: [give, {weigh: {name: salt}}]}, error: busy, occurrence: 2}", "ooox"),
        ("{call: open_door, error: busy}", "oooo"),
    ],
)
def test_which_calls_meet_it(fault: str, met: str) -> None:
    assert outcomes(fault, RICE, SALT, RICE, SALT) == met


def test_parallel_calls_count_in_the_given_order() -> None:
    together = f"parallel: [{RICE}, {SALT}, remove_item: {{name: rice}}]"
    calls = made("{call: weigh, error: busy, occurrence: 2}", together)
    assert [(call.fault, call.order) for call in calls] == [(None, 0), ("f", 1), (None, 2)]


def test_a_refused_call_counts_for_nothing() -> None:
    assert outcomes("{call: weigh, error: busy}", "weigh: {nam: rice}", RICE) == "ox"


def test_names_are_those_that_the_agent_knows() -> None:
    fault = "{call: weigh, error: \"TypeError: 'name' of 'weigh' is gone\"}"
    (call,) = made(fault, RICE, name="argument_name_scrambled")
    assert call.error == "TypeError: 'argument_0' of 'weigh' is gone"


def test_what_an_error_leaves_undone() -> None:
    (call,) = made(f"{{call: remove_item, error: '{BUSY}'}}", "remove_item: {name: rice}")
    assert call.error == BUSY
    assert not call.changed_the_world


def test_a_change_may_hide_behind_a_timeout() -> None:
    (call,) = made("{call: remove_item, timeout: 30, executed: true}", "remove_item: {name: rice}")
    assert call.error == "TimeoutError: no answer within 30 s"
    assert [row["name"] for row in call.after["item"]] == ["salt"]


def test_the_error_of_the_world_comes_first_if_the_call_would_be_executed() -> None:
    (call,) = made("{call: open_door, timeout: 30, executed: true}", "open_door: {}")
    assert call.error == "PermissionError: The door is open already."
    assert call.fault is None


def test_items_of_a_list_fail_alone() -> None:
    fault = f"{{call: spoil, error: '{BUSY}', fails_for: {{values: [2, 3]}}, times: always}}"
    steps = ("spoil: {values: [1, 2, 4]}", "spoil: {values: [2]}", "spoil: {values: [4]}")
    part, whole, none = made(fault, *steps)
    assert part.trace is not None
    assert part.trace.arguments == {"values": [1, 4]}
    assert whole.error == f"{BUSY} (for 2)"
    assert none.fault is None
    scene = scenario(faulty(fault, steps[0]))
    assert f"3\nFailed for 2: {BUSY}" in contents(played(scene))


def test_a_stale_answer_is_that_of_another_state() -> None:
    stale = "{item: {removed: [{name: salt}]}}"
    fault = f"{{call: list_items, stale: {stale}, note: As of noon.}}"
    scene = scenario(faulty(fault, "remove_item: {name: rice}", "list_items: {}", "list_items: {}"))
    old, new = (call for call in played(scene).calls if call.call.name == "list_items")
    assert [row["name"] for row in old.trace.result] == ["rice"]  # type: ignore[union-attr]
    assert [row["name"] for row in new.trace.result] == ["salt"]  # type: ignore[union-attr]
    assert any(text.endswith("]\nAs of noon.") for text in contents(played(scene)))
    assert old.after == old.before


def test_no_change_is_stale() -> None:
    (call,) = made("{call: remove_item, stale: start}", "remove_item: {name: rice}")
    assert call.changed_the_world


def test_a_partial_answer_says_what_is_missing() -> None:
    scene = scenario(faulty("{call: list_items, partial: 1}", "list_items: {}", "list_items: {}"))
    part, whole = (text for text in contents(played(scene)) if text.startswith("["))
    rows, _, warning = part.partition("\n")
    assert json.loads(rows) == json.loads(whole)[:1]
    assert "after 1 of 2" in warning


REMOVE = "remove_item: {name: rice}"
RETRIES = f"""
    faults: {{f: {{call: remove_item, error: "{BUSY}", times: 2}}}}
    milestones: {{gone: {{call: remove_item}}}}
    solutions:
      persists: [{REMOVE}, {REMOVE}, {REMOVE}, say: Gone.]
    counterexamples:
      gives_up: [{REMOVE}, say: Gone.]
      goes_on: [{REMOVE}, {REMOVE}, {REMOVE}, {REMOVE}, say: Gone.]
"""


def test_to_try_again_is_no_error_pattern() -> None:
    scene = scenario(RETRIES)
    assert prove(scene).findings == ["counterexample 'goes_on' passes"]
    for name, patterns in {"persists": [], "goes_on": ["RAC"]}.items():
        findings = judge(scene, played(scene, name)).patterns.findings
        assert [finding.pattern for finding in findings] == patterns
