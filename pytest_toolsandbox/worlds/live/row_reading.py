"""Reads tables as programs keep them: mappings, dataclasses, models, data frames, result rows."""

from __future__ import annotations

import dataclasses
import json
import marshal
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from pytest_toolsandbox.text.error_text import message_of
from pytest_toolsandbox.text.formatting import type_name
from pytest_toolsandbox.worlds.json_values import as_json

_SCALARS: Final = (str, int, float, bool, bytes, type(None))
_PLAIN: Final = (str, int, float, bool, type(None))
_MARSHAL_VERSION: Final = 2
"""The newest version of marshal without references, which depend on more than the value."""

_MISSING: Final = ("NaTType", "NAType")
"""The types by which pandas says that a time or a value is missing."""
VALUE: Final = "value"
"""The column of a table that is a list of plain values."""


def read_rows(table: Any, key: str | None = None, *, is_row: bool = False) -> list[Any]:
    """Return the rows of a table; :func:`as_mapping` reads each.

    A table is a list of rows, a mapping of keys to rows, whose keys become the column ``key`` if it
    is given, or a data frame. With ``is_row``, a mapping is the only row of its table; an object
    always is. Raises ``TypeError``.
    """
    if table is None:
        return []
    if is_frame(table):
        return list(map(_without_nan, _frame_rows(table)))
    if isinstance(table, Mapping) and not is_row:
        return [keyed(row, key, name) for name, row in table.items()] if key else [*table.values()]
    if is_row_like(table):
        return [table]
    if isinstance(table, _SCALARS) or not isinstance(table, Iterable):
        raise TypeError(f"expected rows, found {type_name(table)}")
    return [*table]


def is_frame(table: Any) -> bool:
    """Whether a table is a DataFrame of pandas or polars."""
    return hasattr(table, "columns") and hasattr(table, "to_dict")


def _frame_rows(frame: Any) -> list[Mapping[str, Any]]:
    rows: list[Mapping[str, Any]]
    if hasattr(frame, "to_dicts"):  # that of polars
        rows = frame.to_dicts()
        return rows
    if any(getattr(getattr(frame, "index", None), "names", ())):  # else it just counts the rows
        frame = frame.reset_index()
    rows = frame.to_dict("records")
    return rows  # its type is known


def keyed(row: Any, key: str, value: Any) -> dict[str, Any]:
    """Return a row with its key in a column."""
    return {key: value, **as_mapping(row)}


def is_row_like(value: Any) -> bool:
    """Whether a value is a row: a mapping, or an object with named values."""
    if isinstance(value, (*_SCALARS, list, set, frozenset, type)) or is_frame(value):
        return False
    if not _is_object(value):
        return any(is_of_kind(value) for is_of_kind, _ in _ROWS[:-1])
    return not isinstance(value, Iterable)


def as_mapping(row: Any) -> Mapping[str, Any]:
    """Return the columns of a row; a value that is none becomes the column ``value``.

    Reads mappings, rows of SQLAlchemy and of sqlite3, named tuples, dataclasses, pydantic models,
    objects mapped by SQLAlchemy, and the public attributes of other objects.
    """
    if isinstance(row, Mapping):  # most rows are
        return row
    if isinstance(row, (*_SCALARS, list, set, frozenset, type)):
        return {VALUE: row}
    for is_of_kind, read in _ROWS:
        if is_of_kind(row):
            return read(row)
    return {VALUE: row}


def _is_object(value: Any) -> bool:
    """Whether a value has nothing but attributes."""
    return hasattr(value, "__dict__") and not any(fits(value) for fits, _ in _ROWS[:-1])


def _attributes(row: Any) -> Mapping[str, Any]:
    return {name: value for name, value in vars(row).items() if not name.startswith("_")}


_ROWS: Final[Sequence[tuple[Callable[[Any], bool], Callable[[Any], Mapping[str, Any]]]]] = (
    (lambda row: isinstance(row, Mapping), lambda row: row),
    # A row of a result of SQLAlchemy.
    (
        lambda row: isinstance(getattr(row, "_mapping", None), Mapping),
        lambda row: row._mapping,  # noqa: SLF001  # it is public, as in a named tuple
    ),
    (lambda row: hasattr(row, "_asdict"), lambda row: row._asdict()),
    (
        dataclasses.is_dataclass,
        lambda row: {field.name: getattr(row, field.name) for field in dataclasses.fields(row)},
    ),
    (lambda row: hasattr(row, "model_dump"), lambda row: row.model_dump()),
    # An object that SQLAlchemy maps to a table.
    (
        lambda row: hasattr(getattr(type(row), "__mapper__", None), "column_attrs"),
        lambda row: {
            column.key: getattr(row, column.key) for column in type(row).__mapper__.column_attrs
        },
    ),
    # A row of sqlite3, which iterates over its values.
    (
        lambda row: hasattr(row, "keys") and hasattr(row, "__getitem__"),
        lambda row: {name: row[name] for name in row.keys()},  # noqa: SIM118
    ),
    (lambda row: hasattr(row, "__dict__"), _attributes),
)
"""The kinds of rows: how each is recognized, and read. The last one is any object."""


def cell(value: Any, *, is_moment: bool) -> Any:
    """Return a value of a row as JSON has it; with ``is_moment``, times with a zone stay times.

    Raises ``TypeError`` and ``ValueError`` for what JSON cannot express.
    """
    if type(value) in _PLAIN:
        return value
    if is_moment and isinstance(value, datetime) and value.tzinfo is not None:
        return value if type(value) is datetime else datetime.fromisoformat(value.isoformat())
    if type(value) in (list, tuple) and all(type(item) in _PLAIN for item in value):
        return value
    return json.loads(as_json(value))


def packed(row: Any) -> bytes:
    """Return a text that equal rows have in common, as fast as possible.

    Equal rows may rarely have different texts. A row is packed at once, since the world may change
    its objects later.
    """
    try:
        return marshal.dumps(row, _MARSHAL_VERSION)
    except ValueError:  # other objects than those of JSON
        columns = {name: _shown(value) for name, value in as_mapping(row).items()}
        return as_json(columns).encode()


def _shown(value: Any) -> Any:
    try:
        return as_json(value)
    except (TypeError, ValueError, RecursionError) as error:
        raise TypeError(message_of(error)) from error


def _without_nan(row: Mapping[str, Any]) -> dict[str, Any]:
    return {str(name): None if _is_missing(value) else value for name, value in row.items()}


def _is_missing(value: Any) -> bool:
    is_nan = isinstance(value, float) and math.isnan(value)
    return is_nan or type(value).__name__ in _MISSING


def key_column(table: Mapping[Any, Any], rows: Sequence[Mapping[str, Any]]) -> str | None:
    """Return the column for the keys of a mapping, ``None`` if a column of each row has its key."""
    columns = rows[0] if rows else {}
    for name in columns:
        if all(row.get(name) == key for key, row in zip(table, rows, strict=True)):
            return None
    return next((name for name in ("id", "key") if name not in columns), "_key")
