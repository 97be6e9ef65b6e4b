"""Find the best mapping of milestones to snapshots, exactly (ToolSandbox, equation 2).

``best_mapping`` maps every milestone to a position in ``range(positions)``. A milestone comes at or
after each of its predecessors. The value of a mapping is the sum of the similarities. A similarity
may also depend on the positions of the milestone's parents, through a *view*: parent positions with
the same view count the same.

Without parents, ``Ordering`` solves the problem: with running maxima if the graph is a chain or a
tree, and with a minimum cut for any other graph. With parents, ``TreeOfParents`` solves a tree, and
``_Search`` solves other graphs by branch and bound. It first lets every milestone choose the parent
positions that suit it best. If the parents are not there in the result, it splits the problem in
two: the parent has that view, or it does not.

If several mappings have the same value, the lexicographically earliest one is returned. It is the
pointwise earliest one if there is such a mapping.
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
"""The capacity of arcs that no cut may use.

SciPy counts in 32 bits, and the residual graph adds the flow of all other arcs, less than half of
this, to the capacity.
"""


class Ordering:
    """Finds the best mapping if similarities do not depend on parents.

    ``Weights`` are the similarities of each node at each position; ``None`` forbids a position. The
    result is the pointwise earliest of the best mappings. It exists because the pointwise minimum
    of two best mappings is a best mapping, too.
    """

    def __init__(self, predecessors: Sequence[Sequence[int]], positions: int) -> None:
        self.predecessors = predecessors
        self.positions = positions
        self.order = in_order(dict(enumerate(predecessors)))

    def best(self, weights: Weights) -> tuple[int, tuple[int, ...]] | None:
        """Return the greatest sum of weights and its mapping, or ``None`` if none is allowed."""
        # Often every node can have its greatest weight. That avoids the search and SciPy.
        mapping = self.all_at_their_best(weights)
        if mapping is None:
            solve = self._by_tree if self.tree.is_forest else self._by_minimum_cut
            mapping = solve(weights)
        if mapping is None:
            return None
        return sum(weights[node][at] or 0 for node, at in enumerate(mapping)), mapping

    @cached_property
    def tree(self) -> Tree:
        """The nodes with the transitive reduction of their edges."""
        return Tree(len(self.predecessors), direct_edges(dict(enumerate(self.predecessors))))

    def all_at_their_best(self, weights: Weights) -> tuple[int, ...] | None:
        """Return the earliest mapping with the greatest weight of every node, if there is one."""
        mapping = [0] * len(self.predecessors)
        for node in self.order:
            row = weights[node]
            most = max((weight for weight in row if weight is not None), default=None)
            if most is None:
                return None
            # Nodes come in topological order, so all predecessors are placed already.
            start = max((mapping[before] for before in self.predecessors[node]), default=0)
            at = next((at for at in range(start, self.positions) if row[at] == most), None)
            if at is None:
                return None
            mapping[node] = at
        return tuple(mapping)

    def _by_tree(self, weights: Weights) -> tuple[int, ...] | None:
        rows = ([[NEVER if weight is None else weight for weight in row]] for row in weights)
        mapping = self.tree.solve(rows)
        allowed = all(weights[node][at] is not None for node, at in enumerate(mapping))
        return mapping if allowed else None

    def _by_minimum_cut(self, weights: Weights) -> tuple[int, ...] | None:
        """Solve any graph: the minimum cut separates the positions of each node.

        The vertex of a node and a position means "at this position or later". Cutting its arc to
        the next vertex puts the node at this position. The cut costs the difference to the node's
        greatest weight.
        """
        import numpy as np
        from scipy.sparse import csr_array
        from scipy.sparse.csgraph import maximum_flow

        most = [max((w for w in row if w is not None), default=NEVER) for row in weights]
        if NEVER in most:
            return None
        # All costs together must stay below the capacity of the uncuttable arcs.
        shift = max(0, (sum(most) * 2).bit_length() - 30)
        costs = [
            _UNCUTTABLE if weight is None else (best - weight) >> shift
            for best, row in zip(most, weights, strict=True)
            for weight in row
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
        """Return the tails and heads of all arcs: first those that can be cut, then the others."""
        import numpy as np

        count, width = len(self.predecessors), self.positions
        here = np.arange(count * width).reshape(count, width)
        source, sink = np.full(count, count * width), np.full((count, 1), count * width + 1)
        arcs = [
            (here, np.hstack([here[:, 1:], sink])),
            # "At 3 or later" implies "at 2 or later": these arcs keep the cut at one position per
            # node.
            (here[:, 1:], here[:, :-1]),
            (source, here[:, 0]),
            # If the earlier node is at a position or later, so is the later node.
            *((here[u], here[v]) for u, v in sorted(self.tree.edges)),
        ]
        tails, heads = zip(*arcs, strict=True)
        joined = [np.concatenate([part.ravel() for part in side]) for side in (tails, heads)]
        return joined[0], joined[1]

    def _cut(self, residual: Any, source: int) -> tuple[int, ...]:
        from scipy.sparse.csgraph import breadth_first_order

        # The cut that is nearest to the source gives the pointwise earliest mapping.
        residual.data[residual.data < 0] = 0
        residual.eliminate_zeros()
        passed = set(breadth_first_order(residual, source, return_predecessors=False).tolist())
        return tuple(
            max(at for at in range(self.positions) if node * self.positions + at in passed)
            for node in range(len(self.predecessors))
        )


WORK = 1_000_000
"""The default budget of a search, in node positions that are weighed and similarities computed."""
_OF_PARENT, _OF_LOOK = 16, 8
"""The cost, in the same unit, of checking a parent and of computing one similarity."""

_Domain = frozenset[int]


@dataclass(frozen=True)
class BestMapping:
    """A mapping: the position of each node, and whether it is known to be the best."""

    positions: tuple[int, ...]
    exact: bool


def best_mapping(nodes: Sequence[Node], positions: int, budget: int = WORK) -> BestMapping:
    """Return the best mapping of the nodes. Their order breaks ties.

    Connected components are solved one after the other and share the budget.
    """
    positions_found = [0] * len(nodes)
    exact = True
    edges = ((u, v) for v, node in enumerate(nodes) for u in (*node.predecessors, *node.parents))
    for members in components(len(nodes), edges):
        search = _Search(_only(nodes, members), positions, budget)
        mapping = search.run()
        budget, exact = max(search.budget, 1), exact and mapping.exact
        for node, at in zip(members, mapping.positions, strict=True):
            positions_found[node] = at
    return BestMapping(tuple(positions_found), exact)


def _only(nodes: Sequence[Node], members: Sequence[int]) -> list[Node]:
    """Return some of the nodes with new numbers. They must not refer to other nodes."""
    place = {node: index for index, node in enumerate(members)}
    return [
        replace(
            nodes[node],
            predecessors=tuple(place[predecessor] for predecessor in nodes[node].predecessors),
            parents=tuple(place[parent] for parent in nodes[node].parents),
        )
        for node in members
    ]


@dataclass(frozen=True)
class _Relaxed:
    """The best mapping if each node may choose the positions of its parents, and its shares."""

    domains: list[_Domain]
    mapping: tuple[int, ...]
    shares: tuple[int, ...]
    bound: int


class _Search:
    """Branch and bound. A problem is a domain, the allowed positions, for every node.

    ``budget`` is the work that may still be done. When it is spent, nodes that were not weighed get
    their upper bound, so the bounds remain valid.
    """

    def __init__(self, nodes: Sequence[Node], positions: int, budget: int) -> None:
        self.nodes = nodes
        self.positions = positions
        self.budget = budget
        self.ordering = Ordering([node.predecessors for node in nodes], positions)
        self.shares = Shares(nodes, positions)
        self.weighed: dict[tuple[int, _Domain, tuple[_Domain, ...]], list[int | None]] = {}

    def run(self) -> BestMapping:
        return self.all_at_their_best() or self.search()

    def all_at_their_best(self) -> BestMapping | None:
        """Return the mapping that gives every node its greatest similarity, if there is one.

        It is the earliest mapping that the order allows, so it is the result if its parents fit.
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
                # The counter breaks ties of the bound, since ``_Relaxed`` objects cannot be
                # compared.
                heapq.heappush(waiting, (-relaxed.bound, next(counter), relaxed))

        consider([frozenset(range(self.positions))] * len(self.nodes))
        root = waiting[0][2]
        if self.total(root.mapping) != root.bound:
            if solved := self.by_tree():
                return solved
            # A good first mapping prunes most branches, and is the answer if the budget runs out.
            mapping = self.improved(self.all_in_one_place())
            best = -self.total(mapping), mapping
        while waiting and (best is None or self.budget > 0):
            bound, _, relaxed = problem = heapq.heappop(waiting)
            if best is not None and bound > best[0]:
                break
            self.budget -= 1
            # As a tuple, the greater value wins and then the lexicographically earlier mapping.
            candidate = -self.total(relaxed.mapping), relaxed.mapping
            best = candidate if best is None else min(best, candidate)
            if candidate[0] == bound:
                continue
            if self.budget <= 0:
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
        """Return the best of the mappings that put all nodes at the same position."""
        places = [(at,) * len(self.nodes) for at in range(self.positions)]
        self.budget -= len(self.nodes) * self.positions * _OF_LOOK
        return max(places, key=self.total)

    def improved(self, start: tuple[int, ...]) -> tuple[int, ...]:
        """Move single nodes as long as the value grows: the result if the budget runs out."""
        mapping, value = start, -1
        while self.budget > 0 and self.total(mapping) > value:
            value = self.total(mapping)
            for node, touched in enumerate(self.touched):
                mapping = max(self.moves(mapping, node), key=partial(self.sum_of, touched))
        return mapping

    @cached_property
    def touched(self) -> list[list[int]]:
        """Return, for each node, the nodes whose shares depend on it: itself and its children."""
        return [
            [
                index
                for index, child in enumerate(self.nodes)
                if index == node or node in child.parents
            ]
            for node in range(len(self.nodes))
        ]

    def moves(self, mapping: tuple[int, ...], node: int) -> list[tuple[int, ...]]:
        """Return the mapping, and the mappings that move a node between its neighbours."""
        after = (mapping[v] for v, later in enumerate(self.nodes) if node in later.predecessors)
        end = min(after, default=self.positions - 1)
        start = max((mapping[before] for before in self.nodes[node].predecessors), default=0)
        self.budget -= (end - start + 1) * len(self.nodes) * _OF_LOOK // 8
        places = range(start, end + 1)
        return [mapping, *((*mapping[:node], at, *mapping[node + 1 :]) for at in places)]

    def by_tree(self) -> BestMapping | None:
        """Return the best mapping if the graph is a tree and the budget suffices."""
        tree = TreeOfParents(self.shares)
        if not tree.is_solvable or tree.looks > self.budget:
            return None
        self.budget -= tree.looks
        return BestMapping(tree.best(), exact=True)

    def relaxed(self, domains: list[_Domain]) -> _Relaxed | None:
        """Solve the problem in which each node may choose the positions of its parents."""
        weights = [self.weights(node, domains) for node in range(len(self.nodes))]
        # The budget counts a minimum cut as eight times the work of the running maxima.
        self.budget -= (
            len(self.nodes) * self.positions // (8 if self.ordering.tree.is_forest else 1)
        )
        solved = self.ordering.best(weights)
        if solved is None:
            return None
        bound, mapping = solved
        shares = tuple(weights[node][at] or 0 for node, at in enumerate(mapping))
        return _Relaxed(domains, mapping, shares, bound)

    def weights(self, node: int, domains: list[_Domain]) -> list[int | None]:
        """Return the upper bound of a node at each position; ``None`` outside of its domain."""
        seen = tuple(domains[parent] for parent in self.nodes[node].parents)
        key = node, domains[node], seen
        if key not in self.weighed:
            self.budget -= self.positions * (1 + _OF_PARENT * len(seen))
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
            # The latest parent position is likely to fit, since little can have changed after it.
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
        if looks > self.budget:
            self.budget = 0
            return upper_bound
        self.budget -= looks
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
