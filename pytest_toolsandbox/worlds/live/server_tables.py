"""The tables of a server: which of its tools shows each, and how rows are found in the result."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from pytest_toolsandbox.text.formatting import describe_value
from pytest_toolsandbox.worlds.context import WorldError
from pytest_toolsandbox.worlds.json_values import as_json
from pytest_toolsandbox.worlds.schema_tool import ToolError

Execute = Callable[[str, dict[str, Any]], Any]
"""Calls a tool by the server's name for it, and returns the JSON value of the result."""


@dataclass(frozen=True)
class ToolCallSetting:
    """A call that the settings of a world name: its tool, by the server's name, and arguments."""

    tool: str
    arguments: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class TableQuery(ToolCallSetting):
    """The call that shows a table.

    Its rows are the result, or the part of it at ``path``, in the syntax of JMESPath: a list of
    objects, or an object that maps keys to them. ``key`` is the column by which rows are sorted,
    and the column for the keys of such an object.
    """

    key: str | None = None
    path: str | None = None


def read_tables(queries: Mapping[str, TableQuery], execute: Execute) -> dict[str, list[Any]]:
    """Return table → its rows as a server shows them now. Raises :class:`WorldError`."""
    return {name: _rows(name, query, execute) for name, query in queries.items()}


def _rows(table: str, query: TableQuery, execute: Execute) -> list[Any]:
    start = f"the table {table!r}: {query.tool}()"
    try:
        result = execute(query.tool, dict(query.arguments))
    except ToolError as error:
        raise WorldError(f"{start} failed: {error}") from None
    if query.path is not None:
        import jmespath

        try:
            result = jmespath.search(query.path, result)
        except jmespath.exceptions.JMESPathError as error:
            raise WorldError(f"{start}: path {query.path!r}: {error}") from None
    rows = _as_list(result, query.key)
    if rows is None or not all(isinstance(row, Mapping) for row in rows):
        shown = "rows and other values" if rows else describe_value(result)
        remedy = "path: says where in the result the rows are"
        raise WorldError(f"{start} returned {shown}; expected a list of objects; {remedy}")
    return sorted(rows, key=lambda row: as_json(row.get(query.key))) if query.key else rows


def _as_list(result: Any, key: str | None) -> list[Any] | None:
    if result is None:
        return []
    if isinstance(result, list):
        return result
    if not isinstance(result, Mapping):
        return None
    if not all(isinstance(row, Mapping) for row in result.values()):
        return [result]  # a single row, such as settings
    if key is None:
        return [*result.values()]
    return [{key: name, **row} for name, row in result.items()]
