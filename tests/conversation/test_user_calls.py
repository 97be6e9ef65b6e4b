"""Calls of the user: who sees them, in which order they happen, and what they count for."""

from __future__ import annotations

import json
from typing import Any

import pytest
from handset import ABROAD, played, scenario

from pytest_toolsandbox.conversation.messages import MadeCall, Trajectory, agent_view, user_view
from pytest_toolsandbox.conversation.play import PlayError, play
from pytest_toolsandbox.language.roles import Role
from pytest_toolsandbox.language.scenario import Scenario

SYSTEM, USER, AGENT, ENVIRONMENT = Role
SAYS = [("user", "agent")]
CALL = [("user", "execution_environment"), ("execution_environment", "user")]
AGENT_CALL = [("agent", "execution_environment"), ("execution_environment", "agent")]


def names(calls: tuple[MadeCall, ...]) -> list[str]:
    return [call.call.name for call in calls]


def texts(trajectory: Trajectory, sender: Role) -> list[str]:
    return [m.content for m in trajectory.messages if m.sender is sender and m.call is None]


def test_the_user_acts_before_it_speaks_and_tells_what_it_sees() -> None:
    trajectory = played(scenario())
    steps = [(m.sender.value, m.recipient.value) for m in trajectory.messages[1:]]
    says = [("agent", "user")]
    assert steps == [*CALL, *SAYS, *AGENT_CALL, *says, *CALL, *CALL, *SAYS, *says, *CALL]
    assert texts(trajectory, USER) == [
        "My phone has no service in Portugal.",
        "Done. It says 4G now.",
    ]
    assert names(trajectory.calls) == ["allow_roaming"]
    assert names(trajectory.user_calls) == ["check_signal", "set_airplane_mode", "check_signal"]
    changed = [call.call.name for call in trajectory.user_calls if call.changed_the_world]
    assert changed == ["set_airplane_mode"]
    assert trajectory.first == 1
    assert trajectory.tool_call_count == 1
    assert trajectory.turn_count == 6


def test_the_agent_sees_none_of_the_calls() -> None:
    trajectory = played(scenario())
    seen = agent_view(trajectory.messages)
    assert [message["role"] for message in seen] == [
        *("system", "user", "assistant", "tool", "assistant", "user", "assistant"),
    ]
    assert "check_signal" not in json.dumps(seen)
    assert "check_signal" not in scenario().tool_schemas_as_json


def test_the_user_sees_its_own_calls_alone() -> None:
    seen = user_view(played(scenario()).messages)
    opened, result, opening, reply, *_ = seen
    (call,) = opened["tool_calls"]
    assert call["function"] == {"name": "check_signal", "arguments": "{}"}
    assert result == {
        "role": "tool",
        "tool_call_id": call["id"],
        "content": '{"bars": 0, "text": "no service"}',
    }
    assert (opening["role"], reply["role"]) == ("user", "assistant")
    assert "allow_roaming" not in json.dumps(seen)


def test_a_failing_call_does_not_stop_the_script() -> None:
    text = ABROAD.replace("set_airplane_mode: {on: false}", "set_airplane_mode: {on: true}")
    text = text.replace("call: check_signal, path: text", "call: set_airplane_mode")
    trajectory = played(scenario(text))
    errors = [call.error for call in trajectory.user_calls]
    line = "PermissionError: Airplane mode is on already."
    assert errors == [None, line, None]
    assert texts(trajectory, USER)[-1] == f"Done. It says {line} now."


def test_a_result_that_lacks_what_the_script_takes_is_an_error_of_the_item() -> None:
    with pytest.raises(PlayError, match="finds nothing at 'colour' in the result of check_signal"):
        played(scenario(ABROAD.replace("path: text", "path: colour")))


def test_a_call_of_the_agent_is_of_an_unknown_tool() -> None:
    scene = scenario(
        ABROAD + "counterexamples: {grabs: [set_airplane_mode: {on: false}, say: It is off.]}"
    )
    trajectory = played(scene, "grabs")
    (call,) = trajectory.calls
    text = "NameError: name 'set_airplane_mode' is not defined: there is no such tool"
    assert call.error == text
    assert not call.changed_the_world


class Caller:
    """A user of one's own that calls several tools at once."""

    def __init__(self, *answers: Any) -> None:
        self.answers = list(answers)
        self.seen: list[list[dict[str, Any]]] = []

    def __call__(self, messages: list[dict[str, Any]]) -> Any:
        self.seen.append(messages)
        return self.answers.pop(0)


def called(*calls: tuple[str, Any]) -> dict[str, Any]:
    functions = [{"function": {"name": name, "arguments": arguments}} for name, arguments in calls]
    return {"role": "assistant", "tool_calls": functions}


def patient(messages: list[dict[str, Any]], tools: list[dict[str, Any]]) -> str:
    del messages, tools
    return "Please turn airplane mode off."


def with_user(user: Caller, scene: Scenario | None = None) -> Trajectory:
    return play(scene or scenario(), patient, user)


def test_calls_at_once_happen_in_the_given_order() -> None:
    off, on = ({"on": False}, '{"on": true}')
    user = Caller(called(("set_airplane_mode", off), ("set_airplane_mode", on)), None)
    trajectory = with_user(user)
    *_, first, second = trajectory.user_calls
    assert (first.error, second.error) == (None, None)
    assert (first.batch, first.order, second.order) == (second.batch, 0, 1)
    *_, request, earlier, other = user.seen[1]
    assert len(request["tool_calls"]) == 2
    assert [earlier["content"], other["content"]] == ["null", "null"]


def test_faulty_calls_are_answered() -> None:
    user = Caller(
        called(("fly", {}), ("set_airplane_mode", "{"), ("allow_roaming", {"on": True})), None
    )
    errors = [str(call.error) for call in with_user(user).user_calls[1:]]
    assert errors[0].startswith("NameError: name 'fly'")
    assert errors[1].startswith("ValueError: the arguments are no JSON")
    assert errors[2].startswith("NameError: name 'allow_roaming'")


def test_a_call_of_the_end_ends_the_conversation() -> None:
    trajectory = with_user(Caller(called(("check_signal", {}), ("end_conversation", {}))))
    assert names(trajectory.user_calls) == ["check_signal"]  # before the opening
    assert trajectory.messages[-1].call


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ({}, "the user returned a message without calls; expected tool_calls"),
        ({"tool_calls": [3]}, "the user returned an int as a call; expected tool_calls"),
        ({"tool_calls": [{"function": {}}]}, "the user returned a dict as a call; expected"),
        (3, "the user returned an int; expected text, or None to end it"),
    ],
)
def test_other_answers_are_errors(answer: Any, reason: str) -> None:
    with pytest.raises(PlayError, match=reason):
        with_user(Caller(answer))


def test_calls_take_room() -> None:
    scene = scenario(ABROAD + "max_messages: 4\n")
    trajectory = with_user(Caller(*[called(("check_signal", {}))] * 5), scene)
    assert len(trajectory.messages) == 4 + 4  # the system's, the opening with its call, 4 more
    answered = [call.answer is not None for call in trajectory.user_calls]
    assert answered == [True, True, False]
