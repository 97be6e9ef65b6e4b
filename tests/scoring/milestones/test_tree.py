"""The transitive reduction, held against its definition."""

from __future__ import annotations

import itertools

from hypothesis import given, strategies as st

from pytest_toolsandbox.scoring.milestones.tree import direct_edges


def test_an_edge_that_is_given_twice_stands_once() -> None:
    edges = direct_edges({"a": (), "b": ("a", "a"), "c": ("a", "b")})
    assert edges == [("a", "b"), ("b", "c")]


def reached(edges: set[tuple[int, int]]) -> set[tuple[int, int]]:
    """Return all pairs with a way from the first to the second."""
    closed = set(edges)
    while True:
        longer = {(a, d) for (a, b), (c, d) in itertools.product(closed, closed) if b == c}
        if longer <= closed:
            return closed
        closed |= longer


@given(st.sets(st.tuples(st.integers(0, 6), st.integers(0, 6)).filter(lambda e: e[0] < e[1])))
def test_the_transitive_reduction_is_the_smallest_graph_with_the_same_paths(
    edges: set[tuple[int, int]],
) -> None:
    graph = {node: [a for a, b in sorted(edges) if b == node] for node in range(7)}
    direct = set(direct_edges(graph))
    assert reached(direct) == reached(edges)
    assert all((a, b) not in reached(direct - {(a, b)}) for a, b in direct)
