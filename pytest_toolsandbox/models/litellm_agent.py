"""A model as the agent under test, through litellm."""

from __future__ import annotations

import copy
import re
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import chain
from typing import Any, Final

from .litellm_client import LitellmModel
from .provider_errors import OTHER_WORDS, ReplyError, said

LONGEST_NAME: Final = 64
"""Characters of a tool's name that the API of OpenAI takes."""


@dataclass(frozen=True)
class ModelAgent(LitellmModel):
    """A model of any provider that litellm knows, named ``provider/model``.

    ``timeout`` is in seconds, for one answer. ``parameters`` are passed on with every request:
    ``{"temperature": 0}``. What they say of ``timeout``, ``num_retries`` and ``max_retries`` is
    kept; else nothing is asked twice, and an outage is a ``ProviderError`` at once.
    """

    def __call__(
        self, messages: list[dict[str, Any]], tools: list[dict[str, Any]]
    ) -> dict[str, Any]:
        """Ask for the next assistant message. Raises ``ProviderError`` when there is none."""
        given = {"messages": messages, **({"tools": tools} if tools else {})}
        given = copy.deepcopy(given)  # litellm rewrites what it is given
        for call in chain.from_iterable(one.get("tool_calls") or () for one in given["messages"]):
            call["function"]["name"] = _accepted_name(call["function"]["name"])
        message: dict[str, Any] = self.ask("completion", _assistant_message, **given)
        return message


def _accepted_name(name: str) -> str:
    """Return the name of a tool that a model called, or made up, as the APIs take it back."""
    return re.sub(r"[^a-zA-Z0-9_-]", "_", name)[:LONGEST_NAME] or "unnamed"


def _assistant_message(response: Any) -> dict[str, Any]:
    choices = getattr(response, "choices", None)
    if not choices:
        raise ReplyError("the reply has no choices; check the model server")
    message = getattr(choices[0], "message", None)
    if message is None:
        raise ReplyError("the reply has no message; do not set stream in the parameters")
    _check_ending(choices[0])
    reply = {"role": "assistant", "content": message.content or ""}
    if message.tool_calls:
        calls = [_tool_call(call) for call in message.tool_calls]
        return reply | {"content": message.content, "tool_calls": calls}
    return reply


def _check_ending(choice: Any) -> None:
    """Raise where a provider broke off its reply, with status 200 (as OpenRouter does)."""
    own = getattr(choice, "provider_specific_fields", None) or {}
    error = own.get("error") or getattr(choice, "error", None)
    reasons = {choice.finish_reason, own.get("native_finish_reason")}
    if error or "error" in reasons:
        told = error.get("message") if isinstance(error, Mapping) else error
        words = f": {said(told)}" if told else ""
        raise ReplyError(f"the provider failed{words}; try again later")
    if "content_filter" in reasons:
        raise ReplyError(f"the provider's content policy withheld the reply; {OTHER_WORDS}")


def _tool_call(call: Any) -> dict[str, Any]:
    """Keep what an assistant message is made of; a call without a name is the model's mistake."""
    function = {"name": call.function.name or "", "arguments": call.function.arguments}
    return {"id": call.id, "type": "function", "function": function}
