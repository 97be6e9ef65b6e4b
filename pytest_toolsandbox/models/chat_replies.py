"""Read chat completions: from litellm's response, or from the provider's own reply."""

from __future__ import annotations

import contextlib
import json
import logging
import re
from collections.abc import Mapping, Sequence
from types import SimpleNamespace
from typing import Any, Final, Never

from pytest_toolsandbox.worlds.json_values import read_lenient_json

from .finish_reasons import (
    broken_off,
    check_ending,
    extra_content,
    finish_reason,
    malformed_call,
    refusal_in,
    restore_endings,
)
from .native_replies import as_completion
from .provider_errors import ReplyError

REMARKS: Final = logging.getLogger(__name__)
"""Says which setting of a server would give better replies."""
_THOUGHTS: Final = re.compile(
    r"""
    .*</think>  # also without its beginning, which is part of Qwen's prompt
    | \s*\[THINK\].*\[/THINK\]  # Magistral
    | .*<\|channel\|>final<\|message\|>  # gpt-oss: the channel for the user
    | \s*(?:<think>|\[THINK\]|<\|channel\|>analysis).*  # cut off before the thought ended
    """,
    re.DOTALL | re.VERBOSE,
)
"""Thoughts that servers without a parser for them leave in the content of a reply."""
_NO_PARSER: Final = (
    "the server leaves the model's thoughts in the content of replies; turn on its parser: "
    "--reasoning-parser of vLLM and SGLang, --reasoning-format of llama.cpp"
)
_END_OF_MESSAGE: Final = re.compile(r"\s*<\|(?:return|end)\|>\s*\Z")
UNREADABLE: Final = "unreadable_arguments"
"""The key under which arguments that are not an object are sent back to the model."""
_MALFORMED: Final = (ValueError, LookupError, TypeError, AttributeError, RecursionError)
"""What reading raises for a reply in another form."""


def add_hidden(response: Any, reply: str) -> None:
    """Add to litellm's response what it hides of the provider's reply: why the reply ended.

    Raises :class:`ReplyError` for an error, which litellm may drop, and for an empty message, which
    it fills.
    """
    with contextlib.suppress(*_MALFORMED):
        body = read_lenient_json(reply)
        if error := _failure(body):
            raise ReplyError(broken_off(error))
        restore_endings(response, body)
        messages = [choice["message"] for choice in body["choices"]]
        if messages and not any(any(message.values()) for message in messages):
            raise ReplyError("the message in the reply is empty; try again later")
        contents = (message.get("content") for message in messages)
        if any(isinstance(content, str) and _THOUGHTS.match(content) for content in contents):
            REMARKS.info(_NO_PARSER)


def as_written(reply: str) -> Any:
    """Return the chat completion in a provider's reply, ``None`` if there is none.

    litellm reads arguments and fails at numbers of thousands of digits, deep values and incomplete
    calls of ``multi_tool_use.parallel``, which are mistakes of the model. It also fails if the
    reply has a malformed usage, or none.
    """
    with contextlib.suppress(*_MALFORMED):
        body = read_lenient_json(reply)
        text = "null" if _failure(body) else json.dumps(as_completion(body))
        response = read_lenient_json(text, object_hook=lambda fields: SimpleNamespace(**fields))
        return response if response.choices and all(map(_is_read, response.choices)) else None
    return None


def _failure(body: Mapping[str, Any]) -> Any:
    """Return the error in a reply; some servers send an empty one with each reply."""
    error = body.get("error")
    return any(error.values()) and error if isinstance(error, Mapping) else error


def _is_read(choice: Any) -> bool:
    """Return whether a choice has what a message needs, and add the fields that may be missing."""
    calls = vars(choice.message).setdefault("tool_calls", None)
    functions = [call.function for call in calls or ()]
    texts = [text for f in functions for text in (f.name, f.arguments)]
    vars(choice).setdefault("finish_reason", None)
    content = vars(choice.message).setdefault("content", None)
    return all(isinstance(text, str) for text in texts or [content or ""])


