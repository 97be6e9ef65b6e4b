"""The store: its page, and whether its data agree with each other and with its policy."""

from __future__ import annotations

import re
from collections import Counter
from datetime import timedelta
from pathlib import Path

from rows import every

from pytest_toolsandbox.builtin.store import world
from pytest_toolsandbox.worlds.due import passed_time
from pytest_toolsandbox.worlds.state import Row

PAGE = (Path(__file__).parents[2] / "docs" / "store.md").read_text(encoding="utf-8")
STATE = world.start(world.now)
COUPONS = {row["code"]: row for row in STATE["coupon"]}
GIFTS_FROM = 8000


def goods(order_id: str) -> int:
    return sum(item["price"] * item["quantity"] for item in STATE["item"].where(order_id=order_id))


@every("name", list(world.tools))
def test_the_page_lists_the_tool_and_its_arguments(name: str) -> None:
    (row,) = re.findall(rf"^\| `{name}` \|([^|]*)\|", PAGE, re.MULTILINE)
    assert re.findall(r"(\[?)`(\w+)`", row) == [
        ("" if parameter.required else "[", argument)
        for argument, parameter in world.tools[name].parameters.items()
    ]


@every("table", list(world.tables))
def test_the_page_lists_columns_and_counts_rows(table: str) -> None:
    (section,) = re.findall(rf"^### `{table}`\n(.*?)(?=^##)", PAGE, re.MULTILINE | re.DOTALL)
    columns = re.findall(r"^\| `(\w+)` \|", section, re.MULTILINE)
    assert columns == list(world.tables[table].columns)
    counted = re.findall(rf"(\d+)\s+rows\s+of\s+`{table}`", PAGE)
    assert counted == [str(len(STATE[table]))] * bool(len(STATE[table]))


def test_the_policy_can_be_read_in_some_minutes() -> None:
    assert 900 <= len(world.policy_text.split()) <= 1500
    assert "time now" in world.policy_text


def test_names_are_easily_taken_for_one_another() -> None:
    names = Counter(row["name"] for row in STATE["customer"])
    assert sum(count > 1 for count in names.values()) >= 5
    assert len({row["country"] for row in STATE["customer"]}) >= 20
    assert [len(STATE[table]) for table in ("customer", "order")] == [60, 300]


@every("order", STATE["order"].rows, ids=lambda order: order["order_id"])
def test_an_order_is_what_the_policy_allows(order: Row) -> None:
    """It is paid in full, its coupon is valid and gives the discount, and it has its gift."""
    order_id = order["order_id"]
    items = STATE["item"].where(order_id=order_id)
    payments = STATE["payment"].where(order_id=order_id)
    discount = sum(item["discount"] for item in items)
    paid = sum(payment["amount"] for payment in payments)
    assert paid == goods(order_id) - discount + order["shipping"]
    assert all(0 <= payment["refunded"] <= payment["amount"] for payment in payments)
    expected = 0
    if order["coupon"] is not None:
        coupon = COUPONS[order["coupon"]]
        assert coupon["minimum"] <= goods(order_id)
        assert coupon["valid_from"] <= order["placed"][:10] <= coupon["valid_until"]
        expected = coupon["amount"] or goods(order_id) * coupon["percent"] // 100
    assert discount == expected
    assert sum(item["is_gift"] for item in items) == (goods(order_id) >= GIFTS_FROM)


def test_points_are_what_their_changes_add_up_to() -> None:
    for customer in STATE["customer"]:
        entries = STATE["points_entry"].where(customer_id=customer["customer_id"])
        assert customer["points"] == sum(entry["change"] for entry in entries) >= 0


def test_every_reference_leads_somewhere() -> None:
    keys = {"customer_id": "customer", "sku": "product", "order_id": "order"}
    keys |= {"delivery_id": "delivery", "item_id": "item"}
    known = {key: {row[key] for row in STATE[table]} for key, table in keys.items()}
    for table in STATE.values():
        for row in table:
            assert all(row[key] in {*known[key], None} for key in keys if key in row)


def test_a_parcel_arrives_when_the_clock_has_moved() -> None:
    """Its items earn points then: here a lamp of 115.00 of a silver member, and a gift none."""
    (delivery,) = STATE["delivery"].where(delivery_id="D21593-1")
    assert delivery["status"] == "in_transit"
    on_its_way = delivery.changed(arrives="2026-01-22 12:10")
    state = STATE.with_table("delivery", STATE["delivery"].without(delivery).with_row(on_its_way))
    for hours, status, points in ((50, "in_transit", 406), (51, "delivered", 521)):
        times = (world.now, world.now + timedelta(hours=hours))
        after = passed_time(tuple(world.due), world.tables, state, times, "clock")
        (delivery,) = after["delivery"].where(delivery_id="D21593-1")
        (customer,) = after["customer"].where(customer_id="C1325")
        assert (delivery["status"], customer["points"]) == (status, points)
    assert delivery["delivered"] == "2026-01-22 12:10"
    (entry,) = after["points_entry"].where(order_id="B21593")
    assert (entry["change"], entry["created"]) == (115, "2026-01-22 12:10")
