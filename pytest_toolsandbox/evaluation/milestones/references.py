"""Rows that a row knows by an identifier alone: a booking's member, the dishes of an order."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import Any, Final, NamedTuple

from .deeds import Row, is_person, words_of
from .things import stems

_KEY: Final = re.compile(
    r"(?:^|_)(?:id|identifier|key|code|number|no|iban|sku|email|username|login)$|[a-z]I[dD]$"
)
"""How a column is called that tells the rows of its table apart."""


class _Entry(NamedTuple):
    """A row of a table, by its own key."""

    table: str
    key: Any


@dataclass(frozen=True)
class References:
    """Which rows of ``tables``, name → all rows they have had, refer to which."""

    tables: Mapping[str, Sequence[Row]]

    def words(self, table: str, row: Row) -> frozenset[str]:
        """Return the stems of the words of rows that this one refers to, and of its parts.

        Those it refers to may refer to others in turn; its parts are the rows that refer to it.
        People lead no further, and have no parts: who somebody is says nothing of their doctor, or
        of those whom they have written to.
        """
        own = self._entry(table, row)
        parts = self._parts.get(own, ()) if own and not is_person(row) else ()
        reached = self._reached([row, *(part for _, part in parts)]) - {own}
        named = stems(chain((name for name, _ in parts), (one.table for one in reached)))
        rows = chain((part for _, part in parts), *(self._rows[one] for one in reached))
        return named.union(*map(words_of, rows))

    def tables_of(self, row: Row) -> frozenset[str]:
        """Return the names of the tables with rows that this one refers to."""
        return frozenset(one.table for one in self._reached([row]))

    def _reached(self, starts: Iterable[Row]) -> set[_Entry]:
        found = set[_Entry]()
        waiting = [*starts]
        while waiting:
            new = {*self._referred(waiting.pop())} - found
            found |= new
            rows = (row for one in new for row in self._rows[one])
            waiting.extend(row for row in rows if not is_person(row))
        return found

    def _referred(self, row: Row) -> Iterator[_Entry]:
        for column, value in row.items():
            for one in chain.from_iterable(self._entries.get(key, ()) for key in _keys(value)):
                if isinstance(one.key, str) or stems([column]) & stems([one.table]):
                    yield one

    def _entry(self, table: str, row: Row) -> _Entry | None:
        column = self._columns.get(table)
        return _Entry(table, row[column]) if column and row.get(column) is not None else None

    @cached_property
    def _columns(self) -> Mapping[str, str]:
        """The column of each table that tells its rows apart, of those that have one."""
        found = ((table, _key_of(table, rows[0])) for table, rows in self.tables.items() if rows)
        return {table: column for table, column in found if column}

    @cached_property
    def _rows(self) -> Mapping[_Entry, Sequence[Row]]:
        """The rows that an entry has been."""
        found = defaultdict[_Entry, list[Row]](list)
        for table, rows in self.tables.items():
            for row in rows:
                if entry := self._entry(table, row):
                    found[entry].append(row)
        return found

    @cached_property
    def _entries(self) -> Mapping[Any, Sequence[_Entry]]:
        """The entries that a value may refer to."""
        found = defaultdict[Any, list[_Entry]](list)
        for one in self._rows:
            found[one.key].append(one)
        return found

    @cached_property
    def _parts(self) -> Mapping[_Entry, Sequence[tuple[str, Row]]]:
        """The rows that refer to an entry, with the name of their table."""
        found = defaultdict[_Entry, list[tuple[str, Row]]](list)
        for table, rows in self.tables.items():
            for row in rows:
                for one in {*self._referred(row)} - {self._entry(table, row)}:
                    found[one].append((table, row))
        return found


def _key_of(table: str, row: Row) -> str | None:
    """Return the column that has the name of its table, or else the first that may be a key."""
    keys = [one for one in row if _KEY.search(one)]
    own = (one for one in keys if stems([one]) & stems([table]))
    return next(own, keys[0] if keys else None)


def _keys(value: Any) -> Iterator[Any]:
    """Yield what may be the key of another row: texts and whole numbers, also those of lists."""
    if isinstance(value, (list, tuple)):
        yield from chain.from_iterable(map(_keys, value))
    elif isinstance(value, str) or (isinstance(value, int) and not isinstance(value, bool)):
        yield value
