"""Ctrl-C, at a moment at which nothing is lost, and what asks for the same."""

from __future__ import annotations

import _thread
import atexit
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from types import FrameType
from typing import Any, Final, Never

_SOON: Final = 0.05
"""Seconds until Ctrl-C that was dropped is raised again, outside of what dropped it."""
_CAN_SEND: Final = hasattr(signal, "pthread_kill")
"""Whether a signal can be sent to the main thread: not on Windows."""
_PUT_OFF: Final = 1.5
"""Seconds for which Ctrl-C waits at most for a better moment."""

_statuses: list[Callable[[], int]] = [lambda: 2]
_endings: list[Callable[[FrameType], object]] = []


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Hold Ctrl-C, and what is the same, back until the end of a block; both reach this thread."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    held: list[tuple[Any, ...]] = []
    before = {one: signal.getsignal(one) for one in (signal.SIGINT, signal.SIGTERM)}
    handlers = {one: handler for one, handler in before.items() if callable(handler)}
    for one in handlers:
        signal.signal(one, lambda *arguments: held.append(arguments))
    try:
        yield
    finally:
        for one, handler in handlers.items():
            signal.signal(one, handler)
    if held:
        handlers[held[0][0]](*held[0])


@contextmanager
def put_off(
    begin: Callable[[Callable[[], None]], object], at_most: float = _PUT_OFF
) -> Iterator[None]:
    """Have the first Ctrl-C of a block, or what is the same, wait for a better moment.

    It comes where that is called which ``begin`` is given, at the latest at the end of the block,
    or after so many seconds. The next one does not wait.
    """
    due: list[Callable[[], object]] = []

    def come() -> None:
        while due:
            due.pop()()

    def hear(number: int, frame: FrameType | None) -> None:
        restore()
        due.append(partial(handlers[number], number, frame))
        _thread.start_new_thread(insist, (number,))
        begin(come)

    def insist(number: int) -> None:
        time.sleep(at_most)
        if due and _CAN_SEND:
            due.clear()
            _send(number)

    def restore() -> None:
        for one, handler in handlers.items():
            if signal.getsignal(one) is hear:
                signal.signal(one, handler)

    is_main = threading.current_thread() is threading.main_thread()
    signals = (signal.SIGTERM, signal.SIGINT) if is_main else ()
    before: dict[int, Any] = {one: signal.getsignal(one) for one in signals}
    handlers = {one: handler for one, handler in before.items() if callable(handler)}
    for one in handlers:
        signal.signal(one, hear)
    try:
        yield
    finally:
        restore()
        come()  # whatever else ends the block


def ignore_further() -> None:
    """Let a worker finish what it has to say: its terminal and its controller interrupt it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)


def stop_once(*_: object) -> Never:
    """Be what Ctrl-C is in a worker, the first time."""
    ignore_further()
    raise KeyboardInterrupt


def terminate(*_: object) -> Never:
    """Be what Ctrl-C is, and say that it reached this process alone."""
    raise KeyboardInterrupt("SIGTERM")


USUAL = (signal.default_int_handler, stop_once, terminate)
"""What handles Ctrl-C, and what is the same, unless somebody else does."""


@contextmanager
def terminable(*, is_worker: bool = False) -> Iterator[None]:
    """Let SIGTERM, as of a cancelled CI job, be what Ctrl-C is, unless somebody handles it.

    A worker hears of one of them, once.
    """
    usual: dict[Any, Any]
    usual = {signal.SIGINT: signal.default_int_handler, signal.SIGTERM: signal.SIG_DFL}
    ours: Any = dict.fromkeys(usual, stop_once) if is_worker else {signal.SIGTERM: terminate}
    is_main = threading.current_thread() is threading.main_thread()
    taken = {one: our for one, our in ours.items() if signal.getsignal(one) is usual[one]}
    taken = taken if is_main else {}
    for one, our in taken.items():
        signal.signal(one, our)
    hook = sys.unraisablehook
    if taken and _CAN_SEND:
        sys.unraisablehook = lambda dropped: _raise_again(taken, dropped, hook)
    try:
        yield
    finally:
        if taken:
            sys.unraisablehook = hook
        for one, our in taken.items():
            if signal.getsignal(one) is our:
                signal.signal(one, usual[one])


@contextmanager
def ending_with(end: Callable[[FrameType], object]) -> Iterator[None]:
    """Say for a block what comes before the end of the process on the stack of some frame."""
    _endings.append(end)
    try:
        yield
    finally:
        _endings.pop()


def end_on(frame: FrameType) -> None:
    """End the process on the stack of a frame that no exception leaves, if it is said how."""
    for end in _endings[-1:]:
        end(frame)
        leave_now()


def _raise_again(taken: Mapping[Any, Any], dropped: Any, hook: Callable[[Any], object]) -> None:
    """Raise Ctrl-C again that Python dropped, in a finalizer, or a callback as of an import."""
    is_main = threading.current_thread() is threading.main_thread()
    if not (is_main and dropped.exc_type is KeyboardInterrupt):
        hook(dropped)
        return
    for one, our in taken.items():  # a worker ignores further ones
        signal.signal(one, our)
    sent = signal.SIGTERM if getattr(dropped.exc_value, "args", ()) else signal.SIGINT
    _thread.start_new_thread(_send, (sent, _SOON))  # takes none of the locks that may be held here


def _send(sent: int, wait: float = 0.0) -> None:
    """Wake the main thread, too: it may be waiting by now."""
    time.sleep(wait)
    if callable(signal.getsignal(sent)):  # else the run has come to its end
        signal.pthread_kill(threading.main_thread().ident or 0, sent)


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
        leave_now()

    threading._register_atexit(leave)  # type: ignore[attr-defined]  # noqa: SLF001  # there is no other moment


def leave_now() -> Never:
    """End the process with the status that is said, and wait for nothing."""
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(_statuses[-1]())


def _is_waited_for() -> bool:
    executors = sys.modules.get("concurrent.futures.thread")
    others = [one for one in threading.enumerate() if one is not threading.main_thread()]
    of_executors = getattr(executors, "_threads_queues", ())
    return any(not one.daemon or one in of_executors for one in others)
