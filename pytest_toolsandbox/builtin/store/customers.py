"""Tools about customers: finding and verifying them, their data, points and notes."""

from __future__ import annotations

from typing import Any, Final, Literal

from pytest_toolsandbox.worlds.context import Context, stable_identifier
from pytest_toolsandbox.worlds.parameter import NOT_GIVEN, NotGiven
from pytest_toolsandbox.worlds.state import Row
from pytest_toolsandbox.worlds.tool import tool

from .rows import has_words, new_number, now_text, page_of, row_of, rows_of, without

FACTS_NEEDED: Final = 2
HIDDEN: Final = ("birth_date", "card_last4")


@tool("customers")
def find_customers(
    context: Context,
    name: str | NotGiven = NOT_GIVEN,
    email: str | NotGiven = NOT_GIVEN,
    phone: str | NotGiven = NOT_GIVEN,
    order_id: str | NotGiven = NOT_GIVEN,
    page: int = 1,
) -> dict[str, Any]:
    """Find customers who meet all of the given criteria.

    Args:
        name: The name or a part of it. Case and accents do not matter.
        email: The whole e-mail address.
        phone: The whole phone number, with its country code.
        order_id: The number of an order of the customer.
        page: Which page of the results, five on each.

    Returns:
        The results, each with customer_id, name, city and country; the page and how many there are.

    Raises:
        ValueError: If there is no criterion, or no such page.
    """
    if (name, email, phone, order_id) == (NOT_GIVEN,) * 4:
        raise ValueError("give at least one of name, email, phone and order_id")
    customers = rows_of(context, "customer", "customer_id")
    if isinstance(name, str):
        customers = [row for row in customers if has_words(row["name"], name)]
    if isinstance(email, str):
        customers = [row for row in customers if row["email"] == email.strip().lower()]
    if isinstance(phone, str):
        customers = [row for row in customers if _digits(row["phone"]) == _digits(phone)]
    if isinstance(order_id, str):
        orders = context.state["order"].where(order_id=order_id)
        owners = {order["customer_id"] for order in orders}
        customers = [row for row in customers if row["customer_id"] in owners]
    columns = ("customer_id", "name", "city", "country")
    return page_of([{name: row[name] for name in columns} for row in customers], page)


@tool("customers")
def get_customer(context: Context, customer_id: str) -> dict[str, Any]:
    """Look up the account of a customer.

    Args:
        customer_id: The customer.

    Returns:
        The data of the account with tier, balance of points and gift cards, and the time now.

    Raises:
        NoDataError: If there is no such customer.
    """
    row = row_of(context, "customer", "customer_id", customer_id)
    cards = rows_of(context, "gift_card", "number", customer_id=customer_id)
    shown = [without(card, "customer_id") for card in cards]
    return {**without(row, *HIDDEN), "gift_cards": shown, "now": now_text(context)}


@tool("customers", action=True)
def verify_identity(
    context: Context,
    customer_id: str,
    postcode: str | None = None,
    birth_date: str | None = None,
    card_last4: str | None = None,
    code: str | None = None,
) -> dict[str, Any]:
    """Verify that a person is this customer, by two facts, or by the code that was mailed.

    Give what the person has told you. A wrong fact is a failed attempt, even beside two right ones.

    Args:
        customer_id: The customer who the person claims to be.
        postcode: The postcode of the account.
        birth_date: The date of birth, as 1980-12-31.
        card_last4: The last four digits of the card on file.
        code: The code that send_code has mailed.

    Returns:
        Whether the person is verified, by what, and how many attempts have failed.

    Raises:
        ValueError: If neither a code nor two facts are given.
        NoDataError: If there is no such customer.
    """
    row = row_of(context, "customer", "customer_id", customer_id)
    claims = {"postcode": postcode, "birth_date": birth_date, "card_last4": card_last4}
    facts = {name: value.strip() for name, value in claims.items() if value and value.strip()}
    if code is None and len(facts) < FACTS_NEEDED:
        raise ValueError("give two facts, or the code that was mailed")
    passed = all(_same(row[name], value) for name, value in facts.items())
    method = "facts"
    if code is not None:
        method = "code"
        codes = context.state["code"].where(customer_id=customer_id)
        passed = passed and bool(codes) and codes[-1]["code"] == code.strip()
    entry = {"customer_id": customer_id, "method": method, "passed": passed}
    entry["created"] = now_text(context)
    if not passed or not context.state["verification"].where(**entry):
        context.add("verification", entry)
    failed = context.state["verification"].where(customer_id=customer_id, passed=False)
    return {"verified": passed, "by": method, "failed_attempts": len(failed)}


