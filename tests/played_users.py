"""A scenario for users that a model plays, what the model server says for them, and an agent."""

from __future__ import annotations

from typing import Any

from model_server import Answer, calls

PANTRY = """
user:
  opening: Is the pantry open?
  goals: {look: Know whether the pantry is open., door: Have the door shut.}
  knows: {key: The key is green.}
milestones: {told: {says: {mentions: [open]}}, shut: {says: {mentions: [shut]}}}
"""
MODEL = "openai/gpt-4o"


def utterance(words: str, goal: str = "look", *uses: str) -> Answer:
    return calls(("reply", {"text": words, "goal": goal, "uses": list(uses)}))


def ended(reason: str = "done") -> Answer:
    return calls(("end_conversation", {"reason": reason}))


def agent(*replies: str) -> Any:
    """Return an agent that says one thing after the other, the last one again and again."""

    def reply(messages: list[dict[str, Any]], _tools: Any) -> str:
        turns = sum(message["role"] == "assistant" for message in messages)
        text: str = replies[min(turns, len(replies) - 1)]
        return text

    return reply
