"""Ctrl-C is held back for as long as a block takes, and no longer."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator

import pytest

from pytest_toolsandbox.waiting.interrupts import uninterrupted


@pytest.fixture(autouse=True)
def default_handler() -> Iterator[None]:
    """Where pytest runs in the background of a shell, Ctrl-C is ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def test_a_block_is_finished_before_ctrl_c_takes_effect() -> None:
    done = []

    def write() -> None:
        with uninterrupted():
            signal.raise_signal(signal.SIGINT)
            done.append("all of it")

    with pytest.raises(KeyboardInterrupt):
        write()
    assert done == ["all of it"]


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
