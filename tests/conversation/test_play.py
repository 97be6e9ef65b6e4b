from __future__ import annotations

import json
import threading
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace
from typing import Any

import pytest
from pantry import contents, scenario
from rows import every

from pytest_toolsandbox.calls.tool_call import ToolCall, ToolTrace
from pytest_toolsandbox.concurrency import time_limit as countdown
from pytest_toolsandbox.conversation.messages import Trajectory
from pytest_toolsandbox.conversation.play import SYSTEM_PROMPT, PlayError, opening_messages, play
from pytest_toolsandbox.language.roles import Role
from pytest_toolsandbox.models.errors import AgentError
from pytest_toolsandbox.users.user import scripted_user
from pytest_toolsandbox.worlds.state import State

SYSTEM, USER, AGENT, ENVIRONMENT = Role
PLAIN = scenario("")
HEAD = [(SYSTEM, AGENT), (USER, AGENT)]
DONE = [(AGENT, USER), (USER, ENVIRONMENT), (ENVIRONMENT, USER)]
CALL = [(AGENT, ENVIRONMENT), (ENVIRONMENT, AGENT)]


EXPECTED = "expected text or an assistant message with tool_calls or tool_use blocks"


class AgentScript:
    """Gives one reply after another, and keeps what it was given."""

    def __init__(self, *replies: Any) -> None:
        self.replies = list(replies)
        self.seen: list[list[dict[str, Any]]] = []

    def __call__(self, messages: list[dict[str, Any]], tools: list[dict[str, Any]]) -> Any:
        del tools
        self.seen.append(messages)
        reply = self.replies.pop(0)
        if isinstance(reply, Exception):
            raise reply
        return reply


class UserScript:
    """Gives one answer after another, and keeps what it was given."""

    def __init__(self, *answers: str | None) -> None:
        self.answers = list(answers)
        self.seen: list[list[dict[str, Any]]] = []

    def __call__(self, messages: list[dict[str, Any]]) -> str | None:
        self.seen.append(messages)
        return self.answers.pop(0)


Named = tuple[str, dict[str, Any]]


def calls(*named: Named, content: str | None = None) -> dict[str, Any]:
    """Return a reply with calls, made at once."""
    return {
        "role": "assistant",
        "content": content,
        "tool_calls": [
            {"id": name, "function": {"name": name, "arguments": json.dumps(arguments)}}
            for name, arguments in named
        ],
    }


OPEN: Named = ("open_door", {})
CLOSE: Named = ("close_door", {})
LIST: Named = ("list_items", {})
SUGAR: Named = ("add_item", {"name": "sugar"})


def roles(trajectory: Trajectory) -> list[tuple[Role, Role]]:
    return [(message.sender, message.recipient) for message in trajectory.messages]


def ends(messages: list[dict[str, Any]]) -> None:
    """Be a user who ends the conversation at once."""
    del messages


def test_whoever_is_addressed_speaks_next() -> None:
    agent = AgentScript(calls(CLOSE, content="Wait."), "Shall I go on?", calls(OPEN), "Done.")
    user = UserScript("Yes.", None)
    trajectory = play(PLAIN, agent, user)
    assert roles(trajectory) == [*HEAD, *CALL, (AGENT, USER), (USER, AGENT), *CALL, *DONE]
    assert contents(trajectory) == [
        *(SYSTEM_PROMPT, "Fill the pantry.", "Wait.", "null", "Shall I go on?", "Yes."),
        *("", "null", "Done.", "", "null"),
    ]
    assert agent.replies == user.answers == []


def test_who_announces_is_waited_for_again_once_a_call_was_made() -> None:
    agent = AgentScript("On it.", calls(OPEN), "I'll add it now.", "One moment.", calls(SUGAR))
    trajectory = play(PLAIN, agent, scripted_user(PLAIN))
    user_texts = [message.content for message in trajectory.messages if message.sender is USER]
    assert user_texts == ["Fill the pantry.", "OK", "OK", ""]
    assert len(agent.replies) == 1


def test_each_sees_its_own_view() -> None:
    agent = AgentScript(calls(CLOSE), "Shall I go on?", "Done.")
    user = UserScript("Yes.", None)
    play(PLAIN, agent, user)
    first, second = ["system", "user"], ["system", "user", "assistant", "tool"]
    assert [[message["role"] for message in view] for view in agent.seen] == [
        first,
        second,
        [*second, "assistant", "user"],
    ]
    before = [
        {"role": "user", "content": "Fill the pantry."},
        {"role": "assistant", "content": "Shall I go on?"},
    ]
    after = [{"role": "user", "content": "Yes."}, {"role": "assistant", "content": "Done."}]
    assert user.seen == [before, [*before, *after]]


class Touchy:
    def __eq__(self, other: object) -> bool:
        raise RuntimeError("do not compare me")

    __hash__ = None  # type: ignore[assignment]


