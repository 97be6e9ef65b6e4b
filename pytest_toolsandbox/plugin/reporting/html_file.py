"""The HTML report of a session: records are taken as they come, the page is written at the end."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_toolsandbox.wording.redaction import redacted_line

if TYPE_CHECKING:
    from pytest_toolsandbox.reporting.html.report import HtmlReport


class HtmlFile:
    """Where ``--sandbox-html`` says. A run that plays nothing leaves the file as it is."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.is_written = False
        self.problems: list[str] = []
        self._report: HtmlReport | None = None

    def add(self, records: Sequence[Mapping[str, Any]]) -> None:
        """Take the records of an item; those of its last run, where it is run again."""
        from pytest_toolsandbox.reporting.html.report import HtmlReport

        self._report = self._report or HtmlReport()
        for record in records:
            try:
                self._report.add(record)
            except Exception as error:  # noqa: BLE001  # of a page of the user's own protocol
                why = redacted_line(f"{type(error).__name__}: {error}")
                self.problems.append(f"html: {record['id']} cannot be shown: {why}")

    def write(self, remarks: Sequence[str]) -> None:
        """Write the page; what cannot be written is one of the ``problems``."""
        from pytest_toolsandbox.wording.whole_files import why_not_written

        if self._report is None:
            return
        self._report.remarks += remarks
        problem = why_not_written("html", self.path, self._report.text())
        self.is_written = problem is None
        self.problems += [problem] if problem else []
