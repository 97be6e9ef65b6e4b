"""A conversation for the HTML report: what is said of it, its thread, its graph, its calls.

The graph of milestones as a drawing: a row for each level, the first events at the top.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Final

from pytest_toolsandbox.language.protocol import find_protocol
from pytest_toolsandbox.output.pages.differences import with_findings
from pytest_toolsandbox.output.pages.replay import tooltalk_call
from pytest_toolsandbox.output.pages.thread import MessageView, thread
from pytest_toolsandbox.output.pages.transcript import said, section
from pytest_toolsandbox.output.pages.view import PageView, Section
from pytest_toolsandbox.records.parts import EventRecord
from pytest_toolsandbox.records.record import Record
from pytest_toolsandbox.text.formatting import truncate
from pytest_toolsandbox.text.redaction import redacted_line

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
        truncate(name, LETTERS),
        state,
        event.snapshot if state in ("reached", "hit") else near,
        (width - own) // 2 + place * (WIDTH + ACROSS),
        1 + level * (HEIGHT + DOWN),
    )


def _edge(start: Node, end: Node) -> str:
    x1, y1, x2, y2 = start.x + WIDTH // 2, start.y + HEIGHT, end.x + WIDTH // 2, end.y
    return f"M{x1} {y1}C{x1} {y1 + DOWN} {x2} {y2 - DOWN} {x2} {y2}"


@dataclass(frozen=True)
class CallPair:
    """A call that was expected beside the one that was made; ``message`` is its index."""

    expected: str
    made: str
    message: int | None


@dataclass(frozen=True)
class Conversation:
    """All that is shown of a record. ``pairs`` say under ``pairs_title`` what calls they are."""

    record: Record
    page: PageView
    messages: tuple[MessageView, ...]
    graph: Graph | None
    pairs_title: str
    pairs: tuple[CallPair, ...]


def conversation(record: Record) -> Conversation:
    """Return what is shown of a record, whatever came of it."""
    page = page_view(record)
    title, pairs = "the closest solution", _solution(record)
    if "calls" in record and record["outcome"] not in ("error", "inconclusive"):
        title, pairs = "the ground truth", _truths(record)
    messages = tuple(thread(record, page.notes))
    return Conversation(record, page, messages, milestone_graph(record), title, tuple(pairs))


def page_view(record: Record) -> PageView:
    """Return what is said of a record: why it could not be scored, or what its protocol says."""
    if record["outcome"] in ("error", "inconclusive") or record["scores"] is None:
        differs = "\n".join(record.get("unrecorded", ()))
        parts = (Section(differs),) if differs else ()
        return PageView(redacted_line(record["reason"] or record["outcome"]), parts)
    try:
        protocol = find_protocol(record.get("protocol", ""))
    except KeyError:  # a protocol of the user's own, or a record of version 1, which has no field
        return PageView(record["outcome"], notes=with_findings(record, {}))
    view: PageView | None = protocol.view(record)
    if view is None:  # a protocol of the user's own that has but a text
        lines = protocol.page(record).splitlines() if record["outcome"] == "failed" else ["passed"]
        parts = (Section("\n".join(lines[1:])),) if lines[1:] else ()
        view = PageView(lines[0], parts, with_findings(record, {}))
    return view


def other_calls(record: Record) -> list[str]:
    """Return the lines about calls of tools that are not the scenario's, if there were any."""
    others = (f"  {name} {count}" for name, count in record.get("other_calls", {}).items())
    return [*section("calls of tools that are not the scenario's", others)][1:]


def _solution(record: Record) -> Iterator[CallPair]:
    """Yield the calls of the closest solution, and then those of the agent that stand for none."""
    calls = {call["request"]: call for call in record.get("tool_calls", [])}
    expected = record.get("closest_solution", [])
    for one in expected:
        made = "" if one.message is None else said(record["messages"][one.message])
        yield CallPair(redacted_line(one.expected), made, one.message)
    covered = {one.message for one in expected}
    for request in calls if expected else ():
        if request not in covered:
            yield CallPair("", said(record["messages"][request]), request)


def _truths(record: Record) -> Iterator[CallPair]:
    """Yield the true calls beside those that they were predicted with, then the others."""
    answers = [call["answer"] for call in record["tool_calls"] if call["answer"] is not None]
    predictions = record["calls"]["predictions"]
    for truth in record["calls"]["truths"]:
        place, made = truth["prediction"], ""
        if place is not None:
            made = tooltalk_call(predictions[place]["call"])
        at = None if place is None else answers[place]
        yield CallPair(tooltalk_call(truth["call"]), made, at)
    for place, prediction in enumerate(predictions):
        if prediction["truth"] is None:
            yield CallPair("", tooltalk_call(prediction["call"]), answers[place])
