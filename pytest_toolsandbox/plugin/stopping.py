"""How a run comes to its end that is interrupted, in each of its processes.

A run that is left in its middle is no success.
"""

from __future__ import annotations

import _thread
import os
import queue
import signal
import time
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, Final, NoReturn

import pytest

from pytest_toolsandbox.concurrency.interrupts import put_off

CHANNEL: Final = "toolsandbox_ending"
"""What gives a worker its end of the channel over which it says that it comes to its end."""
_STOP: Final = "toolsandbox_stop"
"""What pytest-xdist calls Ctrl-C where it comes among what workers say."""
_PATIENCE: Final = 0.4
"""Seconds in which workers stop by themselves that Ctrl-C reached, too."""
_SILENCE: Final = 1.5
"""Seconds in which a worker that was interrupted begins to come to its end.

One whose agent swallows it on the main thread ends within them all the same.
"""
_LONGEST: Final = 5.0
_LEAVING: Final = 1.0
"""Seconds that a worker has for its end once it has said all; pytest-xdist would give it ten."""


def shorten(excinfo: pytest.ExceptionInfo[BaseException], config: pytest.Config) -> None:
    """Keep of what was interrupted what pytest shows, and that has a line.

    Pytest reads the source of all frames, for a third of a second of a processor, and shows the
    last one. It breaks off at one that has no line: Python raises the interrupt of Ctrl-C also in
    code that it made itself, as where an ``except`` ends; a run that was stopped there would end
    without a summary.
    """
    lines = [entry._rawentry.tb_lineno for entry in excinfo.traceback]  # noqa: SLF001  # asked otherwise, it raises
    kept = [e for e, line in zip(excinfo.traceback, lines, strict=True) if line]
    if not config.getoption("fulltrace"):
        kept = [e for e in kept if not e.ishidden(excinfo)][-1:] or kept
    excinfo.traceback = type(excinfo.traceback)(kept)


def interactor_of(config: pytest.Config) -> Any | None:
    """Return what pytest-xdist runs the items of a worker with, where this is one."""
    plugins = config.pluginmanager.get_plugins() if hasattr(config, "workerinput") else ()
    return next((one for one in plugins if type(one).__name__ == "WorkerInteractor"), None)


def hear_ending(node: Any, ending: set[Any]) -> None:
    """Let a worker say that it comes to its end, which adds it to those that do."""
    channel = node.workerinput[CHANNEL] = node.gateway.newchannel()
    channel.setcallback(lambda _: ending.add(node))


def say_ending(channel: Any) -> None:
    """Say that this worker comes to its end, if the controller is there to hear it."""
    with suppress(OSError):
        channel.send(None)


@contextmanager
def between_events(config: pytest.Config, is_wanted: Callable[[], bool]) -> Iterator[None]:
    """Have the first Ctrl-C come when pytest-xdist has done with all that workers have said.

    Elsewhere it would take with it the report that is in the hands of pytest-xdist, and that
    nobody sends again.
    """
    workers: Any = config.pluginmanager.get_plugin("dsession")
    if not workers:
        yield
        return

    def begin(come: Callable[[], None]) -> None:
        if not is_wanted():
            return come()
        # On a thread of its own, for this one may hold the lock of the queue.
        _thread.start_new_thread(workers.queue.put, ((_STOP, {"come": come}),))
        return None

    setattr(workers, f"worker_{_STOP}", lambda come: come())  # where pytest-xdist looks for it
    with put_off(begin):
        yield


def late_events(
    config: pytest.Config, gone: Collection[Any], ending: Collection[Any], *, at_once: bool
) -> Iterator[tuple[str, Any]]:
    """Yield what workers say since Ctrl-C, which pytest-xdist no longer reads.

    Those that it did not reach are interrupted; ``at_once``, where SIGTERM ends the run, or what
    made one of them ``gone``. Those that say nothing more are killed. Those that are ``ending``
    tear fixtures down, and have the time that pytest-xdist gives them.
    """
    workers: Any = config.pluginmanager.get_plugin("dsession")
    if not workers:
        return
    at_work = {*workers._active_nodes} - {*gone}  # noqa: SLF001  # told in no other way
    at_work = at_work if _can_be_read(workers.queue) else set()
    patience, usual = 0.0 if at_once else _PATIENCE, workers.nodemanager.EXIT_TIMEOUT
    began, is_told, is_silent = time.monotonic(), False, False
    while at_work and (spent := time.monotonic() - began) < usual:
        busy = at_work.difference(ending)
        if busy and is_told and (is_silent or spent >= _LONGEST):
            _send(busy, "SIGKILL")
            at_work -= busy
            continue
        if not is_told and spent >= patience:
            _send(busy, "SIGINT")
            is_told = True
        try:
            event, about = workers.queue.get(timeout=_SILENCE if is_told else _PATIENCE)
        except queue.Empty:
            is_silent = is_told
            continue
        is_silent = False
        yield event, about
        if event in ("workerfinished", "errordown"):
            at_work.discard(about["node"])
    workers.nodemanager.EXIT_TIMEOUT = _LEAVING


def _can_be_read(events: queue.Queue[Any]) -> bool:
    """Whether Ctrl-C did not come just as the lock was taken, which nobody gives back then."""
    is_free = events.mutex.acquire(timeout=_SILENCE)
    if is_free:
        events.mutex.release()
    return is_free


def _send(workers: Iterable[Any], name: str) -> None:
    """Send a signal to the workers on this machine; others end with the connection to them."""
    for worker in workers:
        if worker.gateway.spec.popen and os.name == "posix":
            sent = getattr(signal, name)  # which Windows has not
            worker.gateway._io.popen.send_signal(sent)  # noqa: SLF001  # told in no other way


@contextmanager
def no_early_success() -> Iterator[None]:
    """Have ``os._exit(0)`` of an agent or a tool leave with another status, which is not green.

    Nothing can be reported from there. Processes that are forked inside leave as they like.
    """
    leave, process = os._exit, os.getpid()

    def left(status: int) -> NoReturn:
        is_early = status == 0 and os.getpid() == process
        leave(pytest.ExitCode.INTERNAL_ERROR if is_early else status)

    os._exit = left
    try:
        yield
    finally:
        os._exit = leave
