"""What the nodes of a graph count where they and their parents lie, each worked out once."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field

SCALE = 2**24
"""Similarities are compared as whole numbers of this scale, so that ties are ties."""


@dataclass(frozen=True)
class Node:
    """One event.

    ``similarity(position, parents' positions)`` lies in [0, 1]; ``sight(parent's place in parents,
    its position)`` is what the node sees of a parent there; ``fits(position, parent's place,
    parent's position)`` says whether the node can be more than 0 with the parent there.
    ``ceiling(position)`` is no less than the similarity, wherever the parents lie; ``is_ceiling``
    says that it is the similarity, wherever they fit.
    """

    predecessors: tuple[int, ...]
    similarity: Callable[[int, tuple[int, ...]], float]
    parents: tuple[int, ...] = ()
    ceiling: Callable[[int], float] = field(default=lambda _position: 1.0)
    is_ceiling: bool = False
    sight: Callable[[int, int], Hashable] = field(default=lambda _place, position: position)
    fits: Callable[[int, int, int], bool] = field(default=lambda _at, _place, _position: True)


class Shares:
    """The shares of nodes in the value of a mapping, as whole numbers of ``SCALE``."""

    def __init__(self, nodes: Sequence[Node], positions: int) -> None:
        self.nodes = nodes
        self.positions = positions
        self.ceilings = [
            [round(node.ceiling(at) * SCALE) for at in range(positions)] for node in nodes
        ]
        self._shares: dict[tuple[int, int, tuple[int, ...]], int] = {}
        self._sights: dict[tuple[int, int], list[int]] = {}

    def of(self, node: int, mapping: Sequence[int]) -> int:
        """Return the share of a node in a mapping."""
        parents = tuple(mapping[parent] for parent in self.nodes[node].parents)
        return self.at(node, mapping[node], parents)

    def at(self, node: int, at: int, parents: tuple[int, ...]) -> int:
        """Return the share of a node at a position, with its parents at others."""
        if self.ceilings[node][at] == 0:
            return 0
        key = node, at, tuple(self.representatives(node, i)[p] for i, p in enumerate(parents))
        if key not in self._shares:
            fits = self.nodes[node].fits
            fit = all(fits(at, place, position) for place, position in enumerate(parents))
            self._shares[key] = self._fitting(node, at, parents) if fit else 0
        return self._shares[key]

    def _fitting(self, node: int, at: int, parents: tuple[int, ...]) -> int:
        event = self.nodes[node]
        if event.is_ceiling:
            return self.ceilings[node][at]
        return round(event.similarity(at, parents) * SCALE)

    def representatives(self, node: int, place: int) -> list[int]:
        """Return for each position the first one at which the node sees the same of its parent."""
        if (node, place) not in self._sights:
            first: dict[Hashable, int] = {}
            sight = self.nodes[node].sight
            self._sights[node, place] = [
                first.setdefault(sight(place, p), p) for p in range(self.positions)
            ]
        return self._sights[node, place]
