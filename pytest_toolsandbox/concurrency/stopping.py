"""Stop a process at SIGINT (Ctrl-C) or SIGTERM, and end it without waiting for its threads.

``docs/concurrency.md`` has a table of what a stop keeps. The part that knows pytest is in
``plugin/stopping.py``.
"""

from __future__ import annotations

import _thread
import atexit
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import Any, Final, Never

Handler = Callable[[int, FrameType | None], object]

_USUAL: Final[dict[signal.Signals, Any]] = {
    signal.SIGINT: signal.default_int_handler,
    signal.SIGTERM: signal.SIG_DFL,
}
"""Python's default handlers of the signals."""
_AT_EXIT: Final = 2.0
"""Seconds for the functions of ``atexit``, which may wait for threads that never end."""

_received: list[int] = []
"""The signals that asked this process to stop."""
_calls: list[Callable[[], object]] = []
"""Functions to call at a signal, since an agent may swallow ``KeyboardInterrupt``."""
_endings: list[Callable[[FrameType], object]] = []
_busy: list[Callable[[], bool]] = []
_statuses: list[Callable[[], int]] = [lambda: 2]


@contextmanager
def stoppable(handler: Handler) -> Iterator[None]:
    """Let ``handler`` handle SIGINT and SIGTERM in a block, unless the user handles them."""
    is_main = threading.current_thread() is threading.main_thread()
    taken = [
        number for number, usual in _USUAL.items() if is_main and signal.getsignal(number) is usual
    ]
    for number in taken:
        signal.signal(number, handler)
    try:
        yield
    finally:
        for number in taken:
            _received.clear()
            if signal.getsignal(number) == handler:
                signal.signal(number, _USUAL[number])


def interrupt(number: int, _: FrameType | None = None) -> Never:
    """Raise ``KeyboardInterrupt``; for SIGTERM, it says so."""
    _received.append(number)
    # The innermost call is the one that runs and may swallow the exception.
    for learn in _calls[-1:]:
        learn()
    raise KeyboardInterrupt(*(["SIGTERM"] if number == signal.SIGTERM else []))


def interrupt_once(number: int, frame: FrameType | None = None) -> Never:
    """Interrupt a worker once, although both its terminal and its controller may do so."""
    ignore_further()
    interrupt(number, frame)


def raise_if_interrupted() -> None:
    """Raise an interrupt that Python dropped, as it does for exceptions in a finalizer."""
    for number in _received[:1]:
        interrupt(number)


def forget_interrupts() -> None:
    """Continue after an interrupt, as the debugger of ``--pdb`` does."""
    _received.clear()


def ignore_further() -> None:
    """Ignore both signals from now on."""
    for number in _USUAL:
        signal.signal(number, signal.SIG_IGN)


def interrupt_main_thread() -> None:
    """Interrupt the main thread from another thread, even while it sleeps."""
    if hasattr(signal, "pthread_kill"):
        # ``interrupt_main`` only sets a flag, which a sleeping system call does not notice.
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
    else:  # on Windows, where this wakes a sleeping main thread, unlike ``interrupt_main``
        signal.raise_signal(signal.SIGINT)


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Delay both signals until the end of the block, whatever handles them."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    delayed: list[tuple[Any, ...]] = []
    before = {number: signal.getsignal(number) for number in _USUAL}
    # Also where the system ends the process, as at a second SIGTERM.
    handlers = {n: h for n, h in before.items() if callable(h) or h is signal.SIG_DFL}
    for number in handlers:
        signal.signal(number, lambda *arguments: delayed.append(arguments))
    try:
        yield
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
    if delayed:
        # One delivery is enough: both signals ask for the same stop.
        number, frame = delayed[0]
        handler = handlers[number]
        handler(number, frame) if callable(handler) else signal.raise_signal(number)


@contextmanager
def informed(learn: Callable[[], object]) -> Iterator[None]:
    """Call ``learn`` when a signal interrupts the block: the block may swallow the exception."""
    _calls.append(learn)
    try:
        yield
    finally:
        _calls.remove(learn)


@contextmanager
def ending_with(end: Callable[[FrameType], object]) -> Iterator[None]:
    """Set the function that :func:`end_on` calls inside of the block."""
    _endings.append(end)
    try:
        yield
    finally:
        _endings.pop()


def end_on(frame: FrameType) -> None:
    """End the process from a frame that swallows all exceptions."""
    for end in _endings[-1:]:
        end(frame)
        _leave()


def leave_threads_behind(is_busy: Callable[[], bool], status: Callable[[], int]) -> None:
    """End the process with a status and without its threads, if they are busy at its end.

    Python waits for all threads that are not daemons, and for those of each ``ThreadPoolExecutor``,
    such as that of ``asyncio.to_thread``. It stops daemons at any point, even while they hold a
    lock such as that of an import; the ``__del__`` of a client may then wait for it forever.
    """
    _statuses[:] = [status]  # of nested sessions, the outer one ends last
    if is_busy():
        if not _busy:
            # Private: the only moment between the end of the program and the wait for its threads.
            threading._register_atexit(_leave_if_busy)  # type: ignore[attr-defined]  # noqa: SLF001
        _busy.append(is_busy)


def _leave_if_busy() -> None:
    if any(is_busy() for is_busy in _busy):
        # A second thread ends the process if the functions of ``atexit`` hang.
        _thread.start_new_thread(_leave, (_AT_EXIT,))
        # Private: Python calls these after its threads end; coverage and logging write here.
        atexit._run_exitfuncs()  # noqa: SLF001
        _leave()


def _leave(after: float = 0.0) -> Never:
    time.sleep(after)
    with suppress(OSError, ValueError):  # as of a pipe that is closed
        sys.stdout.flush()
        sys.stderr.flush()
    # ``sys.exit`` would wait for the threads.
    os._exit(_statuses[-1]())
