"""The world ``store``: customer service of an online shop, with a policy."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

from pytest_toolsandbox.worlds.world import World

from . import customers, money, orders, user_tools
from .arrivals import DUE, ZONE
from .initial import initial
from .tables import TABLES

world = World(
    name="store",
    now=datetime(2026, 1, 20, 10, 0, tzinfo=ZONE),
    tables=TABLES,
    toolset=(*customers.TOOLS, *orders.TOOLS, *money.TOOLS, *user_tools.TOOLS),
    initial=initial,
    summary=(
        "The customer service of a shop for house and garden: customers, orders, deliveries, "
        "returns, payments, gift cards, points, coupons and notes, with a policy to follow."
    ),
    due=DUE,
    policy=Path(__file__).with_name("policy.md"),
)
