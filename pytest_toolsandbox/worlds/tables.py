"""Tables of a world: their columns, and what may stand in them."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from .state import plain

NO_DEFAULT: Final = object()
NEW_IDENTIFIER: Final = object()
COLUMN_TYPES: Final = (str, int, float, bool, list, dict, datetime)
_ACCEPTED: Final[Mapping[type, Any]] = {float: (int, float), list: (list, tuple), dict: Mapping}


@dataclass(frozen=True)
class Column:
    """A column: the Python type of its values, and how a plain expected value is compared.

    ``type`` is one of ``COLUMN_TYPES``; datetimes have a time zone. ``measure`` names a matcher,
    such as ``rouge_l``. Rows that leave the column out get the ``default``: a value or
    ``NEW_IDENTIFIER``; without one, every row must give a value.
    """

    type: type
    nullable: bool = False
    measure: str = "exact"
    default: Any = NO_DEFAULT

    def accepts(self, value: Any) -> bool:
        """Whether a value may stand in the column; whole numbers may stand for floats."""
        if value is None:
            return self.nullable
        if isinstance(value, bool):
            return self.type is bool
        if isinstance(value, datetime):
            return self.type is datetime and value.tzinfo is not None
        return isinstance(value, _ACCEPTED.get(self.type, self.type))

    @property
    def type_in_words(self) -> str:
        """The name of its type; of a datetime, that it needs a time zone."""
        return self.type.__name__ + " with a time zone" * (self.type is datetime)


@dataclass(frozen=True)
class TableSchema:
    """The columns of a table, and whether it always has a single row.

    A table of ``bookkeeping`` holds what no tool shows, such as which identifiers are taken:
    implicit guardrails do not watch it.
    """

    columns: Mapping[str, Column]
    single_row: bool = False
    bookkeeping: bool = False

    def complete(
        self, table: str, row: Mapping[str, Any], new_identifier: Callable[[], str]
    ) -> dict[str, Any]:
        """Return a row with its defaults. Raises ``ValueError`` if the table does not take it."""
        for name in row:
            if name not in self.columns:
                known = ", ".join(self.columns)
                raise ValueError(f"table {table!r} has no column {name!r}; it has {known}")
        return {
            name: self._cell(table, name, row.get(name, column.default), new_identifier)
            for name, column in self.columns.items()
        }

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
