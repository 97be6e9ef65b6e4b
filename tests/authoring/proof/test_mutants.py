"""Which mutants a solution has, and which values they use."""

from __future__ import annotations

from typing import Any

import pytest
from pantry import scenario
from rows import every

from pytest_toolsandbox.authoring.proof.mutants import (
    ANOTHER_TEXT,
    DENIAL,
    Mutant,
    mutants,
    mutated,
)
from pytest_toolsandbox.authoring.proof.played_solution import solved
from pytest_toolsandbox.conversation.messages import Trajectory
from pytest_toolsandbox.conversation.play import PlayError
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.scoring.milestones.evaluate import evaluate
from pytest_toolsandbox.worlds.state import State, Table

BAKING = """
user:
  opening: Fill the pantry.
  replies: [{say: Two bags.}]
state:
  door: {open: false}
  bin: {added: [{what: peel}]}
milestones:
  looked: {call: {list_items: {}}}
  filled: {state: {item: {includes: [{name: flour, amount: 2}]}}}
protected: [bin]
solutions:
  asks:
    - list_items:
    - say: How much?
    - open_door:
    - add_item: {name: flour, amount: 2}
    - set_amount: {name: {from: {call: list_items, path: "[0].name"}}, amount: 3}
    - weigh: {name: flour}
    - say: Done.
"""


def made(scene: Scenario) -> list[Mutant]:
    return list(mutants(solved(scene, scene.solutions["asks"])))


def mutants_in_words(scene: Scenario) -> list[str]:
    return [f"{mutant.kind}: {mutant.what}" for mutant in made(scene)]


def calls(trajectory: Trajectory) -> list[str]:
    return [m.call.name for m in trajectory.messages if m.call and m.sender.value == "agent"]


def test_all_of_a_solution() -> None:
    assert mutants_in_words(scenario(BAKING)) == [
        "call dropped: list_items()",
        "call dropped: open_door()",
        "call dropped: add_item(name='flour', amount=2)",
        "call dropped: set_amount(name='rice', amount=3)",
        "call repeated: open_door made twice",
        "call repeated: add_item made twice",
        "call repeated: set_amount made twice",
        "argument changed: add_item: name='Something else altogether' instead of 'flour'",
        "argument changed: add_item: amount=9 instead of 2",
        "argument changed: set_amount: name='salt' instead of 'rice'",
        "argument changed: set_amount: amount=10 instead of 3",
        "answer emptied: the last message says nothing",
        f"answer denied: the last message says: {DENIAL}",
        "calls swapped: set_amount before list_items",
        "calls swapped: add_item before open_door",
        "row deleted: a row of item",
        "row deleted: a row of bin",
    ]


def of_kind(scene: Scenario, kind: str) -> list[Mutant]:
    return [mutant for mutant in made(scene) if mutant.kind == kind]


def test_a_dropped_call_leaves_the_others_their_values() -> None:
    dropped = of_kind(scenario(BAKING), "call dropped")[0]
    trajectory = dropped.play()
    assert calls(trajectory)[:4] == ["open_door", "add_item", "set_amount", "weigh"]
    final = trajectory.states[-1]["item"]
    assert [row["amount"] for row in final if row["name"] == "rice"] == [3]
    assert dropped.asked


def test_what_follows_from_a_changed_argument_changes_too() -> None:
    scene = scenario(
        """
        milestones: {filled: {state: {item: {includes: [{name: flour}]}}}}
        solutions:
          asks:
            - weigh: {name: nothing}
            - add_item: {name: {from: {call: weigh, path: name}}}
            - say: Done.
        """
    )
    changed = [m for m in made(scene) if m.kind == "argument changed"]
    assert [(m.what.split(":")[0], m.asked) for m in changed] == [
        ("weigh", False),
        ("add_item", False),
    ]
    names = {row["name"] for row in changed[0].play().states[-1]["item"]}
    assert "Something else altogether" in names


