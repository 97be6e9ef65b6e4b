from __future__ import annotations

import json
from typing import Any

import pytest
from rows import every

from pytest_toolsandbox.users.simulated.tool_calling_prompt import read, request, tools
from pytest_toolsandbox.users.simulated.utterance import (
    MalformedReplyError,
    RejectedReply,
    Reply,
    Utterance,
)
from pytest_toolsandbox.users.user import Knowledge, Ledger

KNOWLEDGE = Knowledge(
    "Text Ada.",
    {"text": "Have Ada told.", "alarm": "Be woken."},
    {"delay": "You are ten minutes late."},
    "You do not know the number.",
)
LEDGER = Ledger.at_opening(KNOWLEDGE)
HEARD = [
    {"role": "system", "content": "You act for the user."},
    {"role": "user", "content": "Text Ada."},
    {"role": "assistant", "content": "What shall I say?"},
]
ASKED = """\
# Your goals
- text (asked): Have Ada told.
- alarm (open): Be woken.

# What you know
You do not know the number.
- delay: You are ten minutes late.

# The conversation so far
You: Text Ada.
Assistant: What shall I say?

What do you do next?"""


def test_the_conversation_is_a_transcript_in_one_message() -> None:
    asked = request(KNOWLEDGE, LEDGER, "plain", HEARD)
    assert [message["role"] for message in asked["messages"]] == ["system", "user"]
    assert asked["messages"][1]["content"] == ASKED
    assert (asked["tools"], asked["tool_choice"]) == (tools(KNOWLEDGE), "required")


def test_rejected_replies_and_feedback_are_sent() -> None:
    function = {"name": "reply", "arguments": '{"text": "It is Bo."}'}
    refused = RejectedReply({"content": None, "tool_calls": [{"function": function}]}, "Not Bo.")
    asked = request(KNOWLEDGE, LEDGER, "plain", HEARD, [refused])["messages"][1]["content"]
    tried = 'You tried: reply({"text": "It is Bo."})\nThat was not sent. Not Bo.'
    assert asked == ASKED.replace("What do you do next?", f"{tried}\n\nWhat do you do next?")


def test_a_user_of_an_opening_alone_knows_that() -> None:
    knowledge = Knowledge("Text Ada.", {"goal": "Have Ada told."})
    asked = request(knowledge, Ledger.at_opening(knowledge), "plain", HEARD)
    assert (
        "# What you know\nWhat you said yourself, and no more.\n"
        in (asked["messages"][1]["content"])
    )
    assert (
        "enum" not in tools(knowledge)[0]["function"]["parameters"]["properties"]["uses"]["items"]
    )


def calling(*functions: tuple[str, Any], content: str | None = None) -> Reply:
    calls = [
        {
            "function": {
                "name": name,
                "arguments": arguments if isinstance(arguments, str) else json.dumps(arguments),
            }
        }
        for name, arguments in functions
    ]
    return {"role": "assistant", "content": content, "tool_calls": calls}


SAID = {"text": "I'm late.", "goal": "text", "uses": ["delay"]}


@pytest.mark.parametrize(
    ("reply", "utterance"),
    [
        (calling(("reply", SAID)), Utterance("I'm late.", "text", ("delay",))),
        (
            calling(("reply", SAID), content="The user is late, so I say:"),
            Utterance("I'm late.", "text", ("delay",)),
        ),
        (calling(("reply", SAID | {"uses": None})), Utterance("I'm late.", "text")),
        (calling(("end_conversation", {"reason": "done"})), Utterance(None, reason="done")),
    ],
)
def test_replies(reply: Reply, utterance: Utterance) -> None:
    assert read(reply, KNOWLEDGE) == utterance


@every(
    ("reply", "message"),
    [
        ({"content": "I'm late."}, "Call one tool: reply or end_conversation."),
        (
            calling(("reply", SAID), ("end_conversation", {"reason": "done"})),
            "Call one tool: reply or end_conversation.",
        ),
        (calling(("send", {})), "There is no tool but reply and end_conversation."),
        (calling(("reply", "{")), "The arguments are missing, or not a JSON object."),
        (calling(("reply", "[" * 100_000)), "The arguments are missing, or not a JSON object."),
        (calling(("reply", "[]")), "The arguments are missing, or not a JSON object."),
        (calling(("reply", SAID | {"text": " "})), "The text is empty."),
        (calling(("reply", SAID | {"goal": "taxi"})), "The goal is one of text, alarm."),
        (calling(("reply", SAID | {"uses": ["name"]})), "The facts to use are: delay."),
        (
            calling(("end_conversation", {"reason": "bye"})),
            "The reason is one of done, gave_up, cannot_answer, handed_over.",
        ),
    ],
)
def test_replies_that_are_no_utterance(reply: Reply, message: str) -> None:
    with pytest.raises(MalformedReplyError) as caught:
        read(reply, KNOWLEDGE)
    assert str(caught.value) == message


def test_the_ledger_says_how_far_each_goal_is() -> None:
    assert LEDGER.progress == {"text": "asked", "alarm": "open"}
    assert LEDGER.open_goals == ["alarm"]
    assert LEDGER.after(None) == LEDGER
    assert LEDGER.after("text").progress == {"text": "asked", "alarm": "open"}
    later = LEDGER.after("alarm")
    assert later.progress == {"text": "done", "alarm": "asked"}
    assert later.after("text").progress == {"text": "asked", "alarm": "done"}
    assert later.open_goals == []
