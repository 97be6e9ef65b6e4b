"""Stop a run of pytest: in its only process, in the controller of pytest-xdist, and in a worker.

``concurrency/stopping.py`` handles the signals, ``runs/pool.py`` ends what is played ahead, and
``docs/concurrency.md`` has a table of what is kept.
"""

from __future__ import annotations

import _thread
import queue
import signal
import time
import traceback
from collections.abc import Collection, Generator, Iterator
from contextlib import contextmanager, suppress
from types import FrameType, TracebackType
from typing import Any, Final

import pytest

from pytest_toolsandbox.concurrency.stopping import interrupt, interrupt_main_thread, stoppable
from pytest_toolsandbox.plugin.output.sending import send_unreported
from pytest_toolsandbox.plugin.playing.players import player_of
from pytest_toolsandbox.text.error_text import PACKAGE

_CHANNEL: Final = "toolsandbox_stopping"
"""What gives a worker its end of the channel over which it is stopped."""
_EVENT: Final = "toolsandbox_stop"
"""What pytest-xdist calls Ctrl-C if it comes among what workers send."""
_ANSWER: Final = 3.0
"""Seconds in which a worker begins to end; an agent that swallows Ctrl-C needs one and a half."""
_LEAVING: Final = 1.0
"""Seconds until pytest-xdist kills a worker that has sent all, or nothing; its own are ten."""


def shorten(excinfo: pytest.ExceptionInfo[BaseException], config: pytest.Config) -> None:
    """Keep the frame that pytest shows of an interrupt: the last one that is not of this package.

    Pytest reads the source of all frames, for a third of a second. It fails at one without a line,
    as Python has where an ``except`` ends, and the run would end without a summary.
    """
    lines = [line for _, line in traceback.walk_tb(excinfo.tb)]
    kept = [e for e, line in zip(excinfo.traceback, lines, strict=True) if line]
    if not config.getoption("fulltrace"):
        shown = (e for e in kept if not e.ishidden(excinfo))
        kept = [e for e in shown if not str(e.path).startswith(PACKAGE)][-1:] or kept
    excinfo.traceback = type(excinfo.traceback)(kept)


def end_within(session: pytest.Session, frame: FrameType) -> None:
    """End a run as pytest does, on the stack of an agent that swallows all that is raised in it.

    The finished trials of the item that it plays are kept. Ctrl-C now ends the process.
    """
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_REAL, 0)
    config, hook = session.config, session.config.hook
    try:
        if capture := config.pluginmanager.get_plugin("capturemanager"):
            capture.suspend_global_capture(in_=True)
        if item := player_of(config).item:
            item.keep_finished()
            send_unreported(item)
        try:
            raise KeyboardInterrupt().with_traceback(
                TracebackType(None, frame, frame.f_lasti, frame.f_lineno)
            )
        except KeyboardInterrupt:
            hook.pytest_keyboard_interrupt(excinfo=pytest.ExceptionInfo.from_current())
        session.exitstatus = pytest.ExitCode.INTERRUPTED
        hook.pytest_sessionfinish(session=session, exitstatus=session.exitstatus)
        config._ensure_unconfigure()  # noqa: SLF001  # private: pytest's own end
    except BaseException:  # noqa: BLE001  # pytest cannot print it any more
        traceback.print_exc()


class StoppableStart:
    """Lets SIGTERM end a run as Ctrl-C does before its items are run: files are released then."""

    @pytest.hookimpl(wrapper=True)  # around the start of workers
    def pytest_sessionstart(self) -> Generator[None, object, object]:
        """Handle signals while plugins start."""
        with stoppable(interrupt):
            return (yield)

    @pytest.hookimpl(wrapper=True)
    def pytest_collection(self) -> Generator[None, object, object]:
        """Handle signals while items are collected."""
        with stoppable(interrupt):
            return (yield)


class StoppedByController:
    """A worker's end of the channel over which the controller stops it."""

    def __init__(self, config: pytest.Config) -> None:
        self._channel = getattr(config, "workerinput", {}).pop(_CHANNEL, None)
        if self._channel is not None:
            self._channel.setcallback(lambda _: interrupt_main_thread())

    def say(self, *, has_sent_all: bool) -> None:
        """Say that this worker comes to its end, and again when it has sent all records."""
        if self._channel is not None:
            with suppress(OSError):  # the controller has left
                self._channel.send(has_sent_all)


class WorkersStopped:
    """Stops the workers, in the controller."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._channels: dict[Any, Any] = {}
        """Worker → our end of its channel."""
        self._ending: set[Any] = set()
        self._silent: set[Any] = set()
        """The workers that have sent all records, and tear fixtures down."""
        self._signals: list[int] = []
        self._is_hurried = False

    def add(self, node: Any) -> None:
        """Open the channel of a worker, which says over it that it comes to its end."""
        channel = self._channels[node] = node.workerinput[_CHANNEL] = node.gateway.newchannel()
        # Behind its reports: those that it has sent are in the queue by then.
        channel.setcallback(
            lambda has_sent_all: (self._silent if has_sent_all else self._ending).add(node)
        )

    @contextmanager
    def between_events(self) -> Iterator[None]:
        """Delay Ctrl-C until pytest-xdist is done with all that workers have sent.

        Elsewhere a report would be lost that pytest-xdist has in its hands. The second one hurries
        the workers, and only the third does not wait.
        """
        controller: Any = self._config.pluginmanager.get_plugin("dsession")
        if not controller:
            yield
            return

        def stop(number: int, _: FrameType | None) -> None:
            if self._signals:
                self._hurry(number)
            else:
                self._signals.append(number)
                # On another thread, since this one may hold the lock of the queue.
                _thread.start_new_thread(controller.queue.put, ((_EVENT, {}),))

        # Pytest-xdist looks for the method of an event by its name.
        setattr(controller, f"worker_{_EVENT}", lambda: interrupt(self._signals[0]))
        with stoppable(stop):
            yield
            if self._signals:
                interrupt(self._signals[0])

    def _hurry(self, number: int, _: FrameType | None = None) -> None:
        """Wait no longer for fixtures of workers; at the next signal, for nothing."""
        if self._is_hurried:
            interrupt(number)
        self._is_hurried = True

    def last_events(self, gone: Collection[Any]) -> Iterator[tuple[str, Any]]:
        """Stop the workers and yield what they send until they end.

        Pytest-xdist no longer reads it. Those that are ending tear fixtures down, in the time that
        it gives them. After a second Ctrl-C, they end when they have sent all records.
        """
        controller: Any = self._config.pluginmanager.get_plugin("dsession")
        if not controller:
            return
        waiting = self._channels.keys() - {*gone}
        for node in waiting:
            with suppress(OSError):
                self._channels[node].send(None)
        began, longest = time.monotonic(), controller.nodemanager.EXIT_TIMEOUT
        with stoppable(self._hurry):
            while waiting:
                silent = self._silent.copy()  # before the queue is found empty
                try:
                    event, about = controller.queue.get(timeout=0.1)
                except queue.Empty:
                    spent = time.monotonic() - began
                    waiting &= self._ending if spent > _ANSWER else waiting
                    waiting -= silent if self._is_hurried else set()
                    waiting = waiting if spent < longest else set()
                    continue
                yield event, about
                began = time.monotonic()  # who still sends is waited for
                if event in ("workerfinished", "errordown"):
                    waiting.discard(about["node"])
        controller.nodemanager.EXIT_TIMEOUT = _LEAVING
