from __future__ import annotations

import asyncio
import contextvars
import inspect
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from pytest_toolsandbox.agents import caller as calling_module
from pytest_toolsandbox.agents.caller import AgentCaller
from pytest_toolsandbox.models.errors import AgentError

Agent = Callable[..., Any]

HELLO = [{"role": "user", "content": "Hello."}]
TOOLS = [{"type": "function", "function": {"name": "look"}}]
LONG = 60.0
"""Seconds that no test takes."""

asked_by: contextvars.ContextVar[str] = contextvars.ContextVar("asked_by", default="nobody")


@contextmanager
def calling(agent: Agent, timeout: float | None = None) -> Iterator[AgentCaller]:
    caller = AgentCaller(agent, timeout)
    try:
        yield caller
    finally:
        caller.close()


def problem(agent: Agent, timeout: float | None = None) -> str:
    with calling(agent, timeout) as caller, pytest.raises(AgentError) as caught:
        caller.ask(HELLO, TOOLS)
    text = str(caught.value)
    assert text.splitlines() == [text]
    return text


def here(function: Callable[..., Any], line: int) -> str:
    """Return the place of a line of a function, counted from the one with its ``def``."""
    path = Path(__file__)
    shown = path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path
    return f"({shown}:{inspect.getsourcelines(function)[1] + line})"


@pytest.mark.parametrize("timeout", [None, LONG])
def test_a_plain_agent_is_given_messages_and_tools(timeout: float | None) -> None:
    with calling(lambda messages, tools: [messages, tools], timeout) as caller:
        assert caller.ask(HELLO, TOOLS) == [HELLO, TOOLS]


@pytest.mark.parametrize("timeout", [None, LONG])
def test_an_async_agent_is_awaited_on_one_loop(timeout: float | None) -> None:
    loops = set()

    async def agent(messages: list[dict[str, Any]], tools: list[dict[str, Any]]) -> str:
        del tools
        loops.add(asyncio.get_running_loop())
        await asyncio.sleep(0)
        return f"You said {messages[0]['content']}"

    with calling(agent, timeout) as caller:
        assert caller.ask(HELLO, TOOLS) == "You said Hello."
        assert caller.ask(HELLO, TOOLS) == "You said Hello."
        assert len(loops) == 1
        assert not loops.copy().pop().is_closed()
    assert loops.pop().is_closed()


def test_an_agent_may_return_what_can_be_awaited() -> None:
    async def answer() -> str:
        return "later"

    with calling(lambda _messages, _tools: answer()) as caller:
        assert caller.ask(HELLO, TOOLS) == "later"


def test_the_current_loop_of_other_code_stays_what_it_was() -> None:
    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    try:

        async def agent(messages: Any, tools: Any) -> str:
            return f"{messages}{tools}"

        with calling(agent) as caller:
            caller.ask(HELLO, TOOLS)
        assert asyncio.get_event_loop() is loop
    finally:
        asyncio.set_event_loop(None)
        loop.close()


@pytest.mark.parametrize("timeout", [None, LONG])
def test_an_agent_sees_the_context_variables_of_whoever_asks(timeout: float | None) -> None:
    token = asked_by.set("a test")
    try:
        with calling(lambda _messages, _tools: asked_by.get(), timeout) as caller:
            assert caller.ask(HELLO, TOOLS) == "a test"
    finally:
        asked_by.reset(token)


def raising(error: BaseException) -> Agent:
    def agent(messages: Any, tools: Any) -> Any:
        del messages, tools
        raise error

    return agent


@pytest.mark.parametrize("timeout", [None, LONG])
@pytest.mark.parametrize(
    ("error", "text"),
    [
        (ValueError("no good"), "ValueError: no good"),
        (ValueError(), "ValueError"),
        (RuntimeError("first\n  second\r\nthird"), "RuntimeError: first second third"),
        (TimeoutError("slow network"), "TimeoutError: slow network"),
        (SystemExit(3), "SystemExit: 3"),
        (asyncio.CancelledError(), "CancelledError"),
    ],
)
def test_whatever_an_agent_raises_is_one_line_with_its_place(
    error: BaseException, text: str, timeout: float | None
) -> None:
    place = here(raising, 3)
    assert problem(raising(error), timeout) == f"the agent raised {text} {place}"


