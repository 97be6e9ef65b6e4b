"""The state of a world: immutable rows and tables, and the schemas of tables.

A change makes a new table and a new state, which share all unchanged rows and tables. A snapshot is
therefore a reference, and comparing two unchanged tables an identity check.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from operator import attrgetter
from typing import Any, ClassVar, Final, Literal, NamedTuple, TypeVar

from pytest_toolsandbox.text.nearest_name import did_you_mean

_Value = TypeVar("_Value")

_SCALARS: Final = frozenset({str, int, float, bool, type(None), datetime})
"""The types of most values: looking for a value's type here spares slow checks for a mapping."""


_SAME: Final = frozenset({str, int, type(None)})
"""The types whose values are their own identity."""


def frozen(value: Any) -> Any:
    """Return the JSON value ``value`` with its lists as tuples and its objects as rows."""
    if type(value) in _SCALARS:
        return value
    if isinstance(value, Mapping):
        return value if isinstance(value, Row) else Row(value)
    if isinstance(value, (list, tuple)):
        return tuple(map(frozen, value))
    return value


def plain(value: Any) -> Any:
    """Return ``value`` as JSON has it: rows as dictionaries, tuples as lists."""
    if type(value) in _SCALARS:
        return value
    if isinstance(value, Mapping):
        return {name: plain(item) for name, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    return value


def identity(value: Any) -> Any:
    """Return the key by which frozen values are compared: True is not 1, and NaN equals NaN."""
    if type(value) in _SAME:
        return value
    if isinstance(value, bool):
        return bool, value
    if isinstance(value, tuple):
        return tuple(map(identity, value))
    if value != value:  # noqa: PLR0124  # only NaN differs from itself
        return float, "NaN"
    return value


class UnknownNameError(KeyError):
    """A world's code names a column, or a key of a JSON object, that does not exist."""

    def __init__(self, problem: str, name: str, known: Iterable[str]) -> None:
        super().__init__(name)
        self.problem, self.name, self.known = problem, name, tuple(known)

    def __str__(self) -> str:
        hint = did_you_mean(str(self.name), self.known)
        return f"{self.problem}; it has {', '.join(self.known) or 'none'}{hint}"


class UnknownTableError(UnknownNameError):
    """A world's code names a table that does not exist."""


class _FrozenMapping(Mapping[str, _Value]):
    __slots__ = ("_values",)
    _values: Mapping[str, _Value]

    def __getitem__(self, name: str) -> _Value:
        try:
            return self._values[name]
        except KeyError:
            raise self._unknown(name) from None

    def __contains__(self, name: object) -> bool:
        return name in self._values

    def _unknown(self, name: str) -> UnknownNameError:
        return UnknownNameError(f"there is no {name!r} in a row", name, self._values)

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._values!r})"


class Row(_FrozenMapping[Any]):
    """One row, column → value: immutable, hashable, equal to any row with the same values."""

    __slots__ = ("_hash", "_identity")

    def __init__(self, values: Mapping[str, Any]) -> None:
        self._values = {name: frozen(value) for name, value in values.items()}
        self._identity = frozenset((name, identity(value)) for name, value in self._values.items())
        self._hash = hash(self._identity)

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, Row) and self._identity == other._identity)

    def matches(self, fields: Mapping[str, Any]) -> bool:
        """Whether the row has the value of each of ``fields``."""
        return all(identity(self[name]) == identity(frozen(v)) for name, v in fields.items())

    def has(self, identities: frozenset[tuple[str, Any]]) -> bool:
        """Whether the row has these pairs of a column and the :func:`identity` of its value."""
        return identities <= self._identity

    def identities(self, columns: Iterable[str]) -> tuple[Any, ...] | None:
        """Return the :func:`identity` of each of these values; ``None`` if the row lacks one."""
        values = self._values
        try:
            return tuple([identity(values[column]) for column in columns])
        except KeyError:
            return None

    def changed(self, **fields: Any) -> Row:
        """Return the row with other values in some columns."""
        return Row({**self._values, **fields})


