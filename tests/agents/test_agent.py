from __future__ import annotations

import asyncio
import bdb
import contextvars
import importlib
import inspect
import signal
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from pytest_toolsandbox.agents.agent import AgentCaller
from pytest_toolsandbox.agents.resolving import resolve_agent
from pytest_toolsandbox.concurrency import event_loop, time_limit, time_limit as countdown
from pytest_toolsandbox.concurrency.event_loop import run_coroutine
from pytest_toolsandbox.concurrency.stopping import interrupt, stoppable
from pytest_toolsandbox.models import litellm_client
from pytest_toolsandbox.models.errors import AgentError
from pytest_toolsandbox.models.model_agent import ModelAgent

Agent = Callable[..., Any]

HELLO = [{"role": "user", "content": "Hello."}]
TOOLS = [{"type": "function", "function": {"name": "look"}}]
LONG = 60.0
"""Seconds that no test takes."""

asked_by: contextvars.ContextVar[str] = contextvars.ContextVar("asked_by", default="nobody")


def caller_of(agent: Agent, timeout: float | None = LONG) -> AgentCaller:
    return AgentCaller(agent, timeout)


def ask(agent: Agent, timeout: float | None = LONG) -> Any:
    return caller_of(agent, timeout).ask(HELLO, TOOLS)


def problem(agent: Agent, timeout: float | None = None) -> str:
    with pytest.raises(AgentError) as caught:
        ask(agent, timeout)
    text = str(caught.value)
    assert text.splitlines() == [text]
    return text


def here(function: Callable[..., Any], line: int) -> str:
    """Return the place of a line of a function, counted from the one with its ``def``."""
    path = Path(__file__)
    shown = path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path
    return f"({shown}:{inspect.getsourcelines(function)[1] + line})"


@pytest.fixture(params=["main thread", "another thread"])
def call(request: pytest.FixtureRequest) -> Callable[[Callable[[], Any]], Any]:
    """A function that calls another one: here, or on a thread, where no alarm can be set."""

    def on_a_thread(function: Callable[[], Any]) -> Any:
        with ThreadPoolExecutor(1) as pool:
            context = contextvars.copy_context()
            return pool.submit(context.run, function).result(LONG)

    return on_a_thread if request.param == "another thread" else lambda function: function()


Call = Callable[[Callable[[], Any]], Any]


@pytest.mark.parametrize("timeout", [None, LONG])
def test_a_plain_agent_is_given_messages_and_tools(timeout: float | None, call: Call) -> None:
    arguments = call(lambda: ask(lambda messages, tools: [messages, tools], timeout))
    assert arguments == [HELLO, TOOLS]
    threads: list[threading.Thread] = []
    ask(lambda *_: threads.append(threading.current_thread()))
    assert threads == [threading.main_thread()]  # like its fixtures


@pytest.mark.parametrize("timeout", [None, LONG])
def test_async_agents_of_all_conversations_share_one_loop(timeout: float | None) -> None:
    loops = set()

    async def agent(messages: list[dict[str, Any]], tools: list[dict[str, Any]]) -> str:
        del tools
        loops.add(asyncio.get_running_loop())
        await asyncio.sleep(0)
        return f"You said {messages[0]['content']}"

    for _ in range(2):
        caller = AgentCaller(agent, timeout)
        assert caller.ask(HELLO, TOOLS) == "You said Hello."
        assert caller.ask(HELLO, TOOLS) == "You said Hello."
    (loop,) = loops
    assert not loop.is_closed()


async def hello(*_: Any) -> str:
    return "Hello."


def test_the_current_event_loop_of_other_code_is_kept() -> None:
    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    try:
        ask(hello)
        assert asyncio.get_event_loop() is loop
    finally:
        asyncio.set_event_loop(None)
        loop.close()

    async def while_another_loop_runs() -> Any:
        return ask(hello)

    assert asyncio.run(while_another_loop_runs()) == "Hello."
    assert ask(lambda *_: hello()) == "Hello."  # a plain agent may return an awaitable


@pytest.mark.parametrize("timeout", [None, LONG])
@pytest.mark.parametrize("is_async", [False, True])
def test_an_agent_sees_the_context_variables_of_its_caller(
    timeout: float | None, call: Call, *, is_async: bool
) -> None:
    def plain(*_: Any) -> str:
        return asked_by.get()

    async def asynchronous(messages: Any, tools: Any) -> str:
        return plain(messages, tools)

    caller = caller_of(asynchronous if is_async else plain, timeout)
    token = asked_by.set("a test")
    try:
        assert call(lambda: caller.ask(HELLO, TOOLS)) == "a test"
    finally:
        asked_by.reset(token)


def raising(error: BaseException) -> Agent:
    def agent(*_: Any) -> Any:
        raise error

    return agent


