"""A small shop, and the agent that works in it: put your own tools and agent in their place.

The plugin reads this file before the scenarios beside it: it registers the world that they name,
and defines the agent that plays them.
"""

import json
import re
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

from pytest_toolsandbox import (
    Agent,
    World,
    register_world,
)

# --- The database: each conversation gets a copy of this file. Name the one of your migrations.

DATABASE = Path(tempfile.mkdtemp()) / "shop.db"
with closing(sqlite3.connect(DATABASE)) as first, first:
    first.executescript(
        """
        CREATE TABLE orders (order_id TEXT PRIMARY KEY, customer TEXT, item TEXT, status TEXT);
        INSERT INTO orders VALUES ('A-17', 'Jun Park', 'red kettle', 'open');
        INSERT INTO orders VALUES ('A-18', 'Jun Park', 'blue teapot', 'open');
        INSERT INTO orders VALUES ('B-04', 'Ada Okafor', 'red kettle', 'open');
        """
    )


@contextmanager
def opened() -> Iterator[sqlite3.Connection]:
    """Yield a connection to a copy of the database."""
    with (
        tempfile.TemporaryDirectory() as folder,
        closing(sqlite3.connect(shutil.copy(DATABASE, folder))) as connection,
    ):
        connection.row_factory = sqlite3.Row
        yield connection


# --- The tools: functions that take the connection first. Import yours instead.


def find_orders(shop: sqlite3.Connection, customer: str) -> list[dict[str, Any]]:
    """Find the orders of a customer.

    Args:
        customer: The customer's full name.
    """
    rows = shop.execute("SELECT * FROM orders WHERE customer = ?", [customer])
    return [dict(row) for row in rows]


def cancel_order(shop: sqlite3.Connection, order_id: str) -> None:
    """Cancel an open order.

    Args:
        order_id: The identifier of the order.

    Raises:
        ValueError: If there is no such order, or it is not open.
    """
    command = "UPDATE orders SET status = 'cancelled' WHERE order_id = ? AND status = 'open'"
    if not shop.execute(command, [order_id]).rowcount:
        raise ValueError(f"there is no open order {order_id}")


# --- The world: how a database is opened, and which tables scenarios see.


def tables(shop: sqlite3.Connection) -> dict[str, list[sqlite3.Row]]:
    """Return the tables that scenarios see."""
    return {"order": shop.execute("SELECT * FROM orders ORDER BY order_id").fetchall()}


register_world(
    World.of(
        opened, name="shop", state=tables, tools=[find_orders, cancel_order], reads=[find_orders]
    )
)
