"""The two drawings of a conversation in the HTML report: its milestone graph, and pairs of calls.

The graph has a row for each level, the first events at the top. Everything else that the report
shows of a conversation is put together in ``report.py``: its facts, its page and its messages.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean
from typing import Final

from pytest_toolsandbox.output.pages.messages import message_text
from pytest_toolsandbox.output.pages.wording import is_unread, tooltalk_call
from pytest_toolsandbox.records.parts import EventRecord
from pytest_toolsandbox.records.record import Record
from pytest_toolsandbox.text.formatting import truncate
from pytest_toolsandbox.text.redaction import redacted_line

_WIDTH: Final = 172
_HEIGHT: Final = 30
_ACROSS: Final = 14
_DOWN: Final = 28
_LETTERS: Final = 23
"""Characters that a box has room for."""


_STATES: Final = {
    "reached": "reached",
    "unread": "unread: no judge read the words",
    "nearest": "missed, but a message came near",
    "missed": "missed, and nothing came near",
    "hit": "minefield that was hit",
}
"""How an event fared, and what the legend says of it."""


@dataclass(frozen=True)
class Node:
    """A box; ``state`` is reached, unread, nearest, missed or hit, ``message`` its place."""

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

    @property
    def legend(self) -> list[tuple[str, str]]:
        """The states of its boxes, and what they mean."""
        states = {node.state for node in self.nodes}
        return [(state, words) for state, words in _STATES.items() if state in states]


def milestone_graph(record: Record) -> Graph | None:
    """Return the drawing of the milestones, and below them of the minefields that were hit."""
    rows = _rows(record["milestones"])
    if hit := [event for event in record["minefields"] if event.similarity > 0]:
        rows.append(hit)
    if not rows:
        return None
    width = max(map(_row_width, rows)) + 2
    nodes: dict[str, Node] = {}
    for level, row in enumerate(rows):
        left, y = (width - _row_width(row)) // 2, 1 + level * (_HEIGHT + _DOWN)
        for place, event in enumerate(row):
            state, message = ("hit", event.snapshot) if row is hit else _state(event, record)
            name, x = redacted_line(event.name), left + place * (_WIDTH + _ACROSS)
            nodes[event.name] = Node(name, truncate(name, _LETTERS), state, message, x, y)
    edges = (
        _edge(nodes[name], nodes[event.name])
        for event in record["milestones"]
        for name in event.after
        if name in nodes
    )
    height = len(rows) * (_HEIGHT + _DOWN) - _DOWN + 2
    return Graph(width, height, tuple(nodes.values()), tuple(edges))


def _row_width(row: Sequence[EventRecord]) -> int:
    return len(row) * (_WIDTH + _ACROSS) - _ACROSS


def _state(event: EventRecord, record: Record) -> tuple[str, int | None]:
    """Return how an event fared, and at which message."""
    if event.reached:
        return "unread" if is_unread(event, record) else "reached", event.snapshot
    return ("nearest", event.nearest.snapshot) if event.nearest else ("missed", None)


def _rows(events: Sequence[EventRecord]) -> list[list[EventRecord]]:
    """Return the events of each level, in the order of the events that they come after."""
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
    """Return the level of each event: the length of the longest path of ``after`` to it."""
    levels = dict.fromkeys(after, 0)
    for _ in after:
        moved = {
            name: max((levels[each] + 1 for each in before if each in levels), default=0)
            for name, before in after.items()
        }
        if moved == levels:
            break
        levels = moved
    return levels


def _edge(start: Node, end: Node) -> str:
    x1, y1, x2, y2 = start.x + _WIDTH // 2, start.y + _HEIGHT, end.x + _WIDTH // 2, end.y
    return f"M{x1} {y1}C{x1} {y1 + _DOWN} {x2} {y2 - _DOWN} {x2} {y2}"


@dataclass(frozen=True)
class CallPair:
    """A call that was expected beside the one that was made; ``message`` is its index.

    ``faults`` are the error patterns that it shows.
    """

    expected: str
    made: str
    message: int | None
    faults: tuple[str, ...] = ()

    @property
    def state(self) -> str:
        """How HTML colours it."""
        if not self.made:
            return "missed"
        return "beyond" if not self.expected else "wrong" if self.faults else "reached"

    @property
    def words(self) -> str:
        """What is wrong with it, in words."""
        plain = {"missed": "not made", "beyond": "not expected", "reached": "right", "wrong": ""}
        return ", ".join(filter(None, (plain[self.state], *self.faults)))


def call_pairs(record: Record) -> tuple[str, list[CallPair]]:
    """Return what the calls are compared with, and the pairs."""
    faults: dict[int | None, tuple[str, ...]] = {}
    for finding in record["findings"]:
        if finding.message is not None:
            before = faults.get(finding.message, ())
            faults[finding.message] = tuple(dict.fromkeys((*before, finding.pattern)))
    is_replay = "calls" in record and record["outcome"] not in ("error", "inconclusive")
    title = "the ground truth" if is_replay else "the closest solution"
    pairs = _ground_truth_pairs(record) if is_replay else _solution_pairs(record)
    return title, [replace(pair, faults=faults.get(pair.message, ())) for pair in pairs]


def _solution_pairs(record: Record) -> Iterator[CallPair]:
    """Yield the calls of the closest solution, and then those of the agent that match none."""
    messages, solution = record["messages"], record.get("closest_solution", [])
    for call in solution:
        made = "" if call.message is None else message_text(messages[call.message])
        yield CallPair(redacted_line(call.expected), made, call.message)
    covered = {call.message for call in solution}
    requests = dict.fromkeys(call["request"] for call in record.get("tool_calls", []))
    for request in requests if solution else ():
        if request not in covered:
            yield CallPair("", message_text(messages[request]), request)


def _ground_truth_pairs(record: Record) -> Iterator[CallPair]:
    """Yield the ground-truth calls beside the matching predictions, then the other predictions."""
    answers = [call["answer"] for call in record["tool_calls"] if call["answer"] is not None]
    predictions = record["calls"]["predictions"]
    made = [tooltalk_call(prediction["call"]) for prediction in predictions]
    for truth in record["calls"]["truths"]:
        expected, place = tooltalk_call(truth["call"]), truth["prediction"]
        match = ("", None) if place is None else (made[place], answers[place])
        yield CallPair(expected, *match)
    for place, prediction in enumerate(predictions):
        if prediction["truth"] is None:
            yield CallPair("", made[place], answers[place])
