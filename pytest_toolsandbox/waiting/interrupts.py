"""Ctrl-C, at a moment at which nothing is lost, and what asks for the same."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


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


def leave_threads_behind(status: int) -> None:
    """Let Python end with a status at once where it would wait for threads of somebody's own.

    Before anything that ``atexit`` knows of it waits for those that are no daemons, and for those
    of every ``ThreadPoolExecutor``, such as of ``asyncio.to_thread``.
    """

    def leave() -> None:
        if _is_waited_for():
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(status)

    threading._register_atexit(leave)  # type: ignore[attr-defined]  # noqa: SLF001  # there is no other moment


def _is_waited_for() -> bool:
    executors = sys.modules.get("concurrent.futures.thread")
    others = [one for one in threading.enumerate() if one is not threading.main_thread()]
    of_executors = getattr(executors, "_threads_queues", ())
    return any(not one.daemon or one in of_executors for one in others)
