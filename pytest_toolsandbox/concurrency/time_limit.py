"""Time limits of calls: countdowns that can be paused, alarms, and worker threads."""

from __future__ import annotations

import contextvars
import inspect
import math
import queue
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import ExitStack, contextmanager, suppress
from contextvars import ContextVar
from enum import IntEnum
from typing import Any, Final

from .stopping import end_on, informed

LONGEST: Final = 30 * 86_400
"""Seconds of the longest time limit that users can set; systems have limits of some weeks."""


class Countdown:
    """``seconds`` from now on, ``None`` for no limit. It pauses while any thread stops it."""

    def __init__(self, seconds: float | None = None) -> None:
        self.seconds = math.inf if seconds is None else seconds
        self._began = time.monotonic()
        self._uncounted = 0.0
        self._stopped_at = 0.0
        self._stops = 0
        self._lock = threading.Lock()

    @property
    def spent(self) -> float:
        """The counted seconds so far."""
        with self._lock:
            now = self._stopped_at if self._stops else time.monotonic()
            return now - self._began - self._uncounted

    @property
    def was_stopped(self) -> bool:
        """Whether it was paused, so that it ends later."""
        with self._lock:
            return bool(self._stops or self._uncounted)

    @property
    def left(self) -> float:
        """The remaining seconds: infinite without a limit, negative after the end."""
        return self.seconds - self.spent

    @contextmanager
    def stopped(self) -> Iterator[None]:
        """Pause the countdown inside of the block."""
        with self._lock:
            self._stopped_at = self._stopped_at if self._stops else time.monotonic()
            self._stops += 1
        try:
            yield
        finally:
            with self._lock:
                self._stops -= 1
                self._uncounted += 0 if self._stops else time.monotonic() - self._stopped_at


_RUNNING: Final = ContextVar[tuple[Countdown, ...]]("countdowns", default=())


@contextmanager
def counting_down(seconds: float | None) -> Iterator[Countdown]:
    """Limit a block, and its calls on other threads, to ``seconds``."""
    countdown = Countdown(seconds)
    before = _RUNNING.set((*_RUNNING.get(), countdown))
    try:
        yield countdown
    finally:
        _RUNNING.reset(before)


def seconds_left() -> float:
    """Return the remaining time of all current countdowns, infinite without one."""
    return min((countdown.left for countdown in _RUNNING.get()), default=math.inf)


@contextmanager
def uncounted() -> Iterator[None]:
    """Pause all current countdowns inside of the block."""
    with ExitStack() as stack:
        for countdown in _RUNNING.get():
            stack.enter_context(countdown.stopped())
        yield


_DEBUGGERS = ("bdb", "pdb", "pydevd", "debugpy")
_AGAIN: Final = 1.0
"""Seconds from one ring of the alarm to the next."""
_AFTER_STOP: Final = 0.75, 0.5
"""Seconds from Ctrl-C that a call swallows to the next ring, and from there to the last one."""
_EARLY: Final = 0.01
"""Seconds by which an alarm or a wait may end too early."""


class OutOfTime(BaseException):  # no error that ``except Exception`` may swallow
    """A call took longer than it may."""


def call_in_time(
    function: Callable[[], Any], seconds: float | None, overseen: Overseen | None = None
) -> Any:
    """Return the result of ``function``. Raises :class:`OutOfTime`, unless ``seconds`` is ``None``.

    On the main thread, the function runs there and an alarm interrupts it, since an agent may use
    objects of that thread, such as a connection of sqlite3 that a fixture opened. Elsewhere, and on
    Windows, it runs on a worker thread, which is abandoned if it takes too long; with ``overseen``,
    on the worker of that object. Without a limit it runs on the current thread, and the alarm of
    the main thread only handles an agent that swallows Ctrl-C.
    """
    with counting_down(seconds) as countdown:
        if overseen is not None:
            return overseen.call(function, countdown)
        if has_alarm():
            other_alarm, interval = signal.getitimer(signal.ITIMER_REAL)
            # There is one real-time alarm per process, and the earlier one must not be lost.
            is_earlier = 0 < other_alarm <= countdown.seconds
            if is_earlier and (seconds is None or not interval):  # as that of pytest-timeout
                return function()
            return _Alarm(function, countdown).call()
        if seconds is None:
            return function()
        return call_on_a_worker(function, countdown)


