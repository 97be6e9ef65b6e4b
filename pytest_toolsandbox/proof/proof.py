"""What was found when a scenario was proved."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from pytest_toolsandbox.language.scenario import Pattern

from .mutants import Kind


@dataclass(frozen=True)
class Survivor:
    """A mutant that passed, and why nothing told it from the solution."""

    kind: Kind
    what: str
    reason: str


@dataclass
class Proof:
    """What was found: ``findings`` is what is wrong; ``made`` and ``died`` count mutants.

    ``planted`` counts the faults that were planted in a solution, by error pattern, and ``found``
    those of them that were found as what they are.
    """

    findings: list[str] = field(default_factory=list)
    made: Counter[Kind] = field(default_factory=Counter)
    died: Counter[Kind] = field(default_factory=Counter)
    survivors: list[Survivor] = field(default_factory=list)
    planted: Counter[Pattern] = field(default_factory=Counter)
    found: Counter[Pattern] = field(default_factory=Counter)
