"""Tools that are offered from a later turn on, to agents of every shape."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from pantry import scenario
from rows import every

from pytest_toolsandbox.agents.scripted import oracle
from pytest_toolsandbox.agents.toolbox import Toolbox
from pytest_toolsandbox.authoring.traces.chat import chat_trace
from pytest_toolsandbox.authoring.traces.replaying import replayed
from pytest_toolsandbox.language.mistakes import ScenarioError
from pytest_toolsandbox.runs.trial import play_trial

SHELF = """
guardrails: none
tools: [list_items, add_item, close_door]
offered_from: {add_item: 2, close_door: 3}
HISTORY
user: {turns: [Add tea., Now you can., Close the door.]}
milestones: {added: {turn: 2, guardrails: none, call: {add_item: {name: tea}}}}
solutions:
  plain: [say: I cannot., add_item: {name: tea}, say: Done., close_door: {}, say: Done.]
"""
SCENE = scenario(SHELF.replace("HISTORY", ""))
EARLIER = "history: [{user: Hello?, agent: Hi.}]"


@pytest.mark.parametrize("history", ["", EARLIER])
def test_an_agent_gets_them_in_their_turn(history: str) -> None:
    seen = []

    def agent(_messages: list[dict[str, Any]], tools: list[dict[str, Any]]) -> str:
        seen.append([tool["function"]["name"] for tool in tools])
        return f"That is turn {len(seen)}."

    play_trial(scenario(SHELF.replace("HISTORY", history)), agent)
    assert seen == [
        ["list_items"],
        ["list_items", "add_item"],
        ["list_items", "add_item", "close_door"],
    ]


def test_calls_before_their_turn_are_refused() -> None:
    early = replace(SCENE, solutions={"early": SCENE.solutions["plain"][1:]})
    trial = play_trial(early, oracle(early))
    assert [call.error for call in trial.trajectory.calls] == [
        "NameError: name 'add_item' is not defined: there is no such tool",
        "NameError: name 'close_door' is not defined: there is no such tool",
    ]
    assert play_trial(SCENE, oracle(SCENE)).outcome == "passed"


class OwnLoop:
    """An agent with a loop of its own: it takes its tools once, as most frameworks do."""

    made: list[OwnLoop]

    def __init__(self) -> None:
        self.tools: list[str] = []
        self.heard: list[str] = []
        self.made.append(self)

    def run_turn(self, message: str, toolbox: Toolbox) -> str:
        self.tools = self.tools or [schema["function"]["name"] for schema in toolbox.schemas]
        self.heard.append(message)
        if "add_item" in self.tools and "close_door" not in self.tools:
            toolbox.call("add_item", {"name": "tea"})
        return f"I have {len(self.tools)} tools."


def test_an_agent_with_its_own_loop_is_made_anew() -> None:
    OwnLoop.made = []

    def factory() -> OwnLoop:
        return OwnLoop()

    trial = play_trial(SCENE, factory)
    assert (trial.reason, trial.outcome) == (None, "passed")
    assert [len(agent.tools) for agent in OwnLoop.made] == [1, 2, 3]
    assert "User: Add tea.\nYou: I have 1 tools." in OwnLoop.made[1].heard[0]


@pytest.mark.parametrize("call_format", ["text", "react"])
def test_they_are_described_in_texts(call_format: Any) -> None:
    prompts = []

    def agent(messages: list[dict[str, Any]], tools: list[dict[str, Any]]) -> str:
        assert tools == []
        prompts.append([message["content"] for message in messages])
        return "Done."

    trial = play_trial(replace(SCENE, call_format=call_format), agent)
    system, *_ = prompts[0]
    assert '"name": "list_items"' in system
    assert '"name": "add_item"' not in system
    second, last = prompts[1][-1], prompts[2]
    assert second.startswith("Now you can.\n\nYou have these tools, too, from now on:\n{")
    assert second in last
    assert '"name": "close_door"' in last[-1]
    assert [m.content for m in trial.messages if m.content.startswith("Now")] == ["Now you can."]


def test_conversations_of_other_programs_have_them_in_their_turn() -> None:
    call = {"id": "c", "function": {"name": "add_item", "arguments": '{"name": "tea"}'}}
    made = {"role": "assistant", "content": None, "tool_calls": [call]}
    answer = {"role": "tool", "tool_call_id": "c", "content": "7"}
    for turns, refused in ((["Add tea."], True), (["Add tea.", "Now you can."], False)):
        user_messages = [{"role": "user", "content": text} for text in turns]
        (difference,) = replayed(
            chat_trace([*user_messages, made, answer], "t:1"), SCENE
        ).differences
        assert difference["replayed"].startswith("NameError") == refused


@every(
    ("keys", "problem"),
    [
        (
            "offered_from: {lst_items: 2}",
            "4:16: offered_from.lst_items: unknown tool 'lst_items'; did you mean 'list_items'?",
        ),
        (
            "offered_from: {list_items: 1}",
            "4:28: offered_from.list_items: expected a turn, from 2 to 3; found the number 1",
        ),
        (
            "offered_from: {list_items: 4}",
            "4:28: offered_from.list_items: expected a turn, from 2 to 3; found the number 4",
        ),
        (
            "offered_from: {add_item: 3}",
            "8:10: solutions.plain: 'add_item' is called in turn 2, and offered from turn 3 on",
        ),
    ],
)
def test_mistakes(keys: str, problem: str) -> None:
    lines = SHELF.replace("HISTORY\n", "").replace(
        "offered_from: {add_item: 2, close_door: 3}", keys
    )
    with pytest.raises(ScenarioError) as error:
        scenario(lines)
    assert problem in str(error.value)
