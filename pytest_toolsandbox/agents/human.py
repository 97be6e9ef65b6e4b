"""``--agent=human``: somebody at the terminal plays the agent, and calls tools by their names."""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Final

from pytest_toolsandbox.models.errors import AgentError
from pytest_toolsandbox.text.nearest_name import did_you_mean
from pytest_toolsandbox.users.human import LEAVE, ask, check_terminal, show

HELP: Final = (
    "Type what the agent says, or call a tool: /name argument=value other='two words'. The tab key",
    "completes names and arguments. Values of other types than text are JSON.",
    f"/tools lists the tools, /tools NAME one with its arguments; {LEAVE} (or Ctrl-D) leaves.",
)
_COMMANDS: Final = ("/help", "/tools", LEAVE)
_SPEAKERS: Final = {"system": "Instruction", "user": "User", "tool": "Result", "assistant": "Agent"}

Tools = Sequence[Mapping[str, Any]]
Functions = Mapping[str, Mapping[str, Any]]
"""Name → what a tool's definition says of its function."""


class CallError(Exception):
    """What was typed is no call. The text says why, and what to type."""


class HumanAgent:
    """Lets somebody at the terminal play, who sees what the agent sees, and takes any time."""

    is_recorded: ClassVar = True
    """Cassettes record what it says: no model and no script of ours says it."""

    timeless: Final = True

    def __init__(self) -> None:
        check_terminal()
        self.shown = 0

    def __call__(self, messages: list[dict[str, Any]], tools: Tools) -> str | dict[str, Any]:
        """Return what is typed: text for the user, or a message with a call."""
        functions = {one["function"]["name"]: one["function"] for one in tools}
        if not self.shown < len(messages):  # another conversation
            self.shown = 0
        if not self.shown:
            show("", "== You are the agent ==", *HELP, "")
        new = [one for one in messages[self.shown :] if one["content"]]
        show(*(f"{_SPEAKERS[one['role']]}: {one['content']}" for one in new))
        self.shown = len(messages) + 1  # what is typed now is not told again
        while True:
            line = ask("Agent: ", lambda typed: candidates(typed, functions))
            if line is None:
                raise AgentError("the person who plays the agent left the conversation")
            if reply := _reply(line, functions, len(messages)):
                return reply


def _reply(line: str, functions: Functions, number: int) -> str | dict[str, Any] | None:
    """Return what a line says; for a command or a mistake show what there is to say."""
    if not line.startswith("/"):
        return line
    try:
        if line == "/help":
            show(*HELP)
        elif line.split(maxsplit=1)[0] == "/tools":
            show(*_told(line.split()[1:], functions))
        else:
            return _message(*read_call(line, functions), number)
    except CallError as error:
        show(str(error))
    return None


def read_call(line: str, functions: Functions) -> tuple[str, dict[str, Any]]:
    """Return the name and the arguments of ``/name argument=value``. Raises :class:`CallError`."""
    try:
        name, *words = shlex.split(line[1:])
    except ValueError as error:
        raise CallError(f"This cannot be read: {error}. Close each quotation mark.") from None
    if name not in functions:
        raise CallError(f"There is no tool {name}{did_you_mean(name, functions)} (see /tools)")
    known = _arguments(functions[name])
    given = {}
    for word in words:
        argument, equals, value = word.partition("=")
        if not equals or argument not in known:
            hint = did_you_mean(argument, known)
            allowed = ", ".join(f"{one}=" for one in known) or "none"
            raise CallError(f"{name} has no {word!r}{hint} (its arguments: {allowed})")
        given[argument] = _value(value, known[argument])
    return name, given


def candidates(typed: str, functions: Functions) -> list[str]:
    """Return what the last word of a line may become: commands and tools, arguments, values."""
    if not typed.startswith("/"):
        return []
    name, *words = typed.split(" ")
    if not words:
        return [*_COMMANDS, *(f"/{one} " for one in functions)]
    if name == "/tools":
        return list(functions)
    known = _arguments(functions.get(name[1:], {}))
    argument, equals, _ = words[-1].partition("=")
    if equals:
        return [f"{argument}={json.dumps(one)}" for one in _choices(known.get(argument, {}))]
    given = {word.partition("=")[0] for word in words[:-1]}
    return [f"{one}=" for one in known if one not in given]


def _arguments(function: Mapping[str, Any]) -> Mapping[str, Mapping[str, Any]]:
    known: Mapping[str, Mapping[str, Any]] = function.get("parameters", {}).get("properties", {})
    return known


def _choices(schema: Mapping[str, Any]) -> Sequence[Any]:
    return (True, False) if schema.get("type") == "boolean" else schema.get("enum", ())


def _value(written: str, schema: Mapping[str, Any]) -> Any:
    if schema.get("type") == "string":
        return written
    try:
        return json.loads(written)
    except (ValueError, RecursionError):
        return written


def _told(names: Sequence[str], functions: Functions) -> list[str]:
    if not names:
        return [f"/{name}: {_first_line(one)}" for name, one in functions.items()]
    if names[0] not in functions:
        hint = did_you_mean(names[0], functions)
        raise CallError(f"There is no tool {names[0]}{hint} (see /tools)")
    function = functions[names[0]]
    required = function.get("parameters", {}).get("required", ())
    lines = [f"/{names[0]}: {function.get('description', '')}"]
    for name, schema in _arguments(function).items():
        kind = schema.get("type", "any")
        need = "" if name in required else ", optional"
        lines.append(f"  {name}= ({kind}{need}) {schema.get('description', '')}")
    return lines


def _first_line(function: Mapping[str, Any]) -> str:
    return str(function.get("description", "")).partition("\n")[0]


def _message(name: str, arguments: Mapping[str, Any], number: int) -> dict[str, Any]:
    function = {"name": name, "arguments": json.dumps(arguments, ensure_ascii=False)}
    call = {"id": f"call_{number}", "type": "function", "function": function}
    return {"role": "assistant", "content": None, "tool_calls": [call]}
