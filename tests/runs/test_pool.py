"""A pool and its future, whose user an exception of a signal handler interrupts anywhere."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Sequence
from types import FrameType
from typing import Any

import pytest

from pytest_toolsandbox.runs.playing import Playing
from pytest_toolsandbox.runs.pool import LocklessFuture, Pool

ENOUGH = 60.0
"""Seconds after which a call is taken to hang."""


class Interruption(BaseException):
    """What the signal handler raises."""


def is_interrupted(function: Callable[[], object], at: int) -> bool:
    """Call a function, and raise an exception at its instruction with this number, if it has it."""
    place = 0

    def trace(frame: FrameType, event: str, _: Any) -> Any:
        nonlocal place
        frame.f_trace_opcodes = True
        place += event == "opcode"
        if event == "opcode" and place == at:
            raise Interruption
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        function()
    except Interruption:  # ``suppress`` would be interrupted, too
        pass
    finally:
        sys.settrace(before)
    return place >= at


class Job:
    """Two trials, the second after the first."""

    def __init__(self, error: Exception | None = None) -> None:
        self.played: list[int] = []
        self.error = error

    def next_trials(self, started: int, finished: Sequence[Any]) -> Sequence[int]:
        if self.error:
            raise self.error
        return [started + 1] if started == len(finished) < 2 else []

    def play(self, number: int, _: object) -> Any:
        self.played.append(number)
        return f"trial {number}"


def test_whoever_submits() -> None:
    at = 1
    while True:
        pool, is_called = Pool(1), threading.Event()
        was_interrupted = is_interrupted(lambda: pool.submit(int), at)  # noqa: B023
        pool.submit(is_called.set)
        assert is_called.wait(ENOUGH), at
        pool.close()
        if not was_interrupted:
            break
        at += 1
    assert at > 10


def test_whoever_begins_a_job_and_waits_for_it() -> None:
    at = 1
    while True:
        pool, job = Pool(1), Job()
        playing: Playing = Playing(job, pool)  # type: ignore[arg-type]

        def play(playing: Playing = playing) -> None:
            playing.begin()
            playing.over.result(ENOUGH)

        was_interrupted = is_interrupted(play, at)
        playing.begin()
        trials: list[Any] = [played.trial for played in playing.over.result(ENOUGH)]
        assert trials == ["trial 1", "trial 2"]
        assert job.played == [1, 2]
        pool.close()
        if not was_interrupted:
            break
        at += 1
    assert at > 20


def test_an_error_of_a_job_ends_the_wait_for_it() -> None:
    pool = Pool(1)
    playing = Playing(Job(ValueError("no plan")), pool)  # type: ignore[arg-type]
    playing.begin()
    with pytest.raises(ValueError, match="no plan"):
        playing.over.result(ENOUGH)
    pool.close()


def test_a_future_without_a_result() -> None:
    future: LocklessFuture[int] = LocklessFuture()
    with pytest.raises(TimeoutError):
        future.result(0.001)
    future.set_result(3)
    assert [future.done(), future.result(), future.result()] == [True, 3, 3]


def test_the_lowest_rank_first() -> None:
    pool, order = Pool(1), list[str]()
    may_go_on, is_over = threading.Event(), threading.Event()
    pool.submit(lambda: may_go_on.wait(ENOUGH))
    for name, rank in (("b", 1.0), ("c", 1.0), ("a", 0.0)):
        pool.submit(lambda name=name: order.append(name), rank)  # type: ignore[misc]
    pool.submit(is_over.set, 2.0)
    while len(pool._waiting) < 4:
        threading.Event().wait(0.001)
    may_go_on.set()
    assert is_over.wait(ENOUGH)
    assert order == ["a", "b", "c"]
    pool.close()


def test_a_system_without_further_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    def start(_: object) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", start)
    pool, is_called = Pool(2), threading.Event()
    pool.submit(is_called.set)
    assert is_called.wait(ENOUGH)
    pool.close()


def test_a_closed_pool_drops_calls() -> None:
    pool, called = Pool(1), list[int]()
    has_begun, may_go_on, is_over = threading.Event(), threading.Event(), threading.Event()

    def hold() -> None:
        has_begun.set()
        may_go_on.wait(ENOUGH)
        is_over.set()

    pool.submit(hold)
    pool.submit(lambda: called.append(1))
    assert has_begun.wait(ENOUGH)
    pool.close()
    pool.submit(lambda: called.append(2))
    may_go_on.set()
    assert is_over.wait(ENOUGH)
    assert not called
