"""Find the best mapping of milestones whose graph is a forest, in polynomial time.

``Node`` describes a milestone to the search; ``Shares`` caches its similarity at each position.
From the leaves to the root, each node passes on, for every position of its neighbour, the best
value that it and all nodes behind it can have. A node whose similarity depends on the positions of
its parents has two rows with a value per position: in the first its similarity counts as 0, in the
second all its parents fit.
"""

from __future__ import annotations

import itertools
import operator
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
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
        ancestors[node] = set(before).union(*(ancestors[earlier] for earlier in before))
    return sorted(
        (earlier, node)
        for node, before in predecessors.items()
        for earlier in set(before)
        if not any(earlier in ancestors[later] for later in before)
    )


def components(count: int, edges: Iterable[tuple[int, int]]) -> list[list[int]]:
    """Return the connected components of the nodes ``0 .. count - 1``, each in order."""
    parts = [[node] for node in range(count)]
    for first, second in edges:
        kept, joined = parts[first], parts[second]
        if kept is not joined:
            kept += joined
            for node in joined:
                parts[node] = kept
    return [sorted(part) for node, part in enumerate(parts) if node == min(part)]


def is_forest(count: int, edges: Collection[tuple[int, int]]) -> bool:
    """Return whether the edges contain no cycle, regardless of their direction."""
    return len(components(count, edges)) + len(edges) == count


_SCALE = 2**24
"""Similarities are scaled to integers, so that rounding errors cannot break ties."""


