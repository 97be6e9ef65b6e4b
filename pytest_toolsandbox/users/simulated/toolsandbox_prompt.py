"""The prompt of ToolSandbox's user simulator (section 2): role reversal and a demonstration."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, Final, Literal

from pytest_toolsandbox.language.roles import Role
from pytest_toolsandbox.language.tasks import Demonstration, UserScript
from pytest_toolsandbox.models.model_agent import tool
from pytest_toolsandbox.text.formatting import join_words
from pytest_toolsandbox.worlds.tool import END_CONVERSATION

from .utterance import MalformedReplyError, RejectedReply, Reply, Utterance

Prompt = Literal["goal", "boundary", "full"]
"""The parts of the prompt (ablation of Table 2): the goal; also the knowledge boundary; also the
demonstration."""

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
"""
_TASK: Final = "\nYour task:\n"
OWN_TOOLS: Final = """\
8. Some tools are yours alone, for what is in your own hands. Use them when User B asks you to do \
or look at something that they are for, or when your task needs it. User B sees neither your calls \
nor what they show: tell it what it has to know.
"""
"""A further rule, for a user with tools of its own."""
_END_TOOL: Final = tool(END_CONVERSATION, "End the conversation with User B.", {})


def request(
    script: UserScript,
    prompt: Prompt,
    heard: Sequence[dict[str, Any]],
    rejected: Sequence[RejectedReply] = (),
    own_tools: Sequence[dict[str, Any]] = (),
) -> dict[str, Any]:
    """Return the request: ``messages``, and ``tools`` if the agent has spoken.

    In ``heard`` the user's own messages are ``user``, the agent's ``assistant``.
    """
    messages: list[dict[str, Any]] = []
    if script.demonstration and prompt == "full":
        messages += _demonstration(script.demonstration)
    further = script.instructions if script.wants != script.instructions else ""
    known = filter(None, (further, script.knowledge_boundary, *script.knows.values()))
    messages.append(
        _system(
            script.wants or script.opening,
            " ".join(known) if prompt != "goal" else None,
            OWN_TOOLS if own_tools else "",
        )
    )
    messages += [_reversed(message) for message in heard if message["role"] != "system"]
    for reply in rejected:
        messages.append({"role": "assistant", "content": reply.written})
        feedback = f"{reply.feedback} Answer again, as User A."
        messages.append({"role": "system", "content": feedback})
    has_spoken = bool(heard) and heard[-1]["role"] in ("assistant", "tool")
    return {"messages": messages, **({"tools": [*own_tools, _END_TOOL]} if has_spoken else {})}


def read(reply: Reply, own_tools: Collection[str] = ()) -> Utterance:
    """Return the utterance in a reply. Raises :class:`MalformedReplyError`."""
    functions = [call["function"] for call in reply.get("tool_calls") or ()]
    names = [function["name"] for function in functions]
    if any(name not in (END_CONVERSATION, *own_tools) for name in names):
        allowed = join_words([END_CONVERSATION, *own_tools], "and")
        raise MalformedReplyError(f"There is no tool but {allowed}.")
    if END_CONVERSATION in names:
        return Utterance(None)
    if functions:
        return Utterance(None, calls=tuple((f["name"], f["arguments"]) for f in functions))
    text = (reply.get("content") or "").strip()
    if not text:
        raise MalformedReplyError("You said nothing.")
    return Utterance(text)


def _demonstration(demonstration: Demonstration) -> Iterator[dict[str, Any]]:
    """Yield an example conversation as messages, without its final call."""
    yield _system(demonstration.goal, demonstration.knowledge_boundary)
    for line in demonstration.lines:
        role = "assistant" if line.role is Role.AGENT else "user"
        yield _reversed({"role": role, "content": line.content})


def _system(goal: str, boundary: str | None, further_rule: str = "") -> dict[str, Any]:
    task = " ".join(filter(None, (goal, boundary)))
    return {"role": "system", "content": f"{INSTRUCTION}{further_rule}{_TASK}{task}"}


def _reversed(message: Mapping[str, Any]) -> dict[str, Any]:
    if message["role"] == "tool":
        return {**message}
    if calls := message.get("tool_calls"):
        return {"role": "assistant", "content": None, "tool_calls": calls}
    role = "user" if message["role"] == "assistant" else "assistant"
    return {"role": role, "content": message["content"]}
