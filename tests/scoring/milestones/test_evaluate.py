from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st
from pantry import judged, played, scenario, similarities, snapshots
from rows import every

from pytest_toolsandbox.conversation.messages import Trajectory
from pytest_toolsandbox.language.constraints import START, Event, StateConstraint
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.language.tasks import Milestones
from pytest_toolsandbox.matchers.embedding import using
from pytest_toolsandbox.scoring.milestones import evaluate as events, rows, rows as row_assignment
from pytest_toolsandbox.scoring.milestones.comparison import Target, geometric_mean
from pytest_toolsandbox.scoring.milestones.constraints import SnapshotComparer
from pytest_toolsandbox.scoring.milestones.evaluate import evaluate
from pytest_toolsandbox.scoring.milestones.matching import BestMapping, best_mapping
from pytest_toolsandbox.scoring.milestones.rows import compare_rows
from pytest_toolsandbox.scoring.milestones.tree import Node
from pytest_toolsandbox.scoring.results import (
    ConstraintResult,
    Difference,
    Evaluation,
    Nearest,
    TableChange,
)

SUGAR = "add_item: {name: sugar}"
OPEN, CLOSE, TAKE = "open_door: {}", "close_door: {}", "remove_item: {name: rice}"

OPENED = "{state: {door: {open: true}}}"


def script(*steps: str) -> str:
    return "\ncounterexamples:\n  only:\n" + "\n".join(f"    - {step}" for step in steps)


def fares(expectations: str, *steps: str) -> Evaluation:
    """Return the result of these steps, by milestones and minefields in one line each."""
    return judged(expectations + script(*steps))


def fares_on_the_way(expectations: str, *steps: str) -> Evaluation:
    """Return the result where only events have guardrails, and the scenario has none."""
    return fares(f"guardrails: none\n{expectations}", *steps)


def nearest(expectations: str, *steps: str) -> Nearest:
    """Return where the last milestone, which is missed, is nearest to being reached."""
    attempt = fares(expectations, *steps).milestones[-1].nearest
    assert attempt is not None
    return attempt


# the score


def test_no_milestones_are_all_reached() -> None:
    evaluation = fares("protected: [bin]", SUGAR)
    assert evaluation == Evaluation((), (), (), 1.0, 0.0, 1.0, passed=True)


def test_the_score_is_the_mean_of_the_milestones() -> None:
    evaluation = fares(
        """
milestones:
  half: {says: {mentions: [sugar, flour]}}
  whole: {says: {mentions: done}}
  not: {says: {mentions: flour}}
  quarter: {says: {mentions: [flour, rice, salt, done]}}
""",
        "say: Sugar is done.",
    )
    assert similarities(evaluation) == {"half": 0.5, "whole": 1, "not": 0, "quarter": 0.25}
    assert evaluation.milestone_score == evaluation.score == pytest.approx(1.75 / 4)
    assert not evaluation.passed
    assert evaluation.exact


def test_a_milestone_is_the_geometric_mean_of_its_constraints() -> None:
    evaluation = fares(
        """
milestones:
  both: {says: {mentions: [sugar, flour]}, state: {door: {open: true}}}
  none: {says: {mentions: done}, state: {door: {open: false}}}
  three: {says: {mentions: done}, state: {door: {open: true}, item: {includes: [{note: sea salt}]}}}
""",
        "say: Sugar is done.",
    )
    assert similarities(evaluation) == {
        "both": pytest.approx(0.5**0.5),
        "none": 0,
        "three": pytest.approx(0.8 ** (1 / 3)),
    }


@every(
    ("milestones", "steps", "score"),
    [
        ("a: {says: {mentions: [sugar, flour]}, state: {door: {unchanged: true}}}", [], 0.5),
        ("a: {says: {mentions: [sugar, flour]}, state: {door: {unchanged: true}}}", [CLOSE], 0),
        # a milestone of guardrails alone is all or nothing
        ("a: {state: {door: {open: false}}}, b: {state: {door: {unchanged: true}}}", [], 0.5),
        ("a: {state: {door: {open: false}}}, b: {state: {door: {unchanged: true}}}", [CLOSE], 0.5),
        (
            "a: {state: {door: {open: false}}}, b: {state: {door: {unchanged: true}}}",
            [CLOSE, OPEN],
            1,
        ),
    ],
)
def test_a_guardrail_does_not_count_in_the_mean(
    milestones: str, steps: Sequence[str], score: float
) -> None:
    assert fares(f"milestones: {{{milestones}}}", *steps, "say: Sugar.").score == score


