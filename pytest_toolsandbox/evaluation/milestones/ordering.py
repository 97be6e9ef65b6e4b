"""The best mapping where only order counts: weights of every node at every position, and edges.

A position that a node may not take has the weight ``None``. Of the best mappings the pointwise
earliest is returned; there is one, since the earlier halves of two best mappings make a best one.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any

from .direct_edges import direct_edges

Weights = Sequence[Sequence[int | None]]

NEVER = -(2**60)
UNCUTTABLE = 2**30 - 1
"""The capacity of arcs that no cut takes. SciPy counts in 32 bits, and such an arc may also carry
back what flows through all the others, which is less than half of this."""


class Ordering:
    """A graph of nodes, each with its predecessors, over a number of positions."""

    def __init__(self, predecessors: Sequence[Sequence[int]], positions: int) -> None:
        self.predecessors = predecessors
        self.positions = positions

    def best(self, weights: Weights) -> tuple[int, tuple[int, ...]] | None:
        """Return the greatest sum of weights and its mapping, or ``None`` where none is allowed."""
        mapping = self.all_at_their_best(weights)
        if mapping is None:
            solve = self._by_running_maxima if self._neighbours else self._by_minimum_cut
            mapping = solve(weights)
        if mapping is None:
            return None
        return sum(weights[node][at] or 0 for node, at in enumerate(mapping)), mapping

    @property
    def is_forest(self) -> bool:
        """Whether there are no cycles, so that no minimum cut is needed."""
        return self._neighbours is not None

    @cached_property
    def _order(self) -> list[int]:
        """The nodes, each after its predecessors."""
        import graphlib

        return list(graphlib.TopologicalSorter(dict(enumerate(self.predecessors))).static_order())

    @cached_property
    def _edges(self) -> list[tuple[int, int]]:
        """The edges that do not follow from others."""
        return direct_edges(dict(enumerate(self.predecessors)))

    @cached_property
    def _neighbours(self) -> list[list[tuple[int, bool]]] | None:
        """Each node's neighbours and whether they come later; ``None`` where there are cycles."""
        neighbours: list[list[tuple[int, bool]]] = [[] for _ in self.predecessors]
        groups = list(range(len(self.predecessors)))
        for u, v in self._edges:
            if groups[u] == groups[v]:
                return None
            groups = [groups[u] if group == groups[v] else group for group in groups]
            neighbours[u].append((v, True))
            neighbours[v].append((u, False))
        return neighbours

    def all_at_their_best(self, weights: Weights) -> tuple[int, ...] | None:
        """Return the earliest mapping in which no node could be better, where there is one."""
        mapping = [0] * len(self.predecessors)
        for node in self._order:
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

    def _by_running_maxima(self, weights: Weights) -> tuple[int, ...] | None:
        """Solve a forest: what hangs on a node tells it its best for every position of the node."""
        mapping = [0] * len(self.predecessors)
        reached: set[int] = set()
        for root in range(len(self.predecessors)):
            if root in reached:
                continue
            walk = list(self._walk(root))
            reached.update(node for node, _, _ in walk)
            totals = {
                node: [NEVER if weight is None else weight for weight in weights[node]]
                for node, _, _ in walk
            }
            for node, parent, later in reversed(walk[1:]):
                for at, most in enumerate(running_maxima(totals[node], later)):
                    totals[parent][at] += most
            best = max(totals[root])
            if best < 0:
                return None
            mapping[root] = totals[root].index(best)
            for node, parent, later in walk[1:]:
                limit = mapping[parent]
                start, end = (limit, self.positions) if later else (0, limit + 1)
                part = totals[node][start:end]
                mapping[node] = start + part.index(max(part))
        return tuple(mapping)

    def _walk(self, root: int) -> Iterator[tuple[int, int, bool]]:
        """Yield the nodes of a tree, each with the one it hangs on and whether it comes later."""
        assert self._neighbours is not None
        waiting = [(root, root, True)]
        while waiting:
            node, parent, later = waiting.pop()
            yield node, parent, later
            waiting += [(n, node, after) for n, after in self._neighbours[node] if n != parent]

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
            UNCUTTABLE if weight is None else (best - weight) >> shift
            for best, own in zip(most, weights, strict=True)
            for weight in own
        ]
        tails, heads = self._arcs
        capacities = np.full(len(tails), UNCUTTABLE, dtype=np.int32)
        capacities[: len(costs)] = costs
        source, size = len(costs), len(costs) + 2
        graph = csr_array((capacities, (tails, heads)), shape=(size, size))
        result = maximum_flow(graph, source, source + 1)
        if result.flow_value >= UNCUTTABLE:
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
            *((here[u], here[v]) for u, v in self._edges),
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


def running_maxima(values: Sequence[int], later: bool) -> list[int]:
    """Return for each position the greatest value at it and later, or at it and earlier."""
    if later:
        return list(itertools.accumulate(reversed(values), max))[::-1]
    return list(itertools.accumulate(values, max))
