"""Programs as agents for tests: how they call tools, and conversations with them."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from pantry import scenario
from replayed import recorded
from scripted_model import ScriptedModel

from pytest_toolsandbox.agents.resolving import resolve_agent
from pytest_toolsandbox.conversation.messages import Trajectory
from pytest_toolsandbox.conversation.play import PlayError, converse
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.models.errors import AgentError
from pytest_toolsandbox.users.user import scripted_user

PANTRY = scenario(
    """
    user: {opening: How much rice is there?, replies: [{when: which, say: The brown one.}]}
    solutions:
      only: [{weigh: {name: rice}}, {say: Which rice?}, {add_item: {name: rye}}, {say: Two.}]
    """
)
QUERY = scenario(
    """
    query: How much rice is there?
    answer: 2.0
    solutions: {only: [{weigh: {name: rice}}, {finish: {answer: 2.0}}]}
    """
)
SCENES = {"milestones": PANTRY, "query": QUERY, "replay": recorded()}

Program = Callable[..., str]
"""Writes a program from its code, and returns the ``--agent`` that starts it."""

CLIENT = '''
import json, os, stat, sys, urllib.request

def call(url, name, arguments):
    given = {"name": name, "arguments": arguments}
    asked = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": given}
    with urllib.request.urlopen(url, json.dumps(asked).encode()) as answer:
        return json.load(answer)["result"]["content"][0]["text"]

def taken(script, turn, url):
    """Take the turn of a script, {what the user says: [calls, reply]}, that was asked for."""
    heard = max((h for h in script if turn.endswith(h)), key=len)
    calls, reply = script[heard]
    for name, arguments in calls:
        call(url, name, arguments)
    return reply
'''


def script_of(model: ScriptedModel) -> dict[str, Any]:
    """Return what the user says → the calls, and what is said after them."""
    return {
        turn.heard: ([(n, json.loads(a)) for batch in turn.batches for n, a in batch], turn.reply)
        for turn in model.turns
    }


def played(scene: Scenario, agent: Any) -> Trajectory:
    return converse(scene, agent, scripted_user(scene))


def as_told(trajectory: Trajectory) -> list[Any]:
    return [(m.sender, m.recipient, m.content, m.error) for m in trajectory.messages]


def named(text: str) -> Any:
    return resolve_agent(text, {}, None)


def problem(text: str, scene: Scenario = PANTRY) -> str:
    with pytest.raises((PlayError, AgentError)) as caught:
        played(scene, named(text))
    message = str(caught.value)
    assert message.splitlines() == [message]
    return message