def test_a_mutant_whose_later_steps_miss_a_value_is_no_agent() -> None:
    scene = scenario(
        """
        state: {item: {rows: [{name: salt}]}}
        milestones: {weighed: {call: {weigh: {name: salt}}}}
        solutions:
          asks:
            - weigh: {name: salt}
            - set_amount: {name: salt, amount: {from: {call: weigh, path: kilograms}}}
            - say: Done.
        """
    )
    changed = next(mutant for mutant in made(scene) if mutant.kind == "argument changed")
    assert (changed.what, changed.asked) == (
        f"weigh: name={ANOTHER_TEXT!r} instead of 'salt'",
        True,
    )
    with pytest.raises(PlayError, match="finds nothing at 'kilograms'"):
        changed.play()


def test_what_is_withheld_is_tried_before_the_last_message() -> None:
    scene = scenario(
        """
        withheld: [weigh]
        milestones: {told: {says: {refuses: [weigh]}}}
        minefields: {weighed: {tried: weigh}}
        solutions: {asks: [say: I can't weigh it.]}
        """
    )
    (tried,) = (mutant for mutant in made(scene) if mutant.kind == "withheld tool tried")
    assert (tried.what, calls(tried.play())[:1]) == ("weigh()", ["weigh"])


def test_calls_made_at_once() -> None:
    scene = scenario(
        """
        milestones: {filled: {state: {item: {includes: [{name: flour}]}}}}
        solutions:
          asks: [parallel: [add_item: {name: flour}, add_item: {name: salt}], say: Done.]
        """
    )
    dropped, _ = of_kind(scene, "call dropped")
    assert dropped.what == "add_item(name='flour')"
    changed, _ = of_kind(scene, "argument changed")
    for mutant in (dropped, changed):
        names = {row["name"] for row in mutant.play().states[-1]["item"]}
        assert "salt" in names
        assert "flour" not in names


def test_a_row_is_gone_from_the_last_answer_on() -> None:
    *_, deleted = of_kind(scenario(BAKING), "row deleted")
    trajectory = deleted.play()
    lengths = [len(state["bin"]) for state in trajectory.states]
    whole = len(trajectory.start["bin"])
    assert set(lengths) == {whole, whole - 1}
    assert lengths == sorted(lengths, reverse=True)
    assert trajectory.messages[lengths.index(whole - 1)].call is not None


def test_what_the_user_did_not_wait_for_is_no_answer_and_history_no_step() -> None:
    scene = scenario(
        """
        history: [{user: Hello}, {agent: Hello!}]
        milestones: {told: {says: {contains: Done}}}
        solutions: {asks: [{say: Done.}, {say: Never said.}]}
        """
    )
    assert mutants_in_words(scene)[0] == "answer emptied: the last message says nothing"
    (emptied,) = of_kind(scene, "answer emptied")
    spoken = [m.content for m in emptied.play().messages if m.sender.value == "agent"]
    assert spoken == ["Hello!", ""]


def test_a_conversation_that_is_as_long_as_it_may_be() -> None:
    text = """
    max_messages: 3
    milestones: {filled: {state: {item: {includes: [{name: flour}]}}}}
    solutions: {asks: [{add_item: {name: flour}}, LAST]}
    """
    spoken = scenario(text.replace("LAST", "{say: Done.}"))
    assert [mutant.kind for mutant in made(spoken)][:5] == [
        "call dropped",
        "call repeated",
        "argument changed",
        "answer emptied",
        "answer denied",
    ]
    called = scenario(text.replace("LAST", "{add_item: {name: salt}}"))
    kinds = {mutant.kind for mutant in made(called)}
    assert kinds == {"call dropped", "call repeated", "argument changed", "row deleted"}


def test_of_calls_made_at_once_those_that_came_through_count() -> None:
    """The item is added before the door is open, and fails: the state shows that too late."""
    scene = scenario(
        """
        state: {door: {open: false}}
        milestones: {filled: {state: {item: {includes: [{name: flour}]}}}}
        solutions:
          asks:
            - parallel: [open_door: , add_item: {name: flour}]
            - add_item: {name: flour}
            - say: Done.
        """
    )
    dropped = [mutant.what for mutant in made(scene) if mutant.kind == "call dropped"]
    assert dropped == ["open_door()", "add_item(name='flour')"]


