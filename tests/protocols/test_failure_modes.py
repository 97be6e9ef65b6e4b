"""What is wrong with a conversation beside its single calls, as it is counted."""

from __future__ import annotations

import pantry
import pytest

from pytest_toolsandbox.records.configuration import agent_record
from pytest_toolsandbox.records.writing import Trial
from pytest_toolsandbox.scoring.judging import judge

TELLS = """
protected: [bin]
milestones:
  looked: {call: {list_items: {}}}
  told: {after: looked, says: {mentions: [rice]}}
minefields:
  lied: {says: {mentions: [caviar]}}
  emptied: {state: {item: {excludes: [{name: salt}]}}}
solutions: {right: [list_items: {}, say: There is rice.]}
counterexamples: {wrong: %s}
"""
ADDS = """
milestones: {added: {state: {item: {added: [{name: rice}]}}}}
counterexamples: {wrong: %s}
"""
QUERY = """
query: What is there most of?
answer: rice
solutions: {looks: [list_items: {}, finish: {answer: rice}]}
counterexamples: {wrong: %s}
"""


def modes_of(text: str) -> list[str]:
    scene = pantry.scenario(text)
    trajectory = pantry.played(scene, "wrong")
    judgement = judge(scene, trajectory)
    assert not judgement.passed
    trial = Trial("a::b", 1, agent_record("x"), scene, trajectory, judgement)
    failure_modes: list[str] = trial.summary["failure_modes"]
    assert failure_modes == trial.record["failure_modes"]
    return failure_modes


@pytest.mark.parametrize(
    ("text", "failure_modes"),
    [
        (TELLS % "[list_items: {}, say: There is salt.]", ["wrong report"]),
        # The call is the mistake; what was said without it follows from it.
        (TELLS % "[say: There is salt.]", []),
        (TELLS % "[say: There is caviar.]", ["wrong report"]),
        (TELLS % "[list_items: {}, list_items: {}, say: No.]", ["wrong report"]),
        (
            TELLS % "[list_items: {}, remove_item: {name: salt}, say: There is rice.]",
            ["side effect: item", "minefield hit"],
        ),
        (ADDS % "[add_item: {name: tea}, say: Yes.]", ["wrong value"]),
        (ADDS % "[say: Yes.]", ["left undone"]),
        (QUERY % "[list_items: {}, finish: {answer: salt}]", ["wrong answer"]),
        (QUERY % "[finish: {answer: salt}]", []),
        (QUERY % "[list_items: {}, say: I cannot.]", ["wrong answer"]),
    ],
)
def test_a_failure_has_a_name(text: str, failure_modes: list[str]) -> None:
    assert modes_of(text) == failure_modes
