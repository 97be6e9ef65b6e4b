"""Tools about orders: looking them up, cancelling, addresses, exchanges, returns, deliveries."""

from __future__ import annotations

from typing import Any, Literal

from pytest_toolsandbox.worlds.context import Context
from pytest_toolsandbox.worlds.parameter import NOT_GIVEN, NotGiven
from pytest_toolsandbox.worlds.state import Row
from pytest_toolsandbox.worlds.tool import tool

from .rows import (
    has_words,
    new_number,
    now_text,
    page_of,
    row_of,
    rows_of,
    stage_of,
    without,
)


@tool("orders")
def list_orders(context: Context, customer_id: str, page: int = 1) -> dict[str, Any]:
    """List the orders of a customer, the latest first.

    Args:
        customer_id: The customer.
        page: Which page of the results, five on each.

    Returns:
        The orders with their time, what was paid, and the names and stages of their items; the
        page and how many there are.

    Raises:
        NoDataError: If there is no such customer.
        ValueError: If there is no such page.
    """
    row_of(context, "customer", "customer_id", customer_id)
    orders = rows_of(context, "order", "placed", customer_id=customer_id)[::-1]
    shown = page_of(orders, page)
    shown["results"] = [_in_short(context, order) for order in shown["results"]]
    return {**shown, "now": now_text(context)}


@tool("orders")
def get_order(context: Context, order_id: str) -> dict[str, Any]:
    """Look up an order with everything that belongs to it.

    Args:
        order_id: The order.

    Returns:
        The order with its items, deliveries, payments, requested payments, returns and gift cards
        given for it, and the time now. ``price`` is that of a unit, ``discount`` that of the line.

    Raises:
        NoDataError: If there is no such order.
    """
    order = row_of(context, "order", "order_id", order_id)
    parts = {
        "deliveries": rows_of(context, "delivery", "delivery_id", order_id=order_id),
        "payments": rows_of(context, "payment", "payment_id", order_id=order_id),
        "payment_requests": rows_of(context, "payment_request", "request_id", order_id=order_id),
        "returns": rows_of(context, "return", "return_id", order_id=order_id),
        "gift_cards": rows_of(context, "gift_card", "number", order_id=order_id),
    }
    return {
        **without(order),
        "items": [
            _shown(context, item) for item in rows_of(context, "item", "item_id", order_id=order_id)
        ],
        **{
            name: [without(row, "order_id", "arrives") for row in rows]
            for name, rows in parts.items()
        },
        "now": now_text(context),
    }


@tool("orders")
def get_delivery(context: Context, delivery_id: str) -> dict[str, Any]:
    """Look up a delivery with what is in the parcel.

    Args:
        delivery_id: The delivery.

    Returns:
        The delivery with the order's address and the items.

    Raises:
        NoDataError: If there is no such delivery.
    """
    delivery = row_of(context, "delivery", "delivery_id", delivery_id)
    order = row_of(context, "order", "order_id", delivery["order_id"])
    items = rows_of(context, "item", "item_id", delivery_id=delivery_id)
    columns = ("recipient", "address", "postcode", "city", "country")
    return {
        **without(delivery, "arrives"),
        **{name: order[name] for name in columns},
        "items": [_shown(context, item) for item in items],
    }


@tool("orders")
def search_products(
    context: Context,
    name: str | NotGiven = NOT_GIVEN,
    category: str | NotGiven = NOT_GIVEN,
    sku: str | NotGiven = NOT_GIVEN,
    page: int = 1,
) -> dict[str, Any]:
    """Search the products that meet all of the given criteria, sorted by sku.

    Args:
        name: The name or a part of it.
        category: The category, such as kitchen.
        sku: The number of the product.
        page: Which page of the results, five on each.

    Returns:
        The products with today's price and stock; the page and how many there are.

    Raises:
        ValueError: If there is no such page.
    """
    products = rows_of(context, "product", "sku")
    if isinstance(name, str):
        products = [row for row in products if has_words(row["name"], name)]
    if isinstance(category, str):
        products = [row for row in products if row["category"] == category]
    if isinstance(sku, str):
        products = [row for row in products if row["sku"] == sku]
    return page_of([without(row) for row in products], page)


@tool("orders", action=True)
def cancel_items(context: Context, item_ids: list[str]) -> None:
    """Cancel items that are processing. This refunds nothing.

    Args:
        item_ids: The items, all of the same order.

    Raises:
        NoDataError: If there is no such item.
        ValueError: If an item is not processing, or if they are of several orders.
    """
    items = [row_of(context, "item", "item_id", item_id) for item_id in dict.fromkeys(item_ids)]
    if len({item["order_id"] for item in items}) != 1:
        raise ValueError("give items of the same order")
    for item in items:
        if (stage := stage_of(context, item)) != "processing":
            raise ValueError(f"item {item['item_id']!r} is {stage}, not processing")
        context.update("item", item, state="cancelled")
        _put_back(context, item)


@tool("orders", action=True)
def change_address(
    context: Context, order_id: str, address: str, postcode: str, city: str, country: str
) -> None:
    """Change the delivery address of an order of which nothing has been shipped.

    Args:
        order_id: The order.
        address: Street and house number.
        postcode: The postcode.
        city: The city.
        country: The country, as two letters.

    Raises:
        NoDataError: If there is no such order.
        ValueError: If an item has been shipped, or if all are cancelled.
    """
    order = row_of(context, "order", "order_id", order_id)
    items = context.state["item"].where(order_id=order_id, state="ordered")
    if not items or any(stage_of(context, item) != "processing" for item in items):
        raise ValueError(f"order {order_id!r} is no longer processing as a whole")
    fields = {"address": address, "postcode": postcode, "city": city, "country": country}
    context.update("order", order, **fields, address_changed=True)


