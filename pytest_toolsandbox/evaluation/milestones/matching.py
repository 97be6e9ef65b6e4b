"""The best mapping of events to snapshots, exactly (ToolSandbox, equation 2).

Every node of a graph is mapped to a position in ``range(positions)``; a node lies at or after each
of its predecessors. The value of a mapping is the sum of its nodes' similarities, each of which may
also look at the positions of the node's parents, through a *sight*: positions that look the same
to the node count the same. Without parents the problem is a minimum cut, for any graph, and on a
chain or a tree a matter of running maxima. Parents are dealt with by branch and bound over their
sights: where the best mapping of the relaxed problem, in which every parent lies where it suits
the node best, is a true one, it is the answer; where it is not, some parent is either seen as it
is there or is not.

Ties: of the best mappings the lexicographically earliest in the order of the nodes, which is the
pointwise earliest where there is one.
"""

from __future__ import annotations

import heapq
import itertools
import math
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field

SCALE = 2**24
"""Similarities are compared as whole numbers of this scale, so that ties are ties."""
BUDGET = 400_000
"""How often a node is looked at with its parents before the best mapping so far has to do."""

Domain = frozenset[int]


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


@dataclass(frozen=True)
class Mapping:
    """A mapping: the position of each node, and whether it is known to be the best."""

    positions: tuple[int, ...]
    exact: bool


def best_mapping(nodes: Sequence[Node], positions: int, budget: int = BUDGET) -> Mapping:
    """Return the best mapping of the nodes, which stand in the order that breaks ties."""
    if not nodes:
        return Mapping((), exact=True)
    return _Search(nodes, positions, budget).run()


@dataclass(frozen=True)
class _Relaxed:
    """The best mapping with every parent where it suits each node, and each node's share."""

    bound: int
    mapping: tuple[int, ...]
    shares: tuple[int, ...]


