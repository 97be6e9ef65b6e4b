"""What a chat completion says: in litellm's response, or in the reply as it came."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any, Final

from .provider_errors import LONGER, OTHER_WORDS, ReplyError, as_clause

_BROKEN_OFF: Final = {"error", "network_error", "abort", "insufficient_system_resource"}
"""The reasons that providers give for a reply that is none of the model's."""
_WITHHELD: Final = {
    *("content_filter", "safety", "recitation", "blocklist", "prohibited_content", "spii"),
}
"""Those for a reply that a filter cut off."""
_ODD: Final = (ValueError, LookupError, TypeError, AttributeError, RecursionError)
"""What reading raises of a reply in another form."""


def check_reply(reply: str) -> None:
    """Raise for what litellm hides: it makes up what a message lacks, and knows few endings."""
    with contextlib.suppress(*_ODD):
        said = json.loads(reply)
        if said.get("stop_reason") == "model_context_window_exceeded":  # Anthropic's
            raise ReplyError(LONGER.format(words=""))
        if not any(said["choices"][0]["message"].values()):
            raise ReplyError("the message in the reply is empty; try again later")


def as_written(reply: str) -> Any:
    """Return a chat completion as it stands in a reply, ``None`` where it is none.

    litellm reads arguments and fails at numbers of thousands of digits, at deep values and at what
    a call of ``multi_tool_use.parallel`` lacks: those are the model's own mistakes. Nor does it
    take an answer beside a usage that is none.
    """
    with contextlib.suppress(*_ODD):
        response = json.loads(reply, object_hook=lambda fields: SimpleNamespace(**fields))
        choice = response.choices[0]
        calls = vars(choice.message).setdefault("tool_calls", None)
        functions = [call.function for call in calls or ()]
        texts = [text for one in functions for text in (one.name, one.arguments)]
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
    refusal = getattr(message, "refusal", None) or _own(message).get("refusal")  # as of 1.110
    content = getattr(message, "content", None) or refusal
    reply = {"role": "assistant", "content": content or ""}
    if message.tool_calls:
        calls = []
        for call in message.tool_calls:  # one without a name is the model's mistake
            function = {"name": call.function.name or "", "arguments": call.function.arguments}
            calls.append({"id": call.id, "type": "function", "function": function})
        return reply | {"content": content, "tool_calls": calls}
    if getattr(message, "function_call", None):
        raise ReplyError("the reply has the old function_call; use a server that has tool_calls")
    return reply


def finish_reason(response: Any) -> str | None:
    """Return why a chat completion ended, ``None`` of a response that is none."""
    choices = getattr(response, "choices", None)
    return str(choices[0].finish_reason) if choices else None


def _own(part: Any) -> Mapping[str, Any]:
    """Return the fields that litellm keeps of a provider's own."""
    return getattr(part, "provider_specific_fields", None) or {}


def _check_ending(choice: Any) -> None:
    """Raise where a provider broke off its reply, with status 200 (as OpenRouter does)."""
    own, its = _own(choice), _own(choice.message)
    error = own.get("error") or its.get("error") or getattr(choice, "error", None)
    reasons = {str(one).lower() for one in (choice.finish_reason, own.get("native_finish_reason"))}
    if error or reasons & _BROKEN_OFF:
        told = error.get("message") if isinstance(error, Mapping) else error
        words = f": {as_clause(told)}" if told else ""
        raise ReplyError(f"the provider failed{words}; try again later")
    if reasons & _WITHHELD:
        raise ReplyError(f"the provider's content policy withheld the reply; {OTHER_WORDS}")