def test_an_async_agent_that_raises_is_one_line_with_its_place() -> None:
    async def agent(messages: Any, tools: Any) -> str:
        await asyncio.sleep(0)
        raise ValueError(f"{len(messages)} and {len(tools)}")

    assert problem(agent) == f"the agent raised ValueError: 1 and 1 {here(agent, 2)}"


def test_the_place_is_the_last_line_of_the_users_own() -> None:
    def agent(messages: Any, tools: Any) -> Any:
        del messages, tools
        return Path("\0").read_text(encoding="utf-8")

    assert problem(agent).endswith(here(agent, 2))


def test_an_error_without_a_line_of_the_users_own_has_no_place() -> None:
    text = "the agent raised TypeError: 'list' object cannot be interpreted as an integer"
    assert problem(int) == text


def test_keys_are_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_API_KEY", "very-secret-key")
    text = problem(raising(ValueError("bad key very-secret-key")))
    assert text.startswith("the agent raised ValueError: bad key *** (")


def test_an_agents_own_error_stays_as_it_is() -> None:
    assert problem(raising(AgentError("no key"))) == "no key"


@pytest.mark.parametrize("timeout", [None, LONG])
def test_ctrl_c_is_no_error_of_the_agent(timeout: float | None) -> None:
    with calling(raising(KeyboardInterrupt()), timeout) as caller, pytest.raises(KeyboardInterrupt):
        caller.ask(HELLO, TOOLS)


class Slow:
    """An agent that waits until it is let go."""

    def __init__(self, *, is_async: bool = False) -> None:
        self.let_go = threading.Event()
        self.is_async = is_async
        self.loop: asyncio.AbstractEventLoop | None = None

    def __call__(self, messages: Any, tools: Any) -> Any:
        del messages, tools
        if self.is_async:
            return self._answer()
        assert self.let_go.wait(LONG)
        return "at last"

    async def _answer(self) -> str:
        self.loop = asyncio.get_running_loop()
        await asyncio.to_thread(self.let_go.wait, LONG)
        return "at last"


Threads = Callable[[], list[threading.Thread]]


def agent_threads() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name == "agent"]


@pytest.fixture
def left_behind() -> Threads:
    """A function: the threads of this test's agents; other tests may have left some, too."""
    others = agent_threads()
    return lambda: [thread for thread in agent_threads() if thread not in others]


@pytest.mark.parametrize("is_async", [False, True])
def test_an_agent_that_exceeds_its_time_is_left_behind(
    left_behind: Threads, *, is_async: bool
) -> None:
    slow = Slow(is_async=is_async)
    text = problem(slow, 0.01)
    assert text == "the agent took longer than its timeout of 0.01 s"
    (thread,) = left_behind()
    slow.let_go.set()
    thread.join(LONG)
    assert not left_behind()
    assert slow.loop is None or slow.loop.is_closed()


def test_an_agent_that_is_left_behind_before_its_loop_began_closes_it_too(
    left_behind: Threads,
) -> None:
    slow, loops = Slow(), []

    def agent(messages: Any, tools: Any) -> Any:
        slow(messages, tools)

        async def answer() -> None:
            loops.append(asyncio.get_running_loop())

        return answer()

    assert "timeout" in problem(agent, 0.01)
    (thread,) = left_behind()
    slow.let_go.set()
    thread.join(LONG)
    assert [loop.is_closed() for loop in loops] == [True]


def test_the_time_is_that_of_the_whole_conversation(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = SimpleNamespace(monotonic=iter([100.0, 115.0, 200.0, 240.0]).__next__)
    monkeypatch.setattr(calling_module, "time", clock)
    with calling(lambda _messages, _tools: "quick", LONG) as caller:
        caller.ask(HELLO, TOOLS)
        assert caller.left == 45
        caller.ask(HELLO, TOOLS)
        assert caller.left == 5


def test_time_that_is_used_up_is_over(left_behind: Threads) -> None:
    slow = Slow()
    with calling(slow, LONG) as caller:
        caller.left = 0.0
        with pytest.raises(AgentError, match=r"^the agent took longer than its timeout of 60 s$"):
            caller.ask(HELLO, TOOLS)
    slow.let_go.set()
    for thread in left_behind():
        thread.join(LONG)
