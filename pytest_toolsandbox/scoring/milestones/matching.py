"""The best mapping of events to snapshots, exactly (ToolSandbox, equation 2).

Every node of a graph is mapped to a position in ``range(positions)``; a node comes at or after each
of its predecessors. The value of a mapping is the sum of its nodes' similarities, each of which may
also look at the positions of the node's parents, through a *view*: positions that look the same
to the node count the same. Without parents the problem is a minimum cut, for any graph, and on a
chain or a tree a matter of running maxima. Parents are dealt with by branch and bound over their
views: the best mapping of the relaxed problem, in which every parent lies where it suits the node
best, is the answer if its parents do lie there; else some parent is either seen as it is there or
is not. A tree needs no branches: its nodes tell each other what they can be.

Ties: of the best mappings the lexicographically earliest in the order of the nodes, which is the
pointwise earliest where there is one.

The best mapping where only order counts: weights of every node at every position, and edges.

A position that a node may not take has the weight ``None``. Of the best mappings the pointwise
earliest is returned; there is one, since the earlier halves of two best mappings make a best one.
"""

from __future__ import annotations

import heapq
import itertools
import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

from .tree import Node, Shares, Tree, TreeOfParents, components, direct_edges, in_order

Weights = Sequence[Sequence[int | None]]

NEVER = -(2**60)
_UNCUTTABLE = 2**30 - 1
"""The capacity of arcs that no cut takes. SciPy counts in 32 bits, and such an arc may also carry
back what flows through all the others, which is less than half of this."""


class Ordering:
    """A graph of nodes, each with its predecessors, over a number of positions."""

    def __init__(self, predecessors: Sequence[Sequence[int]], positions: int) -> None:
        self.predecessors = predecessors
        self.positions = positions
        self.order = in_order(dict(enumerate(predecessors)))

    def best(self, weights: Weights) -> tuple[int, tuple[int, ...]] | None:
        """Return the greatest sum of weights and its mapping, or ``None`` where none is allowed."""
        mapping = self.all_at_their_best(weights)
        if mapping is None:
            solve = self._by_tree if self.tree.is_forest else self._by_minimum_cut
            mapping = solve(weights)
        if mapping is None:
            return None
        return sum(weights[node][at] or 0 for node, at in enumerate(mapping)), mapping

    @cached_property
    def tree(self) -> Tree:
        """The nodes, and the edges that do not follow from others."""
        return Tree(len(self.predecessors), direct_edges(dict(enumerate(self.predecessors))))

    def all_at_their_best(self, weights: Weights) -> tuple[int, ...] | None:
        """Return the earliest mapping in which no node could be better, where there is one."""
        mapping = [0] * len(self.predecessors)
        for node in self.order:
            own = weights[node]
            most = max((weight for weight in own if weight is not None), default=None)
            if most is None:
                return None
            start = max((mapping[before] for before in self.predecessors[node]), default=0)
            at = next((at for at in range(start, self.positions) if own[at] == most), None)
            if at is None:
                return None
            mapping[node] = at
        return tuple(mapping)

    def _by_tree(self, weights: Weights) -> tuple[int, ...] | None:
        rows = ([[NEVER if weight is None else weight for weight in own]] for own in weights)
        mapping = self.tree.solve(rows)
        allowed = all(weights[node][at] is not None for node, at in enumerate(mapping))
        return mapping if allowed else None

    def _by_minimum_cut(self, weights: Weights) -> tuple[int, ...] | None:
        """Solve any graph: a vertex for each node and position, which the cut parts.

        The vertex of a node and a position stands for "at this position or later". Cutting its
        arc to the next one puts the node there and costs what its best position has over it.
        """
        import numpy as np
        from scipy.sparse import csr_array
        from scipy.sparse.csgraph import maximum_flow

        most = [max((w for w in own if w is not None), default=NEVER) for own in weights]
        if NEVER in most:
            return None
        shift = max(0, (sum(most) * 2).bit_length() - 30)
        costs = [
            _UNCUTTABLE if weight is None else (best - weight) >> shift
            for best, own in zip(most, weights, strict=True)
            for weight in own
        ]
        tails, heads = self._arcs
        capacities = np.full(len(tails), _UNCUTTABLE, dtype=np.int32)
        capacities[: len(costs)] = costs
        source, size = len(costs), len(costs) + 2
        graph = csr_array((capacities, (tails, heads)), shape=(size, size))
        result = maximum_flow(graph, source, source + 1)
        if result.flow_value >= _UNCUTTABLE:
            return None
        return self._cut(graph - result.flow, source)

    @cached_property
    def _arcs(self) -> tuple[Any, Any]:
        """The tails and heads of the arcs: first those that the cut takes, then all others."""
        import numpy as np

        count, width = len(self.predecessors), self.positions
        here = np.arange(count * width).reshape(count, width)
        source, sink = np.full(count, count * width), np.full((count, 1), count * width + 1)
        arcs = [
            (here, np.hstack([here[:, 1:], sink])),
            (here[:, 1:], here[:, :-1]),
            (source, here[:, 0]),
            *((here[u], here[v]) for u, v in sorted(self.tree.edges)),
        ]
        tails, heads = zip(*arcs, strict=True)
        joined = [np.concatenate([part.ravel() for part in side]) for side in (tails, heads)]
        return joined[0], joined[1]

    def _cut(self, residual: Any, source: int) -> tuple[int, ...]:
        from scipy.sparse.csgraph import breadth_first_order

        residual.data[residual.data < 0] = 0
        residual.eliminate_zeros()
        passed = set(breadth_first_order(residual, source, return_predecessors=False).tolist())
        return tuple(
            max(at for at in range(self.positions) if node * self.positions + at in passed)
            for node in range(len(self.predecessors))
        )