@tool("customers", action=True)
def send_code(context: Context, customer_id: str) -> dict[str, Any]:
    """Mail a code of six digits to the e-mail address of the account.

    Args:
        customer_id: The customer.

    Returns:
        The address, of which only the beginning and the end are shown.

    Raises:
        NoDataError: If there is no such customer.
    """
    row = row_of(context, "customer", "customer_id", customer_id)
    # It depends on the customer alone, so that scenarios can write it down.
    sent = len(context.state["code"].where(customer_id=customer_id))
    code = f"{int(stable_identifier('store', customer_id, sent)[:8], 16) % 1_000_000:06}"
    entry = {"email": row["email"], "customer_id": customer_id, "code": code}
    context.add("code", {**entry, "created": now_text(context)})
    local, _, domain = row["email"].partition("@")
    return {"sent_to": f"{local[0]}***@{domain}"}


@tool("customers", action=True)
def update_customer(
    context: Context,
    customer_id: str,
    email: str | NotGiven = NOT_GIVEN,
    phone: str | NotGiven = NOT_GIVEN,
    address: str | NotGiven = NOT_GIVEN,
    postcode: str | NotGiven = NOT_GIVEN,
    city: str | NotGiven = NOT_GIVEN,
) -> None:
    """Change the data of an account. Orders keep their delivery addresses.

    Args:
        customer_id: The customer.
        email: The new e-mail address.
        phone: The new phone number, with its country code.
        address: The new street and house number.
        postcode: The new postcode.
        city: The new city.

    Raises:
        NoDataError: If there is no such customer.
        ValueError: If nothing is to change.
    """
    row = row_of(context, "customer", "customer_id", customer_id)
    values: dict[str, Any] = {
        "email": email.strip().lower() if isinstance(email, str) else NOT_GIVEN,
        "phone": f"+{_digits(phone)}" if isinstance(phone, str) else NOT_GIVEN,
        "address": address,
        "postcode": postcode,
        "city": city,
    }
    fields = {name: value for name, value in values.items() if value is not NOT_GIVEN}
    if not fields:
        raise ValueError("give what is to change: email, phone, address, postcode or city")
    if "email" in fields or "phone" in fields:
        fields["contact_changed"] = now_text(context)[:10]
    context.update("customer", row, **fields)


@tool("customers")
def list_points(context: Context, customer_id: str, page: int = 1) -> dict[str, Any]:
    """List how the points of a customer changed, the latest change first.

    Args:
        customer_id: The customer.
        page: Which page of the results, five on each.

    Returns:
        The balance, the changes with order, number of points, reason and time; the page and how
        many there are.

    Raises:
        NoDataError: If there is no such customer.
        ValueError: If there is no such page.
    """
    row = row_of(context, "customer", "customer_id", customer_id)
    entries = rows_of(context, "points_entry", "created", customer_id=customer_id)
    shown = [without(entry, "entry_id", "customer_id") for entry in reversed(entries)]
    return {"balance": row["points"], **page_of(shown, page)}