class LeavingError(Exception):
    def __str__(self) -> str:
        raise SystemExit(4)


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
        (GeneratorExit("early"), "GeneratorExit: early"),
        (LeavingError(), "LeavingError: its text cannot be read: __str__ raised SystemExit"),
    ],
)
def test_an_error_of_an_agent_is_one_line_with_its_place(
    error: BaseException, text: str, timeout: float | None
) -> None:
    place = here(raising, 2)
    assert problem(raising(error), timeout) == f"the agent raised {text} {place}"


def test_an_error_of_an_async_agent_is_one_line_with_its_place() -> None:
    async def agent(messages: Any, tools: Any) -> str:
        await asyncio.sleep(0)
        raise ValueError(f"{len(messages)} and {len(tools)}")

    assert problem(agent) == f"the agent raised ValueError: 1 and 1 {here(agent, 2)}"


def test_the_place_is_the_last_line_of_the_users_own() -> None:
    def agent(*_: Any) -> Any:
        return Path("\0").read_text(encoding="utf-8")

    assert problem(agent).endswith(here(agent, 1))


def test_an_error_without_a_line_of_the_users_own_has_no_place() -> None:
    text = "the agent raised TypeError: 'list' object cannot be interpreted as an integer"
    assert problem(int) == text


def test_keys_are_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_API_KEY", "very-secret-key")
    text = problem(raising(ValueError("bad key very-secret-key")))
    assert text.startswith("the agent raised ValueError: bad key *** (")
    assert problem(raising(AgentError("no key"))) == "no key"  # passed on unchanged


@pytest.mark.parametrize("timeout", [None, LONG])
@pytest.mark.parametrize("is_async", [False, True])
def test_ctrl_c_is_not_an_agent_error(timeout: float | None, call: Call, *, is_async: bool) -> None:
    async def asynchronous(messages: Any, tools: Any) -> Any:
        return raising(KeyboardInterrupt())(messages, tools)

    agent = asynchronous if is_async else raising(KeyboardInterrupt())
    with pytest.raises(KeyboardInterrupt):
        call(lambda: ask(agent, timeout))
    assert ask(hello, timeout) == "Hello."


TOO_LONG = "the agent took longer than its timeout of 0.01 s; the scenario's 'timeout' sets another"


def test_an_agent_that_exceeds_its_time_is_interrupted(call: Call) -> None:
    let_go = threading.Event()

    def agent(*_: Any) -> str:
        assert let_go.wait(LONG)
        return "at last"

    assert call(lambda: problem(agent, 0.01)) == TOO_LONG
    let_go.set()

    def catching(*_: Any) -> Any:
        while True:
            with suppress(Exception):
                threading.Event().wait(LONG)

    assert problem(catching, 0.01) == TOO_LONG


def test_a_timeout_in_a_task_group_is_recognized() -> None:
    async def work() -> None:
        async with asyncio.TaskGroup() as group:
            group.create_task(ring())

    async def ring() -> None:
        signal.raise_signal(signal.SIGALRM)

    assert problem(lambda *_: asyncio.run(work()), LONG) == TOO_LONG.replace("0.01", "60")


@pytest.mark.parametrize("error", [None, ValueError("no good"), AgentError("no key")])
def test_a_reply_after_a_swallowed_timeout_is_a_timeout(error: Exception | None) -> None:
    def agent(*_: Any) -> str:
        with suppress(BaseException):
            signal.raise_signal(signal.SIGALRM)
        if error:
            raise error
        return "at last"

    assert problem(agent, LONG) == TOO_LONG.replace("0.01", "60")


def test_ctrl_c_after_a_swallowed_interruption_is_ctrl_c() -> None:
    def agent(*_: Any) -> Any:
        with suppress(BaseException):
            signal.raise_signal(signal.SIGALRM)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        ask(agent)


@pytest.mark.parametrize("waits", [False, True])
def test_ctrl_c_that_an_agent_swallows_is_ctrl_c(
    monkeypatch: pytest.MonkeyPatch, *, waits: bool
) -> None:
    monkeypatch.setattr(time_limit, "_AFTER_STOP", (0.01, 0.01))

    def agent(*_: Any) -> str:
        with suppress(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
        while waits:
            with suppress(KeyboardInterrupt):
                threading.Event().wait(LONG)
        return "at last"

    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt), stoppable(interrupt):
            ask(agent)
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    finally:
        signal.signal(signal.SIGINT, before)


def test_the_alarm_rings_again_for_an_agent_that_swallows_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(time_limit, "_AGAIN", 0.01)

    def agent(*_: Any) -> None:
        with suppress(BaseException):
            threading.Event().wait(LONG)
        threading.Event().wait(LONG)

    assert problem(agent, 0.01) == TOO_LONG


@pytest.fixture
def began(monkeypatch: pytest.MonkeyPatch) -> threading.Event:
    """What an agent on the event loop sets: only then its time runs, however slow the machine."""
    start, began = asyncio.run_coroutine_threadsafe, threading.Event()

    def started(*arguments: Any) -> Any:
        future = start(*arguments)
        assert began.wait(LONG)
        return future

    monkeypatch.setattr(asyncio, "run_coroutine_threadsafe", started)
    return began


