"""Objects are closed with their conversation, however it ends."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from pytest_toolsandbox.agents.agent import Agent
from pytest_toolsandbox.conversation.play import PlayError, play
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.protocols import load_file
from pytest_toolsandbox.users.user import scripted_user
from pytest_toolsandbox.worlds.world import World, register_world

OPEN: list[threading.Thread] = []
"""The threads on which objects were made that are not closed yet."""


class Lamp:
    def __init__(self) -> None:
        self.lamp = {"on": False}

    def switch(self, on: bool) -> None:
        """Switch the lamp.

        Args:
            on: Whether it is to be on.
        """
        self.lamp["on"] = on


@contextmanager
def lamp() -> Iterator[Lamp]:
    thread = threading.current_thread()
    OPEN.append(thread)
    yield Lamp()
    assert threading.current_thread() is thread, "it is closed where it was made"
    OPEN.remove(thread)


@pytest.fixture
def scenario(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Scenario:
    monkeypatch.setattr("pytest_toolsandbox.worlds.world._registered", {})
    register_world(World.of(lamp, state=["lamp"]))
    file = tmp_path / "switch.scenario.yaml"
    file.write_text(
        "world: lamp\n"
        "timeout: 1\n"
        "user: {opening: Turn on the light.}\n"
        "milestones: {switched: {state: {lamp: {on: true}}}}\n"
        "solutions: {s: [{switch: {on: true}}, {say: It is on.}]}\n"
        "counterexamples: {c: It is on.}\n"
    )
    (read,) = load_file(file)
    assert not OPEN, "looking at the start leaves nothing behind"
    return read


def agent_that(ends: Callable[[], Any]) -> Agent:
    def agent(messages: list[dict[str, Any]], tools: object) -> Any:
        del tools
        if messages[-1]["role"] != "tool":
            function = {"name": "switch", "arguments": '{"on": true}'}
            return {"content": None, "tool_calls": [{"id": "1", "function": function}]}
        assert len(OPEN) == 1
        return ends()

    return agent


def answer() -> str:
    return "It is on."


def fail() -> None:
    raise RuntimeError("no")


def hang() -> None:
    threading.Event().wait(30)


def stop() -> None:
    raise KeyboardInterrupt


@pytest.mark.parametrize("thread", ["main", "other"])
@pytest.mark.parametrize("ends", [answer, fail, hang, stop])
def test_an_object_is_closed(scenario: Scenario, ends: Callable[[], Any], thread: str) -> None:
    raised: list[BaseException] = []

    def talk() -> None:
        try:
            trajectory = play(scenario, agent_that(ends), scripted_user(scenario))
            assert trajectory.states[-1]["lamp"].rows[0]["on"]
        except (PlayError, KeyboardInterrupt) as error:
            raised.append(error)

    if thread == "main":
        talk()
    else:
        talking = threading.Thread(target=talk)
        talking.start()
        talking.join()
    assert [type(error) for error in raised] == {
        answer: [],
        fail: [PlayError],
        hang: [PlayError],
        stop: [KeyboardInterrupt],
    }[ends]
    assert not OPEN
