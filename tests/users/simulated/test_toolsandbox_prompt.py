from __future__ import annotations

import pytest

from pytest_toolsandbox.language.roles import Role
from pytest_toolsandbox.language.tasks import Demonstration, Line, UserScript
from pytest_toolsandbox.users.simulated.toolsandbox_prompt import INSTRUCTION, Prompt, read, request
from pytest_toolsandbox.users.simulated.utterance import (
    MalformedReplyError,
    RejectedReply,
    Reply,
    Utterance,
)

SHOWN = Demonstration(
    "Have a taxi called.",
    "You are at the pier.",
    (Line(Role.USER, "Call me a taxi."), Line(Role.AGENT, "Where are you?")),
)
SCRIPT = UserScript("Text Ada.", "Have Ada told.", "You are late.", SHOWN)
HEARD = [
    {"role": "user", "content": "Text Ada."},
    {"role": "assistant", "content": "What shall I say?"},
]
END = {"name": "end_conversation", "arguments": "{}"}


def system(text: str) -> dict[str, str]:
    return {"role": "system", "content": f"{INSTRUCTION}\nYour task:\n{text}"}


@pytest.mark.parametrize(
    ("prompt", "instruction"),
    [
        ("goal", "Have Ada told. Then have an alarm set."),
        ("full", "Have Ada told. Then have an alarm set. You are late. It is Ada Byron."),
    ],
)
def test_named_goals_and_facts_are_joined(prompt: Prompt, instruction: str) -> None:
    goals = {"text": "Have Ada told.", "alarm": "Then have an alarm set."}
    known = {"which": "It is Ada Byron."}
    script = UserScript("Text Ada.", None, "You are late.", goals=goals, knows=known)
    assert request(script, prompt, HEARD)["messages"][0] == system(instruction)


def test_the_conversation_can_only_be_ended_after_the_agent_spoke() -> None:
    assert "tools" not in request(SCRIPT, "full", HEARD[:1])
    assert "tools" not in request(SCRIPT, "full", [])


def test_messages_of_the_system_are_not_shown() -> None:
    heard = [{"role": "system", "content": "You act for the user."}, *HEARD]
    assert request(SCRIPT, "goal", heard) == request(SCRIPT, "goal", HEARD)


def test_without_a_goal_the_opening_is_the_task() -> None:
    (first, *_) = request(UserScript("Text Ada."), "full", HEARD)["messages"]
    assert first == system("Text Ada.")


def test_rejected_replies_and_feedback_are_sent() -> None:
    refused = [
        RejectedReply({"role": "assistant", "content": "How can I help?"}, "That is not you.")
    ]
    *before, rejected, feedback = request(SCRIPT, "goal", HEARD, refused)["messages"]
    assert before == request(SCRIPT, "goal", HEARD)["messages"]
    assert rejected == {"role": "assistant", "content": "How can I help?"}
    assert feedback == {"role": "system", "content": "That is not you. Answer again, as User A."}


def calling(*functions: dict[str, str], content: str | None = None) -> Reply:
    calls = [{"id": "c", "type": "function", "function": function} for function in functions]
    return {"role": "assistant", "content": content, "tool_calls": calls}


@pytest.mark.parametrize(
    ("reply", "utterance"),
    [
        ({"role": "assistant", "content": " I'm late. "}, Utterance("I'm late.")),
        (calling(END), Utterance(None)),
        (calling(END, content="Thanks!"), Utterance(None)),
    ],
)
def test_replies(reply: Reply, utterance: Utterance) -> None:
    assert read(reply) == utterance


@pytest.mark.parametrize(
    ("reply", "message"),
    [
        ({"role": "assistant", "content": "  "}, "You said nothing."),
        ({"role": "assistant", "content": None}, "You said nothing."),
        (calling({"name": "send", "arguments": "{}"}), "There is no tool but end_conversation."),
    ],
)
def test_replies_that_are_no_utterance(reply: Reply, message: str) -> None:
    with pytest.raises(MalformedReplyError) as caught:
        read(reply)
    assert str(caught.value) == message
