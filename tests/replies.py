"""What an agent says and calls, one reply after the other, for tests."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from pytest_toolsandbox.conversation.messages import Trajectory
from pytest_toolsandbox.conversation.play import play
from pytest_toolsandbox.language.roles import Role
from pytest_toolsandbox.language.scenario import Scenario


@dataclass(frozen=True)
class Written:
    """A call as an agent writes it; ``arguments`` should be JSON."""

    name: str
    arguments: str


Reply = str | tuple[Written, ...]
"""A text, or calls that are made at once."""


def written(name: str, /, **arguments: Any) -> Written:
    """Return a call as an agent writes it."""
    return Written(name, json.dumps(arguments, ensure_ascii=False))


def conversation_of(scene: Scenario, *replies: Reply | Written) -> Trajectory:
    """Return the conversation in which an agent makes these replies, one after the other.

    The user answers until the last of them.
    """
    script = [(reply,) if isinstance(reply, Written) else reply for reply in replies]
    earlier = sum(line.role is Role.AGENT for line in scene.task.earlier_lines)

    def agent(messages: list[dict[str, Any]], tools: list[dict[str, Any]]) -> Any:
        del tools
        place = sum(message["role"] == "assistant" for message in messages) - earlier
        reply = script[place] if place < len(script) else "That is all."
        if isinstance(reply, str):
            return reply
        functions = [{"name": call.name, "arguments": call.arguments} for call in reply]
        calls = [
            {"id": f"{place}-{i}", "function": function} for i, function in enumerate(functions)
        ]
        return {"content": None, "tool_calls": calls}

    def user(messages: list[dict[str, Any]]) -> str | None:
        heard = sum(message["role"] == "assistant" for message in messages) - earlier
        over = sum(isinstance(reply, str) for reply in script) + (not isinstance(script[-1], str))
        return "Go on." if heard < over else None

    return play(scene, agent, user)
