"""The paper's user: roles reversed, a demonstration before the task (ToolSandbox, section 2)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final, Literal

from pytest_toolsandbox.language.roles import Role
from pytest_toolsandbox.language.tasks import Demonstration, UserScript
from pytest_toolsandbox.models.litellm_agent import tool

from .utterance import END_CONVERSATION, MalformedReplyError, Refused, Reply, Utterance

Prompt = Literal["goal", "boundary", "full"]
"""What the user is told, the ablation of Table 2: its goal; the knowledge boundary too; and a
demonstration before both."""

INSTRUCTION: Final = """\
You are User A, a person who talks to User B. User B can use the phone and other tools; you cannot.
1. Stay User A. You want something done; you never do it, offer help, or question User B.
2. When User B asks you something, answer it from what is said below and from nothing else. Never \
make up a name, a number, a date or anything that is not there; say that you do not know it.
3. Write as people text: short and casual.
4. If User B says that it cannot do it, tell more of what you know, or suggest that it finds out \
what it lacks with its own tools.
5. User B may turn cellular service, Wi-Fi and location service on, and low battery mode off, if \
your task needs that.
6. When User B says that your task is done, call end_conversation, even if you cannot see whether \
it is.
7. Call end_conversation too when User B has tried five times in vain.

Your task:
"""
END_TOOL: Final = tool(END_CONVERSATION, "End the conversation with User B.", {})


def request(
    script: UserScript,
    prompt: Prompt,
    heard: Sequence[dict[str, Any]],
    refused: Sequence[Refused] = (),
) -> dict[str, Any]:
    """Return what the model is asked: ``messages``, and ``tools`` when the agent has spoken.

    ``heard`` is what the user sees: its own messages are ``user``, the agent's ``assistant``.
    """
    shown = [script.demonstration] if script.demonstration and prompt == "full" else []
    messages = [message for one in shown for message in _demonstrated(one)]
    known = filter(None, (script.knowledge_boundary, *script.knows.values()))
    messages.append(
        _system(script.wants or script.opening, " ".join(known) if prompt != "goal" else None)
    )
    messages += [_reversed(one["role"], one["content"]) for one in heard if one["role"] != "system"]
    for one in refused:
        messages.append({"role": "assistant", "content": one.written})
        messages.append({"role": "system", "content": f"{one.told} Answer again, as User A."})
    has_spoken = bool(heard) and heard[-1]["role"] == "assistant"
    return {"messages": messages, **({"tools": [END_TOOL]} if has_spoken else {})}


def read(reply: Reply) -> Utterance:
    """Return what the model says. Raises :class:`MalformedReplyError`."""
    calls = reply.get("tool_calls") or ()
    names = [call["function"]["name"] for call in calls]
    if any(name != END_CONVERSATION for name in names):
        raise MalformedReplyError(f"There is no tool but {END_CONVERSATION}.")
    if names:
        return Utterance(None)
    text = (reply.get("content") or "").strip()
    if not text:
        raise MalformedReplyError("You said nothing.")
    return Utterance(text)


def _demonstrated(shown: Demonstration) -> Iterator[dict[str, Any]]:
    """Yield an example conversation as it would be sent; its last call is never shown."""
    yield _system(shown.goal, shown.knowledge_boundary)
    for line in shown.lines:
        yield _reversed("assistant" if line.role is Role.AGENT else "user", line.content)


def _system(goal: str, boundary: str | None) -> dict[str, Any]:
    told = " ".join(filter(None, (goal, boundary)))
    return {"role": "system", "content": INSTRUCTION + told}


def _reversed(role: str, content: str) -> dict[str, Any]:
    return {"role": "user" if role == "assistant" else "assistant", "content": content}