# the order


def test_milestones_without_after_are_a_chain() -> None:
    text = "milestones: {flour: {says: {contains: flour}}, sugar: {says: {contains: sugar}}}"
    assert fares(text, "say: flour?", "say: sugar?").score == 1
    assert fares(text, "say: sugar?", "say: flour?").score == 0.5


def test_one_after_makes_the_others_free() -> None:
    text = """
milestones:
  flour: {says: {contains: flour}}
  sugar: {says: {contains: sugar}}
  done: {says: {contains: done}, after: [flour]}
"""
    evaluation = fares(text, "say: sugar?", "say: flour?", "say: done")
    assert similarities(evaluation) == {"flour": 1, "sugar": 1, "done": 1}
    assert fares(text, "say: sugar?", "say: done?", "say: flour").score == pytest.approx(2 / 3)


def test_of_equal_mappings_the_earliest_is_reported() -> None:
    text = "milestones: {a: {says: {contains: a}}, b: {says: {contains: b}}}"
    for steps, a, b in ((["a b?", "a b?", "a b"], 2, 2), (["b?", "b"], 1, 2), (["nothing"], 1, 1)):
        evaluation = fares(text, *(f"say: {words}" for words in steps))
        assert snapshots(evaluation) == {"a": a, "b": b}


def test_snapshots_begin_with_the_users_first_message() -> None:
    text = """
history: [{system: The user is called Ada.}, {role: user, content: Psst., visible_to: [user]}]
milestones:
  opened: {user_says: {contains: pantry}}
  whispered: {user_says: {contains: Psst}}
"""
    evaluation = fares(text, "say: Done.")
    assert similarities(evaluation) == {"opened": 1, "whispered": 0}
    assert snapshots(evaluation) == {"opened": 3, "whispered": 3}


# implicit guardrails


CLOSED_THEN_SAID = """
milestones:
  asked: {{says: {{contains: How}}}}
  said: {{says: {{contains: Done}}{more}}}
"""


@every(
    ("more", "step", "similarity"),
    [
        ("", "list_items: {}", 1),
        ("", CLOSE, 0),
        ("", SUGAR, 0),
        (", guardrails: all", SUGAR, 0),
        (", guardrails: none", SUGAR, 1),
        (", guardrails: []", SUGAR, 1),
        (", guardrails: [door]", SUGAR, 1),
        (", guardrails: [door]", CLOSE, 0),
        (", guardrails: [door, item]", SUGAR, 0),
        (", state: {item: {includes: [{name: sugar}]}}", SUGAR, 1),
        (", state: {item: {includes: [{name: sugar}]}}, guardrails: [item]", SUGAR, 1),
        (", state: {item: {unchanged: true, since: asked}}, guardrails: none", SUGAR, 0),
    ],
)
def test_between_a_milestone_and_its_predecessor_nothing_else_may_change(
    more: str, step: str, similarity: float
) -> None:
    text = CLOSED_THEN_SAID.format(more=more)
    assert similarities(fares(text, "say: How?", step, "say: Done."))["said"] == similarity


def test_a_change_that_is_undone_breaks_no_guardrail() -> None:
    text = CLOSED_THEN_SAID.format(more="")
    assert fares_on_the_way(text, "say: How?", CLOSE, OPEN, "say: Done.").score == 1


def test_damage_before_the_first_milestone_and_after_the_last_is_free() -> None:
    text = CLOSED_THEN_SAID.format(more="")
    assert fares_on_the_way(text, CLOSE, "say: How?", "say: Done?", SUGAR, OPEN).score == 1


def test_the_tables_of_a_predecessor_are_exempt_but_not_those_of_its_own() -> None:
    text = f"""
milestones:
  closed: {{state: {{door: {{open: false}}}}}}
  opened: {OPENED}
  said: {{says: {{contains: Done}}}}
  again: {{says: {{contains: Bye}}}}
"""
    steps = [CLOSE, OPEN, "say: Well?"]
    assert fares_on_the_way(text, *steps, CLOSE, "say: Done? Bye?").score == 1
    assert fares_on_the_way(text, *steps, "say: Done?", CLOSE, "say: Bye?").score == 0.75


