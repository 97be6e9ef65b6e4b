"""Files that a session writes at its end: brief, HTML report, ``GITHUB_STEP_SUMMARY``, JUnit XML.

Pytest writes the JUnit XML; it gets properties and a line for each passed item. Its report is
private to pytest.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote
from xml.etree import ElementTree as ET

import pytest
from _pytest.junitxml import bin_xml_escape

import pytest_toolsandbox.protocols  # noqa: F401  # registers those that show pages
from pytest_toolsandbox.output.junit import item_properties, passed_line, suite_properties
from pytest_toolsandbox.plugin.settings import settings_of
from pytest_toolsandbox.text.files import why_not_written
from pytest_toolsandbox.text.redaction import redacted_line

from .again import command
from .observer import (
    QUIET,
    Line,
    Observer,
    Payload,
    PlayedItem,
    SessionResult,
    VerdictTexts,
    crash_message,
)

if TYPE_CHECKING:
    from pytest_toolsandbox.output.brief import Missed
    from pytest_toolsandbox.output.html.gate_banner import GateBanner
    from pytest_toolsandbox.output.html.report import HtmlReport


class FirstAgain(Observer):
    """Names the command that plays a failure again: of the first that broke, or of the first."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._failed: dict[str, Any] = {}
        self._command = ""

    def on_report(self, report: pytest.TestReport, payload: Payload) -> None:
        """Note the first record of an item that failed; of its last run."""
        if payload.records:
            self._failed.pop(report.nodeid, None)
            failed = [record for record in payload.records if record["outcome"] == "failed"]
            is_expected = hasattr(report, "wasxfail")
            if failed and "quarantine" not in failed[0] and not is_expected:
                self._failed[report.nodeid] = failed[0]

    def at_end(self, result: SessionResult) -> None:
        broken = result.verdict.broken if result.verdict else ()
        first = next((name for name in (*broken, *self._failed) if name in self._failed), None)
        if first is not None:
            self._command = command(first, self._failed[first], self._config)

    def conclusions(self) -> list[Line]:
        if not self._command or self._config.get_verbosity() < QUIET:
            return []
        return [(line, {}) for line in ("play a failure again:", f"  {self._command}")]


class BriefFile(Observer):
    """``--sandbox-brief``: which items did not pass, those that the verdict calls broken first."""

    def __init__(self, path: Path, config: pytest.Config) -> None:
        self.path = path
        self._config = config
        self._problem: str | None = None
        self._missed: dict[str, Missed] = {}
        self._places: dict[str, str] = {}
        """Id of an item → its file and line."""

    def on_report(self, report: pytest.TestReport, payload: Payload) -> None:
        """Note where an item is, and its first record that did not pass; of its last run."""
        if not payload.records:
            return
        file, line, _ = report.location
        self._places[report.nodeid] = file if line is None else f"{file}:{line + 1}"
        self._missed.pop(report.nodeid, None)
        self._note(report.nodeid, payload.records)

    def on_records(self, item: PlayedItem) -> None:
        """Note an item that a later round found failing; its report came before."""
        if item.id in self._places and item.id not in self._missed:
            self._note(item.id, item.records)

    def _note(self, nodeid: str, records: Sequence[Any]) -> None:
        from pytest_toolsandbox.output.brief import Missed

        bad = [record for record in records if record["outcome"] != "passed"]
        if bad and "quarantine" not in bad[0]:
            again = command(nodeid, bad[0], self._config)
            self._missed[nodeid] = Missed(nodeid, self._places[nodeid], bad[0], again)

    def at_end(self, result: SessionResult) -> None:
        if not result.has_scores:
            return
        from pytest_toolsandbox.output.brief import brief

        verdict, missed = result.verdict, self._missed
        broken = [name for name in verdict.broken if name in missed] if verdict else []
        rest = sorted(missed, key=lambda name: (_score_of(missed[name].record), name))
        items = [missed[name] for name in dict.fromkeys([*broken, *rest])]
        decided = [*verdict.lines, *verdict.changes] if verdict else result.missed_minimums
        reasons = [*decided, *result.problems]
        for title, texts in result.compared.items():
            reasons += [title, *texts.lines]
        self._problem = why_not_written("brief", self.path, brief(result.records, items, reasons))

    def failures(self) -> list[str]:
        return [self._problem] if self._problem else []


