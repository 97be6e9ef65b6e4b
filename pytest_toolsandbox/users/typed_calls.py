"""Calls that a person types, ``/name argument=value``: completions, and descriptions of tools."""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping, Sequence
from typing import Any, Final

from pytest_toolsandbox.text.nearest_name import did_you_mean

LEAVE: Final = "/end"
TOOLS: Final = "/tools"
HELP: Final = "/help"
_COMMANDS: Final = (HELP, TOOLS, LEAVE)

Functions = Mapping[str, Mapping[str, Any]]
"""Name → ``function`` of a tool's definition."""


class CallError(Exception):
    """The line is not a call. The text says why, and what to type."""


def functions_of(tools: Sequence[Mapping[str, Any]]) -> Functions:
    """Return the functions of tools by their names."""
    return {tool["function"]["name"]: tool["function"] for tool in tools}


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


def describe(names: Sequence[str], functions: Functions) -> list[str]:
    """Return a line for each tool, or the lines about a named one. Raises :class:`CallError`."""
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