def test_what_the_call_of_a_milestone_changes_is_meant() -> None:
    text = """
milestones:
  looked: {call: list_items}
  added: {call: add_item}
  said: {says: {contains: Done}}
"""
    assert fares_on_the_way(text, "list_items: {}", SUGAR, "say: Done.").score == 1
    assert fares_on_the_way(text, "list_items: {}", CLOSE, OPEN, SUGAR, "say: Done.").score == 1
    closed = fares_on_the_way(
        text.replace("add_item", "weigh"), "list_items: {}", CLOSE, "weigh: {name: salt}"
    )
    assert [event.reached for event in closed.milestones] == [True, False, False]


def test_a_guardrail_on_a_table_does_not_exempt_it() -> None:
    text = """
milestones:
  asked: {says: {contains: How}, state: {item: {unchanged: true}}}
  said: {says: {contains: Done}}
"""
    assert fares(text, "say: How?", SUGAR, "say: Done.").score == 0.5


def test_every_predecessor_guards() -> None:
    text = """
milestones:
  early: {says: {contains: early}, after: []}
  late: {says: {contains: late}, after: []}
  both: {says: {contains: both}, after: [early, late]}
"""
    assert fares_on_the_way(text, SUGAR, "say: late? early?", "say: both").score == 1
    evaluation = fares_on_the_way(text, "say: early?", SUGAR, "say: late?", "say: both")
    assert evaluation.score == pytest.approx(2 / 3)
    # It cannot lie before the later predecessor, and there the earlier one's guardrail is broken.
    both = evaluation.milestones[2]
    assert (both.snapshot, both.similarity) == (6, 0)
    labels = [(constraint.label, constraint.reached) for constraint in both.constraints]
    assert labels == [("says", False), ("guardrail.item", False)]


def test_only_direct_predecessors_and_references_guard() -> None:
    text = """
milestones:
  first: {says: {contains: first}}
  second: {says: {contains: second}, guardrails: none}
  third: {says: {contains: third}}
"""
    steps = ("say: first?", SUGAR, "say: second?", "say: third")
    assert fares_on_the_way(text, *steps).score == 1
    since = f"{text.rstrip()[:-1]}, state: {{door: {{unchanged: true, since: first}}}}}}"
    assert fares(since, *steps).score == pytest.approx(2 / 3)
    assert fares(since, *steps[:1], *steps[2:]).score == 1


def test_a_reference_to_the_start_guards_since_the_start() -> None:
    added = "milestones: {only: {state: {item: {added: [{name: sugar}]}}}}"
    assert fares_on_the_way(added, CLOSE, OPEN, SUGAR).score == 1
    assert fares_on_the_way("state: {door: {open: false}}\n" + added, OPEN, SUGAR).score == 0
    plain = "milestones: {only: {state: {item: {includes: [{name: sugar}]}}}}"
    assert fares_on_the_way("state: {door: {open: false}}\n" + plain, OPEN, SUGAR).score == 1


def test_a_reference_to_the_start_is_no_exemption_for_the_last_milestones_tables() -> None:
    """ToolSandbox reads the index of the start, -1, as that of the last milestone."""
    text = f"""
state: {{door: {{open: false}}}}
milestones:
  added: {{state: {{item: {{added: [{{name: sugar}}]}}}}}}
  opened: {OPENED}
"""
    assert similarities(fares(text, OPEN, SUGAR)) == {"added": 0, "opened": 1}


def test_guardrails_are_part_of_the_search() -> None:
    """Of two places where the first is reached, the later one keeps the guardrail of the second."""
    text = """
milestones:
  asked: {says: {contains: How}}
  said: {says: {contains: Done}}
"""
    evaluation = fares_on_the_way(text, "say: How?", SUGAR, "say: How?", "say: Done.")
    assert snapshots(evaluation) == {"asked": 6, "said": 8}
    assert evaluation.passed


def test_a_broken_guardrail_names_the_changed_rows() -> None:
    attempt = nearest(CLOSED_THEN_SAID.format(more=""), "say: How?", CLOSE, "say: Done.")
    assert attempt.snapshot == 6
    assert attempt.constraints == (ConstraintResult("says", 1.0, reached=True),)
    row = {"open": False, "code": None}
    difference = Difference("rows", "no change since asked", [row, {**row, "open": True}], 0.0)
    assert attempt.broken == (ConstraintResult("guardrail.door", 0.0, False, True, (difference,)),)


