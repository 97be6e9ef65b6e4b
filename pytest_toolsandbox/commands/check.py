"""``toolsandbox check``: the proof of scenarios, with what is wrong and a table of mutants."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from pathlib import Path

from pytest_toolsandbox.authoring.proof.mutants import MUTANT_KINDS
from pytest_toolsandbox.authoring.proof.proof import Ask, Proof, prove
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.matchers.embedding import Embedder, using
from pytest_toolsandbox.output.tables import aligned
from pytest_toolsandbox.scoring.judges.resolving import resolve_judge
from pytest_toolsandbox.text.error_text import describe_exception
from pytest_toolsandbox.text.formatting import pluralize

from .scenarios import CollectedScenarios, embedders, find_scenarios, in_processes


def check_paths(
    paths: Sequence[Path], embedder: str | None, mutation_score: float, judge: str | None
) -> int:
    """Check the scenarios below ``paths``, print what is wrong, and return 1 if anything is.

    A mutant that survives is a warning, and all of them are a finding if they are too many.
    What differs from a solution in words alone is left out, unless a ``judge`` reads it.
    """
    ask = resolve_judge(judge, {}).opinion if judge else None
    collected = find_scenarios(paths)
    embedder_of = embedders(embedder, collected.conftests)
    proofs: dict[str, Proof] = {}
    for (file, scenario), proof in zip(
        collected.scenarios, _proofs(collected, embedder_of, ask), strict=True
    ):
        name = f"{file}::{scenario.name}"
        proofs[name] = proof
        for finding in proof.findings:
            print(f"{name}: {finding}")
    for name, proof in proofs.items():
        for mutant in proof.survivors:
            what = f"{mutant.kind}, {mutant.what}"
            print(f"warning: {name}: a mutant survived: {what}: {mutant.reason}")
        for what in proof.unread:
            print(f"needs a judge: {name}: {what}")
    findings = sum(len(proof.findings) for proof in proofs.values())
    findings += _print_mutants(proofs.values(), mutation_score)
    _print_unread(proofs.values())
    warnings = sum(len(proof.survivors) for proof in proofs.values())
    counts = {"finding": findings, "warning": warnings, "file": collected.unread}
    print(_summary([scenario for _, scenario in collected.scenarios], counts))
    return 1 if findings or collected.unread or not collected.scenarios else 0


def _proofs(
    collected: CollectedScenarios, embedder_of: Callable[[Path], Embedder | None], ask: Ask | None
) -> Iterator[Proof]:
    """Yield the proof of each scenario; an embedder or a judge is asked by one process only."""

    def proof(number: int) -> Proof:
        file, scenario = collected.scenarios[number]
        try:
            with using(embedder_of(file)):
                return prove(scenario, ask)
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # noqa: BLE001  # a user's own matcher, tool or protocol
            return Proof(findings=[f"it cannot be proved: {describe_exception(error)}"])

    count = len(collected.scenarios)
    asks = ask is not None or any(embedder_of(file) for file, _ in collected.scenarios)
    return map(proof, range(count)) if asks else in_processes(proof, count)


def _print_mutants(proofs: Collection[Proof], wanted: float) -> bool:
    """Print a table of mutants; return whether the share that was killed is below ``wanted``."""
    made, died = Counter[str](), Counter[str]()
    for proof in proofs:
        made.update(proof.made)
        died.update(proof.died)
    score = died.total() / made.total() if made else 1.0
    if made:
        rows = [(kind, str(made[kind]), str(died[kind]), "") for kind in MUTANT_KINDS if made[kind]]
        last = ("all", str(made.total()), str(died.total()), f"{score:.1%}")
        print(*aligned([("mutants", "made", "died", ""), *rows, last]), sep="\n")
    if score < wanted:
        print(f"too many mutants survive: {wanted * 100:g}% of them should die")
    return score < wanted


def _print_unread(proofs: Collection[Proof]) -> None:
    """Print how many counterexamples and mutants differ from a solution in words alone."""
    counts = {
        "counterexample": sum(len(proof.unread) for proof in proofs),
        "mutant": sum(proof.unread_mutants for proof in proofs),
    }
    parts = [pluralize(count, what) for what, count in counts.items() if count]
    if parts:
        print(f"{' and '.join(parts)} left to a judge (--judge=MODEL): only words are different")


def _summary(scenarios: Sequence[Scenario], results: Mapping[str, int]) -> str:
    counts = (
        pluralize(len(scenarios), "scenario"),
        pluralize(sum(len(scenario.solutions) for scenario in scenarios), "solution"),
        pluralize(sum(len(scenario.counterexamples) for scenario in scenarios), "counterexample"),
    )
    parts = [
        pluralize(count, what) + (" not read" if what == "file" else "")
        for what, count in results.items()
        if count or what == "finding"
    ]
    return f"{', '.join(counts)}: {', '.join(parts)}"