_HASH_OF: Final = attrgetter("_hash")
"""The hash of a row, as ``hash`` returns it, in a third of the time."""


class Table:
    """Rows, oldest first. Two tables are equal if they are equal as multisets of rows."""

    def __init__(self, rows: Iterable[Mapping[str, Any]] = ()) -> None:
        self.rows = tuple(row if isinstance(row, Row) else Row(row) for row in rows)

    @cached_property
    def _sum(self) -> int:
        return sum(map(_HASH_OF, self.rows))

    @cached_property
    def _indexes(self) -> dict[tuple[str, ...], dict[tuple[Any, ...], tuple[Row, ...]]]:
        """Columns → identities of their values → the rows that have them, filled by ``where``."""
        return {}

    def __iter__(self) -> Iterator[Row]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    def __hash__(self) -> int:
        return hash((len(self), self._sum))

    def __eq__(self, other: object) -> bool:
        if self is other or not isinstance(other, Table):
            return self is other
        # Tables are compared after every call: comparing the hashes first makes this cheap.
        if hash(self) != hash(other):
            return False
        start = self._first_difference(other)
        return Counter(self.rows[start:]) == Counter(other.rows[start:])

    def __repr__(self) -> str:
        return f"Table({list(self.rows)!r})"

    def where(self, **fields: Any) -> tuple[Row, ...]:
        """Return the rows that have these values. Raises ``KeyError`` for unknown columns."""
        for row in self.rows[:1]:
            for name in fields:
                row[name]  # raises if no row has the column
        columns = tuple(fields)
        if columns not in self._indexes:
            self._indexes[columns] = self._index(columns)
        wanted = tuple(identity(frozen(value)) for value in fields.values())
        return self._indexes[columns].get(wanted, ())

    def _index(self, columns: tuple[str, ...]) -> dict[tuple[Any, ...], tuple[Row, ...]]:
        index: dict[tuple[Any, ...], list[Row]] = {}
        for row in self.rows:
            if (identities := row.identities(columns)) is not None:
                index.setdefault(identities, []).append(row)
        return {key: tuple(rows) for key, rows in index.items()}

    def _first_difference(self, other: Table) -> int:
        """Return how many rows both tables begin with that are the same objects."""
        # Tables grow at their ends: most begin with the same rows, which need no comparison.
        pairs = enumerate(zip(self.rows, other.rows, strict=False))
        shorter = min(len(self), len(other))
        return next((index for index, (mine, theirs) in pairs if mine is not theirs), shorter)

    @classmethod
    def _of(cls, rows: tuple[Row, ...]) -> Table:
        """Make a table without freezing its rows again: parallel calls make hundreds of tables."""
        table = cls()
        table.rows = rows
        return table

    def with_row(self, row: Mapping[str, Any]) -> Table:
        """Return the table with another row at its end."""
        added = row if isinstance(row, Row) else Row(row)
        table = self._of((*self.rows, added))
        vars(table)["_sum"] = self._sum + hash(added)  # hashing all rows again would be slow
        vars(table)["_indexes"] = self._indexes_with(added, lambda rows: (*rows, added))
        return table

    def without(self, *rows: Row) -> Table:
        """Return the table without one occurrence of each of ``rows``."""
        if len(rows) == 1:
            return self._without_row(*rows)
        removed = Counter(rows)
        kept = []
        for row in self.rows:
            if removed[row] > 0:
                removed[row] -= 1
            else:
                kept.append(row)
        return self._of(tuple(kept))

    def _without_row(self, removed: Row) -> Table:
        """Do the same for a single row, as nearly all changes need it, and keep the sum."""
        sought = hash(removed)
        hashes = enumerate(map(_HASH_OF, self.rows))
        places = (place for place, hash_ in hashes if hash_ == sought)
        place = next((place for place in places if self.rows[place] == removed), None)
        if place is None:
            return self
        table = self._of(self.rows[:place] + self.rows[place + 1 :])
        vars(table)["_sum"] = self._sum - sought
        vars(table)["_indexes"] = self._indexes_with(removed, lambda rows: _without(rows, removed))
        return table

    def _indexes_with(
        self, row: Row, change: Callable[[tuple[Row, ...]], tuple[Row, ...]]
    ) -> dict[tuple[str, ...], dict[tuple[Any, ...], tuple[Row, ...]]]:
        """Return the indexes with a change of the rows that have the values of ``row``."""
        # A copy, since another thread may add an index meanwhile.
        known = self._indexes.copy()
        changed = {columns: dict(index) for columns, index in known.items()}
        for columns, index in changed.items():
            if (identities := row.identities(columns)) is not None:
                index[identities] = change(index.get(identities, ()))
        return changed

    def minus(self, other: Table) -> tuple[Row, ...]:
        """Return the rows that ``other`` lacks, each as often as ``other`` lacks it."""
        start = self._first_difference(other)
        rows, other_rows = self.rows[start:], other.rows[start:]
        return self._of(rows).without(*other_rows).rows if rows and other_rows else rows


