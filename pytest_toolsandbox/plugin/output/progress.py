"""Progress of a run while pytest waits for an item: below its line, or in a line of its own."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

import pytest

from pytest_toolsandbox.models.waiting import Waiting
from pytest_toolsandbox.plugin.output.observer import Payload
from pytest_toolsandbox.records.record import Summary
from pytest_toolsandbox.records.trials import verdict
from pytest_toolsandbox.text.formatting import format_seconds, pluralize, wrap_line

from .observer import Observer

OFTEN: Final = 0.5
"""Seconds from one look at what is done to the next while an item is waited for."""
SELDOM: Final = 30.0
"""Seconds between lines where there is no terminal."""
_PAUSE_FACTOR: Final = 20.0
"""How many times as long as a look took there is none on a terminal: many items take a while."""
_MINUTE: Final = 60


class Standing(NamedTuple):
    """How many items there are in all, and how many of them are in which state.

    ``running`` are conversations, ``None`` if that is unknown. ``cost`` is the known part of it, in
    US dollars. Of those that are done, ``kept`` took no time: they are of an earlier run.
    ``waiting`` are requests that wait before they are retried.
    """

    planned: int
    done: int
    running: int | None
    failed: int
    errors: int
    cost: float = 0.0
    kept: int = 0
    waiting: Waiting | None = None

    def line(self, seconds: float) -> str:
        """Return the line after so many seconds; the time left is as for what was played."""
        parts = [f"{self.done} of {pluralize(self.planned, 'item')} played"]
        parts += [] if self.running is None else [f"{self.running} running"]
        parts += [f"{self.failed} failed", pluralize(self.errors, "error")]
        parts += [f"${self.cost:.4f}"] if self.cost else []
        if self.waiting:
            requests, longest = self.waiting
            parts.append(f"{requests} waiting for a provider ({format_seconds(longest)})")
        if played := self.done - self.kept:
            left = seconds / played * (self.planned - self.done)
            parts.append(f"about {about(left)} left")
        return ", ".join(parts)


def about(seconds: float) -> str:
    """Write a time in seconds, or in minutes from the first one on."""
    return f"{seconds / _MINUTE:.0f} min" if seconds >= _MINUTE else f"{seconds:.0f} s"


class Progress:
    """Draws below pytest's own line and erases it again, or writes a line of its own."""

    def __init__(self, config: pytest.Config) -> None:
        manager = config.pluginmanager
        self._terminal: Any = manager.get_plugin("terminalreporter")
        self._capture: Any = manager.get_plugin("capturemanager")
        self._logs: Any = manager.get_plugin("logging-plugin")
        self._is_wanted = self._terminal is not None and config.get_verbosity() >= 0
        self._began = self._last = time.monotonic()
        self._is_drawn = False
        self._line, self._pause = "", 0.0

    @property
    def on_terminal(self) -> bool:
        """Whether it draws, and does not write lines."""
        return self._is_wanted and bool(self._terminal.isatty)

    @property
    def is_alone(self) -> bool:
        """Whether nothing else is written to the terminal until the drawn line is erased."""
        is_captured = self._capture is not None and self._capture.is_globally_capturing()
        is_live = self._logs is not None and self._logs._log_cli_enabled()  # noqa: SLF001  # pytest has no public one
        return not self.on_terminal or (is_captured and not is_live)

    def show(self, look: Callable[[], Standing]) -> None:
        """Show how far the run is: what was seen last, until it is time to look again."""
        now = time.monotonic()
        is_time = now - self._last >= (self._pause if self.on_terminal else SELDOM)
        if self._is_wanted and is_time:
            self._last = now
            self._line = look().line(now - self._began)
            self._pause = _PAUSE_FACTOR * (time.monotonic() - now)
        if self.on_terminal and self._line:
            self._below(self._line[: self._terminal._tw.fullwidth - 1])  # noqa: SLF001  # pytest's own width
            self._is_drawn = True
        elif self._is_wanted and is_time:
            lines = wrap_line(f"toolsandbox: {self._line}")
            self._written("".join(f"\n{line}" for line in lines) + "\n")
            self._terminal.currentfspath = None  # the next result begins with its file

    def erase(self) -> None:
        """Leave the terminal as pytest has it."""
        if self._is_drawn:
            self._below("")
            self._is_drawn = False

    def _below(self, text: str) -> None:
        """Write into the line below the present one, and move the cursor back."""
        writer = self._terminal._tw  # noqa: SLF001  # pytest has no public one
        column = writer.width_of_current_line % writer.fullwidth  # a long id goes on in a new line
        back = f"\x1b[{column}C" if column else ""
        self._written(f"\n\x1b[2K{text}\r\x1b[1A{back}")

    def _written(self, text: str) -> None:
        """Write past the capture, and past pytest's own count of the columns in the line."""
        file = self._terminal._tw._file  # noqa: SLF001
        if self._capture is None:
            file.write(text)
            file.flush()
            return
        with self._capture.global_and_fixture_disabled():
            file.write(text)
            file.flush()


class ProgressOfWorkers(Observer):
    """Shows how far a run is whose items are played by workers, as their reports come in."""

    def __init__(
        self, config: pytest.Config, planned: int, trials: Mapping[str, Sequence[Summary]]
    ) -> None:
        self._planned = planned
        self._trials = trials
        """Id of an item → its records; others add to it."""
        self._progress = Progress(config)
        self._running: dict[Any, int] = {}
        """Worker → how many conversations it holds."""
        self._kept = 0
        """How many items were not played, but taken from an earlier run."""

    def on_report(self, report: pytest.TestReport, payload: Payload) -> None:
        """Note how many conversations a worker holds."""
        if payload.running is not None:
            self._running[report.__dict__.get("node")] = payload.running
        self._kept += payload.is_kept

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_logreport(self) -> Generator[None, None, None]:
        """Leave the terminal to pytest, and draw again."""
        yield from self._drawn_again()

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_logstart(self) -> Generator[None, None, None]:
        """Leave the terminal to pytest, which writes a line with ``-v``, and draw again."""
        yield from self._drawn_again()

    @pytest.hookimpl(wrapper=True, tryfirst=True, optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> Generator[None, None, None]:
        """Forget a worker that has left, or was lost, which pytest-xdist tells."""
        self._running.pop(node, None)
        yield from self._drawn_again()

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self) -> None:
        """Leave the terminal to pytest."""
        self._progress.erase()

    def _drawn_again(self) -> Generator[None, None, None]:
        self._progress.erase()
        yield
        self._progress.show(self._standing)

    def _standing(self) -> Standing:
        items = self._trials.values()
        outcomes = Counter(map(verdict, items))
        usage: Any = [trial.get("usage", {}) for trials in items for trial in trials]
        cost = total_of(figures["cost"] for used in usage for figures in used.values())
        return Standing(
            planned=self._planned,
            done=len(items),
            running=sum(self._running.values()) or None,
            failed=outcomes["failed"],
            errors=outcomes["error"],
            cost=cost,
            kept=self._kept,
        )


def total_of(costs: Iterable[float | None]) -> float:
    """Return the sum of those that are known."""
    return sum(cost or 0.0 for cost in costs)