@dataclass(frozen=True)
class Node:
    """A milestone or minefield, as the search sees it.

    ``similarity(position, parents' positions)`` is from 0 to 1. ``view(parent's place in parents,
    its position)`` is what the node sees of a parent there, and ``own_view(position)`` what it sees
    of its own snapshot. ``feasible(position, parent's place, parent's position)`` says whether the
    node can be above 0 with that parent there; ``near(position, parent's place)`` lists all such
    positions. ``upper_bound(position)`` is at least the similarity, wherever the parents are. If
    ``is_tight``, it is the similarity whenever the parents fit.
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
    """Caches the similarities of nodes as integers: their shares in the value of a mapping."""

    def __init__(self, nodes: Sequence[Node], positions: int) -> None:
        self.nodes = nodes
        self.positions = positions
        self._shares: dict[tuple[int, int, tuple[int, ...]], int] = {}
        self._views: dict[tuple[int, int | None], list[int]] = {}
        self.upper_bounds = [self._upper_bounds(node) for node in range(len(nodes))]
        self._fitting: dict[tuple[int, int, int], list[int]] = {}

    def _upper_bounds(self, node: int) -> list[int]:
        looks = self.representatives(node, None)
        known = {at: round(self.nodes[node].upper_bound(at) * _SCALE) for at in {*looks}}
        return [known[at] for at in looks]

    def in_mapping(self, node: int, mapping: Sequence[int]) -> int:
        """Return the share of a node if a mapping places it and its parents."""
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
            self._shares[key] = round(event.similarity(at, parents) * _SCALE)
        return self._shares[key]

    def fitting(self, node: int, place: int, at: int) -> list[int]:
        """Return the parent positions, one per view, that leave the node above 0.

        Only positions up to the node's own count.
        """
        key = node, place, at
        if key not in self._fitting:
            event, first = self.nodes[node], self.representatives(node, place)
            near = event.near(at, place) if self.upper_bounds[node][at] else ()
            self._fitting[key] = [
                p for p in near if p <= at and first[p] == p and event.feasible(at, place, p)
            ]
        return self._fitting[key]

    def representatives(self, node: int, place: int | None) -> list[int]:
        """Return, for each position, the first one at which the node sees the same of its parent.

        Without a ``place``, compare the node's view of its own snapshot.
        """
        if (node, place) not in self._views:
            first: dict[Hashable, int] = {}
            event = self.nodes[node]
            view = event.own_view if place is None else partial(event.view, place)
            self._views[node, place] = [first.setdefault(view(p), p) for p in range(self.positions)]
        return self._views[node, place]


_Values = list[int]
_ValueRows = list[_Values]
_Edge = tuple[int, int]
_Choice = tuple[int, int]
"""The position of a node, and its row there."""


class Tree:
    """A graph whose edges lead from an earlier node to a later one."""

    def __init__(self, count: int, edges: Collection[_Edge]) -> None:
        self.edges = frozenset(edges)
        self.is_forest = is_forest(count, self.edges)
        self.rows: list[_ValueRows] = []
        self.neighbours: list[list[int]] = [[] for _ in range(count)]
        for earlier, later in sorted(edges):
            self.neighbours[earlier].append(later)
            self.neighbours[later].append(earlier)

    def solve(self, rows: Iterable[_ValueRows]) -> tuple[int, ...]:
        """Return the position of each node in the best mapping, the earliest of equals."""
        self.rows = list(rows)
        choices: dict[int, _Choice] = {}
        # The forest may have several trees. Each starts at its first node, which breaks ties.
        for first in range(len(self.rows)):
            walk = [] if first in choices else list(self._walk(first))
            # Leaves first: every node has collected its subtree before it passes a value on.
            for node, root in reversed(walk[1:]):
                passed = itertools.cycle(self.passed_on(node, root))
                self.rows[root] = list(map(_sums, self.rows[root], passed))
            # From the root back to the leaves: each choice limits the choices behind it.
            for node, root in walk:
                choices[node] = self.choice(node, root, choices.get(root, (0, 0)))
        return tuple(choices[node][0] for node in range(len(self.rows)))

    def passed_on(self, node: int, root: int) -> _ValueRows:
        """Return what a node passes on to its root: a row for each row of the root, or for all."""
        rows = self.rows[node]
        whole = rows[0] if len(rows) == 1 else list(map(max, *rows))
        return [_running_maxima(whole, later=(root, node) in self.edges)]

    def choice(self, node: int, root: int, there: _Choice) -> _Choice:
        """Return the best choice of a node, given the choice of its root."""
        start, end = self.limits(node, root, there)
        part = self.rows[node][0][start:end]
        return start + part.index(max(part)), 0

    def limits(self, node: int, root: int, there: _Choice) -> tuple[int, int]:
        """Return the range of positions that a node may take, given the choice of its root."""
        start = there[0] if (root, node) in self.edges else 0
        end = there[0] + 1 if (node, root) in self.edges else len(self.rows[node][0])
        return start, end

    def _walk(self, first: int) -> Iterator[tuple[int, int]]:
        """Yield the nodes of a tree, from the first on, each with its root."""
        waiting = [(first, first)]
        while waiting:
            node, root = waiting.pop()
            yield node, root
            waiting += [
                (neighbour, node) for neighbour in self.neighbours[node] if neighbour != root
            ]


class TreeOfParents(Tree):
    """A connected graph in which similarities may depend on the positions of parents.

    A value encodes the sum of similarities first and then the positions, the first node's first. So
    the greatest value is that of the lexicographically earliest of the best mappings.
    """

    def __init__(self, shares: Shares) -> None:
        self.shares = shares
        self.parents = [node.parents for node in shares.nodes]
        # One unit of similarity must outweigh the tie-breaking costs of all nodes together.
        self.scale = int(shares.positions ** len(shares.nodes))
        # No sum of possible values may ever compensate for one impossible choice.
        self.never = -2 * _SCALE * self.scale * (len(shares.nodes) + 1)
        after = {v: node.predecessors for v, node in enumerate(shares.nodes)}
        looked = ((p, node) for node, parents in enumerate(self.parents) for p in parents)
        super().__init__(len(after), {*direct_edges(after), *looked})

    @property
    def is_solvable(self) -> bool:
        """Whether the graph is a tree and each node with several parents is tight."""
        # With several parents the share must not depend on combinations of their positions.
        tight = (len(node.parents) <= 1 or node.is_tight for node in self.shares.nodes)
        return self.is_forest and all(tight)

    @property
    def looks(self) -> int:
        """The number of pairs of positions that the solution compares."""
        views = (
            len(set(self.shares.representatives(node, place)))
            for node, parents in enumerate(self.parents)
            for place in range(len(parents))
        )
        return sum(views) * self.shares.positions

    def best(self) -> tuple[int, ...]:
        """Return the position of each node in the best mapping."""
        return self.solve(map(self._own_rows, range(len(self.parents))))

    def passed_on(self, node: int, root: int) -> _ValueRows:
        """Return what a node passes on, including the similarity of a child or parent."""
        passed = super().passed_on(node, root)
        if node in self.parents[root]:
            return [*passed, self._as_parent(node, root)]
        return [self._as_child(node, root)] if root in self.parents[node] else passed

    def choice(self, node: int, root: int, there: _Choice) -> _Choice:
        """Return the best choice of a node, including what depends on parent positions."""
        _, at, row = max(
            (values[at] + self._joint_value(node, (at, row), root, there), -at, row)
            for row, values in enumerate(self.rows[node])
            for at in range(*self.limits(node, root, there))
        )
        return -at, row

    def _joint_value(self, node: int, choice: _Choice, root: int, root_choice: _Choice) -> int:
        """Return what the second row adds if one of two neighbours is a parent of the other."""
        if root_choice[1] and node in self.parents[root]:
            return self._with_parent(root, root_choice[0], node, choice[0])
        if choice[1] and root in self.parents[node]:
            return self._with_parent(node, choice[0], root, root_choice[0])
        return 0

    def _own_rows(self, node: int) -> _ValueRows:
        """Return the rows of a node alone, minus a cost per position that breaks ties."""
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

    def _with_parent(self, node: int, at: int, parent: int, parent_at: int) -> int:
        """Return what a parent's position adds to the second row of a node at a position."""
        event, place = self.shares.nodes[node], self.parents[node].index(parent)
        if self.shares.upper_bounds[node][at] == 0 or not event.feasible(at, place, parent_at):
            return self.never
        if len(event.parents) > 1:
            return 0
        return self.shares.at(node, at, (parent_at,)) * self.scale

    def _as_parent(self, parent: int, node: int) -> _Values:
        place, fits = self.parents[node].index(parent), self.shares.fitting
        first = self.shares.representatives(node, place)
        best: dict[int, int] = {}
        passed = []
        for at, value in enumerate(map(max, zip(*self.rows[parent], strict=True))):
            # A later position with the same view may have a greater value, so keep the maximum per
            # view.
            best[first[at]] = max(best.get(first[at], value), value)
            pairs = ((p, self._with_parent(node, at, parent, p)) for p in fits(node, place, at))
            passed.append(max((best[p] + share for p, share in pairs), default=self.never))
        return passed

    def _as_child(self, node: int, parent: int) -> _Values:
        place = self.parents[node].index(parent)
        first = self.shares.representatives(node, place)
        best = dict.fromkeys(first, self.never)
        nothing, full = self.rows[node]
        passed = _running_maxima(nothing, later=True)
        # The child comes at or after its parent, so a parent sees all later positions of the
        # child.
        for at in reversed(range(len(passed))):
            for p in self.shares.fitting(node, place, at):
                best[p] = max(best[p], full[at] + self._with_parent(node, at, parent, p))
            passed[at] = max(passed[at], best[first[at]])
        return passed


def _running_maxima(values: _Values, *, later: bool) -> _Values:
    """Return for each position the greatest value at it and later, or at it and earlier."""
    if later:
        return list(itertools.accumulate(reversed(values), max))[::-1]
    return list(itertools.accumulate(values, max))


def _sums(first: _Values, second: _Values) -> _Values:
    return list(map(operator.add, first, second))
