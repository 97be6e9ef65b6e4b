"""The edges of a graph that do not follow from others, and the parts that hang together."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import TypeVar

Name = TypeVar("Name", int, str)


def in_order(predecessors: Mapping[Name, Collection[Name]]) -> list[Name]:
    """Return the nodes of an acyclic graph, each after its predecessors."""
    import graphlib

    return list(graphlib.TopologicalSorter(predecessors).static_order())


def direct_edges(predecessors: Mapping[Name, Collection[Name]]) -> list[tuple[Name, Name]]:
    """Return the edges ``(before, after)`` of the transitive reduction, in order.

    ``predecessors`` maps every node of an acyclic graph to the nodes with an edge to it.
    """
    ancestors: dict[Name, set[Name]] = {}
    for node in in_order(predecessors):
        before = predecessors[node]
        ancestors[node] = set(before).union(*(ancestors[one] for one in before))
    return sorted(
        (one, node)
        for node, before in predecessors.items()
        for one in set(before)
        if not any(one in ancestors[other] for other in before)
    )


def components(count: int, edges: Iterable[tuple[int, int]]) -> list[list[int]]:
    """Return the nodes, from 0 up to a number, that edges connect with each other, in order."""
    parts = [[node] for node in range(count)]
    for one, other in edges:
        kept, joined = parts[one], parts[other]
        if kept is not joined:
            kept += joined
            for node in joined:
                parts[node] = kept
    return [sorted(part) for node, part in enumerate(parts) if node == min(part)]


def is_forest(count: int, edges: Collection[tuple[int, int]]) -> bool:
    """Whether no edges make a cycle, whatever their direction."""
    return len(components(count, edges)) + len(edges) == count
