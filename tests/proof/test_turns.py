"""What an agent does, turn by turn, and an agent that does it again."""

from __future__ import annotations

import pytest
from pantry import played, scenario
from replayed import recorded

from pytest_toolsandbox.agents.scripted import oracle
from pytest_toolsandbox.conversation.replay import replay
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.proof.turns import Place, Turn, Written, done, turns_of, written

BAKING = """
user:
  opening: Fill the pantry.
  replies: [{say: Two bags.}]
history: [{agent: Hello}]
solutions:
  asks:
    - open_door:
    - say: How much?
    - parallel: [add_item: {name: flour, amount: 2}, weigh: {name: salt}]
    - list_items:
    - say: Done.
"""
QUERY = """
query: What is there?
answer: rice
solutions:
  looks: [{list_items: {}}, {finish: {answer: rice}}]
"""


def test_turns_end_where_somebody_else_speaks() -> None:
    scene = scenario(BAKING)
    turns, places = turns_of(scene, played(scene))
    assert turns == [
        Turn(((Written("open_door", "{}"),),), "How much?"),
        Turn(
            (
                (written("add_item", name="flour", amount=2), written("weigh", name="salt")),
                (Written("list_items", "{}"),),
            ),
            "Done.",
        ),
    ]
    assert places == [Place(0, 0, 0, 4), Place(1, 0, 0, 9), Place(1, 0, 1, 10), Place(1, 1, 0, 12)]
    messages = played(scene).messages
    assert [messages[place.answer].call for place in places] == [
        message.call for message in messages if message.call and message.sender.value == "agent"
    ]


def test_a_query_ends_with_a_call() -> None:
    scene = scenario(QUERY)
    turns, _ = turns_of(scene, played(scene))
    assert [(len(turn.batches), turn.text) for turn in turns] == [(2, None)]


@pytest.mark.parametrize("scene", [scenario(BAKING), scenario(QUERY)], ids=["user", "query"])
def test_what_was_done_is_done_again(scene: Scenario) -> None:
    again = done(scene, turns_of(scene, played(scene))[0])
    assert [m.content for m in again.messages] == [m.content for m in played(scene).messages]
    assert again.states == played(scene).states


def test_a_recorded_conversation_is_taken_again() -> None:
    scene = recorded()
    first = replay(scene, oracle(scene))
    again = done(scene, turns_of(scene, first)[0])
    assert [m.content for m in again.messages] == [m.content for m in first.messages]
