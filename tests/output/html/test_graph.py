"""The drawing of the milestones."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

from pytest_toolsandbox.output.html.graph_and_calls import Graph, milestone_graph
from pytest_toolsandbox.records.parts import EventRecord
from pytest_toolsandbox.scoring.results import Nearest

NEAR = Nearest(4, ())


def event(name: str, *after: str, near: Nearest | None = None, score: float = 1.0) -> EventRecord:
    return EventRecord(name, 3, score, score == 1, (), near, (), after)


def graph(*events: EventRecord, minefields: Sequence[EventRecord] = ()) -> Graph:
    record: Any = {"milestones": events, "minefields": minefields}
    milestones = milestone_graph(record)
    assert milestones is not None
    return milestones


def test_events_stand_below_those_that_they_come_after() -> None:
    drawn = graph(
        event("end", "left", "right"),
        event("left", "begin"),
        event("right", "begin"),
        event("begin"),
    )
    y = {node.name: node.y for node in drawn.nodes}
    assert y["begin"] < y["left"] == y["right"] < y["end"]
    assert len(drawn.edges) == 4


def test_no_box_covers_another_or_leaves_the_drawing() -> None:
    wide = [event(f"a{number}") for number in range(4)]
    drawn = graph(*wide, event("end", "a0", "a3"))
    places = [(node.x, node.y) for node in drawn.nodes]
    assert len(set(places)) == 5
    assert all(x >= 0 and x + 172 <= drawn.width and y + 30 <= drawn.height for x, y in places)
    first_row = sorted(x for x, y in places if y == places[0][1])
    assert all(b - a >= 172 for a, b in itertools.pairwise(first_row))


def test_states_and_messages() -> None:
    drawn = graph(
        event("done"),
        event("near", score=0.5, near=NEAR),
        event("far", score=0),
        minefields=[event("mine"), event("quiet", score=0)],
    )
    states = {node.name: (node.state, node.message) for node in drawn.nodes}
    assert states == {
        "done": ("reached", 3),
        "near": ("nearest", 4),
        "far": ("missed", None),
        "mine": ("hit", 3),
    }


def test_beside_each_other_as_what_they_come_after() -> None:
    crossed = [event("a"), event("b"), event("of_b", "b"), event("of_a", "a")]
    x = {node.name: node.x for node in graph(*crossed).nodes}
    assert x["of_a"] < x["of_b"]


def test_long_names_are_cut_in_the_box_and_whole_beside_it() -> None:
    (node,) = graph(event("n" * 60)).nodes
    assert (len(node.label), len(node.name)) == (23, 60)


def test_nothing_to_draw() -> None:
    record: Any = {"milestones": [], "minefields": []}
    assert milestone_graph(record) is None