def _without(rows: tuple[Row, ...], removed: Row) -> tuple[Row, ...]:
    place = rows.index(removed)
    return rows[:place] + rows[place + 1 :]


Caller = Literal["agent", "user", "setup"]
"""Who makes a call: ``setup`` is the scenario, before the conversation begins."""


class LoggedCall(NamedTuple):
    """A call that may have changed a live world; ``arguments`` are JSON text."""

    tool: str
    arguments: str
    by: Caller = "agent"


Log = tuple[LoggedCall, ...]


class State(_FrozenMapping[Table]):
    """Table name → table, of a ``world``.

    ``log`` are the calls since the start that may have changed a live world, failed ones included;
    it is empty in worlds of tables. ``now`` is the world's clock, ``None`` before it has moved.
    Equal states have equal tables, logs and clocks, since a live world may have a state that its
    tables do not show, such as a working directory.
    """

    def __init__(
        self,
        tables: Mapping[str, Table],
        world: str = "",
        log: Log = (),
        now: datetime | None = None,
    ) -> None:
        self._values = dict(tables)
        self.world = world
        self.log = log
        self.now = now

    def _unknown(self, name: str) -> UnknownNameError:
        where = f" in world {self.world}" if self.world else ""
        return UnknownTableError(f"there is no table {name!r}{where}", name, self._values)

    @cached_property
    def _hash(self) -> int:
        return hash((frozenset(self._values.items()), self.log, self.now))

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        if self is other or not isinstance(other, State):
            return self is other
        is_same_time = self.now == other.now
        return is_same_time and self._values == other._values and self.log == other.log

    def same_tables(self, other: State) -> bool:
        """Whether all tables are equal, whatever the logs and clocks are."""
        return self is other or self._values == other._values

    def with_table(self, name: str, table: Table) -> State:
        """Return the state with another table ``name``; the other tables are shared."""
        return State({**self._values, name: table}, self.world, self.log, self.now)

    def with_call(self, call: LoggedCall) -> State:
        """Return the state with one more call in its log; the tables are shared."""
        return State(self._values, self.world, (*self.log, call), self.now)

    def at(self, now: datetime | None) -> State:
        """Return the state at another time; the tables are shared."""
        return self if now == self.now else State(self._values, self.world, self.log, now)

    def watched(self, read: set[str]) -> State:
        """Return the state, which adds the names of tables that are looked up to ``read``."""
        return _WatchedState(self._values, self.world, self.log, self.now, read)

    def changes_since(self, earlier: State) -> dict[str, dict[str, list[dict[str, Any]]]]:
        """Return table → ``{"added": rows, "removed": rows}`` for the tables that differ."""
        changed = [(name, now, earlier[name]) for name, now in self.items() if now != earlier[name]]
        return {
            name: {"added": plain(now.minus(then)), "removed": plain(then.minus(now))}
            for name, now, then in changed
        }


