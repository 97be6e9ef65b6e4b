"""A query is asked until the agent concludes, or may not go on."""

from __future__ import annotations

import json
from typing import Any

import pytest
from pantry import scenario
from rows import every

from pytest_toolsandbox.conversation.messages import Trajectory
from pytest_toolsandbox.conversation.play import PlayError, ask
from pytest_toolsandbox.language.roles import Role
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.models.errors import AgentError
from pytest_toolsandbox.protocols.query import CONCLUDING, QUERY_PROMPT

USER, AGENT, ENVIRONMENT = Role.USER, Role.AGENT, Role.EXECUTION_ENVIRONMENT


def query(more: str = "") -> Scenario:
    return scenario(f"query: How much rice is there?\nanswer: 2.0\n{more}")


def call(name: str, /, **arguments: Any) -> dict[str, Any]:
    return {"id": name, "function": {"name": name, "arguments": json.dumps(arguments)}}


def calls(*made: dict[str, Any]) -> dict[str, Any]:
    return {"content": None, "tool_calls": list(made)}


LIST = calls(call("list_items"))
FINISH = calls(call("finish", answer=2.0))


def asked(scene: Scenario, *replies: Any) -> Trajectory:
    """Return the conversation with an agent that gives these replies, the last one ever again."""
    left = list(replies)

    def agent(messages: list[dict[str, Any]], tools: list[dict[str, Any]]) -> Any:
        del messages, tools
        return left.pop(0) if len(left) > 1 else left[0]

    return ask(scene, agent)


def senders(trajectory: Trajectory) -> list[Role]:
    return [message.sender for message in trajectory.messages[2:]]


def test_what_the_agent_is_told() -> None:
    prompt, question = asked(query("feedback: off"), "Two.").messages[:2]
    system_prompt = f"{QUERY_PROMPT}\n\n{CONCLUDING.format(max_calls=15)}"
    assert (prompt.sender, prompt.content) == (Role.SYSTEM, system_prompt)
    assert "You may make 15 calls in all, the one of finish included." in system_prompt
    assert (question.sender, question.content) == (USER, "How much rice is there?")


def test_a_prompt_of_ones_own_leaves_how_to_conclude() -> None:
    prompt, _ = asked(query("feedback: off\nprompt: Be brief."), "Two.").messages[:2]
    assert prompt.content == f"Be brief.\n\n{CONCLUDING.format(max_calls=15)}"


@pytest.mark.parametrize(
    ("replies", "order"),
    [
        (["Two."], [AGENT]),
        ([FINISH], [AGENT, ENVIRONMENT]),
        ([LIST, FINISH], [AGENT, ENVIRONMENT, AGENT, ENVIRONMENT]),
        ([calls(call("list_items"), call("finish", answer=2))], [AGENT, AGENT, *[ENVIRONMENT] * 2]),
        ([calls(call("finish", result=2)), FINISH], [AGENT, ENVIRONMENT, AGENT, ENVIRONMENT]),
        ([calls(call("stop")), "Two."], [AGENT, ENVIRONMENT, AGENT]),
    ],
)
def test_how_it_concludes(replies: list[Any], order: list[Role]) -> None:
    assert senders(asked(query(), *replies, "Never asked.")) == order


@every(
    "text",
    [
        "Let me look that up.",
        "One moment, please.",
        "I'll check the pantry first.",
        "Shall I go on?",
        "Please confirm and I'll go ahead.",
        "Let me just double-check that everything is in order.",
        "May I sort it by weight before I answer?",
        "So you want the heaviest thing in the pantry, and nothing else, right?",
        "Would you like me to weigh the rice, too?",
        "Got it, one more look-up to go.",
        "I've got the first part, now the rest.",
        "Next up: the remaining part.",
        "Good, continuing.",
        "So far so good. On to the next one.",
        "Now I know what to look up.",
    ],
)
def test_what_only_announces_or_asks_to_go_on_concludes_nothing(text: str) -> None:
    trajectory = asked(query("max_calls: 2\nmax_messages: 4"), text, LIST, text, FINISH)
    order = [AGENT, USER, AGENT, ENVIRONMENT]
    assert senders(trajectory) == order * 2
    assert [m.content for m in trajectory.messages[2:] if m.sender is USER] == ["OK", "OK"]


def test_it_is_told_to_go_on_once_in_a_row() -> None:
    trajectory = asked(query(), LIST, "One moment, please.")
    assert senders(trajectory) == [AGENT, ENVIRONMENT, AGENT, USER, AGENT]


@pytest.mark.parametrize(
    "text",
    [
        "Two. Anything else?",
        "Which rice do you mean?",
        "Two, I'd say.",
        "The pantry is empty. Shall I look elsewhere?",
        "Who is it for, and shall I weigh it?",
    ],
)
def test_an_answer_and_a_question_conclude(text: str) -> None:
    assert senders(asked(query(), text, FINISH)) == [AGENT]


def test_it_is_cut_off_after_its_calls() -> None:
    trajectory = asked(query("max_calls: 3"), LIST)
    assert senders(trajectory) == [AGENT, ENVIRONMENT] * 3
    two_at_once = calls(call("list_items"), call("weigh", name="rice"))
    trajectory = asked(query("max_calls: 3"), two_at_once)
    assert trajectory.tool_call_count == 3
    assert trajectory.messages[-1].sender is ENVIRONMENT


def test_the_last_call_may_be_the_conclusion() -> None:
    trajectory = asked(query("max_calls: 2"), LIST, FINISH)
    assert trajectory.messages[-1].trace is not None
    assert trajectory.messages[-1].trace.arguments == {"answer": 2.0}


def test_it_is_cut_off_after_its_messages() -> None:
    assert senders(asked(query("max_messages: 4"), LIST)) == [AGENT, ENVIRONMENT] * 2


def test_texts_where_a_call_has_to_be_written_count_as_calls() -> None:
    trajectory = asked(query("max_calls: 2\ncall_format: text"), "There are two.")
    assert senders(trajectory) == [AGENT, ENVIRONMENT] * 2
    refusal = trajectory.messages[-1]
    assert refusal.error == refusal.content
    assert refusal.content == (
        "ERROR | Invalid format: no function call could be read, "
        "expected Action: NAME with Action Input: {JSON}"
    )
    trajectory = asked(query("max_calls: 1\ncall_format: text\nfeedback: off"), "There are two.")
    assert trajectory.messages[-1].content.startswith("SyntaxError: there is no tool call")


@pytest.mark.parametrize(("feedback", "start"), [("on", "ERROR | "), ("off", "TypeError: ")])
def test_feedback(feedback: str, start: str) -> None:
    scene = query(f"feedback: {feedback}")
    answer = asked(scene, calls(call("weigh", what="rice")), "Two.").messages[3]
    assert answer.content.startswith(start)
    assert answer.error == answer.content.partition("\n")[0]


def test_an_agent_that_fails() -> None:
    def agent(messages: list[dict[str, Any]], tools: list[dict[str, Any]]) -> Any:
        del tools
        if len(messages) > 2:
            raise AgentError("closed")
        return LIST

    with pytest.raises(PlayError, match="closed") as caught:
        ask(query(), agent)
    assert senders(caught.value.trajectory) == [AGENT, ENVIRONMENT]
