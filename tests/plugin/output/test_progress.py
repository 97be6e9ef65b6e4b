from __future__ import annotations

from io import StringIO
from types import SimpleNamespace
from typing import Any

import pytest

from pytest_toolsandbox.models.waiting import Waiting
from pytest_toolsandbox.plugin.output import progress
from pytest_toolsandbox.plugin.output.progress import Standing


@pytest.mark.parametrize(
    ("standing", "seconds", "line"),
    [
        (Standing(40, 0, 16, 0, 0), 9, "0 of 40 items played, 16 running, 0 failed, 0 errors"),
        (
            Standing(40, 10, 16, 2, 1),
            5,
            "10 of 40 items played, 16 running, 2 failed, 1 error, about 15 s left",
        ),
        (
            Standing(40, 10, None, 2, 1, 0.12345),
            5,
            "10 of 40 items played, 2 failed, 1 error, $0.1235, about 15 s left",
        ),
        (
            Standing(357, 7, 64, 0, 0),
            6,
            "7 of 357 items played, 64 running, 0 failed, 0 errors, about 5 min left",
        ),
        (
            Standing(9, 0, None, 0, 0, waiting=Waiting(1, 56.5)),
            6,
            "0 of 9 items played, 0 failed, 0 errors, 1 waiting for a provider (57 s)",
        ),
    ],
)
def test_what_is_said(standing: Standing, seconds: float, line: str) -> None:
    assert standing.line(seconds) == line


def test_items_of_an_earlier_run_took_no_time() -> None:
    kept = Standing(40, 30, 2, 0, 0, kept=30)
    assert kept.line(5) == "30 of 40 items played, 2 running, 0 failed, 0 errors"
    assert kept._replace(done=32).line(5).endswith("about 20 s left")


class Terminal:
    """A terminal of 40 columns, in which pytest stands behind four dots."""

    isatty = True

    def __init__(self) -> None:
        self._file = StringIO()
        self._tw = SimpleNamespace(fullwidth=40, width_of_current_line=4, _file=self._file)
        self.config: Any = SimpleNamespace(
            pluginmanager=SimpleNamespace(get_plugin={"terminalreporter": self}.get),
            get_verbosity=lambda: 0,
        )

    def written(self) -> str:
        """Return what was written since somebody asked."""
        text = self._file.getvalue()
        self._file.seek(0)
        self._file.truncate()
        return text


def test_what_was_erased_is_drawn_again_before_it_is_time_to_look(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """By a clock on which the first look takes a second, and the next comes two seconds later."""
    clock = iter([0.0, 1.0, 2.0, 4.0])
    monkeypatch.setattr(progress, "time", SimpleNamespace(monotonic=lambda: next(clock)))
    terminal, looks = Terminal(), [Standing(40, 10, 16, 2, 1)]
    shown = progress.Progress(terminal.config)
    shown.show(looks.pop)
    drawn = terminal.written()
    assert drawn == "\n\x1b[2K10 of 40 items played, 16 running, 2 fa\r\x1b[1A\x1b[4C"
    shown.erase()
    assert terminal.written() == "\n\x1b[2K\r\x1b[1A\x1b[4C"
    shown.show(looks.pop)
    assert terminal.written() == drawn
