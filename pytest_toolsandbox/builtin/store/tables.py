"""The tables of the store. Amounts are whole cents; times are texts, ``2026-01-20 10:00``."""

from __future__ import annotations

from pytest_toolsandbox.worlds.state import NEW_IDENTIFIER, Column, TableSchema

_TEXT = Column(str)
_TEXT_OR_NULL = Column(str, nullable=True, default=None)
_CENTS = Column(int)

_NOTES = TableSchema(
    {
        "note_id": Column(str, default=NEW_IDENTIFIER),
        "customer_id": _TEXT,
        "order_id": _TEXT_OR_NULL,
        "author": _TEXT,
        "created": _TEXT,
        "text": Column(str, measure="restates"),
    }
)

TABLES = {
    "customer": TableSchema(
        {
            "customer_id": _TEXT,
            "name": _TEXT,
            "email": _TEXT,
            "phone": Column(str, measure="phone_number"),
            "birth_date": _TEXT,
            "card_last4": _TEXT_OR_NULL,
            "address": _TEXT,
            "postcode": _TEXT,
            "city": _TEXT,
            "country": _TEXT,
            "tier": Column(str, default="basic"),
            "points": Column(int, default=0),
            "contact_changed": _TEXT_OR_NULL,
        }
    ),
    "product": TableSchema(
        {
            "sku": _TEXT,
            "name": _TEXT,
            "category": _TEXT,
            "price": _CENTS,
            "stock": Column(int),
            "made_to_order": Column(bool, default=False),
            "clearance": Column(bool, default=False),
        }
    ),
    "order": TableSchema(
        {
            "order_id": _TEXT,
            "customer_id": _TEXT,
            "placed": _TEXT,
            "promised": _TEXT,
            "recipient": _TEXT,
            "address": _TEXT,
            "postcode": _TEXT,
            "city": _TEXT,
            "country": _TEXT,
            "shipping": Column(int, default=0),
            "coupon": _TEXT_OR_NULL,
            "comment": _TEXT_OR_NULL,
            "address_changed": Column(bool, default=False),
        }
    ),
    "item": TableSchema(
        {
            "item_id": Column(str, default=NEW_IDENTIFIER),
            "order_id": _TEXT,
            "sku": _TEXT,
            "quantity": Column(int, default=1),
            "price": _CENTS,
            "discount": Column(int, default=0),
            "is_gift": Column(bool, default=False),
            "state": Column(str, default="ordered"),
            "returned": Column(int, default=0),
            "delivery_id": _TEXT_OR_NULL,
            "replaces": _TEXT_OR_NULL,
        }
    ),
    "delivery": TableSchema(
        {
            "delivery_id": _TEXT,
            "order_id": _TEXT,
            "carrier": _TEXT,
            "tracking": _TEXT,
            "status": _TEXT,
            "shipped": _TEXT,
            "delivered": _TEXT_OR_NULL,
            "trace": _TEXT_OR_NULL,
            "arrives": _TEXT_OR_NULL,
        }
    ),
    "parcel": TableSchema(
        {
            "delivery_id": _TEXT,
            "label": _TEXT,
            "contents": _TEXT,
        }
    ),
    "payment": TableSchema(
        {
            "payment_id": Column(str, default=NEW_IDENTIFIER),
            "order_id": _TEXT,
            "method": _TEXT,
            "reference": _TEXT,
            "amount": _CENTS,
            "refunded": Column(int, default=0),
        }
    ),
    "payment_request": TableSchema(
        {
            "request_id": Column(str, default=NEW_IDENTIFIER),
            "order_id": _TEXT,
            "amount": _CENTS,
            "status": Column(str, default="open"),
        }
    ),
    "return": TableSchema(
        {
            "return_id": Column(str, default=NEW_IDENTIFIER),
            "order_id": _TEXT,
            "item_id": _TEXT,
            "quantity": Column(int, default=1),
            "reason": _TEXT,
            "status": Column(str, default="registered"),
            "created": _TEXT,
        }
    ),
    "gift_card": TableSchema(
        {
            "number": Column(str, default=NEW_IDENTIFIER),
            "customer_id": _TEXT_OR_NULL,
            "balance": _CENTS,
            "issued": _TEXT,
            "expires": _TEXT,
            "blocked": Column(bool, default=False),
            "reason": Column(str, default="bought"),
            "order_id": _TEXT_OR_NULL,
        }
    ),
    "coupon": TableSchema(
        {
            "code": _TEXT,
            "percent": Column(int, default=0),
            "amount": Column(int, default=0),
            "minimum": Column(int, default=0),
            "valid_from": _TEXT,
            "valid_until": _TEXT,
            "customer_id": _TEXT_OR_NULL,
            "order_id": _TEXT_OR_NULL,
        }
    ),
    "points_entry": TableSchema(
        {
            "entry_id": Column(str, default=NEW_IDENTIFIER),
            "customer_id": _TEXT,
            "order_id": _TEXT_OR_NULL,
            "change": Column(int),
            "reason": _TEXT,
            "created": _TEXT,
        }
    ),
    "note": _NOTES,
    "new_note": _NOTES,
    "handover": TableSchema(
        {
            "handover_id": Column(str, default=NEW_IDENTIFIER),
            "customer_id": _TEXT,
            "topic": _TEXT,
            "summary": Column(str, measure="restates"),
        }
    ),
    "verification": TableSchema(
        {
            "customer_id": _TEXT,
            "method": _TEXT,
            "passed": Column(bool),
            "created": _TEXT,
        }
    ),
    "code": TableSchema(
        {
            "email": _TEXT,
            "customer_id": _TEXT,
            "code": _TEXT,
            "created": _TEXT,
        }
    ),
}
