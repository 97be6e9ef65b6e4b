from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Any

import pytest
from hypothesis import given, strategies as st

from pytest_toolsandbox.scoring.milestones.matching import BestMapping, Ordering, best_mapping
from pytest_toolsandbox.scoring.milestones.tree import Node, Shares


def fixed(*similarities: float, after: Sequence[int] = ()) -> Node:
    """Return a node that looks at nothing but its own position."""
    return Node(tuple(after), lambda at, _: similarities[at])


def test_no_nodes_have_an_empty_mapping() -> None:
    assert best_mapping([], 5) == BestMapping((), exact=True)


@dataclass(frozen=True)
class Problem:
    """A graph whose nodes look at parents, all of it in tables.

    ``similarities[node]`` maps a position and what is seen of the parents to a similarity;
    ``views[node][place][position]`` is what is seen; ``misfits[node]`` are the triples of a
    position, a parent's place and a view at which a node is nothing. Nodes may tell how much they
    can be at most.
    """

    positions: int
    predecessors: tuple[tuple[int, ...], ...]
    parents: tuple[tuple[int, ...], ...]
    views: tuple[tuple[tuple[int, ...], ...], ...]
    similarities: tuple[dict[tuple[int, ...], float], ...]
    misfits: tuple[frozenset[tuple[int, int, int]], ...]
    tells_ceilings: bool

    def nodes(self) -> list[Node]:
        return [self.node(index) for index in range(len(self.predecessors))]

    def node(self, index: int) -> Node:
        views, misfits = self.views[index], self.misfits[index]

        def similarity(at: int, positions: tuple[int, ...]) -> float:
            seen = (views[place][position] for place, position in enumerate(positions))
            return self.similarities[index][at, *seen]

        return Node(
            self.predecessors[index],
            similarity,
            self.parents[index],
            view=lambda place, position: views[place][position],
            feasible=lambda at, place, position: (at, place, views[place][position]) not in misfits,
            **self.upper_bounds(index),
        )

    def upper_bounds(self, index: int) -> dict[str, Any]:
        """Return what is known of a node without its parents."""
        table = self.similarities[index]
        known = [
            {share for (place, *_), share in table.items() if place == at}
            for at in range(self.positions)
        ]
        if not self.tells_ceilings:
            return {}
        return {
            "upper_bound": lambda at: max(known[at]),
            "is_tight": all(len(shares) == 1 for shares in known),
        }

    def value(self, mapping: Sequence[int]) -> float:
        return sum(self.value_of(node, index, mapping) for index, node in enumerate(self.nodes()))

    def value_of(self, node: Node, index: int, mapping: Sequence[int]) -> float:
        at, parents = mapping[index], tuple(mapping[parent] for parent in node.parents)
        feasible = all(node.feasible(at, place, position) for place, position in enumerate(parents))
        return node.similarity(at, parents) if feasible else 0.0

    def mappings(self) -> list[tuple[int, ...]]:
        count = len(self.predecessors)
        return [
            mapping
            for mapping in itertools.product(range(self.positions), repeat=count)
            if all(mapping[u] <= mapping[v] for v in range(count) for u in self.predecessors[v])
        ]

    def best(self) -> tuple[int, ...]:
        """Return the best mapping by trying them all, of several the earliest."""
        return min(self.mappings(), key=lambda mapping: (-self.value(mapping), mapping))


@st.composite
def tables(
    draw: st.DrawFn, positions: int, parents: int, shares: st.SearchStrategy[float]
) -> dict[tuple[int, ...], float]:
    """Return similarities that depend on what is seen of the parents, or on the position alone."""
    looks = list(itertools.product(range(3), repeat=parents))
    if draw(st.booleans()):
        return {(at, *seen): draw(shares) for at in range(positions) for seen in looks}
    alone = [draw(shares) for _ in range(positions)]
    return {(at, *seen): alone[at] for at in range(positions) for seen in looks}


