"""Agents with a loop of their own: what they call is as if they had replied with it."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, Self

import pytest
from pantry import scenario
from replayed import recorded

from pytest_toolsandbox import play_trial
from pytest_toolsandbox.agents import turn_taking
from pytest_toolsandbox.agents.scripted import oracle
from pytest_toolsandbox.agents.toolbox import Toolbox, TurnOver
from pytest_toolsandbox.conversation.messages import Trajectory
from pytest_toolsandbox.conversation.play import PlayError, converse
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.language.variants import variant
from pytest_toolsandbox.users.user import scripted_user

PANTRY = scenario(
    """
    user: {opening: How much rice is there?, replies: [{when: which, say: The brown one.}]}
    solutions:
      only:
        - parallel: [{open_door: {}}, {list_items: {}}]
        - say: Which rice?
        - list_items: {}
        - fail: {how: plain}
        - say: Two.
    """
)
QUERY = scenario(
    """
    query: How much rice is there?
    answer: 2.0
    solutions: {only: [{open_door: {}}, {list_items: {}}, {finish: {answer: 2.0}}]}
    """
)
OFFICE = recorded()


def played(scene: Scenario, agent: Any) -> Trajectory:
    return converse(scene, agent, scripted_user(scene))


class Loop:
    """The loop that an application has around a model: here around the scenario's solution."""

    def __init__(self, scene: Scenario) -> None:
        self.model = oracle(scene)

    def run_turn(self, message: str, toolbox: Toolbox, history: Sequence[Any]) -> str:
        messages: list[Any] = [*history, {"role": "user", "content": message}]
        while not isinstance(reply := self.model(messages, toolbox.schemas), str):
            calls = [call["function"] for call in reply["tool_calls"]]
            results = toolbox.call_all(
                [(function["name"], function["arguments"]) for function in calls]
            )
            pairs = zip(reply["tool_calls"], results, strict=True)
            answers = [{"role": "tool", "tool_call_id": c["id"], "content": r} for c, r in pairs]
            messages += [reply, *answers]
        return reply


def as_told(trajectory: Trajectory) -> list[Any]:
    return [
        (m.sender, m.recipient, m.content, m.error, m.trace, m.call and m.call.written)
        for m in trajectory.messages
    ]


@pytest.mark.parametrize("scene", [PANTRY, QUERY, OFFICE], ids=["milestones", "query", "replay"])
@pytest.mark.parametrize("augmentation", [None, "tool_name_scrambled", "argument_name_scrambled"])
@pytest.mark.parametrize("feedback", [False, True])
def test_it_plays_as_an_agent_that_replies(
    scene: Scenario, augmentation: Any, *, feedback: bool
) -> None:
    scene = replace(variant(scene, augmentation) if augmentation else scene, feedback=feedback)
    replied, turned = played(scene, oracle(scene)), played(scene, Loop(scene))
    assert as_told(turned) == as_told(replied)
    assert len(turned.calls) >= 3
    assert turned.states == replied.states
    made = [(execution.batch, execution.order) for execution in turned.calls]
    assert made == [(execution.batch, execution.order) for execution in replied.calls]


MESSAGES = scenario("user: {opening: Hello., replies: [{say: Go on.}, {say: And then?}]}")
TWO_LOOKS: list[tuple[str, Any]] = [("list_items", {}), ("list_items", {})]


def answers(agent: Any, scene: Scenario = MESSAGES) -> list[str]:
    return [
        m.content
        for m in played(scene, agent).messages[2:]
        if m.sender.value == "agent" and not m.call
    ]


def problem(agent: Any, scene: Scenario = MESSAGES) -> str:
    with pytest.raises(PlayError) as caught:
        played(scene, agent)
    return str(caught.value)


def with_threads(_message: str, toolbox: Toolbox) -> str:
    threads = [threading.Thread(target=toolbox.call, args=look) for look in TWO_LOOKS]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return "Done."


async def with_gather(_message: str, toolbox: Toolbox) -> str:
    await asyncio.gather(*(toolbox.call_async(*look) for look in TWO_LOOKS))
    return "Done."


