from __future__ import annotations

import pytest

from pytest_toolsandbox import Message, ToolCall, Trajectory
from pytest_toolsandbox.language.roles import Role
from pytest_toolsandbox.output.pages.messages import transcript
from pytest_toolsandbox.output.pages.view import Note
from pytest_toolsandbox.records.record import ConversationRecord
from pytest_toolsandbox.worlds.state import State

SYSTEM, USER, AGENT, ENVIRONMENT = Role


def message(sender: Role, recipient: Role, content: str, call: ToolCall | None = None) -> Message:
    return Message(sender, recipient, content, (sender, recipient), call)


def conversation_of(*messages: Message, untried_orders: tuple[int, ...] = ()) -> ConversationRecord:
    calls = Trajectory(messages, (State({}),) * len(messages), State({})).calls
    return {
        "messages": list(messages),
        "tool_calls": [
            {"request": c.request, "answer": c.answer, "batch": c.batch, "order": c.order}
            for c in calls
        ],
        "snapshots": [],
        "untried_orders": list(untried_orders),
    }


CALL = ToolCall("1", "find", '{"name": "Ada"}')


@pytest.mark.parametrize(
    ("only", "line"),
    [
        (message(USER, AGENT, "Hello"), "  [ 0] user -> agent         Hello"),
        (message(AGENT, USER, "Hello\n\n  you"), "  [ 0] agent -> user         Hello you"),
        (message(AGENT, USER, ""), "  [ 0] agent -> user"),
        (message(AGENT, ENVIRONMENT, "", CALL), "  [ 0] agent -> environment  find(name='Ada')"),
        (
            message(AGENT, ENVIRONMENT, "Let me see.", CALL),
            "  [ 0] agent -> environment  Let me see.  find(name='Ada')",
        ),
        (message(ENVIRONMENT, AGENT, '["Ada"]', CALL), '  [ 0] environment -> agent  ["Ada"]'),
        (
            message(USER, ENVIRONMENT, "", ToolCall("2", "end_conversation", "{}")),
            "  [ 0] user -> environment   end_conversation()",
        ),
    ],
)
def test_lines(only: Message, line: str) -> None:
    assert list(transcript(conversation_of(only))) == [line]


def test_thoughts_are_below_their_message_if_they_are_kept() -> None:
    record = conversation_of(*[message(AGENT, USER, "Hello")] * 2)
    record["reasoning"] = [{"message": 0, "text": "A user.\nI greet."}, {"message": 1}]
    assert list(transcript(record))[1:] == [
        "       ~ (reasoning) A user. I greet.",
        "  [ 1] agent -> user         Hello",
    ]


def test_messages_are_numbered_and_the_systems_are_left_out() -> None:
    messages = [
        message(SYSTEM, AGENT, "Be kind."),
        *(message(USER, AGENT, f"No {n}") for n in range(100)),
    ]
    lines = list(transcript(conversation_of(*messages)))
    assert lines[0] == "  [ 1] user -> agent         No 0"
    assert lines[-1] == "  [100] user -> agent         No 99"


def test_findings_stand_below_their_message() -> None:
    messages = [message(SYSTEM, AGENT, "Be kind."), message(USER, AGENT, "Hello")]
    notes = {1: [Note("reached greeted"), Note("hit shouted")], 0: [Note("hit kind")]}
    assert list(transcript(conversation_of(*messages), notes)) == [
        "       ^ hit kind",
        "  [ 1] user -> agent         Hello",
        "       ^ reached greeted",
        "       ^ hit shouted",
    ]


OTHER = ToolCall("2", "find", '{"name": "Bo"}')


def test_answers_to_calls_that_happened_in_another_order_say_to_which_they_are() -> None:
    asked = [message(AGENT, ENVIRONMENT, "", call) for call in (CALL, OTHER)]
    both = [message(ENVIRONMENT, AGENT, text, call) for text, call in (("2", OTHER), ("1", CALL))]
    assert list(transcript(conversation_of(*asked, *both))) == [
        "  [ 0] agent -> environment  (1 of 2 at once)  find(name='Ada')",
        "  [ 1] agent -> environment  (2 of 2 at once)  find(name='Bo')",
        "  [ 2] environment -> agent  (to [1])  2",
        "  [ 3] environment -> agent  (to [0])  1",
    ]
    in_order = list(transcript(conversation_of(*asked, *reversed(both))))
    assert in_order[2:] == ["  [ 2] environment -> agent  1", "  [ 3] environment -> agent  2"]


def test_it_is_said_where_not_all_orders_could_be_tried() -> None:
    asked = [message(AGENT, ENVIRONMENT, "", call) for call in (CALL, OTHER)]
    assert list(transcript(conversation_of(*asked, untried_orders=(0,)))) == [
        "  [ 0] agent -> environment  (1 of 2 at once)  find(name='Ada')",
        "       ^ more orders of these calls than can be tried: they happened as they are given",
        "  [ 1] agent -> environment  (2 of 2 at once)  find(name='Bo')",
    ]
