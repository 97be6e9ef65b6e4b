"""``toolsandbox strengthen``: what would kill the mutants that survive the proof of a scenario."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from pathlib import Path

from pytest_toolsandbox.authoring.proof.proof import prove
from pytest_toolsandbox.authoring.strengthening import remedies
from pytest_toolsandbox.language.compact_yaml import write_compact_yaml
from pytest_toolsandbox.language.loading import ScenarioDocument, scenario_documents
from pytest_toolsandbox.language.tasks import Milestones
from pytest_toolsandbox.text.formatting import pluralize

from .scenarios import find_scenarios


def strengthen_paths(paths: Sequence[Path]) -> int:
    """Print what kills the surviving mutants of scenarios; return 1 if one is not proved."""
    collected = find_scenarios(paths)
    failed = collected.unread
    for file in dict.fromkeys(file for file, _ in collected.scenarios):
        for document in scenario_documents(file):
            failed += _strengthen(f"{file}::{document.name}", document)
    return 1 if failed or not collected.scenarios else 0


def _strengthen(name: str, document: ScenarioDocument) -> bool:
    """Print what kills the surviving mutants of a scenario; return whether it is not proved."""
    scenario = document.read(document.content)
    if scenario is None or not isinstance(scenario.task, Milestones):
        print(f"{name}: it has no milestones")
        return False
    proof = prove(scenario)
    if proof.findings:
        print(f"{name}: {proof.findings[0]}; toolsandbox check shows all that is wrong with it")
        return True
    count = pluralize(proof.made.total(), "mutant")
    print(f"{name}: {len(proof.survivors)} of {count} survive")
    left = list(proof.survivors)
    for remedy in remedies(document.content, scenario, proof, document.read):
        for mutant in remedy.killed:
            print(f"  {mutant.kind}, {mutant.what}")
            left.remove(mutant)
        addition = write_compact_yaml(remedy.addition, {"milestones": 1})
        print("    would fail with", textwrap.indent(addition, " " * 6), sep="\n", end="")
    for mutant in left:
        print(f"  {mutant.kind}, {mutant.what}\n    {mutant.reason}, which solutions do not show")
    return False
