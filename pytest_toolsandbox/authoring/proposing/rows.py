"""The rows that several conversations change alike, and what their cells have in common."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from pytest_toolsandbox.scoring.words import is_free_text
from pytest_toolsandbox.text.numerals import is_number
from pytest_toolsandbox.worlds.state import Column, TableSchema, identity, plain

from .changes import (
    ChangedRow,
    Kind,
    asked_columns,
    changed_rows,
    differing_columns,
    named_columns,
    rows_by_kind,
)
from .conversations import Conversation
from .facts import FactFinder
from .steps import written

Document = dict[str, Any]
_ALIKE: Final = 3600
"""Seconds that timestamps which mean the same may be apart."""
_MOST_ROWS: Final = 4
"""With more changed rows, a table is compared with the end of the solution."""


@dataclass(frozen=True)
class Cell:
    """A cell that is asked for in a conversation, and the message that asked for its value."""

    value: Any
    before: int


@dataclass(frozen=True)
class Block:
    """What is asked of a table, and the cells of each conversation by their column.

    ``None`` means that the table can only be compared with the end of a solution.
    """

    written: Document | None
    cells: Sequence[Mapping[str, Sequence[Cell]]] = ()


def common_block(conversations: Sequence[Conversation], table: str) -> Block | None:
    """Return what conversations do to a table; ``None`` if all leave it as it was in the end."""
    changes = [rows_by_kind(changed_rows(conversation, table)) for conversation in conversations]
    kinds = {tuple((k, len(rows)) for k, rows in sorted(change.items())) for change in changes}
    if kinds == {()}:
        return None
    if len(kinds) > 1 or len(changes[0]) > 1 or max(map(len, changes[0].values())) > _MOST_ROWS:
        return Block(None)
    (kind,) = changes[0]
    return _block(conversations, table, kind, [change[kind] for change in changes])


def _block(
    conversations: Sequence[Conversation],
    table: str,
    kind: Kind,
    changes: Sequence[Sequence[ChangedRow]],
) -> Block:
    schema, now = conversations[0].scenario.world.tables[table], conversations[0].scenario.now
    wanted = "\n".join(
        wish.content for conversation in conversations for wish in conversation.wishes
    )
    rows: list[list[Document]] = []
    cells: list[Mapping[str, list[Cell]]] = []
    for conversation, changed in zip(conversations, changes, strict=True):
        rows.append([_asked(conversation, table, change) for change in changed])
        cells.append(_cells(conversation, changed, rows[-1]))
    first, *further = rows
    aligned = [[row, *(_take_nearest(row, other_rows) for other_rows in further)] for row in first]
    return Block({kind: [_merged(schema, group, now, wanted) for group in aligned]}, cells)


def _cells(
    conversation: Conversation, changed: Sequence[ChangedRow], rows: Sequence[Document]
) -> dict[str, list[Cell]]:
    cells: dict[str, list[Cell]] = {}
    for change, row in zip(changed, rows, strict=True):
        for name in row if change.calls else ():
            before = conversation.calls[change.calls[-1]].request
            cells.setdefault(name, []).append(Cell(plain(change.row[name]), before))
    return cells


def _asked(conversation: Conversation, table: str, change: ChangedRow) -> Document:
    """Return the cells that tell what was done to a row."""
    schema = conversation.scenario.world.tables[table]
    names = [] if change.kind == "removed" else asked_columns(conversation, table, change)
    cells = {name: plain(change.row[name]) for name in names}
    if change.before is None:
        return cells
    return _identifying(conversation, table, schema, change) | cells


def _identifying(
    conversation: Conversation, table: str, schema: TableSchema, change: ChangedRow
) -> Document:
    """Return the first cell that only this row has at the start, if possible one people know."""
    before = change.before
    assert before is not None
    rows, known = conversation.start[table].rows, named_columns(schema, before)
    if len(rows) == 1 and change.kind == "updated":
        return {}

    def rank(name: str) -> tuple[bool, ...]:
        is_text = isinstance(before[name], str)
        return name not in known, not is_text, is_free_text(schema.column(name))

    changed = differing_columns(before, change.row)
    for name in sorted((name for name in before if name not in changed), key=rank):
        if sum(identity(row.get(name)) == identity(before[name]) for row in rows) == 1:
            value = plain(before[name])
            return {name: {"exact": value} if is_free_text(schema.column(name)) else value}
    return {name: plain(before[name]) for name in known if name not in changed}


def _take_nearest(row: Document, rows: list[Document]) -> Document:
    """Remove and return the row that has most cells in common with another one."""

    def likeness(other: Document) -> int:
        return sum(name in other and other[name] == row[name] for name in row)

    best = max(rows, key=likeness)
    rows.remove(best)
    return best


def _merged(schema: TableSchema, rows: Sequence[Document], now: datetime, wanted: str) -> Document:
    """Return the cells that all rows have, with what they have in common."""
    return {
        name: _cell(schema.column(name), [row[name] for row in rows], now, wanted)
        for name in rows[0]
        if all(name in row for row in rows)
    }


def _cell(column: Column, values: Sequence[Any], now: datetime, wanted: str) -> Any:
    distinct = [*{identity_of(value): value for value in values}.values()]
    if is_free_text(column) and all(isinstance(value, str) for value in values):
        return _text(distinct, column.measure, wanted)
    if len(distinct) == 1:
        return written(distinct[0], now)
    if all(map(is_number, distinct)) and max(distinct) - min(distinct) <= _ALIKE:
        low = min(distinct)
        return {"close": {"to": written(low, now), "within": max(distinct) - low}}
    return {"any_of": [written(value, now) for value in distinct]}


def identity_of(value: Any) -> str:
    """Return a text by which JSON values are compared."""
    return repr(value)


def _text(texts: Sequence[str], measure: Any, wanted: str) -> Any:
    """Return what all texts have in common: their facts and, for a judge, the shortest of them."""
    shortest = min(texts, key=lambda text: (len(text), text))
    if measure != "restates":
        return shortest if len(texts) == 1 else {"any_of": [*texts]}
    if facts := FactFinder(wanted=wanted).common(texts):
        return {"all_of": [*facts.matchers, shortest]}
    return shortest
