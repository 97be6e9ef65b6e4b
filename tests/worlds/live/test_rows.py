"""Tables as programs keep them, and the schemas that are inferred from their first rows."""

from __future__ import annotations

import dataclasses
import sqlite3
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from decimal import Decimal
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np
import pytest
from pydantic import BaseModel

from pytest_toolsandbox.worlds.context import WorldError
from pytest_toolsandbox.worlds.live.snapshots import inferred_schemas, snapshot
from pytest_toolsandbox.worlds.state import plain

ROW = {"id": "a", "count": 1}


@dataclasses.dataclass
class DataRow:
    id: str = "a"
    count: int = 1


class Model(BaseModel):
    id: str = "a"
    count: int = 1


class Object:
    def __init__(self) -> None:
        self.id, self.count, self._secret = "a", 1, 2


class Mapped:
    """An object as SQLAlchemy's declarative mapping makes them."""

    __mapper__ = SimpleNamespace(
        column_attrs=[SimpleNamespace(key="id"), SimpleNamespace(key="count")]
    )

    def __init__(self) -> None:
        self.id, self.count, self.loaded_relation = "a", 1, object()


class ResultRow(tuple[Any, ...]):
    """A row of a result of SQLAlchemy."""

    __slots__ = ()

    @property
    def _mapping(self) -> Mapping[str, Any]:
        return ROW


class Timestamp(datetime):
    """A time of pandas, and what it is if it is missing."""


NaTType = type("NaTType", (), {})


class Frame:
    """A DataFrame as pandas has it: iterating over it yields names of columns."""

    columns = ("id", "count")

    def __init__(self, *rows: Mapping[str, Any], index: str | None = None) -> None:
        self.rows, self.index = rows, SimpleNamespace(names=[index])

    def reset_index(self) -> Frame:
        (name,) = self.index.names
        return Frame(*({name: place, **row} for place, row in enumerate(self.rows)))

    def __iter__(self) -> Iterator[str]:
        return iter(self.columns)

    def to_dict(self, orient: str) -> list[dict[str, Any]]:
        assert orient == "records"
        return [dict(row) for row in self.rows]


def sqlite_rows() -> list[sqlite3.Row]:
    connection = sqlite3.connect(":memory:")
    connection.row_factory = sqlite3.Row
    rows = connection.execute("select 'a' as id, 1 as count").fetchall()
    connection.close()
    return rows


def read(table: Any, later: Any = None) -> list[Any]:
    schemas = inferred_schemas({"t": table})
    first = snapshot({"t": table}, schemas, "w")
    read_first: list[Any] = plain(first.state["t"].rows)
    if later is None:
        return read_first
    return list(plain(snapshot({"t": later}, schemas, "w", (), first).state["t"].rows))


class Named(NamedTuple):
    id: str = "a"
    count: int = 1  # type: ignore[assignment]


@pytest.mark.parametrize(
    "row",
    [ROW, DataRow(), Model(), Object(), Mapped(), ResultRow(("a", 1)), Named()],
    ids=lambda row: type(row).__name__,
)
def test_rows_are_read_as_they_are(row: Any) -> None:
    assert read([row]) == [ROW]
    assert read((row,)) == read({"a": row}) == [ROW]
    assert read({"b": row}) == [{"id": "a", "count": 1, "key": "b"}] or row is not ROW
    assert inferred_schemas({"t": [row]})["t"].columns.keys() == ROW.keys()


