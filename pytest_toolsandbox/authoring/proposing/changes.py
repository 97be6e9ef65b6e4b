"""What a conversation changes in the world: rows of tables, and settings."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from pytest_toolsandbox.authoring.proof.mutants import mutated
from pytest_toolsandbox.conversation.messages import MadeCall
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.scoring.milestones.attribution import key_column
from pytest_toolsandbox.worlds.state import NEW_IDENTIFIER, Row, State, Table, TableSchema, identity

from .conversations import Conversation, answered, arguments_of, played_without

Kind = Literal["added", "removed", "updated"]


@dataclass(frozen=True)
class ChangedRow:
    """A row of a table that is added, removed or updated from the start to the end.

    ``before`` is the updated or removed row at the start. ``calls`` are the numbers of the calls
    that wrote the row, the last one last; none if the user did.
    """

    kind: Kind
    row: Row
    before: Row | None
    calls: tuple[int, ...]


def changed_tables(conversation: Conversation) -> Iterator[str]:
    """Yield the tables that differ from the start after any message."""
    for name, schema in conversation.scenario.world.tables.items():
        states = (state[name] for state in conversation.trajectory.states)
        if not schema.bookkeeping and any(table != conversation.start[name] for table in states):
            yield name


def changed_rows(conversation: Conversation, table: str) -> list[ChangedRow]:
    """Return the rows of a table that differ between the start and the end."""
    start, end = conversation.start[table], conversation.end[table]
    gone, new = start.minus(end), end.minus(start)
    key = key_column(start) or key_column(end)
    before = {row[key]: row for row in gone} if key else {}
    changes = []
    for row in new:
        old = before.pop(row.get(key), None) if key else None
        kind: Kind = "updated" if old else "added"
        changes.append(ChangedRow(kind, row, old, _writers(conversation, table, row, key)))
    updated = {id(change.before) for change in changes}
    for row in gone:
        if id(row) not in updated:
            calls = _writers(conversation, table, row, key)
            changes.append(ChangedRow("removed", row, row, calls))
    return changes


def _writers(conversation: Conversation, table: str, row: Row, key: str | None) -> tuple[int, ...]:
    """Return the calls that changed the row with the same key, or this very row."""

    def same(state: State) -> list[Row]:
        rows = state[table].rows
        return [other for other in rows if (other[key] == row[key] if key else other == row)]

    return tuple(
        number
        for number, call in enumerate(conversation.calls)
        if call.before[table] is not call.after[table] and same(call.before) != same(call.after)
    )


def named_columns(schema: TableSchema, row: Row) -> list[str]:
    """Return the columns of a row that are no new identifiers and have not their default."""
    return [
        name
        for name, value in row.items()
        if (column := schema.column(name)).default is not NEW_IDENTIFIER and value != column.default
    ]


def differing_columns(row: Row, other: Row) -> list[str]:
    """Return the columns of a row in which another row differs."""
    return [name for name in row if identity(row[name]) != identity(other.get(name))]


def asked_columns(conversation: Conversation, table: str, change: ChangedRow) -> list[str]:
    """Return the columns of a written row that arguments of its calls decide.

    An argument matters if another value of it leads to another row; of several columns that it
    decides, the one that is most like it counts.
    """
    if change.kind == "updated" and change.before is not None:
        candidates = differing_columns(change.row, change.before)
    else:
        candidates = named_columns(conversation.scenario.world.tables[table], change.row)
    asked = set[str]()
    for number in change.calls:
        call = conversation.calls[number]
        for name, value in arguments_of(call).items():
            decided = _decided(conversation.scenario, call, table, name)
            columns = [column for column in candidates if decided is None or column in decided]
            ranked = sorted(columns, key=lambda column: -likeness(change.row[column], value))
            if ranked and (decided or likeness(change.row[ranked[0]], value)):
                asked.add(ranked[0])
    return [column for column in candidates if column in asked] or candidates


def likeness(cell: Any, value: Any) -> int:
    """Return how sure it is that a cell has the value of an argument, from 0 to 3."""
    if identity(cell) == identity(value):
        return 3
    if isinstance(cell, str) and isinstance(value, str):
        letters, other = ("".join(filter(str.isalnum, text.casefold())) for text in (cell, value))
        return 2 if letters == other else int(bool(letters) and letters in other)
    return 0


def _decided(scenario: Scenario, call: MadeCall, table: str, name: str) -> Collection[str] | None:
    """Return the columns of the written row that another value of an argument changes.

    ``None`` if no other value can be tried.
    """
    arguments = arguments_of(call)
    other = mutated(arguments[name], call.before)
    if other is None:
        return None
    first, second = answered(scenario, call, [arguments, {**arguments, name: other}])
    if first.failed or second.failed:
        return None
    rows, other_rows = (
        response.state[table].minus(call.before[table]) for response in (first, second)
    )
    if len(rows) != 1 or len(other_rows) != 1:
        return None
    return differing_columns(rows[0], other_rows[0])


Setting = tuple[str, str]
"""A table with a single row, and one of its columns."""


def changed_settings(conversation: Conversation) -> Mapping[Setting, bool]:
    """Return the settings that calls change, and whether the change is wanted for itself.

    It is on the way if a later call fails without it, and so is one that is set back. Of several
    settings that one call changes, those are wanted that have the value of an argument.
    """
    writers: dict[Setting, int] = {}
    for number, call in enumerate(conversation.calls):
        writers |= dict.fromkeys(_settings_changed_by(conversation, call), number)
    return {setting: _is_wanted(conversation, setting, last) for setting, last in writers.items()}


def _settings_changed_by(conversation: Conversation, call: MadeCall) -> Iterator[Setting]:
    for table, schema in conversation.scenario.world.tables.items():
        before, after = call.before[table], call.after[table]
        if schema.single_row and not schema.bookkeeping and before is not after:
            for column in schema.columns:
                if _cell(before, column) != _cell(after, column):
                    yield table, column


def _cell(table: Table, column: str) -> Any:
    return table.rows[0].get(column) if table.rows else None


def _is_wanted(conversation: Conversation, setting: Setting, last: int) -> bool:
    if not is_kept(conversation, setting):
        return False
    again = played_without(conversation, [last])
    if any(
        response.failed and not conversation.calls[number].failed
        for number, response in again.responses.items()
        if number > last
    ):
        return False
    call = conversation.calls[last]
    together = _settings_changed_by(conversation, call)
    values = [*arguments_of(call).values()]
    meant = [s for s in together if any(likeness(setting_value(call.after, s), v) for v in values)]
    return not meant or setting in meant


def is_kept(conversation: Conversation, setting: Setting) -> bool:
    """Return whether a setting is another one at the end than at the start."""
    return bool(
        setting_value(conversation.end, setting) != setting_value(conversation.start, setting)
    )


def setting_value(state: State, setting: Setting) -> Any:
    """Return the value of a setting."""
    return _cell(state[setting[0]], setting[1])


def rows_by_kind(changes: Sequence[ChangedRow]) -> Mapping[Kind, list[ChangedRow]]:
    """Return the changed rows by what happened to them."""
    kinds: dict[Kind, list[ChangedRow]] = {}
    for change in changes:
        kinds.setdefault(change.kind, []).append(change)
    return kinds
