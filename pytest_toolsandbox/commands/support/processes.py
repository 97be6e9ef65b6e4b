"""Spreads work that does not depend on each other over all cores, in forked processes."""

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

from pytest_toolsandbox.commands import CommandError

Result = TypeVar("Result")

SHARE: Final = 20
"""Tasks that are worth a process of their own: with fewer it costs more time than it saves."""
_PROCESS_ENDED: Final = (
    "a process that worked on a part of this has ended: it was killed, ran out of memory, "
    "or a tool, matcher or protocol ends the process"
)
_work: Callable[[int], Any]
"""What a forked process does; its parent sets it."""


def in_processes(work: Callable[[int], Result], count: int) -> Iterator[Result]:
    """Yield ``work(0)`` to ``work(count - 1)`` in this order; results can be pickled.

    Forked processes have what is in memory without its being pickled. Where forking is not safe,
    with other threads or outside of Linux, this process does all. Raises ``CommandError``.
    """
    cores = len(os.sched_getaffinity(0)) if sys.platform == "linux" else 1
    processes = min(cores, count // SHARE)
    if processes <= 1 or threading.active_count() > 1:
        yield from map(work, range(count))
        return
    pool = ProcessPoolExecutor(processes, get_context("fork"), initializer=_begin, initargs=(work,))
    is_done = False
    try:
        # Ctrl-C is blocked while processes are forked: each would print that it was interrupted.
        blocked = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            pool.submit(os.getpid)  # the first task forks all processes
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, blocked)
        yield from pool.map(_run, range(count))
        is_done = True
    except BrokenProcessPool as error:
        raise CommandError(_PROCESS_ENDED) from error
    finally:
        # Without waiting, the pool may close its pipe while Python, which exits, writes into it.
        pool.shutdown(wait=is_done, cancel_futures=True)


def _begin(work: Callable[[int], Any]) -> None:
    global _work  # noqa: PLW0603  # one process works for one pool
    if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:  # as in a shell's background
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # Ctrl-C reaches all; the parent reports it
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    _work = work


def _run(number: int) -> Any:
    return _work(number)