@pytest.mark.parametrize("change", [list.clear, lambda tools: tools.append(Touchy())])
def test_the_agent_is_offered_the_scenarios_tools_each_time(change: Any) -> None:
    two = scenario("tools: [list_items, open_door]")
    offered = []

    def agent(messages: list[dict[str, Any]], tools: list[dict[str, Any]]) -> Any:
        offered.append([tool["function"]["name"] for tool in tools])
        tools[0]["function"]["name"] = "spoilt"
        change(tools)
        return "Done." if len(messages) > 2 else calls(LIST)

    play(two, agent, ends)
    assert offered == [["list_items", "open_door"]] * 2
    assert two.world.tools["list_items"].schema["function"]["name"] == "list_items"


def test_parallel_calls_are_a_message_each_and_so_are_their_answers() -> None:
    trajectory = play(PLAIN, AgentScript(calls(LIST, SUGAR, LIST, content="Now."), "Done."), ends)
    assert roles(trajectory)[2:8] == [(AGENT, ENVIRONMENT)] * 3 + [(ENVIRONMENT, AGENT)] * 3
    asked, answered = trajectory.messages[2:5], trajectory.messages[5:8]
    assert [message.content for message in asked] == ["Now.", "", ""]
    assert [message.call for message in asked] == [message.call for message in answered]
    assert [m.trace.tool_name for m in answered if m.trace] == [
        "list_items",
        "add_item",
        "list_items",
    ]
    assert [m.trace for m in asked] == [None] * 3


def test_snapshots_share_the_state_until_it_changes() -> None:
    trajectory = play(PLAIN, AgentScript(calls(OPEN), calls(SUGAR), "Done."), ends)
    assert len(trajectory.states) == len(trajectory.messages) == 9
    assert all(state is PLAIN.start for state in trajectory.states[:5])
    assert all(state is trajectory.states[5] for state in trajectory.states[5:])
    assert trajectory.states[5]["door"] is PLAIN.start["door"]
    assert trajectory.start is PLAIN.start
    failed = trajectory.messages[3]
    assert failed.content == failed.error == "PermissionError: The door is open already."
    assert failed.trace is None


def test_the_same_conversation_has_the_same_trajectory() -> None:
    replies = [calls(SUGAR, SUGAR), calls(SUGAR), "Done."]
    trajectory = play(PLAIN, AgentScript(*replies), ends)
    assert trajectory == play(PLAIN, AgentScript(*replies), ends)
    assert len({row["item_id"] for row in trajectory.states[-1]["item"]}) == 5


HISTORY = """
history:
  - user: Good morning.
  - assistant: Good morning!
  - system: The user is in a hurry.
  - {role: agent, content: They like salt., visible_to: [agent]}
  - {role: user, content: I am testing it., visible_to: [user]}
user:
  opening: Fill the pantry.
  demonstration:
    - user: Call me a taxi.
    - agent: Where to?
"""


def test_history_stands_before_the_opening_for_those_who_see_it() -> None:
    scene = scenario(HISTORY)
    agent, user = AgentScript("Done."), UserScript(None)
    trajectory = play(scene, agent, user)
    assert [(message["role"], message["content"]) for message in agent.seen[0]] == [
        ("system", SYSTEM_PROMPT),
        ("user", "Good morning."),
        ("assistant", "Good morning!"),
        ("system", "The user is in a hurry."),
        ("assistant", "They like salt."),
        ("user", "Fill the pantry."),
    ]
    assert [(message["role"], message["content"]) for message in user.seen[0]] == [
        ("user", "Good morning."),
        ("assistant", "Good morning!"),
        ("user", "I am testing it."),
        ("user", "Fill the pantry."),
        ("assistant", "Done."),
    ]
    assert list(trajectory.messages[:7]) == opening_messages(scene)
    assert trajectory.first == 1
    assert not {"Call me a taxi.", "Where to?"} & set(contents(trajectory))  # a demonstration


@every(
    ("history", "first"),
    [
        ("", 1),
        ("history: [{role: user, content: Psst., visible_to: [user]}]", 2),
        ("history: [{agent: Hello.}, {user: Hello.}]", 2),
        ("history: [{agent: Hello.}]", 2),
        ("history: [{system: Hello.}]", 2),
    ],
)
def test_the_first_snapshot_is_the_first_message_of_the_user_that_others_see(
    history: str, first: int
) -> None:
    trajectory = play(scenario(history), AgentScript("Done."), ends)
    assert trajectory.first == first
    assert Trajectory(trajectory.messages[:1], (PLAIN.start,), PLAIN.start).first == 0


@every(
    ("history", "replies", "answers", "turns", "tool_calls"),
    [
        ("", ["Done."], [None], 2, 0),
        ("", ["Which?", "Done."], ["Salt.", None], 4, 0),
        ("", [calls(LIST, LIST), "Done."], [None], 6, 2),
        ("", [calls(LIST, OPEN), calls(("fly", {})), "Done."], [None], 8, 3),
        ("history: [{user: Hi.}, {agent: Hi.}, {system: Aside.}]", ["Done."], [None], 4, 0),
        ("history: [{user: Hi., visible_to: user}, {agent: Hi., visible_to: user}]", ["Done."],
         [None], 2, 0),
    ],
)  # fmt: skip
def test_turns_are_what_agent_user_and_environment_say_to_each_other(
    history: str, replies: list[Any], answers: list[str | None], turns: int, tool_calls: int
) -> None:
    trajectory = play(scenario(history), AgentScript(*replies), UserScript(*answers))
    assert (trajectory.turn_count, trajectory.tool_call_count) == (turns, tool_calls)


