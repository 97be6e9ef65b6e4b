"""What becomes of the records of a session: file, summary, JUnit XML, and the exit status."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from .options import Settings
    from .reporting.records import Record


class SessionReports:
    """Lives where reports end up: in the controller of pytest-xdist, or in the only process."""

    def __init__(self, config: pytest.Config, settings: Settings) -> None:
        self.config = config
        self.settings = settings
        self.records: dict[str, list[Record]] = {}
        self.shortfalls: list[str] = []
        self._file: Any = None

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Keep the records of an item; those of its last run, where it is run again."""
        records = getattr(report, "toolsandbox_records", None)
        if not records or report.outcome == "rerun":  # type: ignore[comparison-overlap]  # of pytest-rerunfailures
            return
        self.records[report.nodeid] = records
        if self.settings.results is not None:
            self._write(records)

    @pytest.hookimpl(tryfirst=True)  # before JUnit XML is written and the summary printed
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Judge the means, and hand them to JUnit XML."""
        if self._file is not None:
            self._file.close()
        if self.records or self.settings.minimum_scores:
            self._finish(session)

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Print the scores."""
        if not self.records and not self.shortfalls:
            return
        from .reporting.terminal import summary_lines

        terminalreporter.section("toolsandbox")
        for line in summary_lines(self._all()):
            terminalreporter.write_line(line)
        for line in self.shortfalls:
            terminalreporter.write_line(line, red=True)

    def _all(self) -> list[Record]:
        """Return the records in one order, whatever order the items finished in."""
        return [record for name in sorted(self.records) for record in self.records[name]]

    def _finish(self, session: pytest.Session) -> None:
        from .reporting.junit import suite_properties
        from .reporting.totals import shortfalls

        for name, value in suite_properties(self._all()).items():
            self._add_suite_property(name, value)
        if session.config.option.collectonly:
            return
        minimums = [(minimum.category, minimum.score) for minimum in self.settings.minimum_scores]
        self.shortfalls = shortfalls(self._all(), minimums)
        if self.shortfalls and session.exitstatus in (
            pytest.ExitCode.OK,
            pytest.ExitCode.NO_TESTS_COLLECTED,
        ):
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def _add_suite_property(self, name: str, value: object) -> None:
        """Add a property of the suite, which pytest has no public way to do under pytest-xdist."""
        junitxml = self.config.pluginmanager.get_plugin("junitxml")
        key = getattr(junitxml, "xml_key", None)  # private to pytest; without it, no properties
        xml = self.config.stash.get(key, None) if key is not None else None
        if xml is not None:
            xml.add_global_property(name, value)

    def _write(self, records: list[Record]) -> None:
        from .reporting.records import as_line

        assert self.settings.results is not None
        if self._file is None:
            self.settings.results.parent.mkdir(parents=True, exist_ok=True)
            self._file = self.settings.results.open("w", encoding="utf-8", newline="\n")
        for record in records:
            self._file.write(as_line(record) + "\n")
        self._file.flush()
