"""Tools about money: coupons, refunds, gift cards and requested payments, in whole cents."""

from __future__ import annotations

from datetime import timedelta
from typing import Any, Literal

from pytest_toolsandbox.worlds.context import Context
from pytest_toolsandbox.worlds.state import Row
from pytest_toolsandbox.worlds.tool import tool

from .customers import change_points
from .rows import new_number, now_text, row_of, without

VALIDITY = timedelta(days=730)
"""How long a new gift card is valid."""


@tool("money")
def get_coupon(context: Context, code: str) -> dict[str, Any]:
    """Look up a coupon.

    Args:
        code: The code of the coupon.

    Returns:
        What it takes off (percent, or an amount), the minimum, when it is valid, and the customer
        and the order to which it belongs, if any.

    Raises:
        NoDataError: If there is no such coupon.
    """
    return without(row_of(context, "coupon", "code", code.strip().upper()))


@tool("money")
def get_gift_card(context: Context, number: str) -> dict[str, Any]:
    """Look up a gift card.

    Args:
        number: The number of the gift card.

    Returns:
        Its owner, balance, dates, whether it is blocked, and why it was issued.

    Raises:
        NoDataError: If there is no such gift card.
    """
    return {**without(row_of(context, "gift_card", "number", number)), "now": now_text(context)}


@tool("money", action=True)
def refund(context: Context, payment_id: str, amount: int) -> int:
    """Refund a part of a payment, to where it came from. This cannot be undone.

    Args:
        payment_id: The payment.
        amount: How many cents.

    Returns:
        How many cents of the payment are left.

    Raises:
        NoDataError: If there is no such payment.
        ValueError: If not so much is left, or if a gift card has expired or is blocked.
    """
    payment = row_of(context, "payment", "payment_id", payment_id)
    left = payment["amount"] - payment["refunded"]
    if not 1 <= amount <= left:
        raise ValueError(f"{left} cents of payment {payment_id!r} are left to refund, not {amount}")
    if payment["method"] == "gift_card":
        card = row_of(context, "gift_card", "number", payment["reference"])
        if problem := problem_of(context, card):
            raise ValueError(f"gift card {card['number']!r} {problem}")
        context.update("gift_card", card, balance=card["balance"] + amount)
    elif payment["method"] == "points":
        order = row_of(context, "order", "order_id", payment["order_id"])
        customer = row_of(context, "customer", "customer_id", order["customer_id"])
        change_points(context, customer, amount, payment["order_id"])
    context.update("payment", payment, refunded=payment["refunded"] + amount)
    return int(left - amount)


@tool("money", action=True)
def issue_gift_card(
    context: Context,
    customer_id: str,
    amount: int,
    reason: Literal["goodwill", "refund", "replacement"],
    order_id: str | None = None,
    replaces: str | None = None,
) -> str:
    """Give a customer a new gift card, which is valid for two years.

    Args:
        customer_id: The customer.
        amount: How many cents.
        reason: Why.
        order_id: The order that it is for. A refund and goodwill always have one.
        replaces: The number of the gift card that it replaces, which is then blocked and empty.

    Returns:
        The number of the new gift card.

    Raises:
        NoDataError: If there is no such customer, order or gift card.
        ValueError: If the amount is not positive, if a refund or goodwill is for no order, or if
            the gift card is blocked.
    """
    row_of(context, "customer", "customer_id", customer_id)
    if amount < 1:
        raise ValueError(f"the amount must be positive, not {amount}")
    if order_id is not None:
        row_of(context, "order", "order_id", order_id)
    elif reason != "replacement":
        # Without it, nobody sees what has been refunded of an order.
        raise ValueError(f"give the order_id that the {reason} is for")
    if replaces is not None:
        old = row_of(context, "gift_card", "number", replaces)
        if old["blocked"]:
            raise ValueError(f"gift card {replaces!r} is blocked")
        context.update("gift_card", old, blocked=True, balance=0)
    card = {"number": new_number(context, "G"), "customer_id": customer_id, "balance": amount}
    card |= {"reason": reason, "order_id": order_id, "issued": now_text(context)[:10]}
    card["expires"] = f"{context.now + VALIDITY:%Y-%m-%d}"
    return str(context.add("gift_card", card)["number"])


@tool("money", action=True)
def request_payment(context: Context, order_id: str, amount: int) -> str:
    """Ask the customer to pay something for an order; the customer gets a link.

    Args:
        order_id: The order.
        amount: How many cents.

    Returns:
        The request_id of the request. get_order shows whether it has been paid.

    Raises:
        NoDataError: If there is no such order.
        ValueError: If the amount is not positive.
    """
    row_of(context, "order", "order_id", order_id)
    if amount < 1:
        raise ValueError(f"the amount must be positive, not {amount}")
    row = {"request_id": new_number(context, "Q"), "order_id": order_id, "amount": amount}
    return str(context.add("payment_request", row)["request_id"])


def problem_of(context: Context, card: Row) -> str:
    """Return why a gift card takes no money, empty if it does."""
    if card["blocked"]:
        return "is blocked"
    return f"expired on {card['expires']}" if card["expires"] < now_text(context)[:10] else ""


TOOLS = (get_coupon, get_gift_card, refund, issue_gift_card, request_payment)
