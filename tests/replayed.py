"""Recorded conversations of an office, for tests."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Sequence
from typing import Any

from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.protocols import read_file

ALARMS = """
world: office
categories: [easy]
summary: An alarm, and which ones there are.
now: 2025-09-15 13:00
session: {user: mbell, location: New York}
conversation:
  - user: Wake me at half past six tonight.
  - calls:
      - AddAlarm: {time: "18:30:00"}
    assistant: It is set.
  - user: And which ones are there after six?
  - user: In the evening, I mean.
  - calls:
      - FindAlarms: {start_range: "18:00:00"}
        result: {alarms: [{alarm_id: 5bff-dd80, time: "18:30:00"}]}
    assistant: Just that one.
  - user: Tell bob that I am on my way.
  - calls:
      - SendMessage: {receiver: bob, message: I am on my way}
    assistant: He knows.
  - user: Thanks.
"""


def recorded(text: str = ALARMS) -> Scenario:
    """Return the scenario of a recorded conversation."""
    (only,) = read_file(textwrap.dedent(text).encode(), "test", "test.yaml", {})
    return only


def call(tool: str, **arguments: Any) -> dict[str, Any]:
    """Return a call as an agent makes it."""
    function = {"name": tool, "arguments": json.dumps(arguments)}
    return {"id": "1", "type": "function", "function": function}


class Taking:
    """An agent that makes fixed calls in each of its turns, one by one, and then says so.

    It keeps what it was shown.
    """

    def __init__(self, *turns: Sequence[dict[str, Any]]) -> None:
        self.turns = turns
        self.views: list[list[dict[str, Any]]] = []

    def __call__(self, messages: list[dict[str, Any]], tools: list[dict[str, Any]]) -> Any:
        del tools
        self.views.append(messages)
        answers = [m for m in messages if m["role"] == "assistant" and not m.get("tool_calls")]
        asked = max(i for i, message in enumerate(messages) if message["role"] == "user")
        made = sum(message["role"] == "tool" for message in messages[asked:])
        calls = self.turns[len(answers)] if len(answers) < len(self.turns) else ()
        if made < len(calls):
            return {"content": None, "tool_calls": [calls[made]]}
        return "That is all."