def test_an_async_agent_that_exceeds_its_time_is_cancelled(began: threading.Event) -> None:
    cancelled = threading.Event()

    async def agent(*_: Any) -> Any:
        try:
            began.set()
            await asyncio.Event().wait()
        finally:
            cancelled.set()

    assert problem(agent, 0.01) == TOO_LONG
    assert cancelled.wait(LONG)


def test_an_async_agent_that_blocks_its_loop_is_left_behind_with_it(
    monkeypatch: pytest.MonkeyPatch, began: threading.Event
) -> None:
    let_go, loops = threading.Event(), []
    monkeypatch.setattr(event_loop, "_FREE_AGAIN", 0.01)
    monkeypatch.setattr(countdown, "time", SimpleNamespace(monotonic=lambda: 0.0))

    async def agent(*_: Any) -> Any:
        loops.append(asyncio.get_running_loop())
        began.set()
        let_go.wait(LONG)

    async def other(*_: Any) -> None:
        loops.append(asyncio.get_running_loop())

    assert problem(agent, 0.01) == TOO_LONG
    ask(other)
    let_go.set()
    assert len(set(loops)) == 2


def test_replies_of_plain_agents_share_a_thread() -> None:
    threads: set[int] = set()

    def agent(*_: Any) -> Any:
        threads.add(threading.get_ident())

    def play() -> None:
        for _ in range(2):
            caller = caller_of(agent)
            caller.ask(HELLO, TOOLS)
            caller.ask(HELLO, TOOLS)

    with ThreadPoolExecutor(1) as pool:
        pool.submit(play).result(LONG)
    assert len(threads) == 1


def test_the_time_is_that_of_the_whole_conversation(monkeypatch: pytest.MonkeyPatch) -> None:
    now, asked = [100.0], []
    monkeypatch.setattr(countdown, "time", SimpleNamespace(monotonic=lambda: now[0]))

    def agent(*_: Any) -> str:
        now[0] += LONG / 2
        asked.append(1)
        return "Wait."

    caller = caller_of(agent)
    for _ in range(2):
        caller.ask(HELLO, TOOLS)
    with pytest.raises(AgentError, match=r"^the agent took longer than its timeout of 60 s; "):
        caller.ask(HELLO, TOOLS)
    assert len(asked) == 2


@pytest.mark.parametrize(
    ("timer", "is_ours", "seconds_left"),
    [
        ((2 * LONG,), True, (LONG, 2 * LONG)),
        ((LONG / 2,), False, (0, LONG / 2)),
        ((LONG / 2, LONG / 3), True, (0, LONG / 2)),
    ],
    ids=["a later alarm", "an earlier alarm", "a profiler"],
)
def test_another_alarm_is_kept_or_set_again(
    timer: tuple[float, ...], seconds_left: tuple[float, float], *, is_ours: bool
) -> None:
    ours = []
    theirs = signal.signal(signal.SIGALRM, signal.SIG_IGN)
    try:
        signal.setitimer(signal.ITIMER_REAL, *timer)
        ask(lambda *_: ours.append(signal.getsignal(signal.SIGALRM) is not signal.SIG_IGN))
        assert signal.getsignal(signal.SIGALRM) is signal.SIG_IGN
        assert ours == [is_ours]
        left, interval = signal.getitimer(signal.ITIMER_REAL)
        assert seconds_left[0] < left <= seconds_left[1]
        assert (left, interval)[1:] == (timer[1:] or (0.0,))
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, theirs)


def test_a_debugger_suspends_the_timeout(monkeypatch: pytest.MonkeyPatch) -> None:
    debugged = SimpleNamespace(gettrace=lambda: bdb.Bdb().trace_dispatch)
    monkeypatch.setattr(time_limit, "sys", debugged)

    def agent(*_: Any) -> str:
        signal.raise_signal(signal.SIGALRM)
        return "seen"

    assert ask(agent) == "seen"


def test_run_coroutine_uses_the_event_loop_of_agents() -> None:
    loops = []

    async def opened() -> str:
        loops.append(asyncio.get_running_loop())
        return "a client"

    async def agent(*_: Any) -> Any:
        loops.append(asyncio.get_running_loop())
        with pytest.raises(RuntimeError, match="await it there"):
            run_coroutine(opened())

    assert run_coroutine(opened()) == "a client"
    ask(agent, None)
    assert len(set(loops)) == 1


@pytest.mark.parametrize(("model", "package"), [("openai/a", "httpx"), ("gemini/a", "litellm")])
def test_clients_are_imported_before_the_timeout_counts(
    monkeypatch: pytest.MonkeyPatch, model: str, package: str
) -> None:
    imported: list[str] = []
    litellm_client._litellm.cache_clear()
    monkeypatch.setattr(importlib, "import_module", imported.append)
    with suppress(AttributeError):  # the names in what is not imported
        AgentCaller(ModelAgent(model), LONG)
    assert imported == [package]
    with suppress(AttributeError):
        resolve_agent(model, {}, None)  # which a fixture may wrap
    assert imported == [package] * 2
