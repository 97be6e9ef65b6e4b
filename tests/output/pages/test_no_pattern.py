"""Why a conversation failed in which no error pattern is found, in one line of its page."""

from __future__ import annotations

import pytest
from pantry import played, scenario

from pytest_toolsandbox.output.pages.record_view import failure_page
from pytest_toolsandbox.records.configuration import agent_record
from pytest_toolsandbox.records.record import read_record
from pytest_toolsandbox.records.writing import Trial
from pytest_toolsandbox.scoring.judging import judge


def page(text: str) -> list[str]:
    """Return the lines of the page of the counterexample."""
    scene = scenario(text)
    trajectory = played(scene, "wrong")
    judgement = judge(scene, trajectory)
    assert not judgement.passed
    trial = Trial("a::b", 1, agent_record("x"), scene, trajectory, judgement)
    return failure_page(read_record(trial.record)).splitlines()


def lines(text: str) -> list[str]:
    """Return the lines about error patterns on that page."""
    return [one.strip() for one in page(text) if one.startswith("error patterns") or "IAC" in one]


USER = """
milestones:
  looked: {call: {list_items: {}}}
  told: {says: {mentions: [rice]}}
minefields: {emptied: {state: {item: {excludes: [{name: salt}]}}}}
solutions: {right: [list_items: {}, say: There is rice.]}
counterexamples: {wrong: %s}
"""
ASKS = """
milestones: {asked: {user_says: I do not know.}, told: {says: {mentions: [rice]}}}
solutions: {right: [say: Which one?, say: There is rice.]}
counterexamples: {wrong: [say: There is rice.]}
user: {opening: Hi, otherwise: I do not know.}
"""
QUERY = """
query: What is there most of?
answer: rice
solutions: {looks: [list_items: {}, finish: {answer: rice}]}
counterexamples: {wrong: [list_items: {}, finish: {answer: salt}]}
"""
RACE = """
state: {door: {open: false}}
milestones: {open: {state: {door: {open: true}}}, told: {says: {mentions: [tea]}}}
solutions: {right: [open_door: {}, add_item: {name: tea}, say: There is tea.]}
counterexamples:
  wrong: [parallel: [open_door: {}, add_item: {name: tea}], wiegh: {name: tea}, say: No.]
"""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (USER % "[list_items: {}, say: There is salt.]", ["none, but a wrong report"]),
        (
            USER % "[list_items: {}, remove_item: {name: salt}, say: There is rice.]",
            ["none, but a side effect"],
        ),
        (
            USER % "[list_items: {}, remove_item: {name: salt}, say: No.]",
            ["none, but a side effect and a wrong report"],
        ),
        (ASKS, ["none, but it asked nothing"]),
        (QUERY, ["none, but a wrong answer"]),
    ],
)
def test_it_is_said_what_is_wrong_where_there_is_no_pattern(text: str, expected: list[str]) -> None:
    assert lines(text) == [f"error patterns: {one}" for one in expected]


def test_the_call_that_lost_a_race_is_blamed() -> None:
    first, why = lines(RACE)
    assert first == "error patterns: IFN 1, IAC 1"
    assert why == (
        "^ IAC made, but as a call that failed, since it happened before those made at once with "
        "it: add_item(name='tea')"
    )