def test_a_text_says_the_opposite() -> None:
    texts = (
        "The tea is green",
        "Is the tea green?",
        "I'm out of tea",
        "Tea that can't be green",
        "Tea",
        "I'm not here",
        "It will never be green",
        "The tea can\u2019t be green",
        "There is nobody",
        "I am out of tea",
        "TV 2 will show it",
    )
    steps = ", ".join(f'{{add_item: {{name: tea, note: "{text}"}}}}' for text in texts)
    scene = scenario(
        f"""
        milestones: {{there: {{state: {{item: {{includes: [{{name: tea}}]}}}}}}}}
        solutions: {{asks: [{steps}, {{say: Done.}}]}}
        """
    )
    assert [mutant.what for mutant in made(scene) if mutant.kind == "text negated"] == [
        "add_item: note='The tea is not green' instead of 'The tea is green'",
        'add_item: note="I\'m not out of tea" instead of "I\'m out of tea"',
        "add_item: note='I am not out of tea' instead of 'I am out of tea'",
        "add_item: note='TV 2 will not show it' instead of 'TV 2 will show it'",
    ]


STATE = State(
    {
        "empty": Table(),
        "people": Table(
            [
                {"name": "Ada", "number": "+14155550100", "note": None},
                {"name": "Ben", "number": "+14155550111", "note": "tall"},
                {"name": "Ada", "number": "+14155550122", "note": None},
            ]
        ),
        "only": Table([{"code": "x1"}]),
        "holes": Table([{"code": "y1", "note": "left out below"}, {"code": "y2"}]),
    }
)


@every(
    ("value", "other"),
    [
        (True, False),
        (5, 12),
        (-0.5, 6.5),
        (1747243800.0, 1747247400.0),
        ("Ada", "Ben"),
        ("Ben", "Ada"),
        ("+14155550111", "+14155550100"),
        ("tall", "Something else altogether"),
        ("x1", "Something else altogether"),
        ("a text", "Something else altogether"),
        ("+1 (415) 555-0199", "+1 (415) 555-0190"),
        ("4711", "4712"),
        (None, None),
        ("left out below", "Something else altogether"),
        ([None, "Ada", "Ada"], [None, "Ben", "Ada"]),
        (("Ada",), ["Ben"]),
        ({"who": {"age": None, "names": ["Ben"]}}, {"who": {"age": None, "names": ["Ada"]}}),
        ([False], [True]),
        ([], None),
        ({"a": [None]}, None),
    ],
)
def test_changed(value: Any, other: Any) -> None:
    assert mutated(value, STATE) == other


TURNS = """
protected: none
guardrails: none
user: {turns: [Tea and rice., And salt., Thanks.]}
milestones: {MILESTONES}
solutions:
  asks:
    - parallel: [{add_item: {name: tea}}, {list_items: {}}, {set_amount: {name: rice, amount: 3}}]
    - say: Done.
    - remove_item: {name: salt}
    - say: Done.
    - say: Bye.
"""
FIRST, SECOND = (
    "first: {turn: 1, ends_as: asks}",
    "second: {turn: 2, state: {item: {excludes: [{name: salt}]}}}",
)


@every(
    ("milestones", "late"),
    [
        (FIRST, ["add_item in turn 2 instead of 1", "set_amount in turn 2 instead of 1"]),
        (SECOND, ["remove_item in turn 3 instead of 2"]),
        ("said: {turn: 1, says: {contains: Done}}", []),
        ("end: {ends_as: asks}", []),
        ("last: {turn: 3, ends_as: asks}", []),
    ],
)
def test_calls_come_a_turn_late_where_the_end_of_the_turn_is_asked_for(
    milestones: str, late: list[str]
) -> None:
    scene = scenario(TURNS.replace("MILESTONES", milestones))
    mutated_scenes = of_kind(scene, "call a turn late")
    assert [mutant.what for mutant in mutated_scenes] == late
    assert not any(evaluate(scene, mutant.play()).passed for mutant in mutated_scenes)
    assert [calls(m.play()) for m in mutated_scenes[:1] if milestones == FIRST] in (
        [],
        [["list_items", "set_amount", "add_item", "remove_item"]],
    )


def test_an_answering_user_s_turns_are_left_alone() -> None:
    text = TURNS.replace("MILESTONES", FIRST).replace(
        "turns: [Tea and rice., ", "opening: Tea., replies: ["
    )
    text = text.replace("replies: [And salt., Thanks.]", "replies: [{told: Done, say: And salt.}]")
    assert of_kind(scenario(text), "call a turn late") == []
