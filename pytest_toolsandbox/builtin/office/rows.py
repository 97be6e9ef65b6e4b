"""Rows that belong to users, oldest first.

ToolTalk distinguishes users without an entry in a database from users whose entry is empty. The
table ``empty_entry`` has the empty entries of tables whose tools behave differently for them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pytest_toolsandbox.worlds.context import Context
from pytest_toolsandbox.worlds.state import Row, State, Table, plain

TELLING = ("alarm", "event", "message")
"""The tables whose tools distinguish an empty entry from none."""


def rows_of(context: Context, table: str, username: str) -> tuple[Row, ...]:
    """Return a user's rows in a table."""
    return context.state[table].where(username=username)


def has_entry(context: Context, table: str, username: str) -> bool:
    """Whether a user has rows, or an empty entry, in a table of :data:`TELLING`."""
    if rows_of(context, table, username):
        return True
    return bool(context.state["empty_entry"].where(table=table, username=username))


def shown(row: Row) -> dict[str, Any]:
    """Return a row as tools show it: without its owner."""
    return {name: plain(value) for name, value in row.items() if name != "username"}


def add(context: Context, table: str, row: Mapping[str, Any]) -> None:
    """Add a row at the end of a table."""
    context.add(table, row)
    empty = context.state["empty_entry"].where(table=table, username=row["username"])
    if empty:
        context.remove("empty_entry", *empty)


def remove(context: Context, table: str, *rows: Row) -> None:
    """Remove rows of one user, who keeps an entry."""
    username = rows[0]["username"]
    context.remove(table, *rows)
    if table in TELLING and not rows_of(context, table, username):
        context.add("empty_entry", {"table": table, "username": username})


def replaced(state: State, table: str, row: Row, **fields: Any) -> State:
    """Return the state in which a row has other values, at the same index."""
    changed = row.changed(**fields)
    rows = (changed if other is row else other for other in state[table].rows)
    return state.with_table(table, Table(rows))


def change(context: Context, table: str, row: Row, **fields: Any) -> None:
    """Change values of a row, which keeps its index."""
    context.state = replaced(context.state, table, row, **fields)
