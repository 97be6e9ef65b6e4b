"""SIGINT and SIGTERM: delayed for as long as a block takes, dropped, swallowed, ignored."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
import weakref
from collections.abc import Iterator
from contextlib import suppress

import pytest

from pytest_toolsandbox.concurrency.stopping import (
    forget_interrupts,
    interrupt,
    interrupt_main_thread,
    interrupt_once,
    raise_if_interrupted,
    stoppable,
    uninterrupted,
)

BOTH = pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM])


@pytest.fixture(autouse=True)
def default_handlers() -> Iterator[None]:
    """Set Python's own handlers: in the background of a shell, Ctrl-C is ignored."""
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


@BOTH
def test_a_block_is_finished_before_a_signal_takes_effect(sent: signal.Signals) -> None:
    done = []

    def write() -> None:
        with stoppable(interrupt), uninterrupted():
            signal.raise_signal(sent)
            done.append("all of it")

    with pytest.raises(KeyboardInterrupt):
        write()
    assert done == ["all of it"]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_a_block_is_finished_before_a_signal_ends_the_process() -> None:
    code = """
import signal
from pytest_toolsandbox.concurrency.stopping import uninterrupted

with uninterrupted():
    signal.raise_signal(signal.SIGTERM)
    print("all of it", flush=True)
print("more", flush=True)
"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (run.returncode, run.stdout) == (-signal.SIGTERM, "all of it\n")


def test_an_error_leaves_an_uninterrupted_block() -> None:
    with pytest.raises(ValueError, match="a reason"), uninterrupted():
        raise ValueError("a reason")
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_other_threads_leave_the_handlers_alone() -> None:
    handlers = []

    def run() -> None:
        with stoppable(interrupt), uninterrupted():
            handlers.append(signal.getsignal(signal.SIGINT))

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    assert handlers == [signal.default_int_handler]


def test_handlers_of_the_user_stay() -> None:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    with stoppable(interrupt):
        assert signal.getsignal(signal.SIGTERM) is signal.SIG_IGN
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN


@BOTH
def test_an_interrupt_that_python_drops_is_raised_later(sent: signal.Signals) -> None:
    """Python prints what is raised in a finalizer, and goes on."""
    with stoppable(interrupt):
        collected = {1}
        weakref.finalize(collected, signal.raise_signal, sent)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(sys, "unraisablehook", lambda _: None)
            del collected
        with pytest.raises(KeyboardInterrupt):
            raise_if_interrupted()
        forget_interrupts()
        raise_if_interrupted()
    raise_if_interrupted()


def test_a_worker_is_interrupted_once() -> None:
    with stoppable(interrupt_once):
        with suppress(KeyboardInterrupt):
            signal.raise_signal(signal.SIGTERM)
        signal.raise_signal(signal.SIGTERM)
        signal.raise_signal(signal.SIGINT)


def test_another_thread_interrupts_the_main_thread_while_it_waits() -> None:
    def wait() -> None:
        threading.Thread(target=interrupt_main_thread).start()
        threading.Event().wait(300)

    with pytest.raises(KeyboardInterrupt):
        wait()


STUBBORN = """
import signal, sys, threading
from contextlib import suppress
from types import SimpleNamespace
from pytest_toolsandbox.agents.agent import AgentCaller
from pytest_toolsandbox.scoring.judges.resolving import OwnJudge
from pytest_toolsandbox.users.user import ask_user
from pytest_toolsandbox.concurrency import time_limit
from pytest_toolsandbox.concurrency.stopping import ending_with, interrupt, stoppable

time_limit._AFTER_STOP = 0.5, 0.01
signal.signal(signal.SIGINT, signal.default_int_handler)
timeless = SimpleNamespace(scenario=SimpleNamespace(timeout=None))


def stubborn():
    with suppress(BaseException):
        signal.raise_signal(signal.SIGINT)
    while True:
        with suppress(BaseException):
            threading.Event().wait()


with stoppable(interrupt), ending_with(lambda frame: print("the end, in", frame.f_code.co_name)):
    {call}
"""
CALLS = {
    "limited": "time_limit.call_in_time(stubborn, 600)",
    "agent": "AgentCaller(lambda messages, tools: stubborn(), None).ask([], [])",
    "judge": "OwnJudge('mine', lambda question: stubborn())._answer(timeless)",
    "user": "ask_user(lambda messages: stubborn(), [], None)",
}


@pytest.mark.usefixtures("warm")
@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_a_call_that_nothing_interrupts_is_ended_where_it_stands(call: str) -> None:
    """With a limit of time or without one."""
    program = STUBBORN.format(call=call)
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 2
    assert done.stdout.startswith("the end, in ")
