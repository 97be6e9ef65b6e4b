"""The tables at the end, or at the end of a turn, are those that a solution leaves."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from pantry import played, scenario
from rows import every

from pytest_toolsandbox.authoring.proof.proof import prove
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.scoring.milestones.evaluate import evaluate
from pytest_toolsandbox.scoring.results import Difference, Evaluation
from pytest_toolsandbox.worlds.context import WorldError
from pytest_toolsandbox.worlds.world import World, register_world

SHELF = """
protected: none
KEYS
solutions:
  plain:
    - add_item: {name: oats, note: for breakfast}
    - set_amount: {name: rice, amount: 5}
    - say: Done.
counterexamples:
  c: [CALLS, say: Done.]
"""
CALLS = {
    "NO_RICE": "remove_item: {name: rice}",
    "NO_SALT": "remove_item: {name: salt}",
    "NO_OATS": "remove_item: {name: oats}",
    "OATS": "add_item: {name: oats, note: for breakfast}",
    "RICE": "set_amount: {name: rice, amount: 5}",
    "SALT": "add_item: {name: salt, note: coarse sea salt}",
    "CLOSE": "close_door: {}",
    "OPEN": "open_door: {}",
    "LIST": "list_items: {}",
}
NO_RICE, NO_SALT, NO_OATS, OATS, RICE, SALT, CLOSE, OPEN, LIST = CALLS.values()


def ended(calls: str, keys: str = "ends_as: plain") -> Evaluation:
    scene = scenario(SHELF.replace("CALLS", calls).replace("KEYS", keys))
    return evaluate(scene, played(scene, "c"))


def differences(result: Evaluation) -> Iterator[tuple[str, str, object]]:
    for event in result.milestones:
        for constraint in event.nearest.constraints if event.nearest else ():
            for difference in constraint.differences:
                yield difference.where, difference.expected, difference.found


@every(
    "calls",
    [
        f"{RICE}, {LIST}, {OATS}",  # another order: the new identifier is another one
        f"{OATS}, set_amount: {{name: rice, amount: 1}}, {RICE}",
        f"{OATS}, {RICE}, {NO_OATS}, {OATS}",
        f"{OATS}, {RICE}, {CLOSE}, {OPEN}",
        f"{RICE}, add_item: {{name: oats, note: for a breakfast}}",  # by ROUGE-L
    ],
)
def test_the_way_is_free(calls: str) -> None:
    result = ended(calls)
    assert (result.passed, result.side_effects) == (True, ())


@every(
    ("calls", "expected"),
    [
        (OATS, [("item", "{name: 'rice', amount: 5.0}", {"name": "rice", "amount": 2.0})]),
        (
            RICE,
            [("item rows", "{name: 'oats', amount: 1.0, note: 'for breakfast'}", [])],
        ),
        (  # the note is right by ROUGE-L
            "add_item: {name: oats, note: for a breakfast}",
            [("item", "{name: 'rice', amount: 5.0}", {"name": "rice", "amount": 2.0})],
        ),
        (
            f"{OATS}, {RICE}, {CLOSE}",
            [("door", "{open: true}", {"open": False})],
        ),
        (
            f"{OATS}, {RICE}, {OATS}",
            [
                (
                    "item rows",
                    "no such row",
                    [{"name": "oats", "amount": 1.0, "note": "for breakfast"}],
                )
            ],
        ),
        (
            f"add_item: {{name: oats, amount: 3, note: for breakfast}}, {RICE}",
            [("item", "{name: 'oats', amount: 1.0}", {"name": "oats", "amount": 3.0})],
        ),
    ],
)
def test_what_differs_is_said_row_by_row(
    calls: str, expected: list[tuple[str, str, object]]
) -> None:
    result = ended(calls)
    assert not result.passed
    assert list(differences(result)) == expected


def test_a_row_that_was_there_has_its_identifier() -> None:
    calls = f"{OATS}, {RICE}, {NO_SALT}, {SALT}"
    assert not ended(calls).passed


def test_of_many_rows_three_are_said() -> None:
    calls = ", ".join(f"add_item: {{name: n{number}}}" for number in range(5))
    result = ended(f"{OATS}, {RICE}, {calls}")
    (event,) = result.milestones
    assert event.nearest is not None
    shown: tuple[Difference, ...] = event.nearest.constraints[-1].differences
    assert [difference.note for difference in shown] == [
        None,
        None,
        "and 2 more rows of item differ",
    ]


@every(
    ("tables", "passed"),
    [("[item]", True), ("{all_but: [door]}", True), ("all", False), ("[door]", False)],
)
def test_only_the_named_tables_are_compared(tables: str, passed: bool) -> None:
    keys = f"ends_as: {{solution: plain, tables: {tables}}}\nguardrails: none"
    assert ended(f"{OATS}, {RICE}, {CLOSE}", keys).passed is passed


def test_other_tables_are_guarded_as_ever() -> None:
    keys = "ends_as: {solution: plain, tables: [item]}"
    assert [effect.table for effect in ended(f"{OATS}, {RICE}, {CLOSE}", keys).side_effects] == [
        "door"
    ]


def test_a_conversation_that_is_cut_off_has_no_end() -> None:
    keys = "ends_as: plain\nmax_messages: 5"
    assert list(differences(ended(f"{OATS}, {RICE}", keys))) == [
        ("snapshot", "the end of the conversation, which was not reached", 5)
    ]


TURNS = """
protected: none
user: {opening: Oats and five of rice., replies: [{say: And no salt., told: first}]}
milestones:
  first: {turn: 1, ends_as: plain}
  second: {turn: 2, ends_as: {solution: plain, tables: [item]}}
