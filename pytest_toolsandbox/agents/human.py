"""``--agent=human``: a person at the terminal plays the agent, and calls tools by name."""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Final

from pytest_toolsandbox.models.errors import AgentError
from pytest_toolsandbox.text.nearest_name import did_you_mean
from pytest_toolsandbox.users.human import LEAVE, ask, check_terminal, show

_HELP: Final = (
    "Type what the agent says, or call a tool: /name argument=value other='two words'. The tab key",
    "completes names and arguments. Values of other types than text are JSON.",
    f"/tools lists the tools, /tools NAME one with its arguments; {LEAVE} (or Ctrl-D) leaves.",
)
_COMMANDS: Final = ("/help", "/tools", LEAVE)
_SPEAKERS: Final = {"system": "Instruction", "user": "User", "tool": "Result", "assistant": "Agent"}

Functions = Mapping[str, Mapping[str, Any]]
"""Name → ``function`` of a tool's definition."""


class CallError(Exception):
    """The line is not a call. The text says why, and what to type."""


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
        functions = {tool["function"]["name"]: tool["function"] for tool in tools}
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
        if line == "/help":
            show(*_HELP)
        elif line.split(maxsplit=1)[0] == "/tools":
            show(*_describe(line.split()[1:], functions))
        else:
            name, arguments = read_call(line, functions)
            function = {"name": name, "arguments": json.dumps(arguments, ensure_ascii=False)}
            call = {"id": f"call_{number}", "type": "function", "function": function}
            return {"role": "assistant", "content": None, "tool_calls": [call]}
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
    schemas = _schemas(functions[name])
    arguments = {}
    for word in words:
        argument, equals, value = word.partition("=")
        if not equals or argument not in schemas:
            hint = did_you_mean(argument, schemas)
            allowed = ", ".join(f"{allowed}=" for allowed in schemas) or "none"
            raise CallError(f"{name} has no {word!r}{hint} (its arguments: {allowed})")
        arguments[argument] = _value(value, schemas[argument])
    return name, arguments


def candidates(typed: str, functions: Functions) -> list[str]:
    """Return the completions of a line's last word: commands and tools, arguments, values."""
    if not typed.startswith("/"):
        return []
    name, *words = typed.split(" ")
    if not words:
        return [*_COMMANDS, *(f"/{function} " for function in functions)]
    if name == "/tools":
        return list(functions)
    schemas = _schemas(functions.get(name[1:], {}))
    argument, equals, _ = words[-1].partition("=")
    if equals:
        schema = schemas.get(argument, {})
        values = (True, False) if schema.get("type") == "boolean" else schema.get("enum", ())
        return [f"{argument}={json.dumps(value)}" for value in values]
    typed_arguments = {word.partition("=")[0] for word in words[:-1]}
    return [f"{argument}=" for argument in schemas if argument not in typed_arguments]


def _schemas(function: Mapping[str, Any]) -> Mapping[str, Mapping[str, Any]]:
    schemas: Mapping[str, Mapping[str, Any]] = function.get("parameters", {}).get("properties", {})
    return schemas


def _value(written: str, schema: Mapping[str, Any]) -> Any:
    if schema.get("type") == "string":
        return written
    try:
        return json.loads(written)
    except (ValueError, RecursionError):
        return written


def _describe(names: Sequence[str], functions: Functions) -> list[str]:
    if not names:
        descriptions = {name: str(f.get("description", "")) for name, f in functions.items()}
        return [f"/{name}: {''.join(text.splitlines()[:1])}" for name, text in descriptions.items()]
    if names[0] not in functions:
        hint = did_you_mean(names[0], functions)
        raise CallError(f"There is no tool {names[0]}{hint} (see /tools)")
    function = functions[names[0]]
    required = function.get("parameters", {}).get("required", ())
    lines = [f"/{names[0]}: {function.get('description', '')}"]
    for name, schema in _schemas(function).items():
        kind = schema.get("type", "any")
        need = "" if name in required else ", optional"
        lines.append(f"  {name}= ({kind}{need}) {schema.get('description', '')}")
    return lines
