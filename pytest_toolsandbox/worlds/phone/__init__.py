"""The world ``phone``: contacts, text messages, reminders, settings and calculations."""

from __future__ import annotations

from datetime import datetime
from zoneinfo import ZoneInfo

from pytest_toolsandbox.worlds.phone import (
    contact,
    messaging,
    reminder,
    setting,
    user_tools,
    utilities,
)
from pytest_toolsandbox.worlds.phone.initial import initial
from pytest_toolsandbox.worlds.phone.tables import TABLES
from pytest_toolsandbox.worlds.world import World

world = World(
    name="phone",
    now=datetime(2025, 5, 14, 10, 30, tzinfo=ZoneInfo("America/Los_Angeles")),
    tables=TABLES,
    toolset=(
        *contact.TOOLS,
        *messaging.TOOLS,
        *reminder.TOOLS,
        *setting.TOOLS,
        *utilities.TOOLS,
        *user_tools.TOOLS,
    ),
    initial=initial,
    summary="A phone with contacts, text messages, reminders and settings, in San Francisco.",
)