@st.composite
def problems(draw: st.DrawFn) -> Problem:
    count, positions = draw(st.integers(1, 4)), draw(st.integers(1, 4))
    order = draw(st.permutations(range(count)))
    predecessors, ancestors = {}, dict[int, set[int]]()
    for place, node in enumerate(order):
        before = [u for u in order[:place] if draw(st.booleans())]
        predecessors[node] = tuple(before)
        ancestors[node] = set(before).union(*(ancestors[u] for u in before))
    parents = [
        tuple(u for u in sorted(ancestors[node]) if draw(st.booleans())) for node in range(count)
    ]
    seen = st.tuples(*[st.integers(0, 2)] * positions)
    shares = st.sampled_from((0.0, 0.0, 0.25, 0.5, 1.0))
    similarities = [draw(tables(positions, len(node_parents), shares)) for node_parents in parents]
    triples = st.tuples(st.integers(0, positions - 1), st.integers(0, 2), st.integers(0, 2))
    return Problem(
        positions,
        tuple(predecessors[node] for node in range(count)),
        tuple(parents),
        tuple(tuple(draw(seen) for _ in node_parents) for node_parents in parents),
        tuple(similarities),
        tuple(draw(st.frozensets(triples, max_size=4)) for _ in parents),
        draw(st.booleans()),
    )


@given(problems())
def test_the_best_mapping_is_that_of_all_mappings_and_the_earliest_of_the_best(
    problem: Problem,
) -> None:
    assert best_mapping(problem.nodes(), problem.positions) == BestMapping(
        problem.best(), exact=True
    )


@given(problems(), st.integers(1, 4))
def test_out_of_budget_the_mapping_is_allowed_and_never_wrongly_called_exact(
    problem: Problem, budget: int
) -> None:
    mapping = best_mapping(problem.nodes(), problem.positions, budget)
    assert mapping.positions in problem.mappings()
    if mapping.exact:
        assert problem.value(mapping.positions) == problem.value(problem.best())


def test_a_search_that_ends_early_says_so() -> None:
    child = Node((0,), lambda at, positions: float((at, *positions) == (1, 1)), parents=(0,))
    assert best_mapping([fixed(1, 0.5), child], 2) == BestMapping((1, 1), exact=True)
    cut = best_mapping([fixed(1, 0.5), child], 2, budget=1)
    assert not cut.exact
    assert cut.positions in ((0, 0), (0, 1), (1, 1))