def has_alarm() -> bool:
    """Return whether an alarm can interrupt this thread."""
    is_main = threading.current_thread() is threading.main_thread()
    return is_main and hasattr(signal, "setitimer")


class _Phase(IntEnum):
    """The progress of the interruption of a call."""

    IN_TIME = 0
    LATE = 1
    """The alarm has rung."""
    STOPPED = 2
    """The run is stopped: ``KeyboardInterrupt`` was raised."""
    DEAF = 3
    """The alarm has rung since."""


class _Alarm:
    """One call, interrupted after its time and then again each second, until it has ended.

    What the call returns or raises after the first ring does not count: a task group wraps
    :class:`OutOfTime`, and a bare ``except`` or a callback of an event loop swallows it. The same
    holds for Ctrl-C, which an agent may swallow: then the alarm rings a while later. If the agent
    swallows that, too, the run is ended on the stack of the call.
    """

    def __init__(self, function: Callable[[], Any], countdown: Countdown) -> None:
        self.function = function
        self.countdown = countdown
        self.is_set = False
        self.phase = _Phase.IN_TIME

    def call(self) -> Any:
        with self._set(), informed(self._stop):
            try:
                self.is_set = True
                result = self.function()
            except KeyboardInterrupt:
                raise
            except BaseException:
                if self.phase is _Phase.IN_TIME:
                    raise
            finally:
                self.is_set = False  # at once: a ring after this line raises nothing
        # The call swallowed the exception of the signal, so it is raised again here.
        if self.phase >= _Phase.STOPPED:
            raise KeyboardInterrupt
        if self.phase is _Phase.LATE:
            raise OutOfTime
        return result

    @contextmanager
    def _set(self) -> Iterator[None]:
        began = time.monotonic()
        handler = signal.signal(signal.SIGALRM, self._ring)
        seconds = self.countdown.seconds
        first = 0.0 if math.isinf(seconds) else seconds  # 0 is never
        other_alarm, interval = signal.setitimer(signal.ITIMER_REAL, first, _AGAIN)
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, handler)
            if other_alarm:
                remaining = other_alarm - (time.monotonic() - began)
                # Restore the other alarm, reduced by the time since; 0 would switch it off.
                signal.setitimer(signal.ITIMER_REAL, max(remaining, 0.001), interval)

    def _stop(self) -> None:
        if self.is_set and self.phase < _Phase.STOPPED:
            self.phase = _Phase.STOPPED
            signal.setitimer(signal.ITIMER_REAL, *_AFTER_STOP)

    def _ring(self, _: int, frame: Any) -> None:
        if self.phase < _Phase.STOPPED and self._has_more():
            return
        # A breakpoint would otherwise end the session in the middle of a line.
        if self.is_set and self.phase is _Phase.IN_TIME and _is_debugged():
            self.is_set = False
        if self.is_set and self.phase is _Phase.DEAF:
            end_on(frame)
        if self.is_set:
            self.phase = _Phase.LATE if self.phase < _Phase.STOPPED else _Phase.DEAF
            raise OutOfTime

    def _has_more(self) -> bool:
        """Set the alarm again if the countdown was paused meanwhile."""
        if not self.countdown.was_stopped or (seconds := self.countdown.left) <= _EARLY:
            return False
        signal.setitimer(signal.ITIMER_REAL, seconds, _AGAIN)
        return True


def _is_debugged() -> bool:
    """Return whether a debugger is active: the time of its user does not count."""
    monitoring = getattr(sys, "monitoring", None)  # from Python 3.12 on
    if monitoring is not None and monitoring.get_tool(monitoring.DEBUGGER_ID):
        return True
    trace = sys.gettrace()
    module = inspect.getmodule(trace) or inspect.getmodule(type(trace))
    return module is not None and module.__name__.partition(".")[0].startswith(_DEBUGGERS)


