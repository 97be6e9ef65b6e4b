"""Ctrl-C, at a moment at which nothing is lost, and what asks for the same."""

from __future__ import annotations

import atexit
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

_statuses: list[Callable[[], int]] = [lambda: 2]


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Hold Ctrl-C, which reaches the main thread alone, back until the end of a block."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    held: list[tuple[Any, ...]] = []
    before = signal.getsignal(signal.SIGINT)
    signal.signal(signal.SIGINT, lambda *arguments: held.append(arguments))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler if before is None else before)
    if held and callable(before):
        before(*held[0])


@contextmanager
def terminable() -> Iterator[None]:
    """Let SIGTERM, as of a cancelled CI job, be what Ctrl-C is, unless somebody handles it."""
    is_main = threading.current_thread() is threading.main_thread()
    if not is_main or signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL:
        yield
        return
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    finally:
        if signal.getsignal(signal.SIGTERM) is signal.default_int_handler:
            signal.signal(signal.SIGTERM, signal.SIG_DFL)


def ends_with(status: Callable[[], int]) -> None:
    """Say what the status of this process will be: of sessions in each other the outer one's."""
    _statuses[:] = [status]


def leave_threads_behind(is_busy: Callable[[], bool]) -> None:
    """Let Python end at once while threads are busy, ours or those of somebody's own.

    Before anything that ``atexit`` knows of it waits for those that are no daemons, and for those
    of every ``ThreadPoolExecutor``, such as of ``asyncio.to_thread``. The others it stops wherever
    they are, also while they hold a lock, such as that of an import. What is cleared away later,
    such as a client with ``__del__``, may want that lock, and would wait for ever.
    """

    def leave() -> None:
        is_waited_for = _is_waited_for()
        if not is_waited_for and not is_busy():
            return
        if not is_waited_for:  # else what follows may wait for them, too
            atexit._run_exitfuncs()  # noqa: SLF001  # it would come after this
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(_statuses[-1]())

    threading._register_atexit(leave)  # type: ignore[attr-defined]  # noqa: SLF001  # there is no other moment


def _is_waited_for() -> bool:
    executors = sys.modules.get("concurrent.futures.thread")
    others = [one for one in threading.enumerate() if one is not threading.main_thread()]
    of_executors = getattr(executors, "_threads_queues", ())
    return any(not one.daemon or one in of_executors for one in others)