WORK = 1_000_000
"""Work of a search, in positions of nodes that are weighed and similarities that are asked for."""
_OF_PARENT, _OF_LOOK = 16, 8
"""Such work that it takes to see where a parent may be, and to look at similarities one by one."""

_Domain = frozenset[int]


@dataclass(frozen=True)
class BestMapping:
    """A mapping: the position of each node, and whether it is known to be the best."""

    positions: tuple[int, ...]
    exact: bool


def best_mapping(nodes: Sequence[Node], positions: int, budget: int = WORK) -> BestMapping:
    """Return the best mapping of the nodes, which stand in the order that breaks ties.

    Nodes that have nothing to do with each other are mapped apart; they share the budget.
    """
    positions_found = [0] * len(nodes)
    exact = True
    edges = ((u, v) for v, node in enumerate(nodes) for u in (*node.predecessors, *node.parents))
    for members in components(len(nodes), edges):
        search = _Search(_only(nodes, members), positions, budget)
        mapping = search.run()
        budget, exact = max(search.left, 1), exact and mapping.exact
        for node, at in zip(members, mapping.positions, strict=True):
            positions_found[node] = at
    return BestMapping(tuple(positions_found), exact)


def _only(nodes: Sequence[Node], members: Sequence[int]) -> list[Node]:
    """Return some of the nodes, numbered anew; they name no others."""
    place = {node: index for index, node in enumerate(members)}
    return [
        replace(
            nodes[node],
            predecessors=tuple(place[other] for other in nodes[node].predecessors),
            parents=tuple(place[other] for other in nodes[node].parents),
        )
        for node in members
    ]


@dataclass(frozen=True)
class _Relaxed:
    """The best mapping of a problem with every parent where it suits each node, and its shares."""

    domains: list[_Domain]
    mapping: tuple[int, ...]
    shares: tuple[int, ...]
    bound: int