class Worker:
    """A thread that calls one function after another, as a daemon."""

    def __init__(self) -> None:
        self.calls: queue.SimpleQueue[tuple[Callable[[], Any], Future[Any]] | None]
        self.calls = queue.SimpleQueue()
        self.thread = threading.Thread(target=self._work, daemon=True, name="agent")
        self.thread.start()

    def submit(self, function: Callable[[], Any]) -> Future[Any]:
        """Call a function in the caller's context, after those that were submitted before."""
        outcome: Future[Any] = Future()
        context = contextvars.copy_context()
        self.calls.put((lambda: context.run(function), outcome))
        return outcome

    def leave(self, last: Future[Any]) -> None:
        """Return the worker to the idle ones, or end it after ``last`` if that call still runs."""
        if last.done():
            _idle.append(self)
        else:
            self.calls.put(None)

    def _work(self) -> None:
        while (call := self.calls.get()) is not None:
            function, outcome = call
            try:
                outcome.set_result(function())
            except BaseException as error:  # noqa: BLE001  # raised again where it is awaited
                outcome.set_exception(error)
            del call, function, outcome  # else an agent lives until the next call


_idle: list[Worker] = []


def free_worker() -> Worker:
    """Return an idle worker; :meth:`Worker.leave` gives it back."""
    while _idle:
        with suppress(IndexError):  # another thread took the last one
            if (worker := _idle.pop()).thread.is_alive():  # else after a fork
                return worker
    return Worker()


class Overseen:
    """Makes several calls on one worker thread, which is abandoned if one takes too long.

    One thread for all calls saves two thread switches per call, which take longer than the rest of
    it.
    """

    def __init__(self) -> None:
        self._running: Countdown | None = None
        self._is_left = False
        self._lock = threading.Lock()

    def call(self, function: Callable[[], Any], countdown: Countdown) -> Any:
        """Return the result of a function. Raises :class:`OutOfTime` if :meth:`run` gave up."""
        self._running = countdown
        try:
            return function()
        finally:
            with self._lock:
                self._running = None
                if self._is_left:
                    raise OutOfTime

    def run(self, function: Callable[[], Any], time_left: Callable[[], float]) -> None:
        """Run a function that makes these calls, with ``time_left()`` seconds in all.

        Raises what it raises, and :class:`OutOfTime` if the time of a call is over.
        """
        worker = free_worker()
        outcome = worker.submit(function)
        try:
            while not outcome.done():
                running = self._running
                wait = time_left() if running is None else running.left
                if wait <= 0 and self._gives_up():
                    raise OutOfTime
                with suppress(TimeoutError):  # of this wait alone
                    # The limit of a wait is an overflow error for an infinite time.
                    outcome.exception(min(max(wait, _EARLY), threading.TIMEOUT_MAX))
        finally:
            worker.leave(outcome)
        outcome.result()

    def _gives_up(self) -> bool:
        """Abandon a call, unless it ended meanwhile."""
        with self._lock:
            self._is_left = self._running is not None and self._running.left <= 0
            return self._is_left


def call_on_a_worker(function: Callable[[], Any], countdown: Countdown) -> Any:
    """Return the result of ``function``, called on a thread that Ctrl-C does not interrupt.

    The process does not wait for this thread. Raises :class:`OutOfTime`.
    """
    worker = free_worker()
    outcome = worker.submit(function)
    try:
        # The countdown may be paused meanwhile, so look again after each wait.
        while not outcome.done() and (seconds := countdown.left) > 0:
            with suppress(TimeoutError):  # of this wait alone: the call's own error is returned
                outcome.exception(min(seconds, threading.TIMEOUT_MAX))
    finally:
        worker.leave(outcome)
    if not outcome.done():
        raise OutOfTime
    return outcome.result()