solutions:
  plain: [OATS, RICE, say: "The first is done.", NO_SALT, say: Done.]
counterexamples:
  late: [OATS, say: "The first is done.", RICE, NO_SALT, say: Done.]
  early: [OATS, RICE, NO_SALT, say: "The first is done.", say: Done.]
  unfinished: [OATS, RICE, say: "The first is done.", say: Done.]
  there_and_back: [NO_RICE, RICE, OATS, say: "The first is done.", say: Done.]
  with_the_door: [OATS, RICE, say: "The first is done.", CLOSE, NO_SALT, say: Done.]
"""


def in_turns() -> Scenario:
    text = TURNS
    for name, call in CALLS.items():
        text = text.replace(name, call)
    return scenario(text)


@every(
    ("name", "missed"),
    [
        ("plain", []),
        ("late", ["first"]),
        ("early", ["first"]),
        ("unfinished", ["second"]),
        ("there_and_back", ["first", "second"]),
    ],
)
def test_each_turn_ends_as_that_turn_of_the_solution(name: str, missed: list[str]) -> None:
    scene = in_turns()
    result = evaluate(scene, played(scene, name))
    assert [event.name for event in result.milestones if not event.reached] == missed


def test_a_table_that_no_turn_names_is_guarded() -> None:
    scene = in_turns()
    result = evaluate(scene, played(scene, "with_the_door"))
    assert not result.passed


@every(
    ("event", "calls", "passed"),
    [
        ("{turn: 2, call: list_items}", f"say: first, {LIST}, say: Done.", True),
        ("{turn: 1, call: list_items}", f"say: first, {LIST}, say: Done.", False),
        ("{turn: 1, call: list_items}", f"{LIST}, say: first, say: Done.", True),
        ("{turn: 2, user_says: {contains: salt}}", "say: first, say: Done.", True),
        ("{turn: 1, user_says: {contains: salt}}", "say: first, say: Done.", False),
        ("{turn: 2, says: {contains: Done}}", "say: first, say: Done.", True),
        ("{turn: 1, says: {contains: Done}}", "say: first, say: Done.", False),
        ("{turn: 1, state: {door: {open: false}}}", f"{CLOSE}, {OPEN}, say: first", False),
        ("{turn: 1, state: {door: {open: false}}}", f"{CLOSE}, say: first, {OPEN}", True),
        ("{turn: 7, says: {contains: Done}}", "say: first, say: Done.", False),
    ],
)
def test_a_milestone_in_a_turn(event: str, calls: str, passed: bool) -> None:
    scene = scenario(
        f"""
        protected: none
        guardrails: none
        user: {{opening: Hi., replies: [{{say: And no salt., told: first}}]}}
        history: [{{user: Are you there?, agent: Yes.}}]
        milestones: {{it: {event}}}
        solutions: {{plain: [{calls}]}}
        """
    )
    assert evaluate(scene, played(scene)).passed is passed


def test_a_solution_that_cannot_be_played_is_an_error_of_the_world() -> None:
    scene = scenario(
        """
        protected: none
        ends_as: plain
        solutions: {plain: [give: {what: set}, say: Done.]}
        counterexamples: {c: [say: Done.]}
        """
    )
    with pytest.raises(WorldError, match="solution 'plain', with which the tables are compared"):
        evaluate(scene, played(scene, "c"))
    assert any("cannot be played" in finding for finding in prove(scene).findings)


def test_mutants_of_the_end_die() -> None:
    scene = scenario(SHELF.replace("CALLS", OATS).replace("KEYS", "ends_as: plain"))
    proof = prove(scene)
    assert {survivor.kind for survivor in proof.survivors} == {"answer emptied", "answer denied"}
    assert proof.died["call dropped"] == 2
    assert proof.died["row deleted"] == 1


class Plane:
    """An aeroplane, whose seats are deep inside its rows."""

    def __init__(self) -> None:
        days = {f"2025-05-{day:02}": {"free": [day, 40], "open": True} for day in range(1, 31)}
        self.flights = {"F1": {"to": "Lagos", "days": days}}

    def book(self, day: str, seats: int = 1, note: str | None = None) -> None:
        """Book seats."""
        self.flights["F1"]["days"][day]["free"][1] -= seats  # type: ignore[index]
        if note:
            self.flights["F1"]["note"] = note


def test_of_values_inside_values_the_smallest_parts_are_said() -> None:
    register_world(World.of(Plane, name="plane", state=["flights"]))
    scene = scenario(
        """
        world: plane
        protected: none
        ends_as: plain
        solutions: {plain: [book: {day: 2025-05-29}, say: Done.]}
        counterexamples:
          three: [book: {day: 2025-05-29, seats: 3, note: all}, say: Done.]
          four_days:
            - book: {day: {each: [2025-05-01, 2025-05-02, 2025-05-03, 2025-05-04]}}
            - say: Done.
        """
    )
    assert list(differences(evaluate(scene, played(scene, "three")))) == [
        (
            "flights",
            "{id: 'F1', 'days.2025-05-29.free[1]': 39}",
            {"id": "F1", "days.2025-05-29.free[1]": 37, "note": "all"},
        )
    ]
    (event,) = evaluate(scene, played(scene, "four_days")).milestones
    assert event.nearest is not None
    (difference,) = event.nearest.constraints[-1].differences
    assert len(difference.found) == 5  # the first column, and four values
    assert difference.note == "and 1 more value of it differ"
