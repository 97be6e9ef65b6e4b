"""A model for tests that drafts tasks for the phone, and plays those that it knows."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

from model_server import Answer, Request, calls, fault, text

TEXT_SISTER: Final[dict[str, Any]] = {
    "name": "text my sister",
    "summary": "The number of the recipient has to be looked up.",
    "opening": "Text my sister that I'll be there at six.",
    "goal": "Have my sister know that I'll be there at six.",
    "tools": ["search_contacts", "send_message_with_phone_number"],
    "agrees": "Yes, text my sister that I'll be there at six.",
}
ASKED: Final[dict[str, Any]] = {
    "name": "asked back",
    "opening": "Turn it off, please.",
    "goal": "Have the wifi off.",
    "replies": [{"about": ["wifi", "what"], "say": "The wifi."}],
}
CHAT: Final[dict[str, Any]] = {"name": "chat", "opening": "Chat with me."}
WIFI: Final[dict[str, Any]] = {
    "name": "Wifi off!",
    "opening": "Please turn off the wifi on this phone.",
    "tools": ["set_wifi_status"],
    "agrees": "Yes, turn it off.",
}
SEND: Final = {"phone_number": "+14155550111", "content": "I'll be there at six."}
STEPS: Final[Mapping[str, Sequence[tuple[str, Any] | str]]] = {
    TEXT_SISTER["opening"]: [
        ("search_contacts", {"relationship": "sister"}),
        ("send_message_with_phone_number", SEND),
        "Katherine knows that you'll be there at six.",
    ],
    WIFI["opening"]: [("set_wifi_status", {"on": False}), "The wifi is off."],
    "Turn on the lamp in the kitchen.": [
        ("turn_on", {"room": "kitchen"}),
        "The lamp in the kitchen is on.",
    ],
    ASKED["opening"]: ["The wifi, or cellular?", ("set_wifi_status", {"on": False}), "It is off."],
    CHAT["opening"]: ["Hello, how are you?"],
}
"""Opening → the calls of an agent, and what it says in the end."""


class DraftingModel:
    """Answers requests: the n-th for drafts with the n-th reply, others by ``STEPS``.

    ``asked`` are the requests for drafts. An opening without steps is answered by an outage.
    """

    def __init__(self, *replies: Any) -> None:
        self.replies = [*map(reply_of, replies)]
        self.asked: list[str] = []

    def __call__(self, request: Request) -> Answer:
        messages = request.body["messages"]
        if "tools" not in request.body:
            self.asked.append(messages[-1]["content"])
            return self.replies.pop(0) if self.replies else fault(401, "the key is wrong")
        if any(tool["function"]["name"] == "end_conversation" for tool in request.body["tools"]):
            return played_user(messages[-1]["content"])
        opening = next(m["content"] for m in messages if m["role"] == "user")
        if opening not in STEPS:
            return fault(401, "the key is wrong")
        made = sum(message["role"] == "assistant" for message in messages)
        step = STEPS[opening][min(made, len(STEPS[opening]) - 1)]
        return text(step) if isinstance(step, str) else calls(step)


def played_user(transcript: str) -> Answer:
    """Answer as a user that a model plays: it says what it means, and then ends."""
    if "I mean the wifi." in transcript:
        return calls(("end_conversation", {"reason": "done"}))
    return calls(("reply", {"text": "I mean the wifi.", "goal": "goal", "uses": ["fact_1"]}))


def reply_of(drafts: Any) -> Answer:
    return text(drafts if isinstance(drafts, str) else json.dumps({"drafts": drafts}))
