"""What something irrelevant in a query does to the names of functions (SpecTool's figure 5)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from .error_totals import ErrorTotal, worlds_of
from .records import Record
from .tables import aligned, number
from .totals import ALL

HEADER = ("irrelevance added", "pairs", "IFN without", "IFN with")
PREFIX = "toolsandbox.error_patterns.irrelevance"
DIGITS = 6

Trials = Sequence[Record]
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


def irrelevance(items: Mapping[str, Trials]) -> list[Irrelevance]:
    """Compare the queries that were asked both ways; nothing where none were.

    World by world if they are of several, with feedback and without if both were played, and last
    of all.
    """
    pairs = list(_pairs(items))
    worlds = sorted(worlds_of(trials for _, trials in pairs))
    by_world = [(name, [pair for pair in pairs if pair[1][0]["world"] == name]) for name in worlds]
    by_feedback = [
        (name, [pair for pair in pairs if pair[1][0]["feedback"] is on])
        for name, on in (("feedback on", True), ("feedback off", False))
    ]
    rows = [*_several(by_world), *_several(by_feedback), (ALL, pairs)]
    return [_compared(name, part) for name, part in rows if part]


def irrelevance_lines(found: Sequence[Irrelevance]) -> list[str]:
    """Return the table of what was compared; none where nothing was."""
    return aligned([HEADER, *map(_cells, found)]) if found else []


def irrelevance_properties(found: Sequence[Irrelevance]) -> dict[str, object]:
    """Return what was compared as properties of a suite."""
    properties: dict[str, object] = {}
    for one in found:
        prefix = PREFIX if one.name == ALL else f"{PREFIX}.{one.name.replace(' ', '_')}"
        properties[f"{prefix}.pairs"] = one.pairs
        properties[f"{prefix}.IFN_base"] = round(one.base, DIGITS)
        properties[f"{prefix}.IFN"] = round(one.irrelevant, DIGITS)
    return properties


def _pairs(items: Mapping[str, Trials]) -> Iterator[Pair]:
    for name, trials in items.items():
        query = trials[0].get("query") or {}
        if query.get("manner") == "irrelevance":
            base = items.get(_beside(name, query["base"]))
            if base is not None:
                yield base, trials


def _beside(identifier: str, scenario: str) -> str:
    """Return the identifier of another scenario of the same file, played in the same way."""
    file, separator, rest = identifier.partition("::")
    _, bracket, parameters = rest.partition("[")
    return f"{file}{separator}{scenario}{bracket}{parameters}"


def _several(parts: Sequence[tuple[str, list[Pair]]]) -> Sequence[tuple[str, list[Pair]]]:
    """Return the parts, if more than one has anything in it."""
    return parts if sum(bool(pairs) for _, pairs in parts) > 1 else ()


def _compared(name: str, pairs: Sequence[Pair]) -> Irrelevance:
    base, irrelevant = (
        ErrorTotal(name, [pair[which] for pair in pairs]).score("IFN") for which in (0, 1)
    )
    return Irrelevance(name, len(pairs), base or 0.0, irrelevant or 0.0)


def _cells(found: Irrelevance) -> tuple[str, ...]:
    return (found.name, str(found.pairs), number(found.base, 2), number(found.irrelevant, 2))