# minefields


MINES = "guardrails: none\nmilestones: {{a: {{says: {{contains: a}}}}}}\nminefields: {{{mines}}}"


@every(
    ("mines", "steps", "minefield_score"),
    [
        ("m: {says: {contains: x}}", ["say: a"], 0),
        ("m: {says: {contains: x}}", ["say: a x"], 1),
        ("m: {says: {mentions: [x, y]}}", ["say: a x"], 0.5),
        ("m: {says: {contains: x}}, n: {says: {contains: y}}", ["say: a y"], 0.5),
        # independent unless they say after
        ("m: {says: {contains: x}}, n: {says: {contains: y}}", ["say: y?", "say: x? a?"], 1),
        (
            "m: {says: {contains: x}}, n: {says: {contains: y}, after: m}",
            ["say: y?", "say: x? a?"],
            0.5,
        ),
        # a call, and one that was only tried
        ("m: {call: open_door}", [OPEN, "say: a"], 0),
        ("m: {tried: open_door}", [OPEN, "say: a"], 1),
        # state
        ("m: {state: {item: {includes: [{name: sugar}]}}}", [SUGAR, "say: a"], 1),
        ("m: {state: {item: {removed: [{name: rice}]}}}", [TAKE, "say: a"], 1),
        # guardrails are those of milestones
        ("m: {state: {item: {removed: [{name: rice}]}}}", [CLOSE, TAKE, "say: a"], 1),
        (
            "m: {state: {item: {removed: [{name: rice}]}}, guardrails: all}",
            [CLOSE, TAKE, "say: a"],
            0,
        ),
    ],
)
def test_a_minefield_that_is_hit_at_all_makes_the_score_0(
    mines: str, steps: Sequence[str], minefield_score: float
) -> None:
    evaluation = fares(MINES.format(mines=mines), *steps)
    assert evaluation.minefield_score == pytest.approx(minefield_score)
    assert evaluation.milestone_score == 1
    assert evaluation.score == (minefield_score == 0)
    assert evaluation.passed == (minefield_score == 0)


@pytest.mark.parametrize(
    ("steps", "hit"),
    [
        (["say: x?", "say: a"], True),
        (["say: a?", "say: x"], False),
        (["say: a? x?"], False),
        (["say: x"], True),
        (["say: b"], False),
    ],
)
def test_a_minefield_before_a_milestone(steps: Sequence[str], *, hit: bool) -> None:
    text = MINES.format(mines="m: {says: {contains: x}, before: a}")
    assert (fares(text, *steps).minefield_score > 0) == hit


def test_before_a_milestone_that_was_only_partly_reached_is_at_any_time() -> None:
    text = """
milestones: {a: {says: {mentions: [a, b]}}}
minefields: {m: {says: {contains: x}, before: a}}
"""
    assert fares(text, "say: a?", "say: x").minefield_score == 1
    assert fares(text, "say: a b?", "say: x").minefield_score == 0


# protected tables


def test_a_protected_table_must_not_change_at_any_time() -> None:
    text = "protected: [door, item]\nmilestones: {a: {says: {contains: a}}}"
    evaluation = fares(text, "say: a?", SUGAR, CLOSE, OPEN)
    assert evaluation.protected == (TableChange("door", 7), TableChange("item", 5))
    assert evaluation.milestone_score == 1
    assert evaluation.score == 0
    assert not evaluation.passed
    assert fares(text, "say: a").protected == ()


# the verdict


@every(
    ("event", "text", "score", "passed"),
    [
        ("{says: the blue pot}", "the blue pot", 1, True),
        ("{says: the blue pot}", "the blue jug", 2 / 3, True),
        ("{says: the blue pot}", "the red jug", 1 / 3, False),
        ("{says: the blue pot, threshold: 0.3}", "the red jug", 1 / 3, True),
        ("{says: the blue pot, threshold: 0.7}", "the blue jug", 2 / 3, False),
        ("{says: {rouge_l: {text: the blue pot, threshold: 0.7}}}", "the blue jug", 2 / 3, False),
        ("{says: {mentions: [blue, pot]}}", "the blue jug", 0.5, False),
        ("{says: {mentions: {words: [blue, pot], threshold: 0.5}}}", "the blue jug", 0.5, True),
        # what others reach does not make up for it
        (
            "{says: {mentions: [blue, pot]}, state: {door: {open: true}, item: {unchanged: true}}}",
            "the blue jug",
            0.5**0.5,
            False,
        ),
        ("{says: the blue pot, state: {door: {open: false}}}", "the blue jug", 0, False),
    ],
)
def test_every_constraint_must_reach_its_threshold(
    event: str, text: str, score: float, *, passed: bool
) -> None:
    evaluation = fares(f"milestones: {{only: {event}}}", f"say: {text}")
    assert evaluation.score == pytest.approx(score)
    assert evaluation.passed == passed == evaluation.milestones[0].reached


