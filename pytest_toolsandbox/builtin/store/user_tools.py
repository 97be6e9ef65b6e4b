"""Tools of the customer, who has the parcels, the mailbox and the card."""

from __future__ import annotations

from typing import Any

from pytest_toolsandbox.worlds.context import Context, NoDataError
from pytest_toolsandbox.worlds.state import Row
from pytest_toolsandbox.worlds.tool import tool

from .rows import new_number, row_of, rows_of, without


@tool("user_tools", for_user=True)
def check_parcel(context: Context, delivery_id: str) -> dict[str, Any]:
    """Open a parcel, and look at what is in it.

    Args:
        delivery_id: The delivery.

    Returns:
        What is in the parcel, in words.

    Raises:
        NoDataError: If the parcel has not arrived.
    """
    delivery = _arrived(context, delivery_id)
    for parcel in context.state["parcel"].where(delivery_id=delivery["delivery_id"]):
        return {"contents": parcel["contents"]}
    items = rows_of(context, "item", "item_id", delivery_id=delivery_id)
    names = [row_of(context, "product", "sku", item["sku"])["name"] for item in items]
    lines = [f"{item['quantity']} x {name}" for item, name in zip(items, names, strict=True)]
    return {"contents": ", ".join(lines)}


@tool("user_tools", for_user=True)
def read_label(context: Context, delivery_id: str) -> dict[str, Any]:
    """Read the label on a parcel.

    Args:
        delivery_id: The delivery.

    Returns:
        What the label says.

    Raises:
        NoDataError: If the parcel has not arrived.
    """
    delivery = _arrived(context, delivery_id)
    for parcel in context.state["parcel"].where(delivery_id=delivery["delivery_id"]):
        return {"label": parcel["label"]}
    order = row_of(context, "order", "order_id", delivery["order_id"])
    place = f"{order['recipient']}, {order['address']}, {order['postcode']} {order['city']}"
    return {"label": f"{delivery['carrier']} {delivery['tracking']}, {place}"}


@tool("user_tools", for_user=True)
def read_code(context: Context, email: str) -> dict[str, Any]:
    """Read the latest code in a mailbox.

    Args:
        email: The address of the mailbox.

    Returns:
        The code.

    Raises:
        NoDataError: If there is no mail with a code.
    """
    codes = context.state["code"].where(email=email)
    if not codes:
        raise NoDataError(f"there is no mail with a code for {email!r}")
    return {"code": codes[-1]["code"]}


@tool("user_tools", for_user=True)
def pay(context: Context, order_id: str, card_last4: str) -> dict[str, Any]:
    """Pay what is requested for an order, by card.

    Args:
        order_id: The order.
        card_last4: The last four digits of the card.

    Returns:
        How many cents were paid.

    Raises:
        NoDataError: If nothing is requested.
    """
    open_requests = context.state["payment_request"].where(order_id=order_id, status="open")
    if not open_requests:
        raise NoDataError(f"nothing is to pay for order {order_id!r}")
    for request in open_requests:
        context.update("payment_request", request, status="paid")
        payment = {"payment_id": new_number(context, "P"), "order_id": order_id, "method": "card"}
        context.add("payment", {**payment, "reference": card_last4, "amount": request["amount"]})
    return {"paid": sum(request["amount"] for request in open_requests)}


@tool("user_tools", for_user=True)
def send_back(context: Context, order_id: str) -> dict[str, Any]:
    """Take everything that is registered as a return to the carrier.

    Args:
        order_id: The order.

    Returns:
        How many returns are on their way now.

    Raises:
        NoDataError: If no return is registered.
    """
    returns = context.state["return"].where(order_id=order_id, status="registered")
    if not returns:
        raise NoDataError(f"no return of order {order_id!r} is registered")
    for row in returns:
        context.update("return", row, status="sent")
    return {"sent": len(returns)}


@tool("user_tools", for_user=True)
def view_account(context: Context, customer_id: str) -> dict[str, Any]:
    """Look at the customer's own account page.

    Args:
        customer_id: The customer.

    Returns:
        The balance of points, the tier, and the gift cards.

    Raises:
        NoDataError: If there is no such customer.
    """
    row = row_of(context, "customer", "customer_id", customer_id)
    cards = rows_of(context, "gift_card", "number", customer_id=customer_id)
    columns = ("points", "tier")
    shown = [without(card, "customer_id", "order_id") for card in cards]
    return {**{name: row[name] for name in columns}, "gift_cards": shown}


def _arrived(context: Context, delivery_id: str) -> Row:
    delivery = row_of(context, "delivery", "delivery_id", delivery_id)
    if delivery["status"] != "delivered":
        raise NoDataError(f"delivery {delivery_id!r} has not arrived")
    return delivery


TOOLS = (check_parcel, read_label, read_code, pay, send_back, view_account)
