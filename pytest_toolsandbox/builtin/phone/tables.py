"""The tables of the phone."""

from __future__ import annotations

from pytest_toolsandbox.worlds.state import NEW_IDENTIFIER, Column, TableSchema

TABLES = {
    "setting": TableSchema(
        {
            "device_id": Column(str, default=NEW_IDENTIFIER),
            "cellular": Column(bool),
            "wifi": Column(bool),
            "location_service": Column(bool),
            "low_battery_mode": Column(bool),
            "latitude": Column(float),
            "longitude": Column(float),
        },
        single_row=True,
    ),
    "contact": TableSchema(
        {
            "person_id": Column(str, default=NEW_IDENTIFIER),
            "name": Column(str),
            "phone_number": Column(str, measure="phone_number"),
            "relationship": Column(str, nullable=True, measure="rouge_l", default=None),
            "is_self": Column(bool, default=False),
        }
    ),
    "messaging": TableSchema(
        {
            "message_id": Column(str, default=NEW_IDENTIFIER),
            "sender_person_id": Column(str, nullable=True, default=None),
            "sender_phone_number": Column(str, measure="phone_number"),
            "recipient_person_id": Column(str, nullable=True, default=None),
            "recipient_phone_number": Column(str, measure="phone_number"),
            "content": Column(str, measure="restates"),
            "creation_timestamp": Column(float),
        }
    ),
    "reminder": TableSchema(
        {
            "reminder_id": Column(str, default=NEW_IDENTIFIER),
            "content": Column(str, measure="restates"),
            "creation_timestamp": Column(float),
            "reminder_timestamp": Column(float),
            "latitude": Column(float, nullable=True, default=None),
            "longitude": Column(float, nullable=True, default=None),
        }
    ),
}
