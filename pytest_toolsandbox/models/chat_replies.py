"""Read chat completions: from litellm's response, or from the provider's own reply."""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Mapping, Sequence
from types import SimpleNamespace
from typing import Any, Final, Never

from .provider_errors import OTHER_WORDS, TOO_LONG, ReplyError, as_clause

_BROKEN_OFF: Final = {"error", "network_error", "abort", "insufficient_system_resource"}
"""Finish reasons of a reply that the provider broke off."""
_WITHHELD: Final = {
    *("content_filter", "safety", "recitation", "blocklist", "prohibited_content", "spii"),
}
"""Finish reasons of a reply that a filter cut off."""
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
_END_OF_MESSAGE: Final = re.compile(r"\s*<\|(?:return|end)\|>\s*\Z")
UNREADABLE: Final = "unreadable_arguments"
"""The key under which arguments that are not an object are sent back to the model."""
_MALFORMED: Final = (ValueError, LookupError, TypeError, AttributeError, RecursionError)
"""What reading raises for a reply in another form."""


def check_reply(reply: str) -> None:
    """Raise for what litellm hides: it fills empty messages, and knows few finish reasons."""
    with contextlib.suppress(*_MALFORMED):
        body = json.loads(reply)
        if body.get("stop_reason") == "model_context_window_exceeded":  # Anthropic's
            raise ReplyError(TOO_LONG.format(words=""))
        if not any(body["choices"][0]["message"].values()):
            raise ReplyError("the message in the reply is empty; try again later")


def as_written(reply: str) -> Any:
    """Return the chat completion in a provider's reply, ``None`` if there is none.

    litellm reads arguments and fails at numbers of thousands of digits, deep values and incomplete
    calls of ``multi_tool_use.parallel``, which are mistakes of the model. It also fails if the
    reply has a malformed usage.
    """
    with contextlib.suppress(*_MALFORMED):
        response = json.loads(reply, object_hook=lambda fields: SimpleNamespace(**fields))
        choice = response.choices[0]
        calls = vars(choice.message).setdefault("tool_calls", None)
        functions = [call.function for call in calls or ()]
        texts = [text for f in functions for text in (f.name, f.arguments)]
        vars(choice).setdefault("finish_reason", None)
        is_read = all(isinstance(text, str) for text in texts or [choice.message.content])
        return response if is_read else None
    return None


def assistant_message(response: Any) -> dict[str, Any]:
    """Return the message of a chat completion. Raises :class:`ReplyError`."""
    choices = getattr(response, "choices", None)
    if not choices:
        raise ReplyError("the reply has no choices; check the model server")
    message = getattr(choices[0], "message", None)
    if message is None:
        raise ReplyError("the reply has no message; check the model server")
    _check_ending(choices[0])
    # As of litellm 1.110, a refusal may be among the provider's fields.
    refusal = getattr(message, "refusal", None) or _provider_fields(message).get("refusal")
    content = _without_thoughts(getattr(message, "content", None)) or refusal
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


def unreadable_call(written: str) -> dict[str, Any]:
    """Return the message of a model whose call its server could not parse: one without a name."""
    function = {"name": "", "arguments": written}
    call = {"id": "unreadable", "type": "function", "function": function}
    return {"role": "assistant", "content": None, "tool_calls": [call]}


def _without_thoughts(content: Any) -> Any:
    """Return what a content says to the user: thoughts are not said, and must not be scored."""
    if not isinstance(content, str) or (thoughts := _THOUGHTS.match(content)) is None:
        return content
    return _END_OF_MESSAGE.sub("", content[thoughts.end() :]).lstrip()


def finish_reason(response: Any) -> str | None:
    """Return why a chat completion ended, ``None`` for another response."""
    choices = getattr(response, "choices", None)
    return str(choices[0].finish_reason) if choices else None


def _provider_fields(part: Any) -> Mapping[str, Any]:
    """Return the provider's own fields, which litellm keeps."""
    return getattr(part, "provider_specific_fields", None) or {}


def _check_ending(choice: Any) -> None:
    """Raise if a provider broke off its reply, with status 200 (as OpenRouter does)."""
    fields = _provider_fields(choice)
    message_fields = _provider_fields(choice.message)
    error = fields.get("error") or message_fields.get("error") or getattr(choice, "error", None)
    reasons = {str(r).lower() for r in (choice.finish_reason, fields.get("native_finish_reason"))}
    if error or reasons & _BROKEN_OFF:
        message = error.get("message") if isinstance(error, Mapping) else error
        words = f": {as_clause(message)}" if message else ""
        raise ReplyError(f"the provider failed{words}; try again later")
    if reasons & _WITHHELD:
        raise ReplyError(f"the provider's content policy withheld the reply; {OTHER_WORDS}")


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


def _readable_arguments(arguments: str) -> str:
    """Return arguments of a call that every server can parse: themselves if they are an object."""
    if not arguments.strip():
        return "{}"
    try:
        value = json.loads(arguments, parse_constant=_refuse_constant)
    except (ValueError, RecursionError):
        value = None
    if isinstance(value, dict):
        return arguments
    return json.dumps({UNREADABLE: arguments}, ensure_ascii=False)


def _refuse_constant(name: str) -> Never:
    raise ValueError(name)  # NaN and Infinity are JSON to Python alone
