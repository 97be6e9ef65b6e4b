"""``toolsandbox check``: the proof of scenarios, with what is wrong and a table of mutants."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.matchers.embedding import EmbedderError, using
from pytest_toolsandbox.proof.mutants import KINDS
from pytest_toolsandbox.proof.proof import Proof
from pytest_toolsandbox.proof.prove import prove
from pytest_toolsandbox.reporting.tables import aligned
from pytest_toolsandbox.wording.phrases import counted

from .conftests import ConftestError
from .embedders import Embedders
from .scenarios import find_scenarios


@dataclass
class Totals:
    """The proofs of all scenarios together."""

    solutions: int = 0
    counterexamples: int = 0
    scenarios: int = 0
    findings: int = 0
    made: Counter[str] = field(default_factory=Counter)
    died: Counter[str] = field(default_factory=Counter)
    survivors: list[str] = field(default_factory=list)

    def add(self, name: str, scenario: Scenario, proof: Proof) -> None:
        """Count in the proof of a scenario."""
        self.scenarios += 1
        self.solutions += len(scenario.solutions)
        self.counterexamples += len(scenario.counterexamples)
        self.findings += len(proof.findings)
        self.made.update(proof.made)
        self.died.update(proof.died)
        self.survivors += [f"{name}: {s.kind}, {s.what}: {s.reason}" for s in proof.survivors]

    @property
    def mutation_score(self) -> float:
        """The share of mutants that died, from 0 to 1; 1 where there were none."""
        return self.died.total() / self.made.total() if self.made else 1.0


def check_paths(paths: Sequence[Path], embedder: str | None, wanted: float) -> int:
    """Check every scenario below ``paths``, print what is wrong, and return 1 if anything is.

    ``embedder`` says what compares meanings, as the ini option ``sandbox_embedder`` does; without
    it, the fixture ``embedder`` of a file's ``conftest.py`` does, if there is one;
    ``wanted`` is the share of mutants, from 0 to 1, that must die.
    """
    try:
        found = find_scenarios(paths)
    except ConftestError as error:
        print(error)
        return 1
    totals = Totals()
    try:
        embedders = Embedders(embedder, found.conftests)
        for file, scenario in found.scenarios:
            name = f"{file}::{scenario.name}"
            with using(embedders.of(file)):
                proof = prove(scenario)
            totals.add(name, scenario, proof)
            for finding in proof.findings:
                print(f"{name}: {finding}")
    except EmbedderError as error:
        print(error)
        return 1
    return _report(totals, found.unread, wanted)


def _report(totals: Totals, unread: int, wanted: float) -> int:
    for line in totals.survivors:
        print(f"survived: {line}")
    for line in _table(totals):
        print(line)
    if not totals.scenarios:
        print("no scenario was found")
    findings = totals.findings
    if totals.mutation_score < wanted:
        findings += 1
        print(f"too many mutants survive: {wanted * 100:g}% of them should die")
    print(_summary(totals, findings, unread))
    return 1 if findings or unread or not totals.scenarios else 0


def _table(totals: Totals) -> list[str]:
    """Return the lines of the table of mutants, if there are any."""
    if not totals.made:
        return []
    rows = [
        (kind, str(totals.made[kind]), str(totals.died[kind]), "")
        for kind in KINDS
        if totals.made[kind]
    ]
    made, died = totals.made.total(), totals.died.total()
    share = f"{totals.mutation_score:.1%}"
    return aligned([("mutants", "made", "died", ""), *rows, ("all", str(made), str(died), share)])


def _summary(totals: Totals, findings: int, unread: int) -> str:
    counts = (
        (totals.scenarios, "scenario"),
        (totals.solutions, "solution"),
        (totals.counterexamples, "counterexample"),
    )
    text = f"{', '.join(counted(*pair) for pair in counts)}: {counted(findings, 'finding')}"
    return f"{text}, {counted(unread, 'file')} not read" if unread else text