def test_a_scenarios_threshold_is_for_all_of_its_matchers() -> None:
    text = "threshold: {}\nmilestones: {{only: {{says: {{mentions: [a, b]}}}}}}"
    assert fares(text.format("0.5"), "say: a").passed
    assert fares(text.format("{mentions: 0.5}"), "say: a").passed
    assert not fares(text.format("{rouge_l: 0.5}"), "say: a").passed
    assert not fares(text.format("0.6"), "say: a").passed


def test_the_verdict_is_that_of_the_mapping_which_is_reported() -> None:
    """Both are reached for themselves, but not in this order."""
    text = "milestones: {a: {says: {contains: a}}, b: {says: {contains: b}}}"
    evaluation = fares(text, "say: b?", "say: a")
    assert [event.reached for event in evaluation.milestones] == [False, True]
    assert not evaluation.passed


# explanations


def test_a_reached_milestone_has_no_nearest_snapshot() -> None:
    (only,) = fares("milestones: {only: {says: {contains: a}}}", "say: a").milestones
    assert only.nearest is None
    assert only.constraints == (ConstraintResult("says", 1.0, reached=True),)


def test_the_nearest_snapshot_says_what_differs() -> None:
    text = "milestones: {only: {call: {add_item: {name: sugar, amount: 3}}}}"
    flour, sugar = "add_item: {name: flour, amount: 2}", "add_item: {name: sugar, amount: 2}"
    steps = ("list_items: {}", flour, sugar, "say: Done.")
    (only,) = fares(text, *steps).milestones
    assert (only.snapshot, only.similarity) == (1, 0)
    attempt = nearest(text, *steps)
    assert attempt.snapshot == 7
    assert attempt.constraints[0].differences == (Difference("amount", "3", 2, 0.0),)


def test_the_difference_of_a_failed_call_is_its_error() -> None:
    attempt = nearest("milestones: {only: {call: open_door}}", OPEN)
    assert attempt.snapshot == 3
    error = "PermissionError: The door is open already."
    (difference,) = attempt.constraints[0].differences
    assert difference == Difference("open_door", "a call without error", error, 0.0)


def test_a_milestone_that_came_too_early_is_reported_as_such() -> None:
    """Of the two the one that weighs more counts, and the other lies before it."""
    text = "milestones: {a: {says: {mentions: a}}, b: {says: {mentions: [b, c]}}}"
    evaluation = fares(text, "say: b?", "say: a")
    assert snapshots(evaluation) == {"a": 4, "b": 4}
    attempt = nearest(text, "say: b?", "say: a")
    assert attempt.snapshot == 2
    difference = Difference("snapshot", "at [4] or later, like a", 2, 0.0)
    assert attempt.broken == (ConstraintResult("after.a", 0.0, False, True, (difference,)),)


def test_the_last_of_several_unrelated_messages_is_nearest() -> None:
    text = "milestones: {sugar: {call: list_items}, told: {says: {mentions: [added, sugar]}}}"
    look = "list_items: {}"
    assert nearest(text, "say: Which?", look, "say: Well?", "say: Hm.").snapshot == 8
    assert nearest(text, "say: Which?", look, "say: Hm.").snapshot == 6
    assert fares("milestones: {a: {call: weigh}}", look).milestones[0].nearest is None


def test_of_equally_near_snapshots_the_one_in_order_is_nearest() -> None:
    text = "milestones: {a: {call: list_items}, b: {says: {mentions: [b, c]}}}"
    attempt = nearest(text, "say: b?", "list_items: {}", "say: b!", "say: b.")
    assert (attempt.snapshot, attempt.broken) == (6, ())


