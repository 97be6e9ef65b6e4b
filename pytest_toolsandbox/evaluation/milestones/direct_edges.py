"""The edges of a graph that do not follow from others: its transitive reduction."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TypeVar

Name = TypeVar("Name", int, str)


def direct_edges(predecessors: Mapping[Name, Collection[Name]]) -> list[tuple[Name, Name]]:
    """Return the edges ``(before, after)`` between nodes with nothing in between, in order.

    ``predecessors`` maps every node of an acyclic graph to the nodes with an edge to it.
    """
    import graphlib

    ancestors: dict[Name, set[Name]] = {}
    for node in graphlib.TopologicalSorter(predecessors).static_order():
        before = predecessors[node]
        ancestors[node] = set(before).union(*(ancestors[one] for one in before))
    return sorted(
        (one, node)
        for node, before in predecessors.items()
        for one in set(before)
        if not any(one in ancestors[other] for other in before)
    )