class _Search:
    """Branch and bound. A problem is a domain, the allowed positions, for every node.

    ``left`` is what is left of the budget. Once it is spent, a node that has not been looked at
    counts as much as it ever could, so that bounds stay bounds.
    """

    def __init__(self, nodes: Sequence[Node], positions: int, budget: int) -> None:
        self.nodes = nodes
        self.positions = positions
        self.left = budget
        self.ordering = Ordering([node.predecessors for node in nodes], positions)
        self.shares = Shares(nodes, positions)
        self.weighed: dict[tuple[int, _Domain, tuple[_Domain, ...]], list[int | None]] = {}

    def run(self) -> BestMapping:
        return self.all_at_their_best() or self.search()

    def all_at_their_best(self) -> BestMapping | None:
        """Return the mapping in which no node could be better, where there is one.

        Of all that order allows it is the earliest, so it is the best one if its parents fit.
        """
        upper_bounds = self.shares.upper_bounds
        mapping = self.ordering.all_at_their_best(upper_bounds)
        if mapping is None or self.total(mapping) < sum(map(max, upper_bounds)):
            return None
        return BestMapping(mapping, exact=True)

    def search(self) -> BestMapping:
        counter = itertools.count()
        waiting: list[tuple[int, int, _Relaxed]] = []
        best: tuple[int, tuple[int, ...]] | None = None

        def consider(domains: list[_Domain]) -> None:
            relaxed = self.relaxed(domains)
            if relaxed is not None and (best is None or relaxed.bound >= -best[0]):
                heapq.heappush(waiting, (-relaxed.bound, next(counter), relaxed))

        consider([frozenset(range(self.positions))] * len(self.nodes))
        root = waiting[0][2]
        if self.total(root.mapping) != root.bound:
            if solved := self.by_tree():
                return solved
            mapping = self.improved(self.all_in_one_place())
            best = -self.total(mapping), mapping
        while waiting and (best is None or self.left > 0):
            bound, _, relaxed = problem = heapq.heappop(waiting)
            if best is not None and bound > best[0]:
                break
            self.left -= 1
            candidate = -self.total(relaxed.mapping), relaxed.mapping
            best = candidate if best is None else min(best, candidate)
            if candidate[0] == bound:
                continue
            if self.left <= 0:
                heapq.heappush(waiting, problem)  # its bound may hide a better mapping
                break
            for part in self.parts(relaxed):
                consider(part)
        assert best is not None
        return BestMapping(best[1], exact=all(bound >= best[0] for bound, *_ in waiting))

    def total(self, mapping: Sequence[int]) -> int:
        return self.sum_of(range(len(self.nodes)), mapping)

    def sum_of(self, nodes: Iterable[int], mapping: Sequence[int]) -> int:
        return sum(self.shares.in_mapping(node, mapping) for node in nodes)

    def all_in_one_place(self) -> tuple[int, ...]:
        """Return the best mapping of all nodes to one position, with its parents there."""
        places = [(at,) * len(self.nodes) for at in range(self.positions)]
        self.left -= len(self.nodes) * self.positions * _OF_LOOK
        return max(places, key=self.total)

    def improved(self, start: tuple[int, ...]) -> tuple[int, ...]:
        """Move nodes to where the mapping is best: what a search without a budget has to show."""
        mapping, value = start, -1
        while self.left > 0 and self.total(mapping) > value:
            value = self.total(mapping)
            for node, touched in enumerate(self.touched):
                mapping = max(self.moves(mapping, node), key=partial(self.sum_of, touched))
        return mapping

    @cached_property
    def touched(self) -> list[list[int]]:
        """For each node those whose shares depend on its position: itself, and its children."""
        return [
            [
                other
                for other, child in enumerate(self.nodes)
                if other == node or node in child.parents
            ]
            for node in range(len(self.nodes))
        ]

    def moves(self, mapping: tuple[int, ...], node: int) -> list[tuple[int, ...]]:
        """Return the mapping, and with a node at each position between its neighbours."""
        after = (mapping[v] for v, other in enumerate(self.nodes) if node in other.predecessors)
        end = min(after, default=self.positions - 1)
        start = max((mapping[before] for before in self.nodes[node].predecessors), default=0)
        self.left -= (end - start + 1) * len(self.nodes) * _OF_LOOK // 8
        places = range(start, end + 1)
        return [mapping, *((*mapping[:node], at, *mapping[node + 1 :]) for at in places)]

    def by_tree(self) -> BestMapping | None:
        """Return the best mapping of a tree, as far as the budget allows."""
        tree = TreeOfParents(self.shares)
        if not tree.is_solvable or tree.looks > self.left:
            return None
        self.left -= tree.looks
        return BestMapping(tree.best(), exact=True)

    def relaxed(self, domains: list[_Domain]) -> _Relaxed | None:
        """Solve the problem with every parent where it suits each node best."""
        weights = [self.weights(node, domains) for node in range(len(self.nodes))]
        self.left -= len(self.nodes) * self.positions // (8 if self.ordering.tree.is_forest else 1)
        solved = self.ordering.best(weights)
        if solved is None:
            return None
        bound, mapping = solved
        shares = tuple(weights[node][at] or 0 for node, at in enumerate(mapping))
        return _Relaxed(domains, mapping, shares, bound)

    def weights(self, node: int, domains: list[_Domain]) -> list[int | None]:
        """Return the most that a node can be at each position; ``None`` where it may not be."""
        seen = tuple(domains[parent] for parent in self.nodes[node].parents)
        key = node, domains[node], seen
        if key not in self.weighed:
            self.left -= self.positions * (1 + _OF_PARENT * len(seen))
            self.weighed[key] = self.weigh(*key)
        return self.weighed[key]

    def weigh(self, node: int, domain: _Domain, parents: tuple[_Domain, ...]) -> list[int | None]:
        first = [self.shares.representatives(node, place) for place in range(len(parents))]
        seen: list[dict[int, int]] = [{} for _ in parents]
        weights: list[int | None] = []
        for at in range(self.positions):
            for place, allowed in enumerate(parents):
                if at in allowed:
                    seen[place].setdefault(first[place][at], at)
            weights.append(self.most(node, at, seen) if at in domain else None)
        return weights

    def most(self, node: int, at: int, seen: list[dict[int, int]]) -> int:
        upper_bound = self.shares.upper_bounds[node][at]
        if upper_bound == 0:
            return 0
        feasible = self.nodes[node].feasible
        if self.nodes[node].is_tight:
            near = (reversed(positions.values()) for positions in seen)
            fit = all(
                any(feasible(at, i, p) for p in positions) for i, positions in enumerate(near)
            )
            return upper_bound if fit else 0
        choices = [
            [positions[p] for p in self.shares.fitting(node, place, at) if p in positions]
            for place, positions in enumerate(seen)
        ]
        looks = math.prod(map(len, choices)) * _OF_LOOK
        if looks > self.left:
            self.left = 0
            return upper_bound
        self.left -= looks
        best = 0
        for choice in itertools.product(*choices):
            best = max(best, self.shares.at(node, at, choice))
            if best == upper_bound:
                break
        return best

    def parts(self, relaxed: _Relaxed) -> Iterator[list[_Domain]]:
        """Split a problem at a parent that is not where the bound of a node assumes it."""
        domains, mapping = relaxed.domains, relaxed.mapping
        for node, event in enumerate(self.nodes):
            if relaxed.shares[node] == self.shares.in_mapping(node, mapping):
                continue
            for place, parent in enumerate(event.parents):
                first = self.shares.representatives(node, place)
                seen = first[mapping[parent]]
                same = frozenset(p for p in domains[parent] if first[p] == seen)
                if same != domains[parent]:
                    for part in (same, domains[parent] - same):
                        yield [*domains[:parent], part, *domains[parent + 1 :]]
                    return
        raise AssertionError("a node differs from its bound only through a parent")