@pytest.mark.parametrize(
    ("views", "seen"),
    [
        ({"view": lambda _place, _position: "the same"}, lambda at, _: at),
        ({"own_view": lambda at: at // 10}, lambda at, parent: (at // 10, parent)),
    ],
)
def test_each_similarity_is_asked_for_once_for_what_looks_the_same(
    views: dict[str, Any], seen: Callable[[int, int], Any]
) -> None:
    asked: list[Any] = []

    def similarity(at: int, positions: tuple[int, ...]) -> float:
        asked.append(seen(at, *positions))
        return 0.0

    child = Node((0,), similarity, parents=(0,), **views)
    best_mapping([fixed(*[0.0] * 19, 1), child], 20)
    assert len(asked) == len({*asked})


def test_how_much_a_node_can_be_is_asked_once_where_its_snapshots_look_the_same() -> None:
    asked: list[int] = []

    def upper_bound(at: int) -> float:
        asked.append(at)
        return at / 20

    Shares([replace(fixed(1), upper_bound=upper_bound, own_view=lambda at: at // 10)], 20)
    assert asked == [0, 10]


def test_a_place_that_the_own_call_changes_is_the_nodes_though_others_look_the_same() -> None:
    """What looks the same may still fit at one place alone: where the parent lies."""
    child = Node(
        *((0,), lambda _at, _: 1.0),
        parents=(0,),
        own_view=lambda _at: "the same",
        view=lambda _place, position: position,
        feasible=lambda at, _place, position: at == position,
    )
    assert best_mapping([fixed(0.5, 0.25, 1), child], 3).positions == (2, 2)


def test_many_parents_do_not_keep_the_search_for_ever() -> None:
    """Three parents of a hundred views each are a million looks for every position."""
    looks = 0

    def similarity(at: int, positions: tuple[int, ...]) -> float:
        nonlocal looks
        looks += 1
        return 0.5 if sum(positions) == at else 0.0

    parents = [fixed(*[1.0] * 100) for _ in range(3)]
    child = Node((0, 1, 2), similarity, parents=(0, 1, 2))
    mapping = best_mapping([*parents, child], 100, budget=5_000)
    assert not mapping.exact
    assert looks <= 5_000 + 4


def guarded(similarities: Sequence[float], *after: int) -> Node:
    """Return a node that is 0 unless it lies where each of its predecessors does."""
    return Node(
        after,
        lambda at, _: similarities[at],
        parents=after,
        upper_bound=lambda at: similarities[at],
        is_tight=True,
        feasible=lambda at, _place, position: at == position,
    )


def test_a_chain_whose_nodes_must_lie_together_is_solved_at_once() -> None:
    """Branches would be tried for ever: each node is best somewhere else."""
    shares = [[(at * 37 + node * 61) % 101 / 128 for at in range(100)] for node in range(30)]
    nodes = [guarded(node_shares, *range(node)[-1:]) for node, node_shares in enumerate(shares)]
    mapping = best_mapping(nodes, 100)
    assert mapping.exact
    together = max(sum(node_shares[at] for node_shares in shares) for at in range(100))
    assert value(nodes, mapping.positions) >= together


def test_a_search_that_ends_early_has_at_least_all_nodes_in_one_place() -> None:
    """Two nodes after each two: no tree."""
    shares = [[(at * 37 + node * 61) % 101 / 128 for at in range(60)] for node in range(20)]
    before = [range(node - node % 2)[-2:] for node in range(20)]
    nodes = [guarded(node_shares, *before[node]) for node, node_shares in enumerate(shares)]
    mapping = best_mapping(nodes, 60, budget=20_000)
    assert not mapping.exact
    together = max(sum(node_shares[at] for node_shares in shares) for at in range(60))
    assert value(nodes, mapping.positions) >= together


def value(nodes: Sequence[Node], mapping: Sequence[int]) -> float:
    return sum(
        node.similarity(mapping[index], ())
        * all(mapping[index] == mapping[p] for p in node.parents)
        for index, node in enumerate(nodes)
    )


def test_looking_for_where_parents_fit_is_work_that_is_counted() -> None:
    """No view looks like another, and each node after three others fits at few of theirs."""
    asked = 0

    def guarded_by(similarities: Sequence[float], *after: int) -> Node:
        def feasible(at: int, _place: int, position: int) -> bool:
            nonlocal asked
            asked += 1
            return (at - position) % 7 == 0

        return replace(
            guarded(similarities, *after), is_tight=False, feasible=feasible, similarity=similar
        )

    def similar(at: int, positions: tuple[int, ...]) -> float:
        return (at * 37 + sum(positions) * 61) % 101 / 128

    before = [
        sorted({n for n in (node - 1, node - 3, node // 2) if 0 <= n < node}) for node in range(20)
    ]
    nodes = [guarded_by([1.0] * 60, *after) for after in before]
    assert not best_mapping(nodes, 60, budget=100_000).exact
    assert asked < 200_000


Predecessors = Sequence[Sequence[int]]
Weights = Sequence[Sequence[int | None]]
Solution = tuple[int, tuple[int, ...]] | None

HIGHEST = 2**24


def best(predecessors: Predecessors, weights: Weights) -> Solution:
    return Ordering(predecessors, len(weights[0])).best(weights)


def by_brute_force(predecessors: Predecessors, weights: Weights) -> Solution:
    """Return the greatest sum, and the earliest of its mappings."""
    solution: Solution = None
    for mapping in itertools.product(range(len(weights[0])), repeat=len(weights)):
        if any(mapping[u] > mapping[v] for v, us in enumerate(predecessors) for u in us):
            continue
        chosen = [node_weights[at] for node_weights, at in zip(weights, mapping, strict=True)]
        known = [weight for weight in chosen if weight is not None]
        if len(known) == len(chosen) and (solution is None or sum(known) > solution[0]):
            solution = sum(known), mapping
    return solution


def weights(
    count: int, positions: int, weight: st.SearchStrategy[int | None]
) -> st.SearchStrategy[list[list[int | None]]]:
    line = st.lists(weight, min_size=positions, max_size=positions)
    return st.lists(line, min_size=count, max_size=count)


@st.composite
def orderings(
    draw: st.DrawFn, weight: st.SearchStrategy[int | None]
) -> tuple[list[list[int]], list[list[int | None]]]:
    """Draw a graph without cycles, whose nodes stand in any order, and its weights."""
    count, positions = draw(st.integers(1, 5)), draw(st.integers(1, 4))
    order = draw(st.permutations(range(count)))
    predecessors = [
        [u for u in order[: order.index(v)] if draw(st.booleans())] for v in range(count)
    ]
    return predecessors, draw(weights(count, positions, weight))


FEW = st.sampled_from([0, 0, 1, 2, HIGHEST])
ANY = st.integers(0, HIGHEST)


@given(st.one_of(orderings(FEW), orderings(ANY), orderings(st.one_of(FEW, st.none()))))
def test_the_best_is_that_of_all_mappings_and_the_earliest_of_the_best(
    problem: tuple[list[list[int]], list[list[int | None]]],
) -> None:
    assert best(*problem) == by_brute_force(*problem)


@st.composite
def trees(draw: st.DrawFn) -> tuple[list[list[int]], list[list[int | None]]]:
    """Draw a graph whose nodes have one predecessor at most, and its weights."""
    count, positions = draw(st.integers(1, 12)), draw(st.integers(1, 8))
    predecessors = [
        draw(st.lists(st.integers(0, v - 1), max_size=1)) if v else [] for v in range(count)
    ]
    return predecessors, draw(weights(count, positions, st.one_of(FEW, ANY, st.none())))


def enclosed(predecessors: Predecessors, weights: Weights) -> Solution:
    """Solve with a node before all and one after all, so that there are cycles."""
    count, nothing = len(weights), [0] * len(weights[0])
    around = [[*before, count] for before in predecessors] + [[], [*range(count)]]
    return best(around, [*weights, nothing, nothing])


@given(trees())
def test_a_tree_is_solved_alike_where_it_stands_between_two_nodes_that_do_not_matter(
    problem: tuple[list[list[int]], list[list[int | None]]],
) -> None:
    solved, other = best(*problem), enclosed(*problem)
    if solved is None or other is None:
        assert solved is other
    else:
        assert (other[0], other[1][:-2]) == solved


def test_many_nodes_with_high_weights_do_not_overflow() -> None:
    """Of 40 pairs one can lie apart, and each of the others has one node at its best."""
    links = 40
    predecessors: list[list[int]] = [[], []]
    for link in range(1, links):
        predecessors += [[2 * link - 2, 2 * link - 1]] * 2
    weights = [[0, HIGHEST], [HIGHEST, 0]] * links
    assert best(predecessors, weights) == ((links + 1) * HIGHEST, (0,) * 78 + (1, 0))


@pytest.mark.parametrize("seed", range(5))
def test_long_chains_side_by_side_do_not_overflow(seed: int) -> None:
    """Alone they are solved one by one. Between two nodes that do not matter they are a cycle.

    Of so many nodes the weights exceed what the minimum cut counts with, so it counts coarser.
    """
    random, length, positions = Random(seed), 40, 30
    chains = [[place - 2] if place > 1 else [] for place in range(length)]
    weights = [[random.randint(0, HIGHEST) for _ in range(positions)] for _ in chains]
    solved, other = best(chains, weights), enclosed(chains, weights)
    assert solved is not None
    assert other is not None
    assert solved[0] - 4 * length <= other[0] <= solved[0]