async def with_functions(_message: str, toolbox: Toolbox) -> str:
    look = next(
        function for function in toolbox.async_functions if function.__name__ == "list_items"
    )
    await asyncio.gather(look(), look())
    return "Done."


def in_turn(_message: str, toolbox: Toolbox) -> str:
    return f"{[toolbox.call(*look) for look in TWO_LOOKS]}"


async def blocking(message: str, toolbox: Toolbox) -> str:
    return in_turn(message, toolbox)


@pytest.mark.usefixtures("patience")
@pytest.mark.parametrize(
    ("agent", "batches"),
    [
        *((agent, [0, 0]) for agent in (with_threads, with_gather, with_functions)),
        *((agent, [0, 1]) for agent in (in_turn, blocking)),
    ],
)
def test_calls_that_are_made_at_once_are_parallel(agent: Any, batches: list[int]) -> None:
    assert [call.batch for call in played(MESSAGES, agent).calls] == batches


def test_a_result_is_the_text_that_a_model_reads() -> None:
    def agent(_message: str, toolbox: Toolbox) -> str:
        calls: list[Any] = [
            ("fail", {"how": "plain"}),
            ("weigh", '{"name": "rice"}'),
            ("guess", None),
        ]
        return "; ".join(toolbox.call(*call) for call in calls)

    failed, weighed, guessed = answers(agent)[0].split("; ")
    assert failed == "ValueError: no good"
    assert json.loads(weighed)["name"] == "rice"
    assert guessed.startswith("NameError: name 'guess' is not defined")


def test_a_turn_that_ends_with_calls_under_way_waits_for_them() -> None:
    async def agent(_message: str, toolbox: Toolbox) -> str:
        toolbox.memory["task"] = asyncio.ensure_future(toolbox.call_async("list_items"))
        await asyncio.sleep(0)
        return "Done."

    assert len(played(MESSAGES, agent).calls) == 1


def test_a_call_that_the_agent_gives_up_is_made_all_the_same() -> None:
    async def agent(_message: str, toolbox: Toolbox) -> str:
        with suppress(TimeoutError):
            await asyncio.wait_for(toolbox.call_async("list_items"), 0.001)
        return "Done."

    assert [call.error for call in played(MESSAGES, agent).calls] == [None]


def test_a_call_after_its_turn_is_refused() -> None:
    errors = []

    def late(toolbox: Toolbox) -> None:
        try:
            toolbox.call("list_items")
        except TurnOver as over:
            errors.append(str(over))

    def agent(_message: str, toolbox: Toolbox) -> str:
        late(toolbox)
        toolbox.memory["timer"] = threading.Timer(0.05, late, [toolbox])
        toolbox.memory["timer"].start()
        boxes.append(toolbox)
        return "Done."

    boxes: list[Toolbox] = []
    trajectory = played(MESSAGES, agent)
    boxes[0].memory["timer"].join()
    assert len(trajectory.calls) == 1
    assert errors == [
        "list_items: called when the conversation was over; call tools within run_turn"
    ]


@pytest.mark.parametrize("is_async", [False, True])
def test_the_limit_of_messages_ends_a_turn(*, is_async: bool) -> None:
    ended = []

    def plain(_message: str, toolbox: Toolbox) -> str:
        try:
            while True:
                toolbox.call("list_items")
        finally:
            ended.append(True)

    async def asynchronous(_message: str, toolbox: Toolbox) -> str:
        try:
            while True:
                await toolbox.call_async("list_items")
        finally:
            ended.append(True)

    scene = replace(MESSAGES, max_messages=6)
    trajectory = played(scene, asynchronous if is_async else plain)
    assert (len(trajectory.calls), ended) == (3, [True])


class Noting:
    """Counts its turns, and notes what becomes of it."""

    notes: list[Any]

    def __init__(self) -> None:
        self.turns = 0

    def run_turn(self, message: str, toolbox: Toolbox) -> str:
        del toolbox
        self.turns += 1
        self.notes.append((id(self), threading.get_ident(), message))
        return f"Turn {self.turns}{'.' if message == 'And then?' else ', which?'}"

    def close(self) -> None:
        self.notes.append("closed")