def _score_of(record: Mapping[str, Any]) -> float:
    """Return the score of a record; an error, which has none, comes before all scores."""
    return -1.0 if record["scores"] is None else float(record["scores"]["score"])


class HtmlFile(Observer):
    """``--sandbox-html``: the HTML report. A run that plays nothing leaves the file as it is."""

    def __init__(self, path: Path, config: pytest.Config) -> None:
        self.path = path
        self._config = config
        self._is_written = False
        self._problems: list[str] = []
        self._report: HtmlReport | None = None

    def on_records(self, item: PlayedItem) -> None:
        """Take the records of an item; those of its last run, if it is run again."""
        from pytest_toolsandbox.output.html.report import HtmlReport

        self._report = self._report or HtmlReport()
        for record in item.records:
            try:
                self._report.add(record, again=command(item.id, record, self._config))
            except Exception as error:  # noqa: BLE001  # of a page of the user's own protocol
                why = redacted_line(f"{type(error).__name__}: {error}")
                self._problems.append(f"html: {record['id']} cannot be shown: {why}")

    def at_end(self, result: SessionResult) -> None:
        if self._report is None:
            return
        self._report.remarks += [*result.missed_minimums, *result.problems]
        if (verdict := result.verdict) is not None:
            self._report.gates += [_banner(verdict)]
        for title, texts in result.compared.items():
            banner = _banner(texts)
            self._report.gates += [banner._replace(title=title, items=texts.items)]
        problem = why_not_written("html", self.path, self._report.texts())
        self._is_written = problem is None
        self._problems += [problem] if problem else []

    def failures(self) -> list[str]:
        return self._problems

    def conclusions(self) -> list[Line]:
        return [(f"html: {self.path}", {})] if self._is_written else []


def _banner(texts: VerdictTexts) -> GateBanner:
    from pytest_toolsandbox.output.html.gate_banner import gate_banner

    banner = gate_banner(texts.properties, texts.facts, texts.tables)
    return banner._replace(where=texts.where, broken=texts.broken)


STEP_SUMMARY: Final = "GITHUB_STEP_SUMMARY"
"""The variable with which CI names the file of a step's summary."""
_LARGEST: Final = 1_000_000
"""Bytes that the file may have in the end; beyond 1024 kB GitHub shows nothing of it."""


class StepSummary(Observer):
    """Adds the scores of a run, and why items did not pass, to the summary of its step in CI."""

    def __init__(self, path: Path, config: pytest.Config) -> None:
        self.path = path
        self.root = config.rootpath
        self._config = config
        self._why: dict[str, str] = {}
        self._problem: str | None = None

    def on_report(self, report: pytest.TestReport, payload: Payload) -> None:
        """Note the first line of an item's page; of its last run."""
        if not (payload.records and report.failed):
            return
        text = crash_message(report)
        lines = (line for line in text.splitlines() if not re.match(r"\[gw\d+\] |\s*$", line))
        self._why[report.nodeid] = next(lines, "")  # above it a worker says where it runs

    def on_records(self, item: PlayedItem) -> None:
        """Note the first line of an item that a later round found failing."""
        from pytest_toolsandbox.output.pages.record_view import failure_page

        bad = [record for record in item.records if record["outcome"] == "failed"]
        if bad and bad[0]["trial"] > 1 and "messages" in bad[0]:
            self._why.setdefault(item.id, failure_page(bad[0]).partition("\n")[0])

    def at_end(self, result: SessionResult) -> None:
        from pytest_toolsandbox.output.brief import STEP_SUMMARY_LIMIT, step_summary

        if not (result.trials and result.has_scores):
            return
        verdict = result.verdict
        decided = _with_where(verdict) if verdict else result.missed_minimums
        unread = result.unread_remark(self._config)
        remarks = [*decided, *unread, *result.problems]
        sections = [*verdict.sections] if verdict else []
        for title, texts in result.compared.items():
            first, *facts = _with_where(texts)
            remarks += [f"{title}: {first}", *facts]
            sections += texts.sections
        try:
            size = self.path.stat().st_size if self.path.exists() else 0
            limit = min(STEP_SUMMARY_LIMIT, _LARGEST - size)
            text = step_summary(
                result.records,
                self._why,
                self.link,
                remarks=remarks,
                sections=sections,
                broken=verdict.broken if verdict else (),
                limit=limit,
            )
            if len(text.encode()) > limit:
                self._problem = f"{STEP_SUMMARY}: the file is full, and this run is not in it"
                return
            with self.path.open("a", encoding="utf-8", newline="\n") as file:
                file.write(text)
        except OSError as error:
            self._problem = f"{STEP_SUMMARY}: cannot be written: {error.strerror}"

    def remarks(self, result: SessionResult) -> list[str]:
        del result
        return [self._problem] if self._problem else []

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


