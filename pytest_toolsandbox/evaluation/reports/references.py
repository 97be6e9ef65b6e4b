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
_PARTS: Final = 30
"""How many parts of a row are looked at."""
_WORD_END: Final = re.compile(r"[_\W]+|(?<=[a-z])(?=[A-Z])")


class _Entry(NamedTuple):
    """A row of a table, by its own key."""

    table: str
    key: Any


@dataclass(frozen=True)
class References:
    """Which rows of ``tables``, name → all rows they have had, refer to which."""

    tables: Mapping[str, Sequence[Row]]

    def words(self, rows: Iterable[tuple[str, Row]]) -> frozenset[str]:
        """Return the stems of the words of what rows of tables refer to, and of their parts.

        What they refer to may refer to others in turn; their parts are the first 30 rows that refer
        to them. People lead no further, and have no parts: who somebody is
        says nothing of their doctor, or of those whom they have written to.
        """
        known = [*rows]
        own = {one for table, row in known if (one := self._entry(table, row))}
        wholes = {self._entry(table, row) for table, row in known if not is_person(row)} - {None}
        parts = [part for one in wholes if one for part in self._parts.get(one, ())[:_PARTS]]
        reached = self._reached([*(row for _, row in known), *(row for _, row in parts)]) - own
        named = stems(chain((name for name, _ in parts), (one.table for one in reached)))
        others = chain((row for _, row in parts), *(self._rows[one] for one in reached))
        return named.union(*map(words_of, others))

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
                if _tells_apart(one.key) or self._names(column, one.table):
                    yield one

    def _names(self, column: str, table: str) -> bool:
        """Whether a column is called after a table, or as the one that tells its rows apart."""
        return column == self._columns[table] or bool(words_of_name(column) & words_of_name(table))

    def _entry(self, table: str, row: Row) -> _Entry | None:
        column = self._columns.get(table)
        key = row.get(column) if column else None
        return _Entry(table, key) if isinstance(key, (str, int)) else None

    @cached_property
    def _columns(self) -> Mapping[str, str]:
        """The column of each table that tells its rows apart, of those that have one."""
        found = ((table, _key_of(table, rows)) for table, rows in self.tables.items() if rows)
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


def _key_of(table: str, rows: Sequence[Row]) -> str | None:
    """Return the column that has the name of its table, or else the first if it may be a key.

    It may be one by its name, such as ``sku``, or since all of its values look like keys.
    """
    columns, named = [*rows[0]], words_of_name(table)
    own = [one for one in columns if _KEY.search(one) and words_of_name(one) & named]
    last = words_of_name(_WORD_END.split(table)[-1])
    ranks = (
        lambda one: words_of_name(_KEY.sub("", one)) == named,
        lambda one: bool(words_of_name(one) & last),
        lambda _: True,
    )
    for rank in ranks:
        if found := next(filter(rank, own), None):
            return found
    first = [row.get(columns[0]) for row in rows]
    is_key = _KEY.search(columns[0]) and all(isinstance(one, (str, int)) for one in first)
    return columns[0] if is_key or all(map(_tells_apart, first)) else None


def _keys(value: Any) -> Iterator[Any]:
    """Yield what may be the key of another row: texts and whole numbers, also those of lists."""
    if isinstance(value, (list, tuple)):
        yield from chain.from_iterable(map(_keys, value))
    elif isinstance(value, str) or (isinstance(value, int) and not isinstance(value, bool)):
        yield value


def _tells_apart(key: Any) -> bool:
    """Whether a key is one wherever it stands, unlike ``1``, or ``open``."""
    return isinstance(key, str) and bool(re.search(r"\d\D|\D\d|@", key))


def words_of_name(name: str) -> frozenset[str]:
    """Return the stems of the words in the name of a table or column: ``guest_id``, ``guestId``."""
    return stems(_WORD_END.split(name))
