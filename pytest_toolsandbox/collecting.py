"""Which files and marks are ours, and what becomes of a run that met a bad file.

Light: imported in every run of pytest.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from .options import SETTINGS

if TYPE_CHECKING:
    from .items import ScenarioFile
    from .reporting.records import Record

BAD_FILES = pytest.StashKey[set[Path]]()
"""The scenario files with mistakes."""
FREE_MARKS = pytest.StashKey[set[str]]()
"""The marks that scenarios may use as categories and tags: the project's own, and ours."""
RECORDS = pytest.StashKey[list["Record"]]()
"""The records of an item that was played."""

CATEGORIES = {
    "single_tool_call": "scenarios that need one tool call",
    "multiple_tool_call": "scenarios that need several tool calls",
    "single_user_turn": "scenarios whose first message says everything",
    "multiple_user_turn": "scenarios in which the agent has to ask the user",
    "state_dependency": "scenarios whose tools depend on the state of the world",
    "canonicalization": "scenarios whose words have to be turned into canonical values",
    "insufficient_information": "scenarios that cannot be done with the tools at hand",
}
"""ToolSandbox's categories of scenarios (section 3)."""


def register_categories(config: pytest.Config) -> None:
    """Register the categories as marks; must run before plugins register theirs."""
    config.stash[BAD_FILES] = set()
    config.stash[FREE_MARKS] = registered_marks(config)
    for name, text in CATEGORIES.items():
        register_mark(config, name, text)


def register_mark(config: pytest.Config, name: str, text: str) -> None:
    """Register a mark for scenarios."""
    config.stash[FREE_MARKS].add(name)
    config.addinivalue_line("markers", f"{name}: {text}")


def registered_marks(config: pytest.Config) -> set[str]:
    """Return the names of all marks that are registered."""
    lines = config.getini("markers")
    return {line.split(":")[0].split("(")[0].strip() for line in lines}


def scenario_file(path: Path, parent: pytest.Collector) -> ScenarioFile | None:
    """Return the collector for a file, if it holds scenarios."""
    from .language.files import is_scenario_file

    if not is_scenario_file(path, parent.config.stash[SETTINGS].scenario_files):
        return None
    from .items import ScenarioFile

    return ScenarioFile.from_parent(parent, path=path)


def attach_records(item: pytest.Item, report: pytest.TestReport) -> None:
    """Let a report carry the item's records to wherever reports end up."""
    records = item.stash.get(RECORDS, None)
    if records and (report.when == "call" or (report.when == "setup" and report.failed)):
        report.toolsandbox_records = records  # type: ignore[attr-defined]  # reports take any


def go_on_after_mistakes(session: pytest.Session) -> None:
    """Let the other files run where nothing but scenario files could not be collected.

    pytest stops after any error of collection. Under pytest-xdist, it does not.
    """
    bad = session.config.stash[BAD_FILES]
    if bad and session.testsfailed == len(bad):
        session.config.option.continue_on_collection_errors = True
