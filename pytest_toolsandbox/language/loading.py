"""Loads the scenarios of a file."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from .files import scenario_name
from .merging import merged
from .mistakes import Mistake, Mistakes, Places, ScenarioError, found
from .reading import read_scenario
from .scenario import Scenario
from .yaml12 import read_yaml


def load_file(
    path: Path, *, shown: str | None = None, thresholds: Mapping[str, float] | None = None
) -> list[Scenario]:
    """Return the scenarios of a file: one, named after it, or those under ``scenarios:``.

    ``shown`` is how messages name the file. ``thresholds`` maps matchers to what they must reach
    where a scenario says nothing. Raises :class:`ScenarioError` with every mistake in the file.
    """
    shown = shown or str(path)
    try:
        content = path.read_bytes()
    except OSError as error:
        mistake = Mistake(1, 1, "", f"the file cannot be read: {error.strerror}")
        raise ScenarioError(shown, [mistake]) from None
    document, places = read_yaml(content, shown)
    noted: list[Mistake] = []
    scenarios = []
    for name, part, its_places in _parts(document, places, path, shown):
        mistakes = Mistakes(its_places)
        scenario = read_scenario(name, part, mistakes, thresholds or {})
        noted += mistakes.found
        if scenario is not None:
            scenarios.append(scenario)
    if noted:
        raise ScenarioError(shown, noted)
    return scenarios


def _parts(document: Any, places: Places, path: Path, shown: str) -> list[tuple[str, Any, Places]]:
    """Return name, document and places of each scenario in a file."""
    if not isinstance(document, dict):
        what = "the file is empty" if document is None else f"found {found(document)}"
        mistake = Mistake(*places.of(()), "", f"expected a mapping of keys to values; {what}")
        raise ScenarioError(shown, [mistake])
    if "scenarios" not in document:
        return [(scenario_name(path), document, places)]
    scenarios = document["scenarios"]
    mistakes = Mistakes(places)
    if not isinstance(scenarios, dict) or not scenarios:
        text = f"expected names of scenarios, each with its own keys; found {found(scenarios)}"
        mistakes.add(("scenarios",), text)
        raise ScenarioError(shown, mistakes.found)
    for name, own in scenarios.items():
        if own is not None and not isinstance(own, dict):
            mistakes.add(("scenarios", name), f"expected a mapping, found {found(own)}")
    if mistakes.found:
        raise ScenarioError(shown, mistakes.found)
    return [(name, *merged(document, places, name)) for name in scenarios]