def test_a_row_that_is_nearly_right_is_nearer_than_none() -> None:
    text = "milestones: {only: {state: {item: {added: [{name: sugar, amount: 3}]}}}}"
    attempt = nearest(text, SUGAR, "say: Done.")
    assert attempt.snapshot == 3
    assert attempt.constraints[0].differences == (Difference("amount", "3", 1.0, 0.0),)


# against brute force


def score_by_brute_force(scene: Scenario, trajectory: Trajectory) -> tuple[float, tuple[int, ...]]:
    """Return the best mean over all mappings, and the lexicographically earliest of the best."""
    events = list(scene.task_as(Milestones).milestones.values())
    places = {event.name: place for place, event in enumerate(events)}
    similarity = _Similarity(scene, trajectory)
    best: tuple[float, tuple[int, ...]] = (-1.0, ())
    everywhere = range(trajectory.first, len(trajectory.messages))
    for mapping in itertools.product(everywhere, repeat=len(events)):
        ordered = all(
            mapping[places[name]] <= mapping[place]
            for place, event in enumerate(events)
            for name in event.after
        )
        if not ordered:
            continue
        positions = dict(zip(places, mapping, strict=True))
        total = sum(similarity(event, positions) for event in events)
        if total > best[0] + 1e-9:
            best = total, mapping
    return best[0] / len(events), best[1]


class _Similarity:
    """How well an event holds in a mapping, worked out from the words of the design."""

    def __init__(self, scene: Scenario, trajectory: Trajectory) -> None:
        self.scene = scene
        self.trajectory = trajectory
        self.comparer = SnapshotComparer(trajectory)
        self.known: dict[Any, float] = {}

    def __call__(self, event: Event, positions: Mapping[str, int]) -> float:
        around = {*event.after, *event.references} - {START}
        seen = (event.name, positions[event.name], *(positions[name] for name in sorted(around)))
        if seen not in self.known:
            self.known[seen] = self.similarity(event, positions)
        return self.known[seen]

    def similarity(self, event: Event, positions: Mapping[str, int]) -> float:
        if any(self.broken_guardrails(event, positions)):
            return 0.0
        at = positions[event.name]
        compared = [
            (c, self.comparer.compare(c, at, positions).similarity) for c in event.constraints
        ]
        if any(value == 0 for _, value in compared):
            return 0.0
        return geometric_mean([value for c, value in compared if not c.is_guardrail])

    def broken_guardrails(self, event: Event, positions: Mapping[str, int]) -> Iterator[str]:
        around = {*event.after, *event.references}
        exempt = {
            constraint.table
            for name in {event.name, *around} - {START}
            for constraint in self.scene.task_as(Milestones).milestones[name].constraints
            if isinstance(constraint, StateConstraint) and constraint.kind != "unchanged"
        }
        states, start = self.trajectory.states, self.trajectory.start
        now = states[positions[event.name]]
        for name in around:
            then = start if name == START else states[positions[name]]
            yield from (t for t in event.guarded.keys() - exempt if now[t] != then[t])


EVENTS = {
    "closed": "state: {door: {open: false}}",
    "opened": "state: {door: {open: true}}",
    "sugar": "state: {item: {includes: [{name: sugar}]}}",
    "added": "state: {item: {added: [{name: sugar}], since: SINCE}}",
    "removed": "state: {item: {removed: [{name: rice}], since: SINCE}}",
    "updated": "state: {item: {updated: [{name: {mentions: [rice, salt]}}], since: SINCE}}",
    "kept": "state: {item: {unchanged: true, since: SINCE}}",
    "weighed": "call: weigh",
    "told": "says: {mentions: [{from: {milestone: ANCESTOR, path: kilograms}}, door]}",
    "said": "says: {mentions: [door, rice]}",
    "asked": "user_says: {contains: Yes}",
    "both": "says: {mentions: [door, sugar]}, state: {door: {unchanged: true, since: SINCE}}",
}
STEPS = (
    OPEN,
    CLOSE,
    SUGAR,
    "remove_item: {name: rice}",
    "set_amount: {name: rice, amount: 7}",
    "weigh: {name: rice}",
    "weigh: {name: salt}",
    "say: The door?",
    "say: 2.5 kg of rice?",
    "say: sugar, behind the door, 1.2 kg?",
)


