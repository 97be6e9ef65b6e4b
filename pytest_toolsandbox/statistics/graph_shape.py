"""The shape of the graph that a scenario's milestones make."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from pytest_toolsandbox.evaluation.milestones.direct_edges import direct_edges
from pytest_toolsandbox.language.constraints import Event

SHAPES = ("no milestones", "single", "chain", "join", "branch", "join and branch", "apart")
"""All of them, from the plainest on.

A ``join`` is where a milestone comes right after several, a ``branch`` where several come right
after one. Without either there is one ``chain`` or there are several things ``apart``.
"""


def shape(milestones: Mapping[str, Event]) -> str:
    """Return the shape of a graph, which an edge that follows from others does not change."""
    if len(milestones) <= 1:
        return "single" if milestones else "no milestones"
    edges = direct_edges({name: event.after for name, event in milestones.items()})
    joins = _repeats(later for _, later in edges)
    branches = _repeats(earlier for earlier, _ in edges)
    if joins or branches:
        return "join and branch" if joins and branches else "join" if joins else "branch"
    return "chain" if len(edges) == len(milestones) - 1 else "apart"


def _repeats(names: Iterable[str]) -> bool:
    found = list(names)
    return len(found) > len(set(found))
