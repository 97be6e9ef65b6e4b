"""The tables of the office.

Texts are dates (``2025-09-15``), times of day (``07:30:00``) and moments (``2025-09-15 09:00:00``)
as ToolTalk's tools take and give them. A row belongs to the user whose ``username`` it has.
"""

from __future__ import annotations

from pytest_toolsandbox.worlds.state import NEW_IDENTIFIER, Column, TableSchema

TABLES = {
    "account": TableSchema(
        {
            "username": Column(str),
            "email": Column(str),
            "phone": Column(str, nullable=True, default=None),
            "name": Column(str, nullable=True, default=None),
            "password": Column(str),
            "session_token": Column(str, nullable=True, default=None),
            "verification_code": Column(str, nullable=True, default=None),
        }
    ),
    "alarm": TableSchema(
        {
            "username": Column(str),
            "alarm_id": Column(str, default=NEW_IDENTIFIER),
            "time": Column(str),
        }
    ),
    "event": TableSchema(
        {
            "username": Column(str),
            "event_id": Column(str, default=NEW_IDENTIFIER),
            "name": Column(str, measure="rouge_l"),
            "event_type": Column(str),
            "description": Column(str, nullable=True, measure="rouge_l", default=None),
            "start_time": Column(str),
            "end_time": Column(str),
            "location": Column(str, nullable=True, measure="rouge_l", default=None),
            "attendees": Column(list, nullable=True, measure="same_items", default=None),
        }
    ),
    "email": TableSchema(
        {
            "username": Column(str),
            "email_id": Column(str, default=NEW_IDENTIFIER),
            "date": Column(str),
            "sender": Column(str),
            "receivers": Column(list, measure="same_items"),
            "subject": Column(str, measure="restates"),
            "body": Column(str, measure="restates"),
        }
    ),
    "sent_email": TableSchema(
        {
            "username": Column(str),
            "email_id": Column(str, default=NEW_IDENTIFIER),
            "date": Column(str),
            "receivers": Column(list, measure="same_items"),
            "subject": Column(str, measure="restates"),
            "body": Column(str, measure="restates"),
        }
    ),
    "message": TableSchema(
        {
            "username": Column(str),
            "message_id": Column(str, default=NEW_IDENTIFIER),
            "timestamp": Column(str),
            "sender": Column(str),
            "message": Column(str, measure="restates"),
        }
    ),
    "sent_message": TableSchema(
        {
            "username": Column(str),
            "message_id": Column(str, default=NEW_IDENTIFIER),
            "timestamp": Column(str),
            "receiver": Column(str),
            "message": Column(str, measure="restates"),
        }
    ),
    "reminder": TableSchema(
        {
            "username": Column(str),
            "reminder_id": Column(str, default=NEW_IDENTIFIER),
            "task": Column(str, measure="restates"),
            "due_date": Column(str, nullable=True, default=None),
            "status": Column(str, default="pending"),
        }
    ),
    "weather": TableSchema(
        {
            "location": Column(str),
            "date": Column(str),
            "high": Column(int),
            "low": Column(int),
            "conditions": Column(str),
        }
    ),
    "historic_weather": TableSchema(
        {
            "location": Column(str),
            "month": Column(str),
            "min_temp": Column(int),
            "max_temp": Column(int),
            "record_min_temp": Column(int),
            "record_max_temp": Column(int),
            "avg_rainfall": Column(float),
            "snow_days": Column(int),
        }
    ),
    "session": TableSchema(
        {
            "username": Column(str, nullable=True, default=None),
            "token": Column(str, nullable=True, default=None),
        },
        single_row=True,
    ),
    "identifier": TableSchema({"tool": Column(str), "drawn": Column(int)}, bookkeeping=True),
    "empty_entry": TableSchema({"table": Column(str), "username": Column(str)}, bookkeeping=True),
}
