"""The best mapping where only order counts: weights of every node at every position, and edges.

A position that a node may not take has the weight ``None``. Of the best mappings the pointwise
earliest is returned; there is one, since the earlier halves of two best mappings make a best one.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

from .graph import direct_edges, in_order
from .tree import Tree

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