def assistant_message(response: Any) -> dict[str, Any]:
    """Return the message of a chat completion. Raises :class:`ReplyError`."""
    choice = _choice(response)
    if (written := malformed_call(choice)) is not None:
        return unreadable_call(written, **extra_content(choice))
    message = choice.message
    content = without_thoughts(getattr(message, "content", None)) or refusal_in(message)
    reply = {"role": "assistant", "content": content or ""}
    if message.tool_calls:
        calls = []
        for call in message.tool_calls:  # a missing name is a mistake of the model
            function = {"name": call.function.name or "", "arguments": call.function.arguments}
            calls.append({"id": call.id, "type": "function", "function": function})
        return reply | {"content": content, "tool_calls": calls}
    if getattr(message, "function_call", None):
        raise ReplyError("the reply has the old function_call; use a server that has tool_calls")
    return reply


def finish_reason_of(response: Any) -> str | None:
    """Return why a chat completion ended, ``None`` for another response."""
    return finish_reason(_choice(response)) if getattr(response, "choices", None) else None


def _choice(response: Any) -> Any:
    """Return the choice of a chat completion; the text of another one joins a choice with calls.

    GitHub Copilot puts a text into the first choice and the calls into the second. Raises
    :class:`ReplyError` if there is none, if several are replies of their own, or if the provider
    ended one of them.
    """
    choices = getattr(response, "choices", None)
    if not choices:
        raise ReplyError("the reply has no choices; check the model server")
    if any(getattr(choice, "message", None) is None for choice in choices):
        raise ReplyError("the reply has no message; check the model server")
    calling = [choice for choice in choices if choice.message.tool_calls]
    saying = [choice for choice in choices if getattr(choice.message, "content", None)]
    choice = (calling or choices)[0]
    if len(calling) > 1 or len(saying) > 1 or (len(choices) > 1 and not calling):
        count = len(choices)
        raise ReplyError(f"the reply has {count} choices; take n out of the model's parameters")
    for each in choices:
        check_ending(each)
    if saying:
        choice.message.content = saying[0].message.content
    response.choices = [choice]
    return choice


def unreadable_call(written: str, **fields: Any) -> dict[str, Any]:
    """Return the message of a model whose call its server refused.

    A call in JSON, as Groq quotes it, is the one that the model made: its tool or an argument does
    not exist. Any other text is a call without a name. The ``fields`` are further ones of the call.
    """
    function = _quoted_call(written) or {"name": "", "arguments": written}
    call = {"id": "unreadable", "type": "function", "function": function, **fields}
    return {"role": "assistant", "content": None, "tool_calls": [call]}


def _quoted_call(written: str) -> dict[str, str] | None:
    with contextlib.suppress(*_MALFORMED):
        match json.loads(written):
            case {"name": str(name), "arguments": dict(arguments)}:
                return {"name": name, "arguments": json.dumps(arguments, ensure_ascii=False)}
    return None


def without_thoughts(content: Any) -> Any:
    """Return what a content says to the user: thoughts are not said, and must not be scored."""
    if not isinstance(content, str) or (thoughts := _THOUGHTS.match(content)) is None:
        return content
    return _END_OF_MESSAGE.sub("", content[thoughts.end() :]).lstrip()


def with_readable_calls(messages: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Return messages whose calls all have a JSON object as arguments.

    Servers that parse the calls of earlier messages (vLLM, llama.cpp, gateways, litellm for Gemini
    and Anthropic) reject a request with others, so a model's mistake would look like an outage.
    """
    return [_with_readable_calls(message) for message in messages]


def _with_readable_calls(message: Mapping[str, Any]) -> Mapping[str, Any]:
    if not (calls := message.get("tool_calls")):
        return message
    functions = (call["function"] for call in calls)
    readable = ({**f, "arguments": _readable_arguments(f["arguments"])} for f in functions)
    pairs = zip(calls, readable, strict=True)
    return {**message, "tool_calls": [{**call, "function": function} for call, function in pairs]}


def _readable_arguments(arguments: Any) -> str:
    """Return arguments of a call that every server can parse: themselves if they are an object."""
    if not isinstance(arguments, str):  # of a reply that an agent has changed
        return _readable_arguments(json.dumps(arguments, ensure_ascii=False))
    try:
        value = json.loads(
            arguments if arguments.strip() else "null", parse_constant=_refuse_constant
        )
    except (ValueError, RecursionError):
        value = arguments
    if isinstance(value, dict):
        return arguments
    return "{}" if value is None else json.dumps({UNREADABLE: arguments}, ensure_ascii=False)


def _refuse_constant(name: str) -> Never:
    raise ValueError(name)  # NaN and Infinity are JSON to Python alone
