"""What something irrelevant in a query does to the names of functions (SpecTool's figure 5)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from .error_totals import ErrorTotal, worlds_of
from .feedback_arms import Trials, arms
from .tables import aligned, decimal, with_total
from .totals import ALL

HEADER = ("irrelevance added", "pairs", "IFN without", "IFN with")
PREFIX = "toolsandbox.error_patterns.irrelevance"
DIGITS = 6

Pair = tuple[Trials, Trials]
"""The trials of a query, and of the same with something irrelevant added."""


@dataclass(frozen=True)
class Irrelevance:
    """Some queries and the same with something irrelevant added (section 7.2.1 and figure 5).

    ``base`` and ``irrelevant`` are mean scores of incorrect function names, over ``pairs``.
    """

    name: str
    pairs: int
    base: float
    irrelevant: float


@dataclass(frozen=True)
class Comparison:
    """All pairs, world by world if they are of several, and in both arms if they were played so."""

    everything: Irrelevance
    worlds: Sequence[Irrelevance] = ()
    arms: Sequence[Irrelevance] = ()


def irrelevance(items: Mapping[str, Trials]) -> Comparison | None:
    """Compare the queries that were asked both ways, if there are any."""
    pairs = list(_pairs(items))
    if not pairs:
        return None
    worlds = sorted(worlds_of(trials for _, trials in pairs))
    by_world = [(name, [pair for pair in pairs if pair[1][0]["world"] == name]) for name in worlds]
    pair_of = {trials[0]["id"]: (base, trials) for base, trials in pairs}
    by_arm = [
        (name, [pair_of[trials[0]["id"]] for trials in part])
        for name, part in arms(trials for _, trials in pairs)
    ]
    return Comparison(_compared(ALL, pairs), _several(by_world), _several(by_arm))


def irrelevance_lines(found: Comparison | None) -> list[str]:
    """Return the table of what was compared, if anything was."""
    if found is None:
        return []
    worlds, both = (list(map(_cells, part)) for part in (found.worlds, found.arms))
    return aligned([HEADER, *with_total(worlds, [both], _cells(found.everything))])


def irrelevance_properties(found: Comparison | None) -> dict[str, object]:
    """Return what was compared as properties of a suite."""
    properties: dict[str, object] = {}
    for one in (*found.worlds, *found.arms, found.everything) if found else ():
        prefix = PREFIX if one.name == ALL else f"{PREFIX}.{one.name.replace(' ', '_')}"
        properties[f"{prefix}.pairs"] = one.pairs
        properties[f"{prefix}.IFN_base"] = round(one.base, DIGITS)
        properties[f"{prefix}.IFN"] = round(one.irrelevant, DIGITS)
    return properties


def _pairs(items: Mapping[str, Trials]) -> Iterator[Pair]:
    for name, trials in items.items():
        query = trials[0].get("query")
        if query and query["manner"] == "irrelevance":
            base = items.get(_beside(name, query["base"] or ""))
            if base is not None:
                yield base, trials


def _beside(identifier: str, scenario: str) -> str:
    """Return the identifier of another scenario of the same file, played in the same way."""
    file, separator, rest = identifier.partition("::")
    _, bracket, parameters = rest.partition("[")
    return f"{file}{separator}{scenario}{bracket}{parameters}"


def _several(parts: Sequence[tuple[str, Sequence[Pair]]]) -> list[Irrelevance]:
    """Compare the parts, if more than one has anything in it."""
    compared = [_compared(*part) for part in parts if part[1]]
    return compared if len(compared) > 1 else []


def _compared(name: str, pairs: Sequence[Pair]) -> Irrelevance:
    base, irrelevant = (
        ErrorTotal(name, [pair[which] for pair in pairs]).score("IFN") for which in (0, 1)
    )
    return Irrelevance(name, len(pairs), base or 0.0, irrelevant or 0.0)


def _cells(found: Irrelevance) -> tuple[str, ...]:
    return (found.name, str(found.pairs), decimal(found.base, 2), decimal(found.irrelevant, 2))
