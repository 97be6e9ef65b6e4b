"""What becomes of the records of a session: file, summary, JUnit XML, and the exit status."""

from __future__ import annotations

from typing import IO, TYPE_CHECKING

import pytest

from .settings import NO_AGENT, NO_RECORD, settings_of

if TYPE_CHECKING:
    from pytest_toolsandbox.records.record import Summary

REPORTS = "toolsandbox-reports"


def start_reports(config: pytest.Config) -> None:
    """Register the reports, once: in the only process, or in the controller of pytest-xdist."""
    if not hasattr(config, "workerinput") and not config.pluginmanager.has_plugin(REPORTS):
        config.pluginmanager.register(SessionReports(config), REPORTS)


class SessionReports:
    """Lives where the reports of all items end up."""

    def __init__(self, config: pytest.Config) -> None:
        self.config = config
        self.settings = settings_of(config)
        self.records: dict[str, list[Summary]] = {}
        self.shortfalls: list[str] = []
        self.unread: set[str] = set()
        self.without_agent = 0
        self.without_record = 0
        self._file: IO[str] | None = None

    def pytest_sessionstart(self) -> None:
        """Empty the file of records, so that it never holds those of an earlier run."""
        path = self.settings.results
        if path is None or self.config.option.collectonly:
            return
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._file = path.open("w", encoding="utf-8", newline="\n")
        except OSError as error:
            raise pytest.UsageError(f"cannot write to {path}: {error.strerror}") from None

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Count the scenario files that could not be read."""
        if report.failed and report.nodeid.endswith((".yaml", ".yml")):
            self.unread.add(report.nodeid)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Keep the records of an item; those of its last run, where it is run again."""
        if report.skipped:
            self.without_agent += NO_AGENT in str(report.longrepr)
            self.without_record += NO_RECORD in str(report.longrepr)
        records = report.__dict__.pop("toolsandbox_records", None)  # pytest keeps all reports
        if not records or report.outcome == "rerun":  # type: ignore[comparison-overlap]  # of pytest-rerunfailures
            return
        from pytest_toolsandbox.records.record import summary_of
        from pytest_toolsandbox.records.writing import as_line

        self.records[report.nodeid] = [summary_of(record) for record in records]
        if self._file is not None:
            self._file.writelines(f"{as_line(record)}\n" for record in records)
            self._file.flush()

    @pytest.hookimpl(tryfirst=True)  # before JUnit XML is written and the summary printed
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Judge the means, and hand them to JUnit XML."""
        if self._file is not None:
            self._file.close()
        if session.config.option.collectonly or not (self.records or self.settings.minimum_scores):
            return
        from pytest_toolsandbox.reporting.junit import suite_properties
        from pytest_toolsandbox.reporting.totals import shortfalls

        for name, value in suite_properties(self._all(), len(self.unread)).items():
            self._add_suite_property(name, value)
        self.shortfalls = shortfalls(self._all(), self.settings.minimum_scores)
        if self.shortfalls and session.exitstatus in (
            pytest.ExitCode.OK,
            pytest.ExitCode.NO_TESTS_COLLECTED,
        ):
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Print the scores."""
        not_played = len(self.unread), self.without_agent, self.without_record
        if not (self.records or self.shortfalls or any(not_played)):
            return
        from pytest_toolsandbox.reporting.error_table import error_lines
        from pytest_toolsandbox.reporting.tables import joined_tables
        from pytest_toolsandbox.reporting.terminal import (
            not_played_lines,
            other_agent_lines,
            summary_lines,
        )
        from pytest_toolsandbox.reporting.tooltalk_table import call_lines

        from .rejudging import unusable_lines

        terminalreporter.write_sep("=", "toolsandbox")
        for line in joined_tables(
            lines(self._all()) for lines in (call_lines, error_lines, summary_lines)
        ):
            terminalreporter.write_line(line)
        named = self.config.getoption("--agent")
        for line in (
            *other_agent_lines(named, self._all()),
            *not_played_lines(*not_played),
            *unusable_lines(self.config),
        ):
            terminalreporter.write_line(line, yellow=True)
        for line in self.shortfalls:
            terminalreporter.write_line(line, red=True)

    def _all(self) -> list[Summary]:
        """Return the records in one order, whatever order the items finished in."""
        return [record for name in sorted(self.records) for record in self.records[name]]

    def _add_suite_property(self, name: str, value: object) -> None:
        """Add a property of the suite, which pytest has no public way to do under pytest-xdist."""
        junitxml = self.config.pluginmanager.get_plugin("junitxml")
        key = getattr(junitxml, "xml_key", None)  # private to pytest; without it, no properties
        xml = self.config.stash.get(key, None) if key is not None else None
        if xml is not None:
            xml.add_global_property(name, value)
