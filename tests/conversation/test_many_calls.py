"""Calls of one reply are made as far as ``max_messages`` leaves room for them and their answers."""

from __future__ import annotations

from typing import Any

import pytest
from pantry import scenario
from replayed import ALARMS, call, recorded

from pytest_toolsandbox.agents.agent import Agent
from pytest_toolsandbox.conversation.play import converse
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.records.writing import ran_out
from pytest_toolsandbox.scoring.judging import judge
from pytest_toolsandbox.users.user import scripted_user

QUERY = "query: What is there?\nanswer: rice\nmax_calls: 500\n"
TOOLS = {"user": "list_items", "query": "list_items", "recorded": "FindAlarms"}


def scenes(limit: int) -> dict[str, Scenario]:
    messages = f"max_messages: {limit}\n"
    return {
        "user": scenario(messages),
        "query": scenario(QUERY + messages),
        "recorded": recorded(ALARMS + messages),
    }


def calling_much(tool: str) -> Agent:
    """Return an agent that calls a tool a thousand times at once, and then is done."""

    def agent(messages: list[dict[str, Any]], tools: list[dict[str, Any]]) -> Any:
        del tools
        if messages[-1]["role"] == "tool":
            return "Done."
        return {"content": None, "tool_calls": [call(tool)] * 1000}

    return agent


@pytest.mark.parametrize("protocol", scenes(30))
@pytest.mark.parametrize(("limit", "made"), [(1, 1), (2, 1), (3, 1), (30, 15), (31, 15)])
def test_a_thousand_calls_in_one_reply(protocol: str, limit: int, made: int) -> None:
    scene = scenes(limit)[protocol]
    trajectory = converse(scene, calling_much(TOOLS[protocol]), scripted_user(scene))
    turns = 3 if protocol == "recorded" else 1
    assert trajectory.tool_call_count == made * turns
    if protocol != "recorded":
        assert len(trajectory.messages) == 2 + min(2 * made, limit)  # and nobody speaks after it


@pytest.mark.parametrize("protocol", scenes(30))
def test_that_no_room_was_left_is_in_the_record(protocol: str) -> None:
    scene = scenes(30)[protocol]
    trajectory = converse(scene, calling_much(TOOLS[protocol]), scripted_user(scene))
    assert ran_out(scene, trajectory, judge(scene, trajectory).result) == ["max_messages"]
