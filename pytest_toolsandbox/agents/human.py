"""``--agent=human``: a person at the terminal plays the agent, and calls tools by name."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Final

from pytest_toolsandbox.models.errors import AgentError
from pytest_toolsandbox.users.human import ask, check_terminal, show
from pytest_toolsandbox.users.typed_calls import (
    HELP,
    LEAVE,
    TOOLS,
    CallError,
    Functions,
    candidates,
    describe,
    functions_of,
    read_call,
)

_HELP: Final = (
    "Type what the agent says, or call a tool: /name argument=value other='two words'. The tab key",
    "completes names and arguments. Values of other types than text are JSON.",
    f"/tools lists the tools, /tools NAME one with its arguments; {LEAVE} (or Ctrl-D) leaves.",
)
_SPEAKERS: Final = {"system": "Instruction", "user": "User", "tool": "Result", "assistant": "Agent"}


class HumanAgent:
    """Lets a person at the terminal play the agent, without a time limit."""

    is_recorded: ClassVar = True
    """Cassettes record its replies, as they come from no model and no script of ours."""

    is_human: ClassVar = True

    def __init__(self) -> None:
        check_terminal()
        self.shown = 0

    def __call__(
        self, messages: list[dict[str, Any]], tools: Sequence[Mapping[str, Any]]
    ) -> str | dict[str, Any]:
        """Return the typed text for the user, or a message with a call."""
        functions = functions_of(tools)
        if not self.shown < len(messages):  # another conversation
            self.shown = 0
        if not self.shown:
            show("", "== You are the agent ==", *_HELP, "")
        new = [message for message in messages[self.shown :] if message["content"]]
        show(*(f"{_SPEAKERS[message['role']]}: {message['content']}" for message in new))
        self.shown = len(messages) + 1  # the reply that is typed now is not shown again
        while True:
            line = ask("Agent: ", lambda typed: candidates(typed, functions))
            if line is None:
                raise AgentError("the person who plays the agent left the conversation")
            if reply := _reply(line, functions, len(messages)):
                return reply


def _reply(line: str, functions: Functions, number: int) -> str | dict[str, Any] | None:
    """Return the reply in a line; for a command or a mistake show the answer, return ``None``."""
    if not line.startswith("/"):
        return line
    try:
        if line == HELP:
            show(*_HELP)
        elif line.split(maxsplit=1)[0] == TOOLS:
            show(*describe(line.split()[1:], functions))
        else:
            name, arguments = read_call(line, functions)
            function = {"name": name, "arguments": json.dumps(arguments, ensure_ascii=False)}
            call = {"id": f"call_{number}", "type": "function", "function": function}
            return {"role": "assistant", "content": None, "tool_calls": [call]}
    except CallError as error:
        show(str(error))
    return None
