from __future__ import annotations

import itertools
import json
from collections.abc import Callable
from typing import Any

import pytest
from pantry import contents, played, scenario
from replayed import recorded

from pytest_toolsandbox.agents.resolving import resolve_agent
from pytest_toolsandbox.agents.scripted import (
    NOTHING_LEFT,
    TextCallingAgent,
    counterexample,
    oracle,
    read_messages,
    scripted,
)
from pytest_toolsandbox.calls.text_format import REACT, TEXT, TextFormat, with_call_text
from pytest_toolsandbox.conversation.play import PlayError, converse, play
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.language.variants import variant
from pytest_toolsandbox.models.errors import AgentError
from pytest_toolsandbox.scoring.judging import judge
from pytest_toolsandbox.users.user import scripted_user

SCENE = scenario(
    """
    user:
      opening: Fill the pantry.
      replies: [{say: Two bags.}]
    solutions:
      asks:
        - say: How much?
        - parallel:
          - add_item: {name: flour, amount: 2}
          - list_items: {}
        - say: Done.
      guesses:
        - add_item: {name: flour}
    counterexamples:
      idles:
        - say: I am tired.
      flies:
        - fly: {to: the moon}
    """
)


def conversation(*contents: str) -> list[dict[str, Any]]:
    """Return what an agent sees that said all this, and was asked to go on."""
    asked = {"role": "user", "content": "Go on."}
    pairs = ([{"role": "assistant", "content": content}, asked] for content in contents)
    return [asked, *itertools.chain.from_iterable(pairs)]


def test_the_oracle_plays_the_first_solution() -> None:
    agent = oracle(SCENE)
    assert agent(conversation(), []) == "How much?"
    reply = agent(conversation("How much?"), [])
    assert reply == {
        "role": "assistant",
        "content": None,
        "tool_calls": [
            {
                "id": "call-1-0",
                "type": "function",
                "function": {"name": "add_item", "arguments": '{"name": "flour", "amount": 2}'},
            },
            {
                "id": "call-1-1",
                "type": "function",
                "function": {"name": "list_items", "arguments": "{}"},
            },
        ],
    }
    assert agent([*conversation("How much?"), reply], []) == "Done."


def test_after_the_last_step_there_is_nothing_to_add() -> None:
    assert oracle(SCENE)(conversation("", "", ""), []) == NOTHING_LEFT
    assert scripted(SCENE, ())(conversation(), []) == NOTHING_LEFT
    assert "?" not in NOTHING_LEFT


def test_counterexamples_go_by_name() -> None:
    assert counterexample(SCENE) == counterexample(SCENE, "idles")
    assert counterexample(SCENE)(conversation(), []) == "I am tired."
    reply = counterexample(SCENE, "flies")(conversation(), [])
    assert isinstance(reply, dict)
    assert reply["tool_calls"][0]["function"] == {"name": "fly", "arguments": '{"to": "the moon"}'}


def test_a_missing_script_is_an_error() -> None:
    with pytest.raises(AgentError) as caught:
        oracle(scenario(""))
    assert str(caught.value) == "scenario 'test' has no solutions for the oracle; write some"
    with pytest.raises(AgentError) as caught:
        counterexample(scenario(""))
    assert str(caught.value) == "scenario 'test' has no counterexamples"
    with pytest.raises(AgentError) as caught:
        counterexample(SCENE, "idle")
    assert str(caught.value) == (
        "scenario 'test': unknown counterexample 'idle'; did you mean 'idles'? "
        "(allowed: idles, flies)"
    )


def test_a_solution_is_played_to_its_end() -> None:
    trajectory = played(SCENE)
    assert contents(trajectory)[1:5] == ["Fill the pantry.", "How much?", "Two bags.", ""]
    assert [row["name"] for row in trajectory.states[-1]["item"]] == ["rice", "salt", "flour"]
    assert contents(trajectory)[-3:] == ["Done.", "", "null"]
    assert contents(played(SCENE, "guesses"))[-3] == NOTHING_LEFT


def test_earlier_agent_messages_are_not_steps() -> None:
    scene = scenario(
        """
        history:
          - user: Good morning.
          - agent: Good morning! Any wishes?
          - {role: agent, content: They like salt., visible_to: [agent]}
          - {role: agent, content: Never seen by the agent., visible_to: [user]}
        solutions: {only: [{say: First.}]}
        """
    )
    assert scripted(scene, scene.solutions["only"]).earlier_message_count == 2
    assert contents(played(scene))[6] == "First."


def weighing(says: str, path: str = "kilograms") -> Scenario:
    return scenario(
        f"""
        solutions:
          only:
            - weigh: {{name: salt}}
            - weigh: {{name: rice}}
            - add_item: {{name: copy, amount: {{from: {{call: weigh, path: {path}}}}}}}
            - say: {says}
        """
    )


@pytest.mark.parametrize(
    ("says", "text"),
    [
        ("{from: {call: weigh, path: kilograms}}", "2.46912"),
        ('{from: {call: weigh, path: kilograms, format: "It is {:.1f} kg."}}', "It is 2.5 kg."),
        ("{from: {call: weigh, path: name}}", "rice"),
        ("{from: {call: add_item, format: 'Its number is {}'}}", None),
    ],
)
def test_a_step_takes_from_the_latest_result_of_a_tool(says: str, text: str | None) -> None:
    trajectory = played(weighing(says))
    copy = trajectory.states[-1]["item"].rows[-1]
    assert (copy["name"], copy["amount"]) == ("copy", 2.46912)
    expected = text or f"Its number is {copy['item_id']}"
    assert contents(trajectory)[-3] == expected


def play_badly(scene: Scenario) -> str:
    with pytest.raises(PlayError) as caught:
        played(scene)
    return str(caught.value)


