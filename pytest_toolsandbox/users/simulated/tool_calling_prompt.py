"""The prompt of a user that speaks by tool calls only: its other text is never delivered."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, Final

from pytest_toolsandbox.language.roles import Manner
from pytest_toolsandbox.models.model_agent import arguments_of, tool
from pytest_toolsandbox.text.formatting import join_words
from pytest_toolsandbox.users.user import AGREES, Knowledge, Ledger
from pytest_toolsandbox.worlds.tool import END_CONVERSATION

from .utterance import MalformedReplyError, RejectedReply, Reply, Utterance

_MANNERS: Final[Mapping[Manner, str]] = {
    "plain": "Write as people text: short, casual, to the point.",
    "terse": "Write as few words as will do: fragments, no greeting, no thanks.",
    "impatient": "You are in a hurry and let it be felt; you never insult anybody.",
    "tangential": "You often add a remark that has nothing to do with it, without facts or wishes.",
    "incomplete": "Leave out what you know until you are asked for it; then tell that, no more.",
}
_SPEAKERS: Final = {"user": "You", "assistant": "Assistant"}
_REPLY: Final = "reply"
ENDS: Final = "(ends the conversation)"
"""The line of a transcript in which a user ends the conversation."""
_AGREES: Final = {"yes": True, "no": False, "it asks for none": None}
_REASONS: Final = ("done", "gave_up", "cannot_answer", "handed_over")
_REASON_DESCRIPTION: Final = (
    "done: the assistant says that all your goals are met. gave_up: it has tried in vain and says "
    "so. cannot_answer: it insists on what you do not know. handed_over: it passes you on to "
    "somebody else."
)

INSTRUCTION: Final = """\
You play a person who talks to an assistant by text. Speak only through your tools: reply says \
something to the assistant, {end} ends the conversation. Nothing else that you write is read by \
anybody.

- You want your goals met, one after the other, in their order. The assistant acts; you do not. \
Never offer help, never say that you have done something in its place, never repeat its words.
- All that you know is under "What you know" and in what was said. Whatever else the assistant \
asks for, you do not know, and say so. Never make up or guess a name, a number, a date, a time, \
an address or a wording.
- Agree to what your goals need, and refuse what they do not want. It may look things up, and turn \
on or off what it needs on the way.
- Turn to the next open goal when the one before is met. When none is open, and the assistant asks \
you nothing that you know, call {end}. Do not thank it again and again.
- {manner}
"""
OWN_TOOLS: Final = """\
- Your other tools are for what is in your own hands. Use them when the assistant asks you to do \
or look at something that they are for, or when your goals need it; then you know what they show. \
The assistant sees neither: tell it what it has to know.
"""
"""A further rule, for a user with tools of its own."""


def request(
    knowledge: Knowledge,
    ledger: Ledger,
    manner: Manner,
    heard: Sequence[dict[str, Any]],
    rejected: Sequence[RejectedReply] = (),
) -> dict[str, Any]:
    """Return the request: two messages, and two tools, of which the model must call one.

    In ``heard`` the user's own messages are ``user``, the agent's ``assistant``.
    """
    system = INSTRUCTION.format(end=END_CONVERSATION, manner=_MANNERS[manner])
    goals = knowledge.goals.items()
    facts = [f"- {fact}: {text}" for fact, text in knowledge.facts.items()]
    known = [knowledge.boundary, *facts] if knowledge.boundary else facts
    parts = [
        *(
            [section("Your instructions", [knowledge.instructions])]
            if knowledge.instructions
            else []
        ),
        section("Your goals", [f"- {id_} ({ledger.progress[id_]}): {text}" for id_, text in goals]),
        section("What you know", known or ["What you said yourself, and no more."]),
        section("The conversation so far", transcript(heard, _SPEAKERS)),
        *(f"You tried: {r.written}\nThat was not sent. {r.feedback}" for r in rejected),
        "What do you do next?",
    ]
    return {
        "messages": [
            {"role": "system", "content": system},
            {"role": "user", "content": "\n\n".join(parts)},
        ],
        "tools": tools(knowledge),
        "tool_choice": "required",
    }


def with_own_tools(request: dict[str, Any], own_tools: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Return a request with further tools, and what the user has to know about them."""
    system, *later = request["messages"]
    system = {**system, "content": system["content"] + OWN_TOOLS}
    messages = [system, *later]
    return {**request, "messages": messages, "tools": [*request["tools"], *own_tools]}


