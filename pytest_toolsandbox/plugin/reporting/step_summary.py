"""``GITHUB_STEP_SUMMARY``: where CI names a file for it, a session says there how it went."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final
from urllib.parse import quote

import pytest

if TYPE_CHECKING:
    from pytest_toolsandbox.records.record import Summary

VARIABLE: Final = "GITHUB_STEP_SUMMARY"
MOST: Final = 1_000_000
"""Bytes that the file may have with ours in it; beyond 1024 kB GitHub shows nothing of it."""


class StepSummary:
    """Notes why items did not pass, as reports come in, and tells it at the end."""

    def __init__(self, path: Path, root: Path) -> None:
        self.path = path
        self.root = root
        self._why: dict[str, str] = {}

    def keep(self, report: pytest.TestReport) -> None:
        """Note the first line of an item's page; of its last run."""
        crash = getattr(report.longrepr, "reprcrash", None)
        text = crash.message if crash else str(report.longrepr)
        lines = (line for line in text.splitlines() if not re.match(r"\[gw\d+\] |\s*$", line))
        self._why[report.nodeid] = next(lines, "")  # above it a worker says where it runs

    def write(
        self, records: Sequence[Summary], told: Sequence[str], sections: Sequence[str] = ()
    ) -> str | None:
        """Add to the file; return what went wrong with it, if anything did."""
        from pytest_toolsandbox.reporting.step_summary import LIMIT, Told, step_summary

        try:
            there = self.path.stat().st_size if self.path.exists() else 0
            limit = min(LIMIT, MOST - there)
            text = step_summary(records, self._why, self.link, Told(told, sections), limit)
            if len(text.encode()) > limit:
                return f"{VARIABLE}: the file is full, and this run is not in it"
            with self.path.open("a", encoding="utf-8", newline="\n") as file:
                file.write(text)
        except OSError as error:
            return f"{VARIABLE}: cannot be written: {error.strerror}"
        return None

    def link(self, nodeid: str) -> str | None:
        """Return where GitHub shows the file of an item, if the environment tells."""
        names = ("GITHUB_SERVER_URL", "GITHUB_REPOSITORY", "GITHUB_SHA", "GITHUB_WORKSPACE")
        server, repository, commit, workspace = (os.environ.get(name) for name in names)
        if not (server and repository and commit and workspace):
            return None
        file = Path(os.path.realpath(self.root / nodeid.partition("::")[0]))
        place = Path(os.path.realpath(workspace))
        if not file.is_relative_to(place):
            return None
        path = quote(file.relative_to(place).as_posix())
        return f"{server}/{repository}/blob/{commit}/{path}"


def named(config: pytest.Config, environment: Mapping[str, str] = os.environ) -> StepSummary | None:
    """Return the summary that the environment asks for, if it does."""
    path = environment.get(VARIABLE)
    return StepSummary(Path(path), config.rootpath) if path else None
