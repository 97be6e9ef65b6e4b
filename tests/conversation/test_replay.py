"""Recorded conversations: what the agent is shown, and what its calls do to the world."""

from __future__ import annotations

import json
from typing import Any

import pytest
from replayed import ALARMS, Taking, call, recorded

from pytest_toolsandbox.agents.scripted import oracle
from pytest_toolsandbox.conversation.messages import Trajectory
from pytest_toolsandbox.conversation.play import PlayError, system_prompt
from pytest_toolsandbox.conversation.replay import ground_truth_turns, replay, said_to_agent
from pytest_toolsandbox.language.roles import Role
from pytest_toolsandbox.language.tasks import Replay
from pytest_toolsandbox.language.variants import variant
from pytest_toolsandbox.models.errors import AgentError
from pytest_toolsandbox.scoring.tooltalk.evaluate_replay import evaluate_replay, predicted_calls

SCENE = recorded()


def shown_messages(trajectory: Trajectory) -> list[str]:
    return [
        f"{m.sender.value}: {m.call.name if m.call and not m.content else m.content}"
        for m in trajectory.messages[1:]
    ]


def alarms(trajectory: Trajectory, index: int) -> list[str]:
    rows = trajectory.states[index]["alarm"].where(username="mbell")
    return [row["time"] for row in rows]


def test_the_user_s_words_and_the_agent_s_own_turns_make_the_conversation() -> None:
    agent = Taking([call("AddAlarm", time="07:00:00")], [], [])
    assert shown_messages(replay(SCENE, agent)) == [
        "user: Wake me at half past six tonight.",
        "agent: AddAlarm",
        'execution_environment: {"alarm_id": "5bff-dd80"}',
        "agent: That is all.",
        "user: And which ones are there after six?",
        "user: In the evening, I mean.",
        "agent: That is all.",
        "user: Tell bob that I am on my way.",
        "agent: That is all.",
    ]


def test_what_an_agent_did_in_one_turn_never_reaches_the_next() -> None:
    agent = Taking([call("AddAlarm", time="07:00:00")], [call("FindAlarms")], [])
    trajectory = replay(SCENE, agent)
    assert "07:00:00" in alarms(trajectory, 3)
    alarms_listed = json.loads(trajectory.messages[8].content)["alarms"]
    assert "18:30:00" in {alarm["time"] for alarm in alarms_listed}
    assert "07:00:00" not in {alarm["time"] for alarm in alarms_listed}
    assert "07:00:00" not in alarms(trajectory, 8)


def test_the_history_is_the_true_one_with_what_was_recorded() -> None:
    agent = Taking([call("AddAlarm", time="07:00:00")], [], [])
    replay(SCENE, agent)
    *_, last = agent.views
    assert [message["role"] for message in last] == [
        *("system", "user", "assistant", "tool", "assistant"),
        *("user", "user", "assistant", "tool", "assistant", "user"),
    ]
    assert last[2]["tool_calls"][0]["function"] == {
        "name": "AddAlarm",
        "arguments": '{"time": "18:30:00"}',
    }
    assert last[4]["content"] == "It is set."
    recorded_result = {"alarms": [{"alarm_id": "5bff-dd80", "time": "18:30:00"}]}
    assert json.loads(last[8]["content"]) == recorded_result


def test_the_agent_is_told_of_place_time_and_user() -> None:
    assert system_prompt(SCENE).endswith(
        "The user is in New York. It is 2025-09-15 13:00:00. The user's name is mbell."
    )
    logged_out = recorded(ALARMS.replace("location: New York", "logged_in: false"))
    assert system_prompt(logged_out).endswith(
        "rather than making it up. When you are done, or "
        "cannot go on, say so.\n\nIt is 2025-09-15 13:00:00."
    )


def test_without_a_session_the_calls_are_refused() -> None:
    scene = recorded(ALARMS.replace("location: New York", "logged_in: false"))
    (first, *_) = ground_truth_turns(scene)
    assert first.calls[0][2].error == "PermissionError: User is not logged in"


def test_a_turn_is_cut_off() -> None:
    def never_done(messages: list[dict[str, Any]], tools: list[dict[str, Any]]) -> Any:
        del messages, tools
        return {"content": None, "tool_calls": [call("FindAlarms")]}

    trajectory = replay(recorded(f"{ALARMS}max_messages: 4"), never_done)
    assert [line.split(":")[0] for line in shown_messages(trajectory)] == [
        *("user", *["agent", "execution_environment"] * 2),
        *("user", "user", *["agent", "execution_environment"] * 2),
        *("user", *["agent", "execution_environment"] * 2),
    ]


def test_an_agent_that_fails_keeps_what_was_said() -> None:
    def fails(messages: list[dict[str, Any]], tools: list[dict[str, Any]]) -> Any:
        del tools
        if len(messages) > 2:
            raise AgentError("no route")
        return "Hello."

    with pytest.raises(PlayError, match="no route") as caught:
        replay(SCENE, fails)
    assert [m.content for m in caught.value.trajectory.messages if m.sender is Role.AGENT] == [
        "Hello."
    ]


