"""A small shop, and the agent that works in it: put your own tools and agent in their place.

The plugin reads this file before the scenarios beside it: it registers the world that they name,
and defines the agent that plays them.
"""

import json
import re
from datetime import UTC, datetime
from typing import Any

import pytest

from pytest_toolsandbox import (
    Agent,
    World,
    register_world,
)

# --- The tools: the methods of a class, which change the object. Import yours instead.


class Shop:
    """Orders of customers. Each conversation gets a new shop."""

    def __init__(self) -> None:
        self.orders = [
            {"order_id": "A-17", "customer": "Jun Park", "item": "red kettle", "status": "open"},
            {"order_id": "A-18", "customer": "Jun Park", "item": "blue teapot", "status": "open"},
            {"order_id": "B-04", "customer": "Ada Okafor", "item": "red kettle", "status": "open"},
        ]

    def find_orders(self, customer: str) -> list[dict[str, Any]]:
        """Find the orders of a customer.

        Args:
            customer: The customer's full name.
        """
        return [order for order in self.orders if order["customer"] == customer]

    def cancel_order(self, order_id: str) -> None:
        """Cancel an open order.

        Args:
            order_id: The identifier of the order.

        Raises:
            ValueError: If there is no such order, or it is not open.
        """
        orders = [order for order in self.orders if order["order_id"] == order_id]
        if not orders or orders[0]["status"] != "open":
            raise ValueError(f"there is no open order {order_id}")
        orders[0]["status"] = "cancelled"


# --- The world: how an object is made, which tables scenarios see, and which tools only look.

register_world(
    World.of(
        Shop,
        name="shop",
        state=lambda shop: {"order": shop.orders},
        reads=["find_orders"],
        now=datetime(2025, 3, 14, 9, 0, tzinfo=UTC),
    )
)
