"""How far a run is, while pytest waits for an item: on a terminal, or in a line now and then."""

from __future__ import annotations

import time
from typing import Any, Final, NamedTuple

import pytest

from pytest_toolsandbox.wording.phrases import counted

OFTEN: Final = 0.5
"""Seconds from one look at what is done to the next, and between drawings on a terminal."""
SELDOM: Final = 30.0
"""Seconds between lines where there is no terminal."""
_MINUTE: Final = 60


class Standing(NamedTuple):
    """How many items there are in all, and how many of them are in which state."""

    planned: int
    done: int
    running: int
    failed: int
    errors: int

    def line(self, seconds: float) -> str:
        """Return what is said after so many seconds; the time left is as for what is done."""
        parts = [
            f"{self.done} of {counted(self.planned, 'item')} played",
            f"{self.running} running",
        ]
        parts += [f"{self.failed} failed", counted(self.errors, "error")]
        if self.done:
            left = seconds / self.done * (self.planned - self.done)
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
        self._is_wanted = self._terminal is not None and config.get_verbosity() >= 0
        self._began = self._last = time.monotonic()
        self._is_drawn = False

    def show(self, standing: Standing) -> None:
        """Show how far the run is, where it is time for it."""
        now = time.monotonic()
        on_terminal = self._is_wanted and self._terminal.isatty
        if not self._is_wanted or now - self._last < (OFTEN if on_terminal else SELDOM):
            return
        self._last = now
        line = standing.line(now - self._began)
        if on_terminal:
            self._below(line[: self._terminal._tw.fullwidth - 1])  # noqa: SLF001  # pytest's own width
            self._is_drawn = True
        else:
            self._written(f"\ntoolsandbox: {line}\n")
            self._terminal.currentfspath = None  # the next result begins with its file

    def erase(self) -> None:
        """Leave the terminal as pytest has it."""
        if self._is_drawn:
            self._below("")
            self._is_drawn = False

    def _below(self, text: str) -> None:
        """Write into the line below the present one, and go back to where pytest goes on."""
        writer = self._terminal._tw  # noqa: SLF001  # told in no other way
        column = writer.width_of_current_line % writer.fullwidth  # a long id goes on in a new line
        back = f"\x1b[{column}C" if column else ""
        self._written(f"\n\x1b[2K{text}\r\x1b[1A{back}")

    def _written(self, text: str) -> None:
        """Write past the capture, and past pytest's own count of what stands in the line."""
        file = self._terminal._tw._file  # noqa: SLF001
        if self._capture is None:
            file.write(text)
            file.flush()
            return
        with self._capture.global_and_fixture_disabled():
            file.write(text)
            file.flush()
