"""The report in JUnit XML, which pytest keeps to itself: what is added to it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

import pytest

if TYPE_CHECKING:
    from pytest_toolsandbox.records.record import Summary

_WRITES_OUTPUT = ("system-out", "out-err", "all")
"""The values of pytest's ``junit_logging`` with which it writes ``system-out`` itself."""


def junit_xml(config: pytest.Config) -> Any | None:
    """Return the report that is being written, if one is."""
    plugin = config.pluginmanager.get_plugin("junitxml")
    key = getattr(plugin, "xml_key", None)  # private to pytest, public only without xdist
    return config.stash.get(key, None) if key is not None else None


class PassedOutput:
    """Writes a line into the ``system-out`` of items that passed, with their last reports."""

    def __init__(self, config: pytest.Config) -> None:
        self.config = config
        self._lines: dict[str, str] = {}

    def keep(self, nodeid: str, records: Sequence[Summary]) -> None:
        """Keep what is to be said of an item, if it passes."""
        if junit_xml(self.config) is not None:
            from pytest_toolsandbox.reporting.junit import passed_line

            self._lines[nodeid] = passed_line(records)

    def hear(self, report: pytest.TestReport) -> None:
        """Forget an item that did not pass, and write the line before its last report is."""
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