def tools(knowledge: Knowledge) -> list[dict[str, Any]]:
    """Return the user's tools, with the ids of its goals and facts."""
    facts: dict[str, Any] = {"type": "string"}
    if knowledge.facts:
        facts["enum"] = [*knowledge.facts]
    reply = {
        "text": {"type": "string", "description": "What you say, as it is sent."},
        "goal": {
            "type": "string",
            "enum": [*knowledge.goals],
            "description": "The goal that it is for.",
        },
        "uses": {
            "type": "array",
            "items": facts,
            "description": "The ids of the facts that it tells; none if it tells none.",
        },
    }
    if knowledge.gives_consent:
        reply[AGREES] = {
            "type": "string",
            "enum": [*_AGREES],
            "description": "Whether you agree to what the assistant asks your permission for.",
        }
    reason = {"type": "string", "enum": [*_REASONS], "description": _REASON_DESCRIPTION}
    return [
        tool(_REPLY, "Say something to the assistant.", reply),
        tool(END_CONVERSATION, "End the conversation.", {"reason": reason}),
    ]


def read(reply: Reply, knowledge: Knowledge, own_tools: Collection[str] = ()) -> Utterance:
    """Return the utterance in a reply. Raises :class:`MalformedReplyError`."""
    functions = [call["function"] for call in reply.get("tool_calls") or ()]
    names, allowed = [f["name"] for f in functions], [_REPLY, END_CONVERSATION, *own_tools]
    if len(names) != 1:
        raise MalformedReplyError(f"Call one tool: {join_words(allowed)}.")
    if names[0] not in allowed:
        raise MalformedReplyError(f"There is no tool but {join_words(allowed, 'and')}.")
    if names[0] in own_tools:
        return Utterance(None, calls=((names[0], functions[0]["arguments"]),))
    arguments = arguments_of(reply, names[0])
    if not arguments:
        raise MalformedReplyError("The arguments are missing, or not a JSON object.")
    if names[0] == END_CONVERSATION:
        return Utterance(None, reason=_one_of(arguments, "reason", _REASONS))
    text, uses = arguments.get("text"), arguments.get("uses") or []
    if not isinstance(text, str) or not text.strip():
        raise MalformedReplyError("The text is empty.")
    if not isinstance(uses, list) or not all(use in [*knowledge.facts] for use in uses):
        facts = ", ".join(knowledge.facts) or "none, so it stays empty"
        raise MalformedReplyError(f"The facts to use are: {facts}.")
    agrees = _AGREES[_one_of(arguments, AGREES, [*_AGREES])] if knowledge.gives_consent else None
    goal = _one_of(arguments, "goal", [*knowledge.goals])
    return Utterance(text.strip(), goal, tuple(uses), agrees=agrees)


def _one_of(arguments: Mapping[str, Any], name: str, allowed: Sequence[str]) -> str:
    value = arguments.get(name)
    if value not in allowed:
        raise MalformedReplyError(f"The {name} is one of {', '.join(allowed)}.")
    return str(value)


def section(title: str, lines: Sequence[str]) -> str:
    """Return lines below a heading."""
    return "\n".join((f"# {title}", *lines))


def transcript(
    heard: Sequence[dict[str, Any]], speakers: Mapping[str, str], since: int = 0
) -> list[str]:
    """Return a line for each message of the roles in ``speakers``, with their names.

    Calls of a user and their results have lines of their own. Messages before ``since`` are left
    out.
    """
    calls = {
        call["id"]: call["function"]["name"] for m in heard for call in m.get("tool_calls", ())
    }
    return [line for message in heard[since:] for line in _lines(message, speakers, calls)]


def _lines(
    message: Mapping[str, Any], speakers: Mapping[str, str], calls: Mapping[str, str]
) -> Iterator[str]:
    speaker = speakers.get(message["role"])
    for call in message.get("tool_calls", ()):
        name, arguments = call["function"]["name"], call["function"]["arguments"]
        done = ENDS if name == END_CONVERSATION else f"called {name}({arguments})"
        yield f"{speaker}: {done}"
    if message["role"] == "tool":
        name = calls.get(message["tool_call_id"], END_CONVERSATION)
        if name != END_CONVERSATION:
            yield f"{name} showed: {message['content']}"
    elif speaker and not message.get("tool_calls"):
        yield f"{speaker}: {message['content']}"
