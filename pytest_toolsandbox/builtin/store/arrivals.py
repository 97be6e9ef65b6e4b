"""Parcels that arrive when the clock moves, with the points that their items earn."""

from __future__ import annotations

from datetime import datetime
from typing import Final
from zoneinfo import ZoneInfo

from pytest_toolsandbox.worlds.context import Context
from pytest_toolsandbox.worlds.due import Due
from pytest_toolsandbox.worlds.state import Row, State

from .customers import change_points
from .rows import now_text, row_of

ZONE: Final = ZoneInfo("Europe/Amsterdam")
CENTS: Final = 100
POINTS: Final = {"basic": 1, "silver": 1, "gold": 2}
"""The points for each full euro, by the customer's tier."""


def _arrival(state: State, delivery: Row) -> datetime | None:
    del state
    if delivery["status"] != "in_transit" or delivery["arrives"] is None:
        return None
    return datetime.fromisoformat(delivery["arrives"]).replace(tzinfo=ZONE)


def _arrive(context: Context, delivery: Row) -> None:
    context.update("delivery", delivery, status="delivered", delivered=now_text(context))
    order = row_of(context, "order", "order_id", delivery["order_id"])
    customer = row_of(context, "customer", "customer_id", order["customer_id"])
    items = context.state["item"].where(delivery_id=delivery["delivery_id"], state="ordered")
    paid = (item["price"] * item["quantity"] - item["discount"] for item in items)
    earned = sum(cents // CENTS for cents in paid) * POINTS[customer["tier"]]
    if earned:
        change_points(context, customer, earned, order["order_id"], "Earned with the order")


DUE: Final = (Due("delivery", _arrival, _arrive),)
