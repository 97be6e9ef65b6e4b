"""The report in JUnit XML, which pytest keeps to itself: what is added to it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

import pytest
from _pytest.junitxml import bin_xml_escape  # private to pytest; it writes what XML cannot hold

from pytest_toolsandbox.plugin.settings import settings_of

if TYPE_CHECKING:
    from pytest_toolsandbox.records.record import Summary

_WRITES_OUTPUT = ("system-out", "out-err", "all")
"""The values of pytest's ``junit_logging`` with which it writes ``system-out`` itself."""


def junit_xml(config: pytest.Config) -> Any | None:
    """Return the report that is being written, if one is."""
    plugin = config.pluginmanager.get_plugin("junitxml")
    key = getattr(plugin, "xml_key", None)  # private to pytest, public only without xdist
    return config.stash.get(key, None) if key is not None else None


class LaterRounds:
    """Brings the cases of items up to date that are played on after pytest has told them."""

    def __init__(self, config: pytest.Config) -> None:
        self.config = config
        self._cases: dict[str, Any] = {}

    def hear(self, report: pytest.TestReport) -> None:
        """Keep the case of an item, before its last report is written into it."""
        if not settings_of(self.config).trials.is_auto or report.when != "teardown":
            return
        if (xml := junit_xml(self.config)) is not None:
            self._cases[report.nodeid] = xml.node_reporter(report)

    def add(self, played: Mapping[str, Sequence[Summary]]) -> None:
        """Write what all trials say in the place of what the first one says."""
        from pytest_toolsandbox.output.junit import item_properties, passed_line

        for name, case in self._cases.items():
            first = played.get(name, ())[:1]
            if first and len(trials := played[name]) > 1:
                properties = item_properties(first), item_properties(trials)
                _replace_properties(case.to_xml(), *properties)
                _replace_output(case.to_xml(), passed_line(first), passed_line(trials))


def _replace_properties(
    case: ET.Element, old: Mapping[str, object], new: Mapping[str, object]
) -> None:
    if (written := case.find("properties")) is None:
        return
    for one in [*written]:
        if one.attrib["name"] in {*old, *new}:
            written.remove(one)
    for name, value in new.items():
        written.append(ET.Element("property", name=name, value=bin_xml_escape(value)))


def _replace_output(case: ET.Element, old: str, new: str) -> None:
    for output in case.iter("system-out"):
        output.text = (output.text or "").replace(old, new)


class PassedOutput:
    """Writes a line into the ``system-out`` of items that passed, with their last reports."""

    def __init__(self, config: pytest.Config) -> None:
        self.config = config
        self._lines: dict[str, str] = {}

    def keep(self, report: pytest.TestReport, records: Sequence[Summary]) -> None:
        """Keep what is to be said of an item, if it passes."""
        if report.passed and junit_xml(self.config) is not None:
            from pytest_toolsandbox.output.junit import passed_line

            self._lines[report.nodeid] = passed_line(records)

    def hear(self, report: pytest.TestReport) -> None:
        """Forget an item that ended in an error, and write the line before its last report is."""
        if not report.passed:
            self._lines.pop(report.nodeid, None)
        if report.when != "teardown" or (line := self._lines.pop(report.nodeid, None)) is None:
            return
        xml: Any = junit_xml(self.config)
        if xml.logging in _WRITES_OUTPUT:
            report.sections.append(("Captured stdout of toolsandbox", line))
            return
        output = ET.Element("system-out")
        output.text = line
        xml.node_reporter(report).append(output)
