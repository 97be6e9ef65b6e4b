from __future__ import annotations

import threading
import time
from types import SimpleNamespace

import pytest

from pytest_toolsandbox.concurrency import time_limit as countdown
from pytest_toolsandbox.models.requests import Limit, Limits

LONG = 300.0


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def answer(limit: Limit, times: int) -> None:
    for _ in range(times):
        limit.succeeded()


def test_it_doubles_after_each_clean_round_until_the_cap() -> None:
    limit, sizes = Limit(), []
    for answers in (19, 1, 40, 79, 1, 500):
        answer(limit, answers)
        sizes.append(limit.size)
    assert sizes == [20, 40, 80, 80, 100, 100]


def test_it_shrinks_once_in_an_episode_and_then_grows_slowly() -> None:
    clock, sizes = Clock(), []
    limit = Limit(clock=clock)
    for now, wait in ((0.0, None), (14.9, None), (15.0, 2.0), (16.9, None), (17.0, None)):
        clock.now = now
        limit.refused(wait)
        sizes.append(limit.size)
    assert sizes == [16, 16, pytest.approx(12.8), pytest.approx(12.8), pytest.approx(10.24)]
    clock.now = 100.0
    limit.refused(None)
    assert limit.size == 10  # the floor
    answer(limit, 10)
    assert limit.size == 11
    answer(limit, 11)
    assert limit.size == 12


def test_a_fault_that_is_no_refusal_begins_the_round_anew() -> None:
    limit = Limit()
    answer(limit, 19)
    limit.failed()
    answer(limit, 19)
    assert limit.size == 20
    limit.succeeded()
    assert limit.size == 40


@pytest.mark.parametrize(
    ("share", "figures"),
    [(1, (20, 10, 100)), (2, (10, 5, 50)), (8, (2, 1, 12)), (64, (1, 1, 1))],
)
def test_processes_share_it(share: int, figures: tuple[int, int, int]) -> None:
    limit = Limits(share).of("openai/stub")
    assert (limit.size, limit.floor, limit.cap) == figures


def test_each_model_has_its_own() -> None:
    limits = Limits()
    assert limits.of("openai/a") is limits.of("openai/a")
    assert limits.of("openai/a") is not limits.of("openai/b")


def test_no_more_than_it_says_are_under_way_at_once() -> None:
    limit = Limits(share=10).of("openai/stub")  # two
    under_way: list[int] = []
    inside, go = threading.Semaphore(0), threading.Event()

    def ask() -> None:
        with limit.place():
            under_way.append(limit.under_way)
            inside.release()
            go.wait(LONG)

    threads = [threading.Thread(target=ask) for _ in range(5)]
    for thread in threads:
        thread.start()
    assert inside.acquire(timeout=LONG)
    assert inside.acquire(timeout=LONG)
    assert len(under_way) == 2
    go.set()
    for thread in threads:
        thread.join(LONG)
    assert len(under_way) == 5
    assert max(under_way) == 2
    assert limit.under_way == 0


def test_the_wait_for_a_place_is_no_time_of_the_conversation_s(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    limit = Limits(share=20).of("openai/stub")  # one
    took, held, clock = threading.Event(), threading.Event(), Clock()
    monkeypatch.setattr(countdown, "time", SimpleNamespace(monotonic=clock))

    def hold() -> None:
        with limit.place():
            took.set()
            held.wait(LONG)

    threading.Thread(target=hold, daemon=True).start()
    assert took.wait(LONG)
    with countdown.counting_down(LONG) as running:

        def let_go() -> None:
            while not running.was_stopped:
                time.sleep(0.001)
            clock.now += 100
            held.set()

        threading.Thread(target=let_go, daemon=True).start()
        with limit.place():
            assert clock.now == 100
        assert running.spent == 0