class _WatchedState(State):
    def __init__(
        self,
        tables: Mapping[str, Table],
        world: str,
        log: Log,
        now: datetime | None,
        read: set[str],
    ) -> None:
        super().__init__(tables, world, log, now)
        self._read = read

    def __getitem__(self, name: str) -> Table:
        self._read.add(name)
        return super().__getitem__(name)


NO_DEFAULT: Final = object()
NEW_IDENTIFIER: Final = object()
COLUMN_TYPES: Final = (str, int, float, bool, list, dict, datetime, Any)
_PLAIN: Final = frozenset({str, int, float, bool})
"""The types whose values fit a column of the same type as they are."""
_ACCEPTED: Final[Mapping[type, Any]] = {float: (int, float), list: (list, tuple), dict: Mapping}


@dataclass(frozen=True)
class Column:
    """A column of a table.

    ``type`` is one of ``COLUMN_TYPES``; datetimes need a time zone, and ``Any`` is any JSON value.
    ``measure`` names the matcher that compares values with expected ones, such as ``rouge_l``.
    ``default`` is a value or ``NEW_IDENTIFIER``; without a default, every row must give a value.
    """

    type: Any
    nullable: bool = False
    measure: str = "exact"
    default: Any = NO_DEFAULT

    def accepts(self, value: Any) -> bool:
        """Whether the column takes a value; whole numbers may stand for floats."""
        if value is None:
            return self.nullable
        if self.type is Any:
            return isinstance(value, (str, int, float, list, tuple, Mapping))
        if isinstance(value, bool):
            return self.type is bool
        if isinstance(value, datetime):
            return self.type is datetime and value.tzinfo is not None
        return isinstance(value, _ACCEPTED.get(self.type, self.type))

    @property
    def type_in_words(self) -> str:
        """The name of the type, and whether it needs a time zone."""
        if self.type is Any:
            return "any JSON value"
        name: str = self.type.__name__
        return name + " with a time zone" * (self.type is datetime)


_ANY: Final = Column(Any, nullable=True)


@dataclass(frozen=True)
class TableSchema:
    """The columns of a table, and whether the table always has a single row.

    Use ``bookkeeping`` for internal state that no tool shows, such as which identifiers are taken:
    implicit guardrails do not watch these tables.
    """

    takes_any: ClassVar[bool] = False
    """Whether rows may have other columns, too, as those of live worlds may."""

    columns: Mapping[str, Column]
    single_row: bool = False
    bookkeeping: bool = False

    def column(self, name: str) -> Column:
        """Return a column; one that takes any value if there is none of that name."""
        return self.columns.get(name, _ANY)

    def complete(
        self, table: str, row: Mapping[str, Any], new_identifier: Callable[[], str]
    ) -> dict[str, Any]:
        """Return a row with its defaults. Raises ``ValueError`` if the row does not fit."""
        for name in row:
            if name not in self.columns:
                known = ", ".join(self.columns)
                raise ValueError(f"table {table!r} has no column {name!r}; it has {known}")
        cells = {}
        for name, column in self.columns.items():
            value = row.get(name, column.default)
            is_plain = type(value) is column.type and column.type in _PLAIN
            cells[name] = value if is_plain else self._cell(table, name, value, new_identifier)
        return cells

    def _cell(self, table: str, name: str, value: Any, new_identifier: Callable[[], str]) -> Any:
        column = self.columns[name]
        if value is NO_DEFAULT:
            raise ValueError(f"a row of table {table!r} needs a value for {name!r}")
        if value is NEW_IDENTIFIER:
            value = new_identifier()
        takes = f"column {name!r} of table {table!r} takes"
        if not column.accepts(value):
            raise ValueError(f"{takes} {column.type_in_words}, not {value!r}")
        if isinstance(value, (list, tuple, Mapping)):
            try:
                json.dumps(plain(value))
            except (TypeError, ValueError, RecursionError) as error:
                raise ValueError(f"{takes} JSON values: {error}") from None
        return float(value) if column.type is float and value is not None else value
