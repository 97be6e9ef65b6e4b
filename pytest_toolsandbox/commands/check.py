"""``toolsandbox check``: the proof of scenarios, with what is wrong and a table of mutants."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.matchers.embedding import using
from pytest_toolsandbox.proof.mutants import KINDS
from pytest_toolsandbox.proof.proof import Proof, prove
from pytest_toolsandbox.reporting.tables import aligned
from pytest_toolsandbox.wording.error_text import describe_exception
from pytest_toolsandbox.wording.phrases import counted

from .conftests import Embedders
from .scenarios import find_scenarios


@dataclass
class Totals:
    """The proofs of all scenarios together."""

    scenarios: list[Scenario] = field(default_factory=list)
    findings: int = 0
    made: Counter[str] = field(default_factory=Counter)
    died: Counter[str] = field(default_factory=Counter)
    survivors: list[str] = field(default_factory=list)

    def add(self, name: str, scenario: Scenario, proof: Proof) -> None:
        """Count in the proof of a scenario."""
        self.scenarios.append(scenario)
        self.findings += len(proof.findings)
        self.made.update(proof.made)
        self.died.update(proof.died)
        self.survivors += [f"{name}: {s.kind}, {s.what}: {s.reason}" for s in proof.survivors]

    @property
    def mutation_score(self) -> float:
        """The share of mutants that died, from 0 to 1; 1 where there are no mutants."""
        return self.died.total() / self.made.total() if self.made else 1.0


def check_paths(paths: Sequence[Path], embedder: str | None, mutation_score: float) -> int:
    """Check every scenario below ``paths``, print what is wrong, and return 1 if anything is.

    ``embedder`` says what compares meanings, as the ini option ``sandbox_embedder`` does;
    ``mutation_score`` is the share of mutants, from 0 to 1, that must die.
    """
    found = find_scenarios(paths)
    embedders = Embedders(embedder, found.conftests)
    totals = Totals()
    for file, scenario in found.scenarios:
        name = f"{file}::{scenario.name}"
        with using(embedders.of(file)):
            proof = _proof(scenario)
        totals.add(name, scenario, proof)
        for finding in proof.findings:
            print(f"{name}: {finding}")
    return _report(totals, found.unread, mutation_score)


def _proof(scenario: Scenario) -> Proof:
    try:
        return prove(scenario)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # noqa: BLE001  # a user's own matcher, tool or protocol
        return Proof([f"it cannot be proved: {describe_exception(error)}"])


def _report(totals: Totals, unread: int, wanted: float) -> int:
    for line in (*(f"survived: {one}" for one in totals.survivors), *_table(totals)):
        print(line)
    if not totals.scenarios:
        print("no scenario was found")
    findings = totals.findings
    if totals.mutation_score < wanted:
        findings += 1
        print(f"too many mutants survive: {wanted * 100:g}% of them should die")
    print(_summary(totals.scenarios, findings, unread))
    return 1 if findings or unread or not totals.scenarios else 0


def _table(totals: Totals) -> list[str]:
    if not totals.made:
        return []
    made, died = totals.made, totals.died
    rows = [(kind, str(made[kind]), str(died[kind]), "") for kind in KINDS if made[kind]]
    last = ("all", str(made.total()), str(died.total()), f"{totals.mutation_score:.1%}")
    return aligned([("mutants", "made", "died", ""), *rows, last])


def _summary(scenarios: Sequence[Scenario], findings: int, unread: int) -> str:
    counts = (
        counted(len(scenarios), "scenario"),
        counted(sum(len(one.solutions) for one in scenarios), "solution"),
        counted(sum(len(one.counterexamples) for one in scenarios), "counterexample"),
    )
    text = f"{', '.join(counts)}: {counted(findings, 'finding')}"
    return f"{text}, {counted(unread, 'file')} not read" if unread else text