@pytest.fixture
def notes(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    kept: list[Any] = []
    monkeypatch.setattr(Noting, "notes", kept, raising=False)
    return kept


@pytest.mark.parametrize("factory", [Noting, lambda: Noting()])  # noqa: PLW0108  # a function
def test_a_factory_makes_an_agent_for_each_conversation(factory: Any, notes: list[Any]) -> None:
    texts = ["Turn 1, which?", "Turn 2, which?", "Turn 3."]
    assert [answers(factory), answers(factory)] == [texts, texts]
    assert [note[2] for note in notes[:3]] == ["Hello.", "Go on.", "And then?"]
    assert notes[3] == "closed" == notes[7]
    assert len({note[:2] for note in notes[:3]}) == 1  # one agent, on one thread
    # An agent object is shared and not closed.
    notes.clear()
    agent = Noting()
    assert [*answers(agent), *answers(agent)][3] == "Turn 4, which?"
    assert "closed" not in notes

    # A factory may want the toolbox.
    def of(toolbox: Toolbox) -> Noting:
        notes.append([schema["function"]["name"] for schema in toolbox.schemas][:2])
        return Noting()

    notes.clear()
    answers(of)
    assert notes[0] == ["open_door", "close_door"]


class Opened(Noting):
    """A context manager, on the event loop."""

    async def __aenter__(self) -> Self:
        self.notes.append(asyncio.current_task())
        return self

    async def __aexit__(self, *_: object) -> None:
        self.notes.append(asyncio.current_task())


@pytest.mark.parametrize("method", ["__aenter__", "__aexit__"])
def test_an_async_context_manager_that_raises_is_an_error(method: str, notes: list[Any]) -> None:
    async def fails(*_: object) -> None:
        raise OSError("no route")

    message = problem(type("Failing", (Opened,), {method: fails}))
    begins = "the agent raised" if method == "__aenter__" else "closing the agent raised"
    assert message.startswith(f"{begins} OSError: no route (")
    assert len(notes) == (0 if method == "__aenter__" else 4)


class Entered(Noting):
    def __enter__(self) -> Self:
        self.notes.append("entered")
        return self

    def __exit__(self, *_: object) -> None:
        self.notes.append("left")


def test_a_context_manager_is_left_when_the_conversation_is_over(notes: list[Any]) -> None:
    answers(Entered)
    assert (notes[0], notes[-1], len(notes)) == ("entered", "left", 5)
    notes.clear()
    answers(Opened)  # an async one by the task that entered it
    assert isinstance(notes[0], asyncio.Task)
    assert notes[0] is notes[-1]


def test_a_new_agent_gets_a_recorded_conversation_as_text(notes: list[Any]) -> None:
    answers(Noting, OFFICE)
    first, second, third = (note[2] for note in notes if note != "closed")
    assert first == "Wake me at half past six tonight."
    assert second == (
        "The conversation so far:\n\n"
        "User: Wake me at half past six tonight.\n"
        'You called AddAlarm({"time": "18:30:00"})\n'
        'AddAlarm returned: {"alarm_id": "5bff-dd80"}\n'
        "You: It is set.\n\n"
        "The user says now:\n\n"
        "And which ones are there after six?\n\nIn the evening, I mean."
    )
    assert third.endswith("The user says now:\n\nTell bob that I am on my way.")
    assert notes.count("closed") == 3


def test_the_facts_of_the_toolbox() -> None:
    seen = []

    def agent(message: str, toolbox: Toolbox) -> str:
        seen.append((message, toolbox.facts, toolbox.prompt))
        return "Done."

    for scene in (MESSAGES, QUERY, OFFICE):
        played(scene, agent)
    assert seen[0][:2] == ("Hello.", "")
    assert seen[1][1].startswith("When you know the answer, call finish")
    assert seen[2][1].startswith("The user is in New York. It is 2025-09-15 13:00:00.")
    assert all(prompt.endswith(facts) for _, facts, prompt in seen)
    assert all(facts not in message for message, facts, _ in seen if facts)


def test_errors_of_agents_and_factories(notes: list[Any]) -> None:
    def fails(message: str, toolbox: Toolbox) -> str:
        raise ValueError(f"{message} of {len(toolbox.schemas)}")

    message = problem(fails)
    assert message.startswith("the agent raised ValueError: Hello. of 10 (")
    assert "test_turn_taking.py:" in message

    def silent(_message: str, toolbox: Toolbox) -> Any:
        del toolbox

    assert problem(silent) == "run_turn returned None; expected the text for the user"
    wanted = "expected an agent that has run_turn(message, toolbox)"
    assert problem(lambda: 3) == f"the factory of the agent made an int; {wanted}"

    class Stuck(Noting):
        def close(self) -> None:
            raise OSError("stuck")

    assert problem(Stuck).startswith("closing the agent raised OSError: stuck (")
    assert len(notes) == 3


@pytest.mark.parametrize("is_async", [False, True])
def test_a_turn_that_takes_too_long_is_left_behind(
    monkeypatch: pytest.MonkeyPatch, *, is_async: bool
) -> None:
    monkeypatch.setattr(turn_taking, "_GRACE", 0.2)
    woken, ended = threading.Event(), list[str]()

    def plain(_message: str, toolbox: Toolbox) -> str:
        del toolbox
        woken.wait()
        ended.append("plain")
        return "Late."

    async def asynchronous(_message: str, toolbox: Toolbox) -> str:
        del toolbox
        await asyncio.to_thread(woken.wait)
        ended.append("asynchronous")
        return "Late."

    message = problem(asynchronous if is_async else plain, replace(MESSAGES, timeout=0.1))
    assert message.startswith("the agent took longer than its timeout of 0.1 s")
    assert ended == []  # it waits until it is woken
    woken.set()


@pytest.mark.usefixtures("patience")
@pytest.mark.parametrize("agent", [with_threads, with_gather, in_turn])
def test_sixteen_conversations_at_once_share_nothing(agent: Any) -> None:
    with ThreadPoolExecutor(16) as pool:
        trajectories = list(pool.map(lambda _: played(MESSAGES, agent), range(16)))
    assert [len(trajectory.calls) for trajectory in trajectories] == [2] * 16
    assert len({str(as_told(trajectory)) for trajectory in trajectories}) == 1


def test_a_trial_of_it_writes_no_calls_as_text() -> None:
    trial = play_trial(replace(PANTRY, call_format="text"), Loop(PANTRY))
    assert trial.scenario.call_format == "native"
    assert len(trial.trajectory.calls) == 4


@pytest.mark.parametrize(
    "hangs",
    [
        "def agent(message, toolbox):\n    threading.Event().wait()\n",
        "async def agent(message, toolbox):\n    await asyncio.Event().wait()\n",
        "async def agent(message, toolbox):\n    threading.Event().wait()\n",
    ],
    ids=["a thread", "a task", "the event loop"],
)
def test_a_run_ends_while_a_turn_hangs(tmp_path: Path, hangs: str) -> None:
    (tmp_path / "hangs.py").write_text(
        "import asyncio, threading\n"
        "from pytest_toolsandbox import load_file, play_trial\n"
        "scene, *_ = load_file('a.scenario.yaml')\n"
        f"{hangs}"
        "print(play_trial(scene, agent).reason)\n"
    )
    (tmp_path / "a.scenario.yaml").write_text(
        "world: phone\nuser: {opening: Hello.}\ntimeout: 0.1\n"
        "milestones: {told: {says: {mentions: [hello]}}}\n"
    )
    command = [sys.executable, "hangs.py"]
    run = subprocess.run(
        command, check=True, cwd=tmp_path, capture_output=True, text=True, timeout=300
    )
    assert run.stdout.startswith("the agent took longer")


@pytest.mark.parametrize("calls", [5, [5], [("list_items",)]])
def test_a_malformed_list_of_calls_is_an_error_of_the_agent(calls: Any) -> None:
    def agent(_message: str, toolbox: Toolbox) -> str:
        return toolbox.call_all(calls)[0]

    trial = play_trial(PANTRY, agent)
    line = agent.__code__.co_firstlineno + 1
    assert trial.cause == "agent"
    assert trial.reason is not None
    assert trial.reason.endswith(f"(tests/agents/test_turn_taking.py:{line})")
