"""Chat messages as a cassette has them: short, and without what a provider makes up or hides.

``{user: …}``, ``{tool: …}``, ``{assistant: …, calls: [{TOOL: {ARGUMENT: VALUE}}]}``. A result has
no identifier: results stand in the order of the calls.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

from pytest_toolsandbox.calls.tool_call import readable_arguments
from pytest_toolsandbox.wording.phrases import whole_characters
from pytest_toolsandbox.wording.redaction import redacted, redacted_values

Message = dict[str, Any]

CALLS: Final = "calls"
END: Final = "ends"
"""The key of a user's reply that ends the conversation."""
_READ: Final = {"role", "content", "tool_calls", "tool_call_id"}


def written_message(message: Mapping[str, Any]) -> Message:
    """Return a message of a chat-completions API as a cassette has it."""
    written: Message = {}
    calls = message.get("tool_calls") or ()
    if message.get("content") or not calls:
        written[str(message.get("role", "assistant"))] = cleaned(message.get("content"))
    if calls:
        written[CALLS] = [_written_call(call["function"]) for call in calls]
    others = {name: one for name, one in message.items() if name not in _READ and one is not None}
    return {**written, **cleaned(others)}


def read_reply(written: Message, number: int) -> dict[str, Any]:
    """Return a reply as an assistant message; ``number`` counts those of the conversation."""
    calls = [
        {
            "id": f"call-{number}-{index}",
            "type": "function",
            "function": {"name": name, "arguments": _argument_text(given)},
        }
        for index, call in enumerate(written.get(CALLS, ()))
        for name, given in call.items()
    ]
    reply = {"role": "assistant", "content": written.get("assistant")}
    return {**reply, "tool_calls": calls} if calls else reply


def is_reply(written: Message) -> bool:
    """Whether a reply has the form in which replies are written."""
    text, calls, user = written.get("assistant"), written.get(CALLS, []), written.get("user", "")
    is_text = text is None or isinstance(text, str) or _are_mappings(text)
    if not (is_text and isinstance(user, str) and _are_mappings(calls)):
        return False
    return all(isinstance(given, str | Mapping) for call in calls for given in call.values())


def _are_mappings(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(one, Mapping) for one in value)


def as_message(written: Message) -> dict[str, Any]:
    """Return the reply of an agent or a user as a message."""
    user = next(((role, written[role]) for role in ("user", END) if role in written), None)
    return {"role": user[0], "content": user[1]} if user else read_reply(written, 0)


def cleaned(value: Any) -> Any:
    """Return a JSON value without secrets and half characters."""
    if isinstance(value, str):
        return redacted(whole_characters(value))
    if value is None or isinstance(value, (bool, int, float)):
        return value
    text = json.dumps(value, ensure_ascii=False, default=str)
    return redacted_values(json.loads(whole_characters(text)), (), ())


def _written_call(function: Mapping[str, Any]) -> Message:
    text = cleaned(function.get("arguments") or "")
    given = readable_arguments(text)
    is_same = given is not None and text.strip() in _spellings(given)
    return {cleaned(function["name"]): given if is_same else text}


def _spellings(given: Mapping[str, Any]) -> tuple[str, str]:
    """Return arguments with blanks behind commas and colons, and without."""
    return _argument_text(given), json.dumps(given, ensure_ascii=False, separators=(",", ":"))


def _argument_text(given: Any) -> str:
    return given if isinstance(given, str) else json.dumps(given, ensure_ascii=False)


class OwnCalls:
    """The calls of an agent as it made them, identifiers included.

    In the conversation stand those of the cassette for them, which are the same in every recording;
    the agent is told its own.
    """

    def __init__(self) -> None:
        self._own: dict[str, tuple[Any, Mapping[str, Any]]] = {}
        """Identifier → the function that stands in the conversation, and the call it stands for."""

    def keep(self, reply: Mapping[str, Any], replaced: Mapping[str, Any]) -> None:
        """Remember which calls of a reply stand for which others."""
        pairs = zip(reply.get("tool_calls") or (), replaced.get("tool_calls") or (), strict=True)
        self._own.update(
            {stand_in["id"]: (stand_in["function"], own) for own, stand_in in pairs if own["id"]}
        )

    def restored(self, messages: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
        """Return messages with the agent's own calls in them; those of others stay."""
        identifiers: dict[str, str] = {}
        return [self._restored(message, identifiers) for message in messages]

    def _restored(self, message: Mapping[str, Any], identifiers: dict[str, str]) -> dict[str, Any]:
        restored = dict(message)
        if calls := message.get("tool_calls"):
            restored["tool_calls"] = [self._own_call(call, identifiers) for call in calls]
        if (identifier := message.get("tool_call_id")) in identifiers:
            restored["tool_call_id"] = identifiers[identifier]
        return restored

    def _own_call(self, call: Mapping[str, Any], identifiers: dict[str, str]) -> Mapping[str, Any]:
        own: Mapping[str, Any]
        function, own = self._own.get(call["id"], (None, call))
        if call["function"] != function:
            return call
        identifiers[call["id"]] = own["id"]
        return own
