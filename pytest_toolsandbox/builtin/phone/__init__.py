"""The world ``phone``: contacts, messages, reminders, settings, calculations and the web."""

from __future__ import annotations

from datetime import datetime
from zoneinfo import ZoneInfo

from pytest_toolsandbox.worlds.world import World

from . import contact, messaging, reminder, setting, user_tools, utilities
from .initial import initial
from .knowledge import Knowledge
from .rapid_api_search_tools import SearchTools
from .tables import TABLES


def phone_world(knowledge: Knowledge | None = None, name: str = "phone") -> World:
    """Return the world ``phone``, whose tools ask ``knowledge`` about the outside world.

    The default is the bundled knowledge base. Give the world to ``register_world`` to replace the
    bundled phone, or to add another one under another ``name``.
    """
    return World(
        name=name,
        now=datetime(2025, 5, 14, 10, 30, tzinfo=ZoneInfo("America/Los_Angeles")),
        tables=TABLES,
        toolset=(
            *contact.TOOLS,
            *messaging.TOOLS,
            *SearchTools(_shipped if knowledge is None else lambda: knowledge).tools,
            *reminder.TOOLS,
            *setting.TOOLS,
            *utilities.TOOLS,
            *user_tools.TOOLS,
        ),
        initial=initial,
        raises=(OSError, ValueError),
        show_defaults=False,  # the published schemas have none
        summary=(
            "A phone with contacts, text messages, reminders and settings, in San Francisco, that "
            "can look up places, weather, stocks and exchange rates."
        ),
    )


def _shipped() -> Knowledge:
    # Reading it takes YAML and some milliseconds, and few conversations need it.
    from .knowledge_base import KnowledgeBase

    return KnowledgeBase.shipped()


world = phone_world()
