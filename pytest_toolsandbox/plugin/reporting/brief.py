"""``--sandbox-brief``: what did not pass, noted as reports come in, and written at the end."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from pytest_toolsandbox.records.record import Summary
    from pytest_toolsandbox.reporting.brief import Missed


class SessionBrief:
    """Lives where the reports of all items end up."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.problem: str | None = None
        self._missed: dict[str, Missed] = {}

    def keep(self, report: pytest.TestReport, records: Sequence[Mapping[str, Any]]) -> None:
        """Note the first record of an item that did not pass; of its last run."""
        from pytest_toolsandbox.reporting.brief import Missed

        self._missed.pop(report.nodeid, None)
        bad = [record for record in records if record["outcome"] != "passed"]
        if bad and "quarantine" not in bad[0]:
            file, line, _ = report.location
            place = file if line is None else f"{file}:{line + 1}"
            self._missed[report.nodeid] = Missed(report.nodeid, place, bad[0])

    def write(self, records: Iterable[Summary], told: Sequence[str], first: Sequence[str]) -> None:
        """Write the file, or note the ``problem``; what the verdict calls broken is ``first``."""
        from pytest_toolsandbox.reporting.brief import brief
        from pytest_toolsandbox.wording.whole_files import why_not_written

        ids = [*(name for name in first if name in self._missed), *sorted(self._missed)]
        missed = [self._missed[name] for name in dict.fromkeys(ids)]
        self.problem = why_not_written("brief", self.path, brief(records, missed, told))
