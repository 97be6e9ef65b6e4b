"""Ctrl-C is held back for as long as a block takes, and no longer."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
import weakref
from collections.abc import Callable, Iterator

import pytest

from pytest_toolsandbox.concurrency.interrupts import put_off, terminable, uninterrupted


@pytest.fixture(autouse=True)
def default_handlers() -> Iterator[None]:
    """Where pytest runs in the background of a shell, Ctrl-C is ignored."""
    interrupt = signal.signal(signal.SIGINT, signal.default_int_handler)
    terminate = signal.signal(signal.SIGTERM, signal.SIG_DFL)
    yield
    signal.signal(signal.SIGINT, interrupt)
    signal.signal(signal.SIGTERM, terminate)


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM])
def test_a_block_is_finished_before_ctrl_c_takes_effect(sent: signal.Signals) -> None:
    done = []

    def write() -> None:
        with terminable(), uninterrupted():
            signal.raise_signal(sent)
            done.append("all of it")

    with pytest.raises(KeyboardInterrupt):
        write()
    assert done == ["all of it"]


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("is_worker", [False, True])
def test_ctrl_c_that_python_drops_is_raised_again(sent: signal.Signals, is_worker: bool) -> None:
    """As where it comes in a finalizer, or in what Python does after an import."""
    with pytest.raises(KeyboardInterrupt), terminable(is_worker=is_worker):
        wait_where_it_is_dropped(sent)


def wait_where_it_is_dropped(sent: signal.Signals) -> None:
    thing = {1}
    weakref.finalize(thing, signal.raise_signal, sent)
    del thing
    threading.Event().wait()


def test_what_else_python_drops_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    told = []
    monkeypatch.setattr(sys, "unraisablehook", lambda dropped: told.append(dropped.exc_type))
    with terminable():
        thing = {1}
        weakref.finalize(thing, int, "no number")
        del thing
    assert told == [ValueError]


def test_the_handler_is_what_it_was() -> None:
    before = signal.getsignal(signal.SIGINT)
    with uninterrupted():
        assert signal.getsignal(signal.SIGINT) is not before
    assert signal.getsignal(signal.SIGINT) is before


def test_what_goes_wrong_in_the_block_comes_out() -> None:
    before = signal.getsignal(signal.SIGINT)
    with pytest.raises(ValueError, match="a reason"), uninterrupted():
        raise ValueError("a reason")
    assert signal.getsignal(signal.SIGINT) is before


def test_other_threads_are_left_alone() -> None:
    seen = []

    def run() -> None:
        with uninterrupted():
            seen.append(signal.getsignal(signal.SIGINT))

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    assert seen == [signal.getsignal(signal.SIGINT)]


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM])
def test_ctrl_c_waits_for_a_better_moment(sent: signal.Signals) -> None:
    moments: list[Callable[[], None]] = []
    done = []

    def write() -> None:
        with terminable(), put_off(moments.append):
            signal.raise_signal(sent)
            done.append("some of it")
            moments.pop()()
            done.append("the rest")

    with pytest.raises(KeyboardInterrupt):
        write()
    assert done == ["some of it"]


def test_ctrl_c_comes_at_the_end_of_the_block() -> None:
    done = []

    def write() -> None:
        with put_off(lambda _: None):
            signal.raise_signal(signal.SIGINT)
            done.append("all of it")

    with pytest.raises(KeyboardInterrupt):
        write()
    assert done == ["all of it"]


def test_ctrl_c_again_does_not_wait() -> None:
    done = []

    def write() -> None:
        with put_off(lambda _: None):
            signal.raise_signal(signal.SIGINT)
            done.append("some of it")
            signal.raise_signal(signal.SIGINT)
            done.append("the rest")

    with pytest.raises(KeyboardInterrupt):
        write()
    assert done == ["some of it"]


def test_ctrl_c_comes_though_nobody_calls_it() -> None:
    def wait() -> None:
        with put_off(lambda _: None, 0.01):
            signal.raise_signal(signal.SIGINT)
            threading.Event().wait(300)
            raise TimeoutError

    with pytest.raises(KeyboardInterrupt) as caught:
        wait()
    assert caught.value.__context__ is None  # it came while the block waited


def test_ctrl_c_comes_where_another_error_ends_the_block() -> None:
    def fail() -> None:
        with put_off(lambda _: None):
            signal.raise_signal(signal.SIGINT)
            raise RuntimeError

    with pytest.raises(KeyboardInterrupt):
        fail()


def test_what_a_block_does_with_signals_stays() -> None:
    own = signal.Handlers.SIG_IGN
    with put_off(lambda _: None):
        signal.signal(signal.SIGTERM, own)
    handlers = signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM)
    assert handlers == (signal.default_int_handler, own)


STUBBORN = """
import signal, sys, threading
from types import SimpleNamespace
from pytest_toolsandbox.agents.agent import AgentCaller
from pytest_toolsandbox.scoring.judges.resolving import OwnJudge
from pytest_toolsandbox.users.user import ask_user
from pytest_toolsandbox.concurrency import time_limit
from pytest_toolsandbox.concurrency.interrupts import ending_with

time_limit._AFTER_STOP = {rings}
signal.signal(signal.SIGINT, signal.default_int_handler)
timeless = SimpleNamespace(scenario=SimpleNamespace(timeout=None))


def stubborn():
    while True:
        try:
            signal.raise_signal(signal.SIGINT)
            while {waits}:
                try:
                    threading.Event().wait()
                except BaseException:
                    pass
        except BaseException:
            pass


with ending_with(lambda frame: print("the end, in", frame.f_code.co_name)):
    {call}
"""
WITH_LIMIT = "time_limit.call_in_time(stubborn, 600)"


@pytest.mark.usefixtures("warm")
@pytest.mark.parametrize(("rings", "waits"), [((600, 600), False), ((0.01, 0.01), True)])
def test_what_nothing_interrupts_is_ended_where_it_stands(
    rings: tuple[float, float], *, waits: bool
) -> None:
    """At Ctrl-C again, or a while after the first."""
    done = program(STUBBORN.format(rings=rings, waits=waits, call=WITH_LIMIT))
    assert done.returncode == 2
    assert done.stdout.startswith("the end, in ")


WITHOUT_LIMIT = {
    "agent": "AgentCaller(lambda messages, tools: stubborn(), None).ask([], [])",
    "judge": "OwnJudge('mine', lambda question: stubborn())._answer(timeless)",
    "user": "ask_user(lambda messages: stubborn(), [], None)",
}


@pytest.mark.usefixtures("warm")
@pytest.mark.parametrize("call", WITHOUT_LIMIT.values(), ids=WITHOUT_LIMIT)
def test_it_is_ended_also_where_it_has_no_limit(call: str) -> None:
    done = program(STUBBORN.format(rings=(0.01, 0.01), waits=True, call=call))
    assert done.stdout.startswith("the end, in ")


def program(text: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", text], capture_output=True, text=True, timeout=300, check=False
    )
