"""What a wrapped agent keeps of the agent in it."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from pantry import scenario

from pytest_toolsandbox import ModelAgent, play_trial, wrap_agent
from pytest_toolsandbox.agents.agent import conversations_at_once
from pytest_toolsandbox.agents.programs.command import Command
from pytest_toolsandbox.agents.programs.service import Service
from pytest_toolsandbox.agents.scripted import is_scripted, oracle, unhelpful
from pytest_toolsandbox.agents.shapes import shape_of
from pytest_toolsandbox.records.configuration import agent_record

PANTRY = scenario(
    """
    user: {opening: How much rice is there?}
    solutions: {only: [{weigh: {name: rice}}, {say: Two.}]}
    """
)


async def later(messages: Any, tools: Any) -> str:
    return f"{len(messages)} {len(tools)}"


class Talker:
    def __init__(self) -> None:
        self.closed = False
        made.append(self)

    def run_turn(self, message: str, toolbox: Any) -> str:
        toolbox.add_usage(input_tokens=3, output_tokens=1)
        return f"{message} {toolbox.call('weigh', {'name': 'rice'})}"

    def close(self) -> None:
        self.closed = True


made: list[Talker] = []
AGENTS = [
    *(later, Talker, ModelAgent("acme/model"), unhelpful, Command(("program",))),
    Service("http://localhost/turn"),
]


@pytest.mark.parametrize("agent", AGENTS)
def test_it_is_taken_for_the_agent_in_it(agent: Any) -> None:
    wrapped = wrap_agent(wrap_agent(agent, before=print), after=print)
    assert shape_of(wrapped) == shape_of(agent)
    assert conversations_at_once(wrapped) == conversations_at_once(agent)
    assert agent_record("mine", wrapped) == agent_record("mine", agent)
    assert is_scripted(wrapped) == is_scripted(agent)


def test_each_reply_of_an_agent_with_a_loop_is_seen() -> None:
    seen: list[Any] = []
    outer = wrap_agent(Talker, before=lambda messages, _: seen.append(len(messages)))
    agent = wrap_agent(outer, after=lambda _, reply: seen.append(reply))
    trial = play_trial(PANTRY, agent)
    assert seen[0] == 2
    assert seen[1]["tool_calls"][0]["function"]["name"] == "weigh"
    assert seen[2] == 4
    assert seen[3].startswith("How much rice is there? {")
    assert trial.usage["agent"].input_tokens == 6  # of two turns
    assert made[-1].closed


def test_a_scripted_agent_plays_its_script() -> None:
    replies: list[Any] = []
    agent = wrap_agent(oracle(PANTRY), after=lambda _, reply: replies.append(reply))
    trial = play_trial(PANTRY, agent)
    assert trial.outcome == "passed"
    assert trial.duration is None
    assert replies[-1] == "Two."


def test_it_can_be_called_as_the_agent_in_it() -> None:
    seen: list[Any] = []
    agent = wrap_agent(
        later,
        before=lambda messages, tools: seen.append((messages, tools)),
        after=lambda _, reply: seen.append(reply),
    )
    assert asyncio.run(agent([1], [2, 3])) == "1 2"
    assert seen == [([1], [2, 3]), "1 2"]


@pytest.mark.parametrize(
    ("function", "problem"),
    [(3, "before must be a function, not 3"), (later, "before must be a plain function")],
)
def test_what_cannot_be_called_is_refused(function: Any, problem: str) -> None:
    with pytest.raises(TypeError, match=problem):
        wrap_agent(later, before=function)
