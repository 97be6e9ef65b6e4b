"""The report in JUnit XML, which pytest keeps to itself: what is added to it."""

from __future__ import annotations

from typing import Any
from xml.etree import ElementTree as ET

import pytest

_WRITES_OUTPUT = ("system-out", "out-err", "all")
"""The values of pytest's ``junit_logging`` with which it writes ``system-out`` itself."""


def junit_xml(config: pytest.Config) -> Any | None:
    """Return the report that is being written, if one is."""
    plugin = config.pluginmanager.get_plugin("junitxml")
    key = getattr(plugin, "xml_key", None)  # private to pytest, public only without xdist
    return config.stash.get(key, None) if key is not None else None


def add_output(xml: Any, report: pytest.TestReport, line: str) -> None:
    """Add a line to the ``system-out`` of an item, before its last report is written."""
    if xml.logging in _WRITES_OUTPUT:
        report.sections.append(("Captured stdout of toolsandbox", line))
        return
    output = ET.Element("system-out")
    output.text = line
    xml.node_reporter(report).append(output)