def test_a_script_that_finds_nothing_says_so() -> None:
    assert play_badly(weighing("Done.", "pounds")) == (
        "the script finds nothing at 'pounds' in the result of weigh"
    )
    nothing = scenario(
        "solutions: {only: [{open_door: {}}, {say: {from: {call: open_door}}}]}\n"
        "state: {door: {open: false}}"
    )
    assert play_badly(nothing) == "the script finds nothing in the result of open_door"


def test_a_call_that_failed_has_no_result() -> None:
    scene = scenario("solutions: {only: [{open_door: {}}, {say: {from: {call: open_door}}}]}")
    assert play_badly(scene) == "the script needs a result of open_door, which has given none"


def test_a_later_failure_leaves_the_earlier_result() -> None:
    scene = scenario(
        """
        solutions:
          only:
            - add_item: {name: sugar}
            - close_door: {}
            - add_item: {name: flour}
            - say: {from: {call: add_item}}
        """
    )
    trajectory = played(scene)
    assert contents(trajectory)[-3] == json.loads(contents(trajectory)[3])


def test_a_scripted_agent_keeps_nothing_between_conversations() -> None:
    agent = oracle(SCENE)
    first, second = (play(SCENE, agent, scripted_user(SCENE)) for _ in range(2))
    assert first == second
    assert agent == scripted(SCENE, SCENE.solutions["asks"])


def test_a_solution_by_its_name() -> None:
    agent = oracle(SCENE, "guesses")
    assert agent(conversation(), [])["tool_calls"][0]["function"]["name"] == "add_item"  # type: ignore[index]
    with pytest.raises(AgentError, match="unknown solution 'gueses'; did you mean 'guesses'"):
        oracle(SCENE, "gueses")


def test_the_turns_of_a_recorded_conversation_are_taken_one_call_at_a_time() -> None:
    scene = recorded()
    agent = oracle(scene)
    begun: list[dict[str, Any]] = [{"role": "user", "content": "Wake me."}]
    first = agent(begun, [])
    assert isinstance(first, dict)
    assert first["tool_calls"][0]["function"] == {
        "name": "AddAlarm",
        "arguments": '{"time": "18:30:00"}',
    }
    answered = [*begun, first, {"role": "tool", "tool_call_id": "call-0-0", "content": "{}"}]
    assert agent(answered, []) == "It is set."
    done = [{"role": "assistant", "content": "."}] * 3
    assert agent([*begun, *done], []) == NOTHING_LEFT
    with pytest.raises(AgentError, match="has no solutions"):
        oracle(scene, "any")


def native(*names: str, content: str | None = None, place: int = 2) -> dict[str, Any]:
    calls = [
        {"id": f"{place}-{i}", "type": "function", "function": {"name": name, "arguments": "{}"}}
        for i, name in enumerate(names)
    ]
    return {"role": "assistant", "content": content, "tool_calls": calls}


OPENING = [{"role": "system", "content": "s"}, {"role": "user", "content": "Observation: none"}]


def replying(reply: Any) -> Callable[..., Any]:
    return lambda *_: reply


def answered(content: str, call: str) -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": call, "content": content}


@pytest.mark.parametrize(
    "messages",
    [
        OPENING,
        [*OPENING, native("list_items"), answered("[]", "2-0")],
        [*OPENING, native("a", "b", content="So."), answered("1", "2-0"), answered("2", "2-1")],
        [*OPENING, {"role": "assistant", "content": "Hello"}, OPENING[1]],
    ],
)
@pytest.mark.parametrize("written", [TEXT, REACT])
def test_written_calls_are_read_back(messages: list[dict[str, Any]], written: TextFormat) -> None:
    assert read_messages(with_call_text(messages, written), written) == messages


def test_texts_and_calls_are_written() -> None:
    writing = TextCallingAgent(replying(native("a", "b")))
    assert writing([], []) == "Action: a with Action Input: {}\nAction: b with Action Input: {}"
    assert TextCallingAgent(replying("Done."))([], []) == "Done."


def test_where_every_reply_has_to_be_a_call_a_text_is_the_answer() -> None:
    finishing = TextCallingAgent(replying('It is "two".'), must_call=True)
    assert finishing([], []) == r'Action: finish with Action Input: {"answer": "It is \"two\"."}'


TALK = """
    call_format: text
    user: {opening: Fill it., replies: [say: "Observation: it is dark. And rice."]}
    milestones: {full: {state: {item: {added: [{name: tea}, {name: rice}]}}}}
    solutions:
      one:
        - add_item: {name: tea}
        - say: Anything else?
        - parallel: [{list_items: {}}, {add_item: {name: rice}}]
        - say: Done.
"""
QUERY = """
    call_format: text
    query: How much rice is there?
    answer: 2.0
    solutions:
      finished:
        - list_items: {}
        - finish: {answer: {from: {call: list_items, path: "[0].amount"}}}
      said:
        - parallel: [{list_items: {}}, {weigh: {name: rice}}]
        - say: There are 2.0 of it.
"""


@pytest.mark.parametrize(
    "text", [TALK, QUERY, TALK.replace("text", "react", 1), QUERY.replace("text", "react", 1)]
)
@pytest.mark.parametrize("augmentation", [None, "tool_name_scrambled"])
def test_solutions_hold_in_text(text: str, augmentation: str | None) -> None:
    scene = scenario(text) if augmentation is None else variant(scenario(text), augmentation)
    for name in scene.solutions:
        agent = resolve_agent(f"oracle:{name}", {}, scene)
        trajectory = converse(scene, agent, scripted_user(scene))
        assert "Action Input" not in " ".join(contents(trajectory)[1:])
        judgement = judge(scene, trajectory)
        assert judgement.passed
        assert judgement.patterns.findings == ()