@pytest.mark.parametrize("name", ["tool_name_scrambled", "argument_name_scrambled"])
def test_scrambled_history_and_calls(name: str) -> None:
    scene = variant(SCENE, name)
    agent = oracle(scene)
    views: list[str] = []

    def watched(messages: list[dict[str, Any]], tools: list[dict[str, Any]]) -> Any:
        views.append(json.dumps(messages))
        return agent(messages, tools)

    trajectory = replay(scene, watched)
    assert [m.trace.tool_name for m in trajectory.messages if m.trace] == [
        *("AddAlarm", "FindAlarms", "SendMessage")
    ]
    hidden = "AddAlarm" if name == "tool_name_scrambled" else "start_range"
    assert hidden not in "".join(views)


def test_nobody_answers_what_comes_after_the_last_turn() -> None:
    assert said_to_agent(SCENE.task_as(Replay))[-1] == "Tell bob that I am on my way."


TURNWISE = recorded(f"{ALARMS}protocol: turnwise\n")


class Saying(Taking):
    """An agent that says something before the first call of each of its turns."""

    def __init__(self, text: str, *turns: list[dict[str, Any]]) -> None:
        super().__init__(*turns)
        self.text = text
        self.turns_begun: list[int] = []

    def __call__(self, messages: list[dict[str, Any]], tools: list[dict[str, Any]]) -> Any:
        del tools
        turn = sum(m["content"] in ("It is set.", "Just that one.") for m in messages)
        if turn not in self.turns_begun:
            self.turns_begun.append(turn)
            return self.text
        made = messages[-1]["role"] == "tool"
        return "Done." if made else {"content": None, "tool_calls": list(self.turns[turn])}


RECORDED = (
    [call("AddAlarm", time="18:30:00")],
    [call("FindAlarms", start_range="18:00:00")],
    [call("SendMessage", receiver="bob", message="I am on my way")],
)


@pytest.mark.parametrize(
    ("text", "answers"),
    [
        ("One moment, please.", ["OK", "OK", "OK"]),
        ("Let me see to that.", ["OK", "OK", "OK"]),
        ("Shall I go ahead?", ["OK", "OK", "OK"]),
        ("Your request is being processed.", ["OK", "OK", "OK"]),
        ("Half of it is through.", ["OK", "OK", "OK"]),
        ("One word from you and it is done.", ["OK", "OK", "OK"]),
        ("Ready when you are - a short yes is enough.", ["OK", "OK", "OK"]),
        ("Which alarm do you mean?", ["Please do as I said."] * 3),
        ("Is there anything else I should know?", ["Please do as I said."] * 3),
    ],
)
def test_turn_by_turn_an_announcement_or_a_question_does_not_end_the_turn(
    text: str, answers: list[str]
) -> None:
    trajectory = replay(TURNWISE, Saying(text, *RECORDED))
    spoken = [m.content for m in trajectory.messages if m.sender is Role.USER]
    recorded_words = said_to_agent(TURNWISE.task_as(Replay))
    assert [spoken_text for spoken_text in spoken if spoken_text not in recorded_words] == answers
    assert [call.turn for call in predicted_calls(TURNWISE, trajectory)] == [0, 1, 2]
    assert evaluate_replay(TURNWISE, trajectory).passed
    assert not evaluate_replay(SCENE, replay(SCENE, Saying(text, *RECORDED))).passed


def test_each_announcement_and_question_of_a_turn_is_answered_three_at_most() -> None:
    replies = iter(["Sure, let me look into that.", "Do you want me to do it now?", "One moment."])
    trajectory = replay(TURNWISE, lambda *_: next(replies, "Bear with me."))
    spoken = [m.content for m in trajectory.messages if m.sender is Role.USER]
    assert spoken[1:4] == ["OK", "OK", "OK"]
    assert spoken[4] != "OK"


@pytest.mark.parametrize(
    "text", ["I can't do that.", "Your alarm is set.", "I've added it.", "All done.", "Goodbye!"]
)
def test_a_refusal_or_a_report_ends_the_turn(text: str) -> None:
    trajectory = replay(TURNWISE, lambda *_: text)
    spoken = [m.content for m in trajectory.messages if m.sender is Role.USER]
    assert spoken[:2] == said_to_agent(TURNWISE.task_as(Replay))[:2]


def test_an_answer_ends_a_turn_in_which_only_a_look_up_is_missing() -> None:
    replies = iter(["Sorry, I cannot.", "It takes a while.", "The one at 18:30."])
    trajectory = replay(TURNWISE, lambda *_: next(replies, "Sorry, I cannot."))
    spoken = [m.content for m in trajectory.messages if m.sender is Role.USER]
    assert [text == "OK" for text in spoken] == [False, False, False, True, False]


def test_what_is_said_after_the_calls_ends_the_turn() -> None:
    for scene in (TURNWISE, SCENE):
        trajectory = replay(scene, Taking(*RECORDED))
        assert [m.content for m in trajectory.messages if m.sender is Role.USER] == (
            said_to_agent(scene.task_as(Replay))
        )


def test_a_turn_without_calls_may_ask() -> None:
    scene = recorded(
        ALARMS.replace(
            '  - calls:\n      - AddAlarm: {time: "18:30:00"}\n    assistant', "  - assistant"
        )
        + "protocol: turnwise\n"
    )
    trajectory = replay(scene, Saying("Shall I go ahead?", [], *RECORDED[1:]))
    assert shown_messages(trajectory)[1:3] == [
        "agent: Shall I go ahead?",
        "user: And which ones are there after six?",
    ]
