"""The similarity of each node at a position, given its parents' positions; cached."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from functools import partial

SCALE = 2**24
"""Similarities are compared as whole numbers of this scale, so that ties are ties."""


@dataclass(frozen=True)
class Node:
    """One event.

    ``similarity(position, parents' positions)`` lies in [0, 1]; ``view(parent's place in parents,
    its position)`` is what the node sees of a parent there, ``own_view(position)`` of its own
    snapshot; ``feasible(position, parent's place, parent's position)`` says whether the node can be
    more than 0 with the parent there, ``near(position, parent's place)`` lists all where it can.
    ``upper_bound(position)`` is no less than the similarity, wherever the parents lie; ``is_tight``
    says that it is the similarity, wherever they fit.
    """

    predecessors: tuple[int, ...]
    similarity: Callable[[int, tuple[int, ...]], float]
    parents: tuple[int, ...] = ()
    upper_bound: Callable[[int], float] = field(default=lambda _position: 1.0)
    is_tight: bool = False
    view: Callable[[int, int], Hashable] = field(default=lambda _place, position: position)
    own_view: Callable[[int], Hashable] = field(default=lambda position: position)
    feasible: Callable[[int, int, int], bool] = field(default=lambda _at, _place, _position: True)
    near: Callable[[int, int], Sequence[int]] = field(default=lambda at, _place: range(at + 1))


class Shares:
    """The similarities of nodes: their shares in the value of a mapping, in whole numbers."""

    def __init__(self, nodes: Sequence[Node], positions: int) -> None:
        self.nodes = nodes
        self.positions = positions
        self._shares: dict[tuple[int, int, tuple[int, ...]], int] = {}
        self._views: dict[tuple[int, int | None], list[int]] = {}
        self.upper_bounds = [self._upper_bounds(node) for node in range(len(nodes))]
        self._fitting: dict[tuple[int, int, int], list[int]] = {}

    def _upper_bounds(self, node: int) -> list[int]:
        looks = self.representatives(node, None)
        known = {at: round(self.nodes[node].upper_bound(at) * SCALE) for at in {*looks}}
        return [known[at] for at in looks]

    def in_mapping(self, node: int, mapping: Sequence[int]) -> int:
        """Return the share of a node where a mapping puts it and its parents."""
        parents = tuple(mapping[parent] for parent in self.nodes[node].parents)
        return self.at(node, mapping[node], parents)

    def at(self, node: int, at: int, parents: tuple[int, ...]) -> int:
        """Return the share of a node at a position, given the positions of its ``parents``."""
        event, most = self.nodes[node], self.upper_bounds[node][at]
        if most == 0 or not all(event.feasible(at, place, p) for place, p in enumerate(parents)):
            return 0
        if event.is_tight:
            return most
        seen = tuple(self.representatives(node, place)[p] for place, p in enumerate(parents))
        key = node, self.representatives(node, None)[at], seen
        if key not in self._shares:
            self._shares[key] = round(event.similarity(at, parents) * SCALE)
        return self._shares[key]

    def fitting(self, node: int, place: int, at: int) -> list[int]:
        """Return where, up to a position, a parent leaves the node more than 0: once a view."""
        key = node, place, at
        if key not in self._fitting:
            event, first = self.nodes[node], self.representatives(node, place)
            near = event.near(at, place) if self.upper_bounds[node][at] else ()
            self._fitting[key] = [
                p for p in near if p <= at and first[p] == p and event.feasible(at, place, p)
            ]
        return self._fitting[key]

    def representatives(self, node: int, place: int | None) -> list[int]:
        """Return for each position the first one at which the node sees the same of its parent.

        Without a ``place``, the first one at which its own snapshot looks the same.
        """
        if (node, place) not in self._views:
            first: dict[Hashable, int] = {}
            event = self.nodes[node]
            view = event.own_view if place is None else partial(event.view, place)
            self._views[node, place] = [first.setdefault(view(p), p) for p in range(self.positions)]
        return self._views[node, place]
