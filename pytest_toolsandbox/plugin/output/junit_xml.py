"""What is added to the JUnit XML report that pytest writes: properties, and lines of passed items.

The report is private to pytest.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from _pytest.junitxml import bin_xml_escape  # private to pytest; it writes what XML cannot hold

from pytest_toolsandbox.plugin.payload import Payload
from pytest_toolsandbox.plugin.settings import settings_of

from .observer import Observer, SessionResult

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
            from pytest_toolsandbox.output.junit import passed_line

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
        """Add the means to the suite, and bring items up to date that later rounds played."""
        if (xml := self._xml) is None:
            return
        if result.not_run_count:
            xml.add_global_property("toolsandbox.not_run", result.not_run_count)
        if not result.has_scores:
            return
        from pytest_toolsandbox.output.junit import suite_properties

        self._update_cases(result)
        properties = suite_properties(result.records, result.unreadable_files)
        properties |= result.verdict.properties if result.verdict else {}
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
        from pytest_toolsandbox.output.junit import item_properties, passed_line

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
