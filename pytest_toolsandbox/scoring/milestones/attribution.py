"""The states to which the calls of one party alone would have led: what it changed itself.

Agent and user change the same world. A table that must not change is compared in the states without
the changes of the user, so that nobody answers for the calls of another. A change is applied to the
row that it means: a row that both have changed keeps, for each of them, the other columns as they
were. Rows are told apart by the first column with distinct values; without one, changed rows are
removed and added rows.
"""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence

from pytest_toolsandbox.conversation.messages import Trajectory
from pytest_toolsandbox.language.roles import Party
from pytest_toolsandbox.worlds.state import Row, State, Table, identity


def states_by(trajectory: Trajectory, party: Party) -> tuple[State, ...]:
    """Return the state after each message, with the changes of one party alone, or of ``any``."""
    if party == "any":
        return trajectory.states
    calls = trajectory.user_calls if party == "agent" else trajectory.calls
    foreign = {call.answer for call in calls if call.answer is not None and call.changed_the_world}
    foreign |= trajectory.clock_moves.keys()  # what time brings, nobody does
    if not foreign:
        return trajectory.states
    states = (trajectory.start, *trajectory.states)
    changed = sorted(
        {
            name
            for place in foreign
            for name in states[place]
            if states[place][name] is not states[place + 1][name]
        }
    )
    tables = [[*_tables([state[name] for state in states], foreign)] for name in changed]
    alone, before = [], trajectory.start
    for place, state in enumerate(trajectory.states):
        own_tables = {name: table[place] for name, table in zip(changed, tables, strict=True)}
        is_same = state is states[place] and all(
            own_tables[name] is before[name] for name in own_tables
        )
        if not is_same:
            before = _with_tables(state, own_tables)
        alone.append(before)
    return tuple(alone)


def _with_tables(state: State, tables: dict[str, Table]) -> State:
    for name, table in tables.items():
        if state[name] is not table:
            state = state.with_table(name, table)
    return state


def _tables(tables: Sequence[Table], foreign: Collection[int]) -> Iterator[Table]:
    """Yield a table after each message, without the changes at the ``foreign`` ones."""
    own_table = _OwnTable(tables[0])
    for place, (before, after) in enumerate(itertools.pairwise(tables)):
        if before is not after:
            own_table.change(before, after, is_foreign=place in foreign)
        yield own_table.table


class _OwnTable:
    """A table as the changes of one party make it, while another party changes the same table."""

    def __init__(self, start: Table) -> None:
        self.table = start
        self._images: defaultdict[Row, list[Row | None]] = defaultdict(list)
        """Row → what stands for it in the own table; ``None`` for a row of another party."""

    def change(self, before: Table, after: Table, *, is_foreign: bool) -> None:
        """Take a change of the whole table over if it is an own one."""
        removed, added, changed = _paired(before, after)
        for row in removed:
            image = self._image(row)
            if not is_foreign and image is not None:
                self.table = self.table.without(image)
        for row in added:
            if is_foreign:
                self._images[row].append(None)
            else:
                self.table = self.table.with_row(row)
        for old, new in changed:
            image = self._image(old)
            if not is_foreign:
                image = self._changed(image, old, new)
            if image is not new:
                self._images[new].append(image)

    def _image(self, row: Row) -> Row | None:
        """Return and forget what stands for a row in the own table."""
        images = self._images.get(row)
        return images.pop() if images else row

    def _changed(self, image: Row | None, old: Row, new: Row) -> Row:
        """Change a row of the own table as another row was changed, and return it."""
        if image is None:  # another party has added it, and now it is changed
            self.table = self.table.with_row(new)
            return new
        cells = {name: new[name] for name in new if not _is_equal(old, new, name)}
        kept = {name: image[name] for name in image if name in new or name not in old}
        own_row = Row({**kept, **cells})
        own_row = new if own_row == new else own_row
        self.table = self.table.without(image).with_row(own_row)
        return own_row


def _is_equal(old: Row, new: Row, name: str) -> bool:
    return name in old and identity(old[name]) == identity(new[name])


_Changes = tuple[list[Row], list[Row], list[tuple[Row, Row]]]
"""Removed, added and changed rows, the last before and after."""


def _paired(before: Table, after: Table) -> _Changes:
    removed, added = [*before.minus(after)], [*after.minus(before)]
    if len(before) == len(after) == 1:
        return [], [], list(zip(removed, added, strict=True))
    key = key_column(before)
    later = {row[key]: row for row in added if key in row} if key is not None else {}
    pairs = [(row, later[row[key]]) for row in removed if key is not None and row[key] in later]
    olds, news = {id(old) for old, _ in pairs}, {id(new) for _, new in pairs}
    return (
        [row for row in removed if id(row) not in olds],
        [row for row in added if id(row) not in news],
        pairs,
    )


def key_column(table: Table) -> str | None:
    """Return the first column of texts or integers with distinct values."""
    rows = [*table]
    columns: list[str] = [*rows[0]] if rows else []
    for column in columns:
        values = [row.get(column) for row in rows]
        if all(type(value) in (str, int) for value in values) and len({*values}) == len(values):
            return column
    return None
