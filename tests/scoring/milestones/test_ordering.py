from __future__ import annotations

import itertools
from collections.abc import Sequence
from random import Random

import pytest
from hypothesis import given, strategies as st

from pytest_toolsandbox.scoring.milestones.matching import Ordering

Predecessors = Sequence[Sequence[int]]
Weights = Sequence[Sequence[int | None]]
Solution = tuple[int, tuple[int, ...]] | None

HIGHEST = 2**24

CHAIN = [(), (0,), (1,)]
FORK = [(), (0,), (0,)]
JOIN = [(), (), (0, 1)]
DIAMOND = [(), (0,), (0,), (1, 2)]
TWO_DIAMONDS = [*DIAMOND, (3,), (3,), (4, 5)]
CROSSED = [(), (), (0, 1), (0, 1)]


def best(predecessors: Predecessors, weights: Weights) -> Solution:
    return Ordering(predecessors, len(weights[0])).best(weights)


def by_brute_force(predecessors: Predecessors, weights: Weights) -> Solution:
    """Return the greatest sum, and the earliest of its mappings."""
    found: Solution = None
    for mapping in itertools.product(range(len(weights[0])), repeat=len(weights)):
        if any(mapping[u] > mapping[v] for v, us in enumerate(predecessors) for u in us):
            continue
        chosen = [own[at] for own, at in zip(weights, mapping, strict=True)]
        known = [weight for weight in chosen if weight is not None]
        if len(known) == len(chosen) and (found is None or sum(known) > found[0]):
            found = sum(known), mapping
    return found


def test_a_chain_of_milestones_takes_the_best_of_each_in_order() -> None:
    weights = [[0, 5, 0, 9], [0, 0, 7, 0], [0, 0, 0, 1]]
    assert best(CHAIN, weights) == (13, (1, 2, 3))


def test_nodes_may_share_a_position() -> None:
    assert best(CHAIN, [[0, 1], [0, 1], [0, 1]]) == (3, (1, 1, 1))
    assert best(CHAIN, [[0, 1], [1, 0], [0, 1]]) == (2, (0, 0, 1))


def test_where_each_is_at_its_best_there_is_nothing_to_weigh() -> None:
    assert best(DIAMOND, [[1, 0], [1, 1], [0, 1], [1, 1]]) == (4, (0, 0, 1, 1))


@pytest.mark.parametrize("predecessors", [CHAIN, FORK, JOIN, DIAMOND, TWO_DIAMONDS, CROSSED])
def test_without_weights_all_lie_at_the_beginning(predecessors: Predecessors) -> None:
    count = len(predecessors)
    assert best(predecessors, [[0, 0, 0]] * count) == (0, (0,) * count)


@pytest.mark.parametrize(
    ("predecessors", "weights", "expected"),
    [
        ([()], [[None, 3, None]], (3, (1,))),
        ([()], [[None, None]], None),
        (CHAIN, [[None, 0], [0, None], [0, 0]], None),
        (FORK, [[None, 5], [5, 1], [None, 2]], (8, (1, 1, 1))),
        (JOIN, [[0, 9], [0, None], [5, 0]], (9, (1, 0, 1))),
        # the join may lie nowhere but before one of its predecessors
        (DIAMOND, [[0, 0], [None, 0], [0, 0], [0, None]], None),
        (DIAMOND, [[9, 0], [None, 4], [6, 5], [8, 3]], (22, (0, 1, 0, 1))),
        (CROSSED, [[None, 1], [None, 1], [1, None], [1, None]], None),
        (CROSSED, [[3, None], [0, 2], [4, 0], [0, 4]], (11, (0, 0, 0, 1))),
    ],
)
def test_a_node_lies_nowhere_that_is_not_allowed(
    predecessors: Predecessors, weights: Weights, expected: Solution
) -> None:
    assert best(predecessors, weights) == expected
    assert by_brute_force(predecessors, weights) == expected


@st.composite
def problems(
    draw: st.DrawFn, weight: st.SearchStrategy[int | None]
) -> tuple[list[list[int]], list[list[int | None]]]:
    """Draw a graph without cycles, whose nodes stand in any order, and its weights."""
    count, positions = draw(st.integers(1, 5)), draw(st.integers(1, 4))
    order = draw(st.permutations(range(count)))
    predecessors = [
        [u for u in order[: order.index(v)] if draw(st.booleans())] for v in range(count)
    ]
    line = st.lists(weight, min_size=positions, max_size=positions)
    return predecessors, draw(st.lists(line, min_size=count, max_size=count))


FEW = st.sampled_from([0, 0, 1, 2, HIGHEST])
ANY = st.integers(0, HIGHEST)
SOME_NOT_ALLOWED = st.one_of(FEW, st.none())


@given(st.one_of(problems(FEW), problems(ANY), problems(SOME_NOT_ALLOWED)))
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
    line = st.lists(st.one_of(FEW, ANY, st.none()), min_size=positions, max_size=positions)
    return predecessors, draw(st.lists(line, min_size=count, max_size=count))


@given(trees())
def test_a_tree_is_solved_alike_where_it_stands_between_two_nodes_that_do_not_matter(
    problem: tuple[list[list[int]], list[list[int | None]]],
) -> None:
    """One before all and one after all make cycles, so that another way of solving is taken."""
    predecessors, weights = problem
    count = len(weights)
    around = [[*before, count] for before in predecessors] + [[], [*range(count)]]
    nothing = [0] * len(weights[0])
    solved = best(predecessors, weights)
    enclosed = best(around, [*weights, nothing, nothing])
    if solved is None or enclosed is None:
        assert solved is enclosed
        return
    assert enclosed[0] == solved[0]
    assert enclosed[1][:count] == solved[1]


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
    solved = best(chains, weights)
    around = [[*before, length] for before in chains] + [[], [length - 2, length - 1]]
    enclosed = best(around, [*weights, [0] * positions, [0] * positions])
    assert solved is not None
    assert enclosed is not None
    assert solved[0] - 4 * length <= enclosed[0] <= solved[0]
