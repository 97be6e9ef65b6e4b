"""The graph of milestones as a drawing: a row for each level, the first events at the top."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Final

from pytest_toolsandbox.records.record import EventRecord, Record
from pytest_toolsandbox.wording.phrases import cut
from pytest_toolsandbox.wording.redaction import redacted_line

WIDTH: Final = 172
HEIGHT: Final = 30
ACROSS: Final = 14
DOWN: Final = 28
LETTERS: Final = 23
"""Characters that a box has room for."""


@dataclass(frozen=True)
class Node:
    """A box; ``state`` is reached, nearest, missed or hit, ``message`` the place of that."""

    name: str
    label: str
    state: str
    message: int | None
    x: int
    y: int


@dataclass(frozen=True)
class Graph:
    """Boxes, and the lines between them as paths of SVG; sizes are in its units."""

    width: int
    height: int
    nodes: tuple[Node, ...]
    edges: tuple[str, ...]


def milestone_graph(record: Record) -> Graph | None:
    """Return the drawing of the milestones, and below them of the minefields that were hit."""
    hit = [event for event in record["minefields"] if event.similarity > 0]
    rows = [*_rows(record["milestones"]), *([hit] if hit else [])]
    if not rows:
        return None
    widest = max(map(len, rows))
    width = widest * (WIDTH + ACROSS) - ACROSS + 2
    nodes = {
        event.name: _node(event, "hit" if row is hit else _state(event), place, level, row, width)
        for level, row in enumerate(rows)
        for place, event in enumerate(row)
    }
    edges = (
        _edge(nodes[name], nodes[event.name])
        for event in record["milestones"]
        for name in event.after
        if name in nodes
    )
    height = len(rows) * (HEIGHT + DOWN) - DOWN + 2
    return Graph(width, height, tuple(nodes.values()), tuple(edges))


def _rows(events: Sequence[EventRecord]) -> list[list[EventRecord]]:
    """Return the events of each level; beside each other as those that they come after."""
    levels = _levels({event.name: event.after for event in events})
    rows: list[list[EventRecord]] = [[] for _ in range(max(levels.values(), default=-1) + 1)]
    for event in events:
        rows[levels[event.name]].append(event)
    places: dict[str, int] = {}
    for row in rows:
        row.sort(key=lambda event: fmean([places[n] for n in event.after if n in places] or [0]))
        places |= {event.name: place for place, event in enumerate(row)}
    return rows


def _levels(after: Mapping[str, Sequence[str]]) -> dict[str, int]:
    """Return how far below the top each event stands: the longest way of ``after`` to it."""
    levels = dict.fromkeys(after, 0)
    for _ in after:
        moved = {
            name: max((levels[one] + 1 for one in before if one in levels), default=0)
            for name, before in after.items()
        }
        if moved == levels:
            break
        levels = moved
    return levels


def _state(event: EventRecord) -> str:
    if event.reached:
        return "reached"
    return "nearest" if event.nearest else "missed"


def _node(  # noqa: PLR0913, PLR0917  # all that places it
    event: EventRecord, state: str, place: int, level: int, row: Sequence[EventRecord], width: int
) -> Node:
    own = len(row) * (WIDTH + ACROSS) - ACROSS
    near = event.nearest.snapshot if event.nearest else None
    name = redacted_line(event.name)
    return Node(
        name,
        cut(name, LETTERS),
        state,
        event.snapshot if state in ("reached", "hit") else near,
        (width - own) // 2 + place * (WIDTH + ACROSS),
        1 + level * (HEIGHT + DOWN),
    )


def _edge(start: Node, end: Node) -> str:
    x1, y1, x2, y2 = start.x + WIDTH // 2, start.y + HEIGHT, end.x + WIDTH // 2, end.y
    return f"M{x1} {y1}C{x1} {y1 + DOWN} {x2} {y2 - DOWN} {x2} {y2}"