@tool("orders", action=True)
def exchange_item(context: Context, item_id: str, sku: str) -> str:
    """Exchange an item for a product of the same category: the new one is sent right away.

    All units of the item are exchanged. This requests and refunds nothing.

    Args:
        item_id: The item that the customer gives back, or that was lost.
        sku: The product that is sent.

    Returns:
        The item_id of the new item.

    Raises:
        NoDataError: If there is no such item or product.
        ValueError: If the item has not been shipped, was returned or exchanged, or if the product
            is of another category or out of stock.
    """
    item = row_of(context, "item", "item_id", item_id)
    product = row_of(context, "product", "sku", sku)
    if (stage := stage_of(context, item)) not in ("delivered", "lost"):
        raise ValueError(f"item {item_id!r} is {stage}, neither delivered nor lost")
    if item["replaces"] is not None or item["returned"]:
        done = "returned" if item["returned"] else "exchanged"
        raise ValueError(f"item {item_id!r} has already been {done}")
    if product["category"] != row_of(context, "product", "sku", item["sku"])["category"]:
        raise ValueError(f"product {sku!r} is of another category, {product['category']}")
    if product["stock"] < item["quantity"]:
        raise ValueError(f"product {sku!r} has a stock of {product['stock']}")
    context.update("item", item, state="exchanged")
    context.update("product", product, stock=product["stock"] - item["quantity"])
    new = {"item_id": new_number(context, "I"), "sku": sku, "price": product["price"]}
    new |= {"order_id": item["order_id"], "quantity": item["quantity"], "replaces": item_id}
    return str(context.add("item", new)["item_id"])


@tool("orders", action=True)
def create_return(
    context: Context,
    item_id: str,
    quantity: int,
    reason: Literal["changed_mind", "defective", "damaged", "wrong_item"],
) -> str:
    """Register the return of an item, for which the customer gets a label. This refunds nothing.

    Args:
        item_id: The item.
        quantity: How many units come back.
        reason: Why.

    Returns:
        The return_id of the new return.

    Raises:
        NoDataError: If there is no such item.
        ValueError: If the item is not delivered, or if the customer does not have as many units.
    """
    item = row_of(context, "item", "item_id", item_id)
    if (stage := stage_of(context, item)) != "delivered":
        raise ValueError(f"item {item_id!r} is {stage}, not delivered")
    left = item["quantity"] - item["returned"]
    if not 1 <= quantity <= left:
        raise ValueError(f"of item {item_id!r}, the customer has {left} to return, not {quantity}")
    context.update("item", item, returned=item["returned"] + quantity)
    row = {"item_id": item_id, "reason": reason, "status": "registered"}
    row["created"] = now_text(context)
    for registered in context.state["return"].where(
        **row
    ):  # unit by unit is as good as all at once
        quantity += registered["quantity"]
        context.update("return", registered, quantity=quantity)
        return str(registered["return_id"])
    row |= {"return_id": new_number(context, "R"), "order_id": item["order_id"]}
    return str(context.add("return", {**row, "quantity": quantity})["return_id"])


@tool("orders", action=True)
def open_trace(context: Context, delivery_id: str) -> None:
    """Ask the carrier to find out where a parcel is.

    Args:
        delivery_id: The delivery.

    Raises:
        NoDataError: If there is no such delivery.
        ValueError: If a trace is open, or if the parcel is lost.
    """
    delivery = row_of(context, "delivery", "delivery_id", delivery_id)
    if delivery["trace"] is not None or delivery["status"] == "lost":
        raise ValueError(f"the carrier knows of delivery {delivery_id!r}: {delivery['status']}")
    context.update("delivery", delivery, trace=now_text(context))


def _in_short(context: Context, order: Row) -> dict[str, Any]:
    order_id = order["order_id"]
    items = [
        f"{item['quantity']} x {_product(context, item)['name']} ({stage_of(context, item)})"
        for item in rows_of(context, "item", "item_id", order_id=order_id)
    ]
    paid = sum(row["amount"] for row in context.state["payment"].where(order_id=order_id))
    return {"order_id": order_id, "placed": order["placed"], "paid": paid, "items": items}


def _shown(context: Context, item: Row) -> dict[str, Any]:
    product = _product(context, item)
    properties = ("category", "made_to_order", "clearance")
    shown = {"item_id": item["item_id"], "name": product["name"]}
    shown |= without(item, "item_id", "order_id", "state", "is_gift")
    shown |= {name: product[name] for name in properties}
    gift = {"gift_worth": product["price"]} if item["is_gift"] else {}
    return {**shown, **gift, "stage": stage_of(context, item)}


def _product(context: Context, item: Row) -> Row:
    return row_of(context, "product", "sku", item["sku"])


def _put_back(context: Context, item: Row) -> None:
    product = _product(context, item)
    context.update("product", product, stock=product["stock"] + item["quantity"])


TOOLS = (
    list_orders,
    get_order,
    get_delivery,
    search_products,
    cancel_items,
    change_address,
    exchange_item,
    create_return,
    open_trace,
)
