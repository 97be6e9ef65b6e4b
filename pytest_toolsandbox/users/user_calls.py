"""Calls of a user's tools: as a user returns them, and as a script makes them."""

from __future__ import annotations

import itertools
import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

from pytest_toolsandbox.language.roles import ToolStep
from pytest_toolsandbox.language.values import FromResult, substituted
from pytest_toolsandbox.text.formatting import replace_surrogates, type_name

UserMessage = dict[str, Any]
"""A message of a user that calls tools, in the shape of a chat-completions API."""

_SHAPE: Final = "expected tool_calls, each with a function that has name and arguments"


def call_message(calls: Sequence[tuple[str, str]]) -> UserMessage:
    """Return the message of a user that makes calls: names, and arguments as JSON."""
    functions = [{"name": name, "arguments": arguments} for name, arguments in calls]
    tool_calls = [{"type": "function", "function": function} for function in functions]
    return {"role": "user", "content": "", "tool_calls": tool_calls}


def calls_in(message: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return the calls in a message: names, and arguments as JSON.

    Raises ``ValueError`` with the reason if the message has another shape.
    """
    calls = message.get("tool_calls")
    if not isinstance(calls, (list, tuple)) or not calls:
        raise ValueError(f"a message without calls; {_SHAPE}")
    return [_call(call) for call in calls]


def _call(call: Any) -> tuple[str, str]:
    function = call.get("function") if isinstance(call, Mapping) else None
    if not isinstance(function, Mapping) or not isinstance(function.get("name"), str):
        raise ValueError(f"{type_name(call)} as a call; {_SHAPE}")  # noqa: TRY004
    arguments = function.get("arguments")
    if not isinstance(arguments, str):
        arguments = json.dumps(arguments or {}, ensure_ascii=False)
    return replace_surrogates(function["name"]), replace_surrogates(arguments)


def next_act(
    calls: Sequence[ToolStep], say: str | FromResult, messages: Sequence[Mapping[str, Any]]
) -> UserMessage | str:
    """Return the next call of a script, or what the script says after the last one.

    ``messages`` is what the user sees. The calls at their end are those that the script has made
    already. A failed call does not end it. Raises ``ValueError`` for a result that lacks a value
    which the script takes from it.
    """
    latest = itertools.takewhile(_is_of_tool, reversed(messages))
    made = sum(message["role"] == "tool" for message in latest)
    if made >= len(calls):
        return str(_filled(say, messages))
    call = calls[made]
    arguments = _filled(dict(call.arguments), messages)
    return call_message([(call.tool, json.dumps(arguments, ensure_ascii=False))])


def _is_of_tool(message: Mapping[str, Any]) -> bool:
    return message["role"] == "tool" or bool(message.get("tool_calls"))


def _filled(value: Any, messages: Sequence[Mapping[str, Any]]) -> Any:
    """Return a value with references to results of the user's calls replaced."""

    def latest(source: FromResult) -> Any:
        results = _results(messages)
        if source.name not in results:
            raise ValueError(f"its script needs a result of {source.name}, which has given none")
        named_value = source.value(results[source.name])
        if named_value is None:
            where = f" at {source.path!r}" if source.path else ""
            raise ValueError(f"its script finds nothing{where} in the result of {source.name}")
        return named_value

    return substituted(value, latest)


def _results(messages: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return tool → latest result; that of a failed call is the error in one line."""
    names: dict[str, str] = {}
    results: dict[str, Any] = {}
    for message in messages:
        for call in message.get("tool_calls") or ():
            names[call["id"]] = call["function"]["name"]
        if message["role"] == "tool":
            try:
                results[names[message["tool_call_id"]]] = json.loads(message["content"])
            except ValueError:
                results[names[message["tool_call_id"]]] = message["content"]
    return results