@pytest.mark.parametrize(
    ("table", "rows"),
    [
        (sqlite_rows(), [ROW]),
        (Frame(ROW, {"id": "b", "count": float("nan")}), [ROW, {"id": "b", "count": None}]),
        (Frame({"at": NaTType()}, index="id"), [{"id": 0, "at": None}]),
        ({"x": {"count": 1}, 2: {"count": 3}}, [{"id": "x", "count": 1}, {"id": 2, "count": 3}]),
        ({"x": {"id": "a"}}, [{"key": "x", "id": "a"}]),
        ({"user": "Ada", "tags": ["a"]}, [{"user": "Ada", "tags": ["a"]}]),
        ({"user": {"name": "Ada"}, "on": True}, [{"user": {"name": "Ada"}, "on": True}]),
        (DataRow(), [ROW]),
        (["a", "b"], [{"value": "a"}, {"value": "b"}]),
        ((number for number in (1, 2)), []),
        ([], []),
        ({}, []),
        (None, []),
        ([{"a": 1}, {"b": 2}], [{"a": 1, "b": None}, {"b": 2, "a": None}]),
        (
            [{"set": {2, 1}, "number": np.int64(3), "price": Decimal("1.50"), "bytes": b"a"}],
            [{"set": [1, 2], "number": 3, "price": "1.50", "bytes": "a"}],
        ),
        ([{1: {2: "a"}}], [{"1": {"2": "a"}}]),
    ],
)
def test_tables_are_read_as_they_are(table: Any, rows: list[Any]) -> None:
    assert read(table) == rows


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        (["a", None], str),
        ([1, 2], float),
        ([1, 2.5], float),
        ([True, False], bool),
        ([1, True], Any),
        (["a", 1], Any),
        ([None], Any),
        ([["a"], ("b",), {"c"}], list),
        ([{"a": 1}, DataRow()], dict),
        ([datetime(2025, 1, 1, tzinfo=UTC), Timestamp(2025, 1, 1, tzinfo=UTC)], datetime),
        ([datetime(2025, 1, 1)], str),  # noqa: DTZ001
    ],
)
def test_types_are_inferred_from_the_first_rows(values: list[Any], kind: object) -> None:
    schemas = inferred_schemas({"t": [{"column": value} for value in values]})
    column = schemas["t"].columns["column"]
    assert (column.type, column.nullable) == (kind, True)


def test_a_table_without_rows_takes_any_column() -> None:
    schema = inferred_schemas({"t": []})["t"]
    assert "anything" in schema.columns
    assert schema.columns["anything"].type is Any
    assert read([], later=[ROW]) == [ROW]
    assert read({}, later={"x": {"count": 1}}) == [{"id": "x", "count": 1}]
    assert read(None, later=DataRow()) == [ROW]


def test_rows_are_taken_as_they_are_now() -> None:
    row = {"id": "a", "list": [1]}
    schemas = inferred_schemas({"t": [row]})
    first = snapshot({"t": [row]}, schemas, "w")
    row["list"].append(2)  # type: ignore[attr-defined]
    second = snapshot({"t": [row, ROW]}, schemas, "w", (), first)
    assert [len(state["t"].rows[0]["list"]) for state in (first.state, second.state)] == [1, 2]
    third = snapshot({"t": [ROW, row]}, schemas, "w", (), second)
    assert third.state == second.state
    assert third.differing(second) == [], "the order of rows is no change"
    fourth = snapshot({"t": [row]}, schemas, "w", (), third)
    assert fourth.state["t"].rows[0] is second.state["t"].rows[0]


@pytest.mark.parametrize(
    ("start", "later", "line"),
    [
        ({"t": []}, {"t": [], "u": []}, "a table 'u', which was not there at the start"),
        ({"t": []}, {}, "lacks the table 't', which was there at the start"),
        ({"t": []}, {"t": 3}, "the table 't' of its state cannot be read: expected rows, found an"),
        ({"t": []}, {"t": [{"a": object()}]}, "JSON cannot express object"),
        ({"t": {"on": True}}, {"t": None}, "has a single row at the start, and now 0"),
    ],
)
def test_tables_that_cannot_be_read(start: Any, later: Any, line: str) -> None:
    schemas = inferred_schemas(start)
    with pytest.raises(WorldError, match=line):
        snapshot(later, schemas, "w", (), snapshot(start, schemas, "w"))
