"""What was found when a scenario was proved."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from .mutants import Kind


@dataclass(frozen=True)
class Survivor:
    """A mutant that passed, and why nothing told it from the solution."""

    kind: Kind
    what: str
    reason: str


@dataclass
class Proof:
    """What was found: ``findings`` is what is wrong; ``made`` and ``died`` count mutants."""

    findings: list[str] = field(default_factory=list)
    made: Counter[Kind] = field(default_factory=Counter)
    died: Counter[Kind] = field(default_factory=Counter)
    survivors: list[Survivor] = field(default_factory=list)
