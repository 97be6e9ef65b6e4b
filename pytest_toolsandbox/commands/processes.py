"""Things that do not depend on each other are worked out on all cores."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context
from typing import Any, Final, TypeVar

from . import CommandError

T = TypeVar("T")

SHARE: Final = 20
"""Of so few a process of its own takes longer than it saves."""
_ENDED: Final = (
    "a process that worked on a part of this has ended: it was killed, ran out of memory, "
    "or a tool, matcher or protocol ends the process"
)


def in_processes(work_out: Callable[[int], T], count: int) -> Iterator[T]:
    """Yield ``work_out(0)`` to ``work_out(count - 1)`` in this order; results can be pickled.

    Processes are forked, and have what is there without its being pickled. Where that is not safe,
    with other threads or outside of Linux, all is done in this one. Raises ``CommandError``.
    """
    processes = min(_cores(), count // SHARE)
    if processes <= 1 or threading.active_count() > 1:
        yield from map(work_out, range(count))
        return
    pool = ProcessPoolExecutor(
        processes, get_context("fork"), initializer=_begin, initargs=(work_out,)
    )
    is_done = False
    try:
        blocked = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:  # a process that has just been forked would say that it was interrupted
            pool.submit(os.getpid)  # the first task makes it fork all of them
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, blocked)
        yield from pool.map(_work_out, range(count))
        is_done = True
    except BrokenProcessPool as error:
        raise CommandError(_ENDED) from error
    finally:
        # a pool that is not waited for may close its pipe while Python, which ends, writes into it
        pool.shutdown(wait=is_done, cancel_futures=True)


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if sys.platform == "linux" else 1


_given: list[Callable[[int], Any]] = []


def _begin(work_out: Callable[[int], Any]) -> None:
    if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:  # as in a shell's background
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # Ctrl-C reaches all; the first one says so
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    _given[:] = [work_out]


def _work_out(place: int) -> Any:
    return _given[0](place)
