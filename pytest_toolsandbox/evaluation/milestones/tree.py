"""The best mapping of a graph without cycles whose nodes look at their parents, in polynomial time.

From the leaves to the root each node tells the next one, for every position of that one, the best
that it and all behind it can be. A node that looks at parents has two rows of values: in the first
it counts nothing, in the second all its parents fit.

Values are whole numbers in which the sum of similarities stands before the positions, those of the
first node before all others: of the best mappings the lexicographically earliest is the greatest.
"""

from __future__ import annotations

import itertools
import operator
from collections.abc import Iterator
from functools import cached_property

from .direct_edges import direct_edges
from .ordering import running_maxima
from .shares import SCALE, Shares

Values = list[int]
ValueRows = list[Values]
"""A value for each position; two rows of a node that looks at parents."""


class Tree:
    """A graph that is connected."""

    def __init__(self, shares: Shares) -> None:
        self.shares = shares
        self.parents = [node.parents for node in shares.nodes]
        self.scale = int(shares.positions ** len(shares.nodes))
        self.never = -2 * SCALE * self.scale * (len(shares.nodes) + 1)

    @cached_property
    def is_tree(self) -> bool:
        """Whether there is no cycle, and nodes with several parents count all or nothing."""
        return len(self._edges) == len(self.parents) - 1 and all(
            len(parents) < 2 or self.shares.nodes[node].is_tight  # noqa: PLR2004
            for node, parents in enumerate(self.parents)
        )

    @property
    def looks(self) -> int:
        """How many pairs of positions are looked at."""
        views = (
            len(set(self.shares.representatives(node, place)))
            for node, parents in enumerate(self.parents)
            for place in range(len(parents))
        )
        return sum(views) * self.shares.positions

    def best(self) -> tuple[int, ...]:
        """Return the position of each node in the best mapping."""
        walk = list(self._walk())
        rows = [self._own(node) for node in range(len(self.parents))]
        for node, root in reversed(walk[1:]):
            told = self._told(node, root, rows[node])
            rows[root] = [_sums(own, told[i % len(told)]) for i, own in enumerate(rows[root])]
        found: dict[int, tuple[int, int]] = {}
        for node, root in walk:
            choices = self._choices(node, root, rows[node], *found.get(root, (0, 0)))
            _, at, row = max(choices)
            found[node] = at, row
        return tuple(found[node][0] for node in range(len(self.parents)))

    @cached_property
    def _edges(self) -> set[tuple[int, int]]:
        """The edges, each from the earlier node to the later one."""
        after = {v: node.predecessors for v, node in enumerate(self.shares.nodes)}
        looked = ((p, node) for node, parents in enumerate(self.parents) for p in parents)
        return {*direct_edges(after), *looked}

    def _walk(self) -> Iterator[tuple[int, int]]:
        """Yield the nodes, from the first on, each with the one that it hangs on."""
        neighbours: list[list[int]] = [[] for _ in self.parents]
        for earlier, later in sorted(self._edges):
            neighbours[earlier].append(later)
            neighbours[later].append(earlier)
        waiting = [(0, 0)]
        while waiting:
            node, root = waiting.pop()
            yield node, root
            waiting += [(other, node) for other in neighbours[node] if other != root]

    def _own(self, node: int) -> ValueRows:
        """Return what a node is by itself, less what its place in the order of ties costs."""
        shares, everywhere = self.shares, range(self.shares.positions)
        cost = self.scale // shares.positions ** (node + 1)
        nothing = [-at * cost for at in everywhere]
        if len(self.parents[node]) == 1:
            return [nothing, nothing]
        alone = not self.parents[node]
        most = (
            [shares.at(node, at, ()) for at in everywhere] if alone else shares.upper_bounds[node]
        )
        full = _sums(nothing, [share * self.scale for share in most])
        return [full] if alone else [nothing, full]

    def _gain(self, node: int, at: int, place: int, parent_at: int) -> int:
        """Return what a parent adds to the second row of a node."""
        event = self.shares.nodes[node]
        if self.shares.upper_bounds[node][at] == 0 or not event.feasible(at, place, parent_at):
            return self.never
        if len(event.parents) > 1:
            return 0
        share = self.shares.at(node, at, (parent_at,))
        return share * self.scale

    def _told(self, node: int, root: int, rows: ValueRows) -> ValueRows:
        """Return what a node tells the one that it hangs on: for each of its rows, or for all."""
        whole = list(map(max, *rows)) if len(rows) > 1 else rows[0]
        if (node, root) in self._edges:
            anywhere = running_maxima(whole, later=False)
            looks = node in self.parents[root]
            return [anywhere, self._as_parent(node, root, whole)] if looks else [anywhere]
        if root in self.parents[node]:
            return [self._as_child(node, root, rows)]
        return [running_maxima(whole, later=True)]

    def _as_parent(self, parent: int, node: int, values: Values) -> Values:
        place = self.parents[node].index(parent)
        first = self.shares.representatives(node, place)
        best: dict[int, int] = {}
        told = []
        for at, value in enumerate(values):
            best[first[at]] = max(best.get(first[at], value), value)
            told.append(max(most + self._gain(node, at, place, p) for p, most in best.items()))
        return told

    def _as_child(self, node: int, parent: int, rows: ValueRows) -> Values:
        place = self.parents[node].index(parent)
        first = self.shares.representatives(node, place)
        best = dict.fromkeys(first, self.never)
        told = running_maxima(rows[0], later=True)
        for at in reversed(range(len(told))):
            for p, most in best.items():
                best[p] = max(most, rows[1][at] + self._gain(node, at, place, p))
            told[at] = max(told[at], best[first[at]])
        return told

    def _choices(
        self, node: int, root: int, rows: ValueRows, there: int, row: int
    ) -> Iterator[tuple[int, int, int]]:
        """Yield value, position and row of a node for each place where it may lie."""
        earlier, later = (node, root) in self._edges, (root, node) in self._edges
        for (own, values), at in itertools.product(enumerate(rows), range(self.shares.positions)):
            if (earlier and at > there) or (later and at < there):
                continue
            gain = 0
            if earlier and row and node in self.parents[root]:
                gain = self._gain(root, there, self.parents[root].index(node), at)
            elif later and own and root in self.parents[node]:
                gain = self._gain(node, at, self.parents[node].index(root), there)
            yield values[at] + gain, at, own


def _sums(one: Values, other: Values) -> Values:
    return list(map(operator.add, one, other))