@pytest.mark.parametrize(
    ("reply", "fewer"), [("Hm?", ()), (calls(LIST), ()), (calls(LIST, LIST, LIST), (3, 5))]
)
@pytest.mark.parametrize("limit", range(1, 8))
def test_a_conversation_is_cut_off_after_so_many_messages_more(
    limit: int, reply: Any, fewer: tuple[int, ...]
) -> None:
    """Of calls that are made at once those are left out that no answer would have room for.

    Then the answers to the others are the end, even if there is room for one message more.
    """
    scene = scenario(f"max_messages: {limit}\n" + HISTORY)
    trajectory = play(scene, lambda *_: reply, lambda messages: f"And {len(messages)}?")
    assert len(trajectory.messages) == len(trajectory.states) == 7 + limit - (limit in fewer)


def test_calls_that_are_cut_off_are_not_carried_out() -> None:
    trajectory = play(scenario("max_messages: 1"), AgentScript(calls(SUGAR)), ends)
    assert roles(trajectory) == [*HEAD, (AGENT, ENVIRONMENT)]
    assert trajectory.states[-1] is trajectory.start
    trajectory = play(scenario("max_messages: 2"), AgentScript("Done."), ends)
    assert roles(trajectory) == [*HEAD, *DONE[:2]]


def test_the_user_ends_the_conversation_with_a_call() -> None:
    trajectory = play(PLAIN, AgentScript("Done."), ends)
    asked, answered = trajectory.messages[-2:]
    call = ToolCall("end_conversation", "end_conversation", "{}")
    assert asked.call == answered.call == call
    assert answered.trace == ToolTrace("end_conversation", {}, None)
    assert AGENT not in {*asked.visible_to, *answered.visible_to}


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        (AgentError("no key"), "no key"),
        (7, f"the agent returned 7 (int); {EXPECTED}"),
        ({"content": 7}, f"the agent's content is 7 (int); {EXPECTED}"),
    ],
)
def test_an_agent_that_fails_leaves_the_trajectory_so_far(reply: Any, reason: str) -> None:
    with pytest.raises(PlayError) as caught:
        play(PLAIN, AgentScript(calls(SUGAR), reply), ends)
    assert str(caught.value) == reason
    assert roles(caught.value.trajectory) == [*HEAD, *CALL]
    assert len(caught.value.trajectory.states) == 4
    assert len(caught.value.trajectory.states[-1]["item"]) == 3


def test_on_a_thread_an_agent_that_takes_too_long_is_left_behind_with_what_it_says_later(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    let_go, over, threads, now = threading.Event(), threading.Event(), [], [0.0]
    monkeypatch.setattr(countdown, "time", SimpleNamespace(monotonic=lambda: now[0]))

    def agent(messages: list[dict[str, Any]], tools: list[dict[str, Any]]) -> Any:
        del messages, tools
        threads.append(threading.current_thread())
        if len(threads) == 1:
            with countdown.uncounted():  # such as while it waits for a place among requests
                now[0] += 100
                over.wait(0.15)
            return calls(SUGAR)
        now[0] += 100
        let_go.wait()
        return "At last."

    with ThreadPoolExecutor(1) as pool:
        caught = pool.submit(play, scenario("timeout: 0.1"), agent, ends).exception()
    assert isinstance(caught, PlayError)
    assert str(caught).startswith("the agent took longer than its timeout of 0.1 s")
    let_go.set()
    threads[0].join()
    assert roles(caught.trajectory) == [*HEAD, *CALL]
    assert threads[1:] == threads[:1]


def test_an_agent_may_be_async() -> None:
    async def agent(messages: list[dict[str, Any]], tools: list[dict[str, Any]]) -> str:
        return f"{len(messages)} messages, {len(tools)} tools"

    trajectory = play(scenario("timeout: 60\ntools: [list_items]"), agent, ends)
    assert trajectory.messages[2].content == "2 messages, 1 tools"


def test_the_scenarios_clock_is_the_tools() -> None:
    scene = scenario("world: phone\nnow: 2025-06-01 12:00\nprotected: [contact]")
    trajectory = play(scene, AgentScript(calls(("get_current_timestamp", {})), "Done."), ends)
    assert json.loads(trajectory.messages[3].content) == scene.now.timestamp()


def test_the_scenarios_state_is_where_it_begins() -> None:
    scene = scenario("state: {door: {open: false}}")
    trajectory = play(scene, AgentScript(calls(OPEN), "Done."), ends)

    def is_open(state: State) -> bool:
        (row,) = state["door"]
        return bool(row["open"])

    assert [is_open(state) for state in trajectory.states[:4]] == [False, False, False, True]
