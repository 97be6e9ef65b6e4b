"""Rows that belong to users, in the order in which they came.

ToolTalk tells a user who has no entry in a database from one whose entry is empty. An entry that
has rows is in no need of a mark, so the table ``empty_entry`` has those without any; only where a
tool does something else for them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pytest_toolsandbox.worlds.context import Context
from pytest_toolsandbox.worlds.state import Row, State, Table, plain

TELLING = ("alarm", "event", "message")
"""The tables whose tools tell an empty entry from none."""


def rows_of(context: Context, table: str, username: str) -> tuple[Row, ...]:
    """Return a user's rows in a table."""
    return context.state[table].where(username=username)


def has_entry(context: Context, table: str, username: str) -> bool:
    """Whether a user has rows in a table of :data:`TELLING`, or had or was given an entry there."""
    if rows_of(context, table, username):
        return True
    return bool(context.state["empty_entry"].where(table=table, username=username))


def shown(row: Row) -> dict[str, Any]:
    """Return a row as a tool gives it: without its owner."""
    return {name: plain(value) for name, value in row.items() if name != "username"}


def add(context: Context, table: str, row: Mapping[str, Any]) -> None:
    """Add a row at the end of a table."""
    context.add(table, row)
    empty = context.state["empty_entry"].where(table=table, username=row["username"])
    if empty:
        context.remove("empty_entry", *empty)


def remove(context: Context, table: str, *rows: Row) -> None:
    """Remove rows of one user, whose entry stays."""
    username = rows[0]["username"]
    context.remove(table, *rows)
    if table in TELLING and not rows_of(context, table, username):
        context.add("empty_entry", {"table": table, "username": username})


def replaced(state: State, table: str, row: Row, **fields: Any) -> State:
    """Return the state in which a row has other values, and the place that it had."""
    changed = row.changed(**fields)
    rows = (changed if other is row else other for other in state[table].rows)
    return state.with_table(table, Table(rows))


def change(context: Context, table: str, row: Row, **fields: Any) -> None:
    """Give a row other values, in its place."""
    context.state = replaced(context.state, table, row, **fields)
