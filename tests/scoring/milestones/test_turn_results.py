"""The results of a solution are among those that the agent has got, by whatever calls."""

from __future__ import annotations

from pantry import played, scenario
from rows import every

from pytest_toolsandbox.scoring.milestones.evaluate import evaluate

SHELF = """
state: {door: {open: false}}
guardrails: none
user: {turns: [Hi., And now?]}
milestones: {first: {EVENT, guardrails: none}}
solutions:
  plain:
    - list_items: {}
    - weigh: {name: rice}
    - weigh: {name: rice}
    - say: Done.
    - add_item: {name: tea}
    - say: Done.
counterexamples:
  c: [CALLS]
"""
LIST, RICE, SALT = "list_items: {}", "weigh: {name: rice}", "weigh: {name: salt}"
DONE, CLOSED = "say: Done.", "add_item: {name: salt}"


@every(
    ("event", "calls", "missing"),
    [
        ("turn: 1, results: plain", f"{LIST}, {RICE}, {RICE}, {DONE}", None),
        ("turn: 1, results: plain", f"{RICE}, {SALT}, {LIST}, {RICE}, {DONE}", None),
        ("turn: 1, results: plain", f"{LIST}, {RICE}, {DONE}", "weigh in solution 'plain'"),
        ("turn: 1, results: plain", f"{LIST}, {DONE}", "weigh in solution 'plain', and 1 more"),
        ("turn: 1, results: plain", f"{LIST}, {RICE}, {DONE}, {RICE}, {DONE}", "weigh in"),
        ("turn: 2, results: plain", f"{DONE}, {CLOSED}, {DONE}", None),  # another call, its error
        ("turn: 2, results: plain", f"{CLOSED}, {DONE}, {DONE}", None),  # in an earlier turn
        ("turn: 2, results: plain", f"{DONE}, {LIST}, {DONE}", "add_item in solution 'plain'"),
        ("results: plain", f"{LIST}, {RICE}, {DONE}, {RICE}, {CLOSED}", None),
        ("results: plain", f"{LIST}, {RICE}, {DONE}, {RICE}", "add_item in solution 'plain'"),
    ],
)
def test_results_that_are_missing(event: str, calls: str, missing: str | None) -> None:
    scene = scenario(SHELF.replace("EVENT", event).replace("CALLS", calls))
    (milestone,) = evaluate(scene, played(scene, "c")).milestones
    assert milestone.reached == (missing is None)
    if missing:
        assert milestone.nearest is not None
        (difference,) = milestone.nearest.constraints[-1].differences
        assert (difference.where, difference.found) == ("results", "no such result")
        assert difference.note is not None
        assert difference.note.startswith(f"as of {missing}")


@every(
    ("calls", "reached"),
    [
        (f"{DONE}, {CLOSED}, {DONE}", True),  # a call that failed
        (f"{DONE}, no_tool: {{}}, {DONE}", True),
        (f"{LIST}, {DONE}, {DONE}", False),
    ],
)
def test_any_call_in_a_turn(calls: str, reached: bool) -> None:
    scene = scenario(SHELF.replace("EVENT", "turn: 2, tried: any").replace("CALLS", calls))
    (milestone,) = evaluate(scene, played(scene, "c")).milestones
    assert milestone.reached == reached