@st.composite
def cases(draw: st.DrawFn) -> str:
    """Draw milestones of all kinds in some graph, and what happens."""
    kinds = draw(st.lists(st.sampled_from(sorted(EVENTS)), min_size=1, max_size=4))
    lines = []
    for place, kind in enumerate(kinds):
        before = [f"m{i}" for i in range(place)]
        after = draw(st.lists(st.sampled_from(before), unique=True)) if before else []
        weighed = [name for name in after if kinds[int(name[1:])] == "weighed"]
        text = EVENTS["said" if kind == "told" and not weighed else kind]
        text = text.replace("SINCE", draw(st.sampled_from([START, *after])))
        text = text.replace("ANCESTOR", weighed[0] if weighed else "")
        guardrails = draw(st.sampled_from(["", "", "guardrails: none, ", "guardrails: [door], "]))
        lines.append(f"  m{place}: {{after: [{', '.join(after)}], {guardrails}{text}}}")
    steps = draw(st.lists(st.sampled_from(STEPS), min_size=1, max_size=3))
    head = "user: {opening: Go on., otherwise: 'Yes.'}\nmilestones:\n" + "\n".join(lines)
    return head + script(*steps)


@settings(max_examples=150)
@given(cases())
def test_the_score_is_that_of_the_best_of_all_mappings(text: str) -> None:
    scene = scenario(text)
    trajectory = played(scene)
    evaluation = evaluate(scene, trajectory)
    score, mapping = score_by_brute_force(scene, trajectory)
    assert evaluation.milestone_score == pytest.approx(score)
    assert tuple(snapshots(evaluation).values()) == mapping
    assert 0 <= evaluation.score <= 1
    assert evaluation.exact


@settings(max_examples=50)
@given(cases())
def test_names_do_not_count(text: str) -> None:
    renamed = text
    for place in range(4):
        renamed = renamed.replace(f"m{place}", f"z{9 - place}")
    scene, other = scenario(text), scenario(renamed)
    trajectory = played(scene)
    first, two = evaluate(scene, trajectory), evaluate(other, trajectory)
    assert (first.score, list(snapshots(first).values())) == (
        two.score,
        list(snapshots(two).values()),
    )


FREE = {key: text for key, text in EVENTS.items() if "SINCE" not in text and "ANCESTOR" not in text}


@settings(max_examples=50)
@given(
    st.lists(st.sampled_from(sorted(FREE)), min_size=1, max_size=4),
    st.lists(st.sampled_from(STEPS), min_size=1, max_size=5),
)
def test_a_message_more_never_lowers_the_score_without_guardrails(
    kinds: Sequence[str], steps: Sequence[str]
) -> None:
    lines = [f"  m{i}: {{guardrails: none, {FREE[kind]}}}" for i, kind in enumerate(kinds)]
    scene = scenario("milestones:\n" + "\n".join(lines) + script(*steps))
    whole = played(scene)
    scores = [
        evaluate(
            scene, replace(whole, messages=whole.messages[:count], states=whole.states[:count])
        ).milestone_score
        for count in range(2, len(whole.messages) + 1)
    ]
    assert scores == sorted(scores)


# what the search must see


def test_what_changed_since_the_start_is_part_of_the_search() -> None:
    """A better answer does not count once another table is no longer as it was."""
    event = "{state: {item: {added: [{name: sugar}]}}, says: {mentions: [raw, brown]}}"
    evaluation = fares(
        f"milestones:\n  a: {event}", SUGAR, "say: Is it raw?", CLOSE, "say: It is raw and brown."
    )
    (result,) = evaluation.milestones
    assert result.similarity == pytest.approx(0.5**0.5)


@pytest.mark.parametrize(
    ("mine", "score"),
    [
        ("{says: {mentions: [sugar, flour]}}", 0.5),
        ("{says: {mentions: {words: [sugar, flour], threshold: 0.6}}}", 0.0),
        ("{says: {mentions: {words: [sugar, flour], threshold: 0.5}}}", 0.5),
        ("{says: {mentions: [sugar, flour]}, threshold: 0.6}", 0.0),
        ("{says: {mentions: {words: [sugar, flour], threshold: 0.4}}, threshold: 0.6}", 0.5),
    ],
)
def test_a_threshold_limits_a_minefield(mine: str, score: float) -> None:
    expectations = f"threshold: 0.9\nminefields:\n  a: {mine}"
    assert fares(expectations, "say: Sugar is there.").minefield_score == score


