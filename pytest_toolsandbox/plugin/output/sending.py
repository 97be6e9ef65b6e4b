"""Send records, cassettes and usage errors to the process that prints the results.

They go with pytest's reports. Workers in other folders or on other machines record conversations,
and the process that started the run adds them to its cassettes.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final, Never

import pytest

from pytest_toolsandbox.concurrency.stopping import uninterrupted
from pytest_toolsandbox.plugin.playing.playable import PlayableItem
from pytest_toolsandbox.plugin.playing.workers import interactor_of
from pytest_toolsandbox.plugin.settings import settings_of
from pytest_toolsandbox.plugin.stash import REPORTS
from pytest_toolsandbox.runs.cassettes.cassette import UnreadableError, keep_sent
from pytest_toolsandbox.text.formatting import pluralize

from .observer import Observer, Payload, attach_payload
from .redacting import clean_report

ELSEWHERE: Final = "toolsandbox_elsewhere"
"""The key under which a worker reads that it plays in another folder, or on another machine."""


def cassette_buffer(item: PlayableItem, path: Path) -> list[str] | None:
    """Return the list of an item's recorded trials that are sent; ``None`` if they are written."""
    if not getattr(item.config, "workerinput", {}).get(ELSEWHERE):
        return None
    place = Path(os.path.relpath(path, _cassettes_root(item.config))).as_posix()
    return item.recorded.setdefault(place, [])


class SentCassettes(Observer):
    """Writes the cassettes that workers in other folders or on other machines recorded."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._lost = 0
        self._reason = ""

    def on_report(self, report: pytest.TestReport, payload: Payload) -> None:
        del report
        for place, texts in payload.cassettes.items():
            for text in texts:
                self._keep(place, text)

    def failures(self) -> list[str]:
        lost = pluralize(self._lost, "recorded trial")
        return [f"cassettes: {lost} could not be written: {self._reason}"] if self._lost else []

    def _keep(self, place: str, text: str) -> None:
        try:
            with uninterrupted():
                keep_sent(_cassettes_root(self._config) / place, text)
        except (OSError, UnreadableError) as error:
            self._lost += 1
            self._reason = f"{place}: {getattr(error, 'strerror', None) or error}"


def _cassettes_root(config: pytest.Config) -> Path:
    """Return what paths of cassettes are relative to: other machines have it elsewhere."""
    return settings_of(config).cassettes or config.rootpath


def send_unreported(item: PlayableItem) -> None:
    """Send the records of an item that no report carries, since the run was interrupted."""
    if not item.records:
        return
    report = pytest.TestReport.from_item_and_call(
        item, pytest.CallInfo.from_call(lambda: None, "setup")
    )
    cassettes = item.take_recorded()
    attach_payload(report, Payload(records=item.records, is_repeated=True, cassettes=cassettes))
    clean_report(report)
    if interactor := interactor_of(item.config):  # which takes reports of one item at a time
        interactor.item_index = item.session.items.index(item)
    reports: Any = item.config.pluginmanager.get_plugin(REPORTS)  # or in the controller
    (reports or item.ihook).pytest_runtest_logreport(report=report)


def send_usage_error(lines: Sequence[str], config: pytest.Config) -> None:
    """Let the controller of pytest-xdist end the run with an error of usage."""
    report = pytest.CollectReport("toolsandbox", "failed", "\n".join(lines), [])
    attach_payload(report, Payload(usage_error=[*lines]))
    config.hook.pytest_collectreport(report=report)


def end_run(text: str, config: pytest.Config) -> Never:
    """End the run with an error of usage that shows while items are run."""
    if hasattr(config, "workerinput"):
        send_usage_error([text], config)
    pytest.exit(text, returncode=pytest.ExitCode.USAGE_ERROR)
