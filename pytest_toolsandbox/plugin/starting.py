"""What a run does first whose user gave an option of ours."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import pytest

from .stash import RESUMED, STORED

Read = TypeVar("Read")


def start(config: pytest.Config) -> None:
    """Read what the user said, before the run begins."""
    from .settings import settings_of

    settings = settings_of(config)
    if settings.rejudge:
        from pytest_toolsandbox.records.reading import read_records

        config.stash[STORED] = _read(read_records, settings.rejudge, "--sandbox-rejudge")
    if settings.resume:
        from pytest_toolsandbox.runs.resuming import finished_trials

        config.stash[RESUMED] = _read(finished_trials, settings.resume, "--sandbox-resume")
    if settings.durations:
        from pytest_toolsandbox.plugin.collection.selecting import past_seconds_of

        past_seconds_of(config)
    if len(settings.agent) > 1:
        from pytest_toolsandbox.plugin.collection.selecting import SeveralAgents

        config.pluginmanager.register(SeveralAgents())
    if settings.dry_run:
        from pytest_toolsandbox.plugin.playing.dry_run import DryRun

        config.pluginmanager.register(DryRun(config))
    if settings.needs_details or settings.min_score:
        from pytest_toolsandbox.plugin.output.session import start_reports

        start_reports(config)


def _read(read: Callable[[Path], Read], file: Path, option: str) -> Read:
    """Read the records that an option names, or say what is wrong with them."""
    from pytest_toolsandbox.records.reading import StoredError

    try:
        return read(file)
    except StoredError as error:
        raise pytest.UsageError(f"{option}: {error}") from None