def test_of_several_calls_any_that_is_reached_will_do() -> None:
    evaluation = fares(
        """
milestones:
  a:
    call:
      any_of:
        - add_item: {note: {mentions: {words: [brown, raw, old, dry], threshold: 0.9}}}
        - add_item: {note: {mentions: {words: [brown, white], threshold: 0.4}}}
""",
        "add_item: {name: sugar, note: brown raw old}",
    )
    (result,) = evaluation.milestones
    assert (result.similarity, result.reached) == (0.75, True)


def test_a_search_of_rows_that_was_cut_off_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    expected = """
milestones:
  added: {state: {item: {added: [{note: brown sugar}, {note: {rouge_l: a b}}]}}}
"""
    steps = "add_item: {name: salt, note: c}", "add_item: {name: flour, note: a d}"
    assert fares(expected, *steps).ran_out == ()
    monkeypatch.setattr(row_assignment, "_FEW", 0)
    assert fares(expected, *steps).ran_out == ()
    monkeypatch.setattr(row_assignment, "PAIRS", 0)
    assert fares(expected, *steps).ran_out == ("rows",)


@pytest.mark.parametrize(
    ("change", "call"),
    [
        ("added: [{{name: n{0}}}]", "add_item: {{name: n{0}}}"),
        ("updated: [{{name: rice, amount: 1{0}}}]", "set_amount: {{name: rice, amount: 1{0}}}"),
    ],
)
def test_a_chain_since_its_milestones_compares_rows_where_they_may_fit(
    change: str, call: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of 10 milestones and 30 calls there are 18,000 pairs of snapshots."""
    counted: list[Any] = []

    def compare(*arguments: Any, **keywords: Any) -> Any:
        counted.append(arguments)
        return compare_rows(*arguments, **keywords)

    monkeypatch.setattr(rows, "compare_rows", compare)
    likened: list[Any] = []

    def likeness(target: Target, row: Any) -> Any:
        likened.append(row)
        return _likeness(target, row)

    _likeness = Target.likeness
    monkeypatch.setattr(Target, "likeness", likeness)
    since = ["start", *(f"m{number}" for number in range(9))]
    chain = "".join(
        f"  m{number}: {{state: {{item: {{{change.format(2 * number)}, since: {moment}}}}}}}\n"
        for number, moment in enumerate(since)
    )
    calls = (call.format(number) for number in range(30))
    expectations = f"max_messages: 200\nmilestones:\n{chain}"
    score = fares_on_the_way(expectations, *calls).milestone_score
    assert score == (0.5 if "added" in change else 1.0)
    assert len(counted) < 10 * 60
    assert len(likened) < 10 * 30 * 2


def test_where_a_parent_looks_the_same_it_fits_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also at the call of the milestone itself, whose changes are meant there alone."""
    nodes: list[Node] = []

    def mapped(searched: Sequence[Node], positions: int) -> BestMapping:
        nodes.extend(searched)
        return best_mapping(searched, positions)

    monkeypatch.setattr(events, "best_mapping", mapped)
    milestones = "milestones: {a: {call: {open_door: {}}}, b: {call: {open_door: {}}}}"
    fares_on_the_way(milestones, CLOSE, OPEN, CLOSE, OPEN)
    later = nodes[1]
    pairs = [(at, p) for at in range(9) for p in range(at + 1)]
    fits = {(at, later.view(0, p), later.feasible(at, 0, p)) for at, p in pairs}
    assert len(fits) == len({(at, view) for at, view, _ in fits})
    feasible = {(at, p) for at, p in pairs if later.feasible(at, 0, p)}
    assert {(at, p) for at in range(9) for p in later.near(at, 0) if p <= at} == feasible
    assert 0 < len(feasible) < len(pairs)


def test_a_conversation_is_evaluated_once_unless_milestones_solutions_or_embedder_differ() -> None:
    first = scenario(f"milestones:\n  opened: {OPENED}{script(OPEN)}")
    trajectory, same = played(first), played(first)
    assert trajectory is not same
    once = evaluate(first, trajectory)
    assert evaluate(replace(first, variant="all_tools_available"), same) is once
    assert evaluate(replace(first, solutions=dict(first.solutions)), trajectory) is not once
    assert evaluate(replace(first, task=replace(first.task_as(Milestones))), trajectory) is not once
    with using(lambda texts: [[1.0] for _ in texts]):
        assert evaluate(first, trajectory) is not once