class _Search:
    """Branch and bound. A problem is a domain, the allowed positions, for every node.

    ``left`` is what is left of the budget. Once it is spent, a node that has not been looked at
    counts as much as it ever could, so that bounds stay bounds.
    """

    def __init__(self, nodes: Sequence[Node], positions: int, budget: int) -> None:
        from .ordering import Ordering

        self.nodes = nodes
        self.positions = positions
        self.left = budget
        self.ordering = Ordering([node.predecessors for node in nodes], positions)
        self.values: dict[tuple[int, int, tuple[int, ...]], int] = {}
        self.ceilings = [
            [round(node.ceiling(at) * SCALE) for at in range(positions)] for node in nodes
        ]
        self.sights: dict[tuple[int, int], list[Hashable]] = {}

    def run(self) -> Mapping:
        everywhere = frozenset(range(self.positions))
        counter = itertools.count()
        waiting: list[tuple[int, int, list[Domain], _Relaxed]] = []
        best: tuple[int, tuple[int, ...]] | None = None

        def consider(domains: list[Domain]) -> None:
            relaxed = self.relaxed(domains)
            if relaxed is not None and (best is None or relaxed.bound >= -best[0]):
                heapq.heappush(waiting, (-relaxed.bound, next(counter), domains, relaxed))

        consider([everywhere] * len(self.nodes))
        while waiting and (best is None or self.left > 0):
            bound, _, domains, relaxed = problem = heapq.heappop(waiting)
            if best is not None and bound > best[0]:
                break
            self.left -= 1
            mapping = relaxed.mapping
            found = -sum(self.value(node, mapping) for node in range(len(self.nodes))), mapping
            best = found if best is None else min(best, found)
            if found[0] == bound:
                continue
            if self.left <= 0:
                heapq.heappush(waiting, problem)  # its bound may hide a better mapping
                break
            for part in self.parts(domains, relaxed):
                consider(part)
        assert best is not None
        return Mapping(best[1], exact=all(bound >= best[0] for bound, *_ in waiting))

    def value(self, node: int, mapping: tuple[int, ...]) -> int:
        parents = tuple(mapping[parent] for parent in self.nodes[node].parents)
        return self.scaled(node, mapping[node], parents)

    def scaled(self, node: int, at: int, parents: tuple[int, ...]) -> int:
        if self.ceilings[node][at] == 0:
            return 0
        key = node, at, tuple(self.representative(node, i, p) for i, p in enumerate(parents))
        if key not in self.values:
            event = self.nodes[node]
            fits = all(event.fits(at, place, position) for place, position in enumerate(parents))
            self.values[key] = self.fitting(node, at, parents) if fits else 0
        return self.values[key]

    def fitting(self, node: int, at: int, parents: tuple[int, ...]) -> int:
        event = self.nodes[node]
        if event.is_ceiling:
            return self.ceilings[node][at]
        return round(event.similarity(at, parents) * SCALE)

    def representative(self, node: int, place: int, position: int) -> int:
        """Return the first position at which the node sees the same of its parent."""
        if (node, place) not in self.sights:
            first: dict[Hashable, int] = {}
            sight = self.nodes[node].sight
            self.sights[node, place] = [
                first.setdefault(sight(place, p), p) for p in range(self.positions)
            ]
        representative = self.sights[node, place][position]
        assert isinstance(representative, int)
        return representative

    def relaxed(self, domains: list[Domain]) -> _Relaxed | None:
        """Solve the problem with every parent where it suits each node best."""
        weights = [self.weights(node, domains) for node in range(len(self.nodes))]
        solved = self.ordering.best(weights)
        if solved is None:
            return None
        bound, mapping = solved
        shares = tuple(weights[node][at] or 0 for node, at in enumerate(mapping))
        return _Relaxed(bound, mapping, shares)

    def weights(self, node: int, domains: list[Domain]) -> list[int | None]:
        """Return the most that a node can be at each position; ``None`` where it may not lie."""
        domain = domains[node]
        parents = self.nodes[node].parents
        seen: list[dict[int, int]] = [{} for _ in parents]
        weights: list[int | None] = []
        for at in range(self.positions):
            for place, parent in enumerate(parents):
                if at in domains[parent]:
                    seen[place].setdefault(self.representative(node, place, at), at)
            weights.append(self.most(node, at, seen) if at in domain else None)
        return weights

    def most(self, node: int, at: int, seen: list[dict[int, int]]) -> int:
        ceiling = self.ceilings[node][at]
        if ceiling == 0:
            return 0
        fits = self.nodes[node].fits
        choices = [
            [position for position in positions.values() if fits(at, place, position)]
            for place, positions in enumerate(seen)
        ]
        looks = math.prod(map(len, choices))
        if looks == 0 or self.nodes[node].is_ceiling:
            return ceiling if looks else 0
        if looks > self.left:
            self.left = 0
            return ceiling
        self.left -= looks
        best = 0
        for choice in itertools.product(*choices):
            best = max(best, self.scaled(node, at, choice))
            if best == ceiling:
                break
        return best

    def parts(self, domains: list[Domain], relaxed: _Relaxed) -> list[list[Domain]]:
        """Split a problem at a parent that does not lie where a node was given it."""
        mapping = relaxed.mapping
        for node, event in enumerate(self.nodes):
            if relaxed.shares[node] == self.value(node, mapping):
                continue
            for place, parent in enumerate(event.parents):
                seen = self.representative(node, place, mapping[parent])
                same = frozenset(
                    p for p in domains[parent] if self.representative(node, place, p) == seen
                )
                if same != domains[parent]:
                    return [
                        _with(domains, parent, same),
                        _with(domains, parent, domains[parent] - same),
                    ]
        raise AssertionError("a node differs from its bound only through a parent")


def _with(domains: list[Domain], node: int, domain: Domain) -> list[Domain]:
    return [domain if index == node else other for index, other in enumerate(domains)]