def _with_where(texts: VerdictTexts) -> list[str]:
    """Return the facts of a verdict; where the pass rate fell follows the first."""
    first, *facts = texts.facts
    return [first, *texts.where, *facts]


_WRITES_OUTPUT = ("system-out", "out-err", "all")
"""The values of pytest's ``junit_logging`` with which it writes ``system-out`` itself."""


class JUnitXml(Observer):
    """Adds a line to each item that passed, and properties of the session."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._lines: dict[str, str] = {}
        """Id of an item → its line, until its last report."""
        self._cases: dict[str, Any] = {}
        """Id of an item of which later rounds play further trials → its element."""

    def on_report(self, report: pytest.TestReport, payload: Payload) -> None:
        """Note the line of an item, if it passes, and write it with its last report."""
        if (xml := self._xml) is None:
            return
        if report.when == "teardown" and settings_of(self._config).trials.is_auto:
            self._cases[report.nodeid] = xml.node_reporter(report)
        if not report.passed:
            self._lines.pop(report.nodeid, None)
        elif payload.records:
            self._lines[report.nodeid] = passed_line(payload.records)
        elif report.when == "teardown" and report.nodeid in self._lines:
            line = self._lines.pop(report.nodeid)
            if xml.logging in _WRITES_OUTPUT:
                report.sections.append(("Captured stdout of toolsandbox", line))
                return
            output = ET.Element("system-out")
            output.text = line
            xml.node_reporter(report).append(output)

    def at_end(self, result: SessionResult) -> None:
        if (xml := self._xml) is None:
            return
        if result.not_run_count:
            xml.add_global_property("toolsandbox.not_run", result.not_run_count)
        if not result.has_scores:
            return
        self._update_cases(result)
        properties = suite_properties(result.records, result.unreadable_files)
        properties |= result.verdict.properties if result.verdict else {}
        for texts in result.compared.values():
            properties |= texts.properties
        for name, value in properties.items():
            xml.add_global_property(name, value)

    @property
    def _xml(self) -> Any | None:
        """The report that is being written, if one is."""
        plugin = self._config.pluginmanager.get_plugin("junitxml")
        key = getattr(plugin, "xml_key", None)  # private to pytest, public only without xdist
        return self._config.stash.get(key, None) if key is not None else None

    def _update_cases(self, result: SessionResult) -> None:
        """Replace what the first trial of an item says by what all its trials say."""
        for name, case in self._cases.items():
            trials = result.trials.get(name, ())
            first = trials[:1]
            if len(trials) > 1:
                element = case.to_xml()
                _replace_properties(element, item_properties(first), item_properties(trials))
                for output in element.iter("system-out"):
                    text = output.text or ""
                    output.text = text.replace(passed_line(first), passed_line(trials))


def _replace_properties(
    case: ET.Element, old: Mapping[str, object], new: Mapping[str, object]
) -> None:
    if (written := case.find("properties")) is None:
        return
    for element in [*written]:
        if element.attrib["name"] in {*old, *new}:
            written.remove(element)
    for name, value in new.items():
        written.append(ET.Element("property", name=name, value=bin_xml_escape(value)))
