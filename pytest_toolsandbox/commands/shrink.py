"""``toolsandbox shrink``: the parts of scenarios that their proofs do without."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from pytest_toolsandbox.authoring.proof.proof import prove
from pytest_toolsandbox.authoring.shrinking import removable
from pytest_toolsandbox.language.loading import ScenarioDocument, scenario_documents
from pytest_toolsandbox.language.tasks import Milestones
from pytest_toolsandbox.text.formatting import pluralize

from .scenarios import find_scenarios


def shrink_paths(paths: Sequence[Path]) -> int:
    """Print which parts of the scenarios below ``paths`` may go; return 1 if one is not proved."""
    collected = find_scenarios(paths)
    failed = collected.unread
    for file in dict.fromkeys(file for file, _ in collected.scenarios):
        for document in scenario_documents(file):
            failed += _shrink(file, document)
    return 1 if failed or not collected.scenarios else 0


def _shrink(file: Path, document: ScenarioDocument) -> bool:
    """Print which parts of a scenario may go; return whether it is not proved itself."""
    name = f"{file}::{document.name}"
    scenario = document.read(document.content)
    if scenario is None or not isinstance(scenario.task, Milestones):
        print(f"{name}: it has no milestones")
        return False
    if findings := prove(scenario).findings:
        print(f"{name}: {findings[0]}; toolsandbox check shows all that is wrong with it")
        return True
    paths = removable(document.content, document.read)
    parts = f"its proof does without {pluralize(len(paths), 'part')}"
    print(f"{name}: {parts if paths else 'its proof needs all of it'}")
    lines = sorted((document.places.of(path, key=True)[0], path) for path in paths)
    for line, path in lines:
        print(f"  line {line:3}  {'.'.join(map(str, path))}")
    return False