@tool("customers", action=True)
def adjust_points(context: Context, customer_id: str, order_id: str, change: int) -> int:
    """Add points to the balance of a customer, or take points back.

    Args:
        customer_id: The customer.
        order_id: The order that the points are about.
        change: How many points to add, or with a minus to take.

    Returns:
        The new balance.

    Raises:
        NoDataError: If there is no such customer or order.
        ValueError: If the balance would be negative, or nothing would change.
    """
    row = row_of(context, "customer", "customer_id", customer_id)
    row_of(context, "order", "order_id", order_id)
    if change == 0:
        raise ValueError("a change of 0 points changes nothing")
    return change_points(context, row, change, order_id)


def change_points(
    context: Context,
    customer: Row,
    change: int,
    order_id: str,
    reason: str = "Changed by customer service",
) -> int:
    """Change a balance of points, and return the new one. Raises ``ValueError``.

    Changes for an order at one time are one entry, in whatever steps they are made.
    """
    balance: int = customer["points"] + change
    if balance < 0:
        raise ValueError(f"the customer has only {customer['points']} points")
    context.update("customer", customer, points=balance)
    key = {"customer_id": customer["customer_id"], "order_id": order_id}
    key["created"] = now_text(context)
    for entry in context.state["points_entry"].where(**key):
        context.update("points_entry", entry, change=entry["change"] + change)
        return balance
    new = {"entry_id": new_number(context, "E"), "reason": reason}
    context.add("points_entry", {**new, **key, "change": change})
    return balance


@tool("customers")
def list_notes(context: Context, customer_id: str, page: int = 1) -> dict[str, Any]:
    """List the notes of staff on a customer and on the customer's orders, the latest first.

    Args:
        customer_id: The customer.
        page: Which page of the results, five on each.

    Returns:
        The notes with order, author, time and text; the page and how many there are.

    Raises:
        NoDataError: If there is no such customer.
        ValueError: If there is no such page.
    """
    row_of(context, "customer", "customer_id", customer_id)
    notes = rows_of(context, "note", "created", customer_id=customer_id)
    notes += rows_of(context, "new_note", "created", customer_id=customer_id)
    return page_of([without(note, "note_id", "customer_id") for note in reversed(notes)], page)


@tool("customers", action=True)
def add_note(context: Context, customer_id: str, text: str, order_id: str | None = None) -> None:
    """Write a note for colleagues on a customer or on an order.

    Args:
        customer_id: The customer.
        text: What colleagues should know.
        order_id: The order that the note is about.

    Raises:
        NoDataError: If there is no such customer or order.
    """
    row_of(context, "customer", "customer_id", customer_id)
    if order_id is not None:
        row_of(context, "order", "order_id", order_id)
    note = {"note_id": new_number(context, "N"), "author": "you", "text": text}
    note["created"] = now_text(context)
    context.add("new_note", {**note, "customer_id": customer_id, "order_id": order_id})


@tool("customers", action=True)
def hand_over(
    context: Context,
    customer_id: str,
    topic: Literal["identity", "account", "refund_limit", "legal", "other"],
    summary: str,
) -> None:
    """Hand a matter over to a person of the team, who will get in touch with the customer.

    Args:
        customer_id: The customer, or who the person claims to be.
        topic: What the matter is about.
        summary: What the person of the team should know.

    Raises:
        NoDataError: If there is no such customer.
    """
    row_of(context, "customer", "customer_id", customer_id)
    row = {"handover_id": new_number(context, "H"), "customer_id": customer_id, "topic": topic}
    context.add("handover", {**row, "summary": summary})


def _same(known: str | None, claimed: str) -> bool:
    return known is not None and _letters(known) == _letters(claimed)


def _letters(text: str) -> str:
    return "".join(part for part in text.casefold() if part.isalnum())


def _digits(text: str) -> str:
    return "".join(part for part in text if part.isdecimal())


TOOLS = (
    find_customers,
    get_customer,
    verify_identity,
    send_code,
    update_customer,
    list_points,
    adjust_points,
    list_notes,
    add_note,
    hand_over,
)
