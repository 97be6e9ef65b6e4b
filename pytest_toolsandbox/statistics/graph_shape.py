"""The shape of the graph that a scenario's milestones make."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from pytest_toolsandbox.language.scenario import Event

SHAPES = ("no milestones", "single", "chain", "join", "branch", "join and branch", "apart")
"""All of them, from the plainest on.

A ``join`` is where a milestone comes right after several, a ``branch`` where several come right
after one. Without either there is one ``chain`` or there are several things ``apart``.
"""


def shape(milestones: Mapping[str, Event]) -> str:
    """Return the shape of a graph, which an edge that follows from others does not change."""
    if len(milestones) <= 1:
        return "single" if milestones else "no milestones"
    edges = _edges(milestones)
    joins = _repeats(later for _, later in edges)
    branches = _repeats(earlier for earlier, _ in edges)
    if joins or branches:
        return "join and branch" if joins and branches else "join" if joins else "branch"
    return "chain" if len(edges) == len(milestones) - 1 else "apart"


def _edges(milestones: Mapping[str, Event]) -> list[tuple[str, str]]:
    """Return the pairs of milestones that come right after one another."""
    edges = [(earlier, event.name) for event in milestones.values() for earlier in event.after]
    if all(len(event.after) <= 1 for event in milestones.values()):
        return edges
    import networkx as nx

    return list(nx.transitive_reduction(nx.DiGraph(edges)).edges)


def _repeats(names: Iterable[str]) -> bool:
    found = list(names)
    return len(found) > len(set(found))
