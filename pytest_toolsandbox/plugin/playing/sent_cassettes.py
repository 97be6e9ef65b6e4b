"""Cassettes of workers elsewhere, which send what they record to where the run was started."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Final

import pytest

from pytest_toolsandbox.plugin.settings import settings_of
from pytest_toolsandbox.plugin.stash import RECORDED
from pytest_toolsandbox.wording.phrases import counted

ELSEWHERE: Final = "toolsandbox_elsewhere"
"""What tells a worker that it plays in another folder, or on another machine."""
_SENT: Final = "toolsandbox_recorded"


def sent_of(item: pytest.Item, path: Path) -> list[str] | None:
    """Return what the trials of an item are added to that are sent; ``None`` in other processes."""
    if not getattr(item.config, "workerinput", {}).get(ELSEWHERE):
        return None
    place = Path(os.path.relpath(path, _folder(item.config))).as_posix()
    return item.stash.setdefault(RECORDED, {}).setdefault(place, [])


def send_recorded(item: pytest.Item, report: pytest.TestReport) -> None:
    """Let a report carry what an item recorded since the last one."""
    recorded = item.stash.get(RECORDED, {})
    if sent := {place: texts[:] for place, texts in recorded.items() if texts}:
        report.__dict__[_SENT] = sent
        for place, texts in sent.items():
            del recorded[place][: len(texts)]


class SentCassettes:
    """Keeps what workers elsewhere recorded, where a process of this machine would."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._lost = 0
        self._reason = ""

    def hear(self, report: pytest.TestReport) -> None:
        """Keep what a report carries. Ctrl-C waits."""
        sent: dict[str, list[str]] = report.__dict__.pop(_SENT, {})  # pytest keeps all reports
        for place, texts in sent.items():
            for text in texts:
                self._keep(place, text)

    @property
    def problem(self) -> str | None:
        """What could not be kept, in a line."""
        lost = counted(self._lost, "recorded trial")
        return f"cassettes: {lost} could not be written: {self._reason}" if self._lost else None

    def _keep(self, place: str, text: str) -> None:
        from pytest_toolsandbox.runs.cassettes.cassette import UnreadableError
        from pytest_toolsandbox.runs.cassettes.store import keep_sent
        from pytest_toolsandbox.waiting.interrupts import uninterrupted

        try:
            with uninterrupted():
                keep_sent(_folder(self._config) / place, text)
        except (OSError, UnreadableError) as error:
            self._lost += 1
            self._reason = f"{place}: {getattr(error, 'strerror', None) or error}"


def _folder(config: Any) -> Path:
    """Return what places of cassettes are told from, which lies elsewhere on other machines."""
    return settings_of(config).cassettes or config.rootpath
