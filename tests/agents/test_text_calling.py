"""An agent that knows native calls, where calls have to be written."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from pantry import contents, scenario

from pytest_toolsandbox.agents.resolving import resolve_agent
from pytest_toolsandbox.agents.scripted import TextCallingAgent, read_messages
from pytest_toolsandbox.calls.text_format import REACT, TEXT, TextFormat, with_call_text
from pytest_toolsandbox.conversation.play import converse
from pytest_toolsandbox.language.variants import variant
from pytest_toolsandbox.scoring.judging import judge
from pytest_toolsandbox.users.user import scripted_user


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
def test_what_was_written_is_read_as_it_was_meant(
    messages: list[dict[str, Any]], written: TextFormat
) -> None:
    assert read_messages(with_call_text(messages, written), written) == messages


def test_what_an_agent_says_and_calls_is_written() -> None:
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
