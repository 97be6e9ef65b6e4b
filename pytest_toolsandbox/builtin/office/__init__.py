"""The world ``office``: accounts, alarms, calendars, mails, messages, reminders and the weather."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from functools import cache
from os import PathLike
from pathlib import Path
from typing import Any

from pytest_toolsandbox.text.nearest_name import did_you_mean
from pytest_toolsandbox.worlds.world import World

from . import account_tools, alarm, calendar, email, messages, reminder, weather
from .database_files import Rows, read_databases
from .session import SESSIONS, logged_in, with_verification_code
from .tables import TABLES

__all__ = ["logged_in", "office_world", "with_verification_code", "world"]

COMPANIES = ("harrow_finch", "larkspur")
"""The names of the folders in ``databases``."""
OFFICE_TIME = datetime(2025, 9, 15, 9, 0, tzinfo=UTC)


def office_world(databases: str | PathLike[str] | None = None, name: str = "office") -> World:
    """Return the world ``office``, whose data at the start come from a folder of ``databases``.

    The default is the bundled folder. Give the world to ``register_world`` to replace the bundled
    office, or to add another one under another ``name``. Raises :class:`DatabaseError`, with a line
    for each mistake: where it is, what was expected and what was found.
    """
    rows = None if databases is None else read_databases(Path(databases))

    def with_these(now: datetime) -> Mapping[str, Iterable[Mapping[str, Any]]]:
        del now  # the dates of an office are what they are
        return {"session": [{}], **(rows or {})}

    return World(
        name=name,
        now=OFFICE_TIME,
        tables=TABLES,
        toolset=(
            *account_tools.TOOLS,
            *alarm.TOOLS,
            *calendar.TOOLS,
            *email.TOOLS,
            *messages.TOOLS,
            *reminder.TOOLS,
            *weather.TOOLS,
        ),
        initial=_bundled if rows is None else with_these,
        sessions=SESSIONS,
        raises=(PermissionError, ValueError),
        show_defaults=False,  # the published schemas have none
        summary=(
            "An office whose users log in to their alarms, calendars, e-mails, messages and "
            "reminders, and can look up the weather."
        ),
    )


def _bundled(
    now: datetime, *, company: str = "harrow_finch"
) -> Mapping[str, Iterable[Mapping[str, Any]]]:
    """Return the bundled data of a company. Raises ``ValueError`` if there is no such company."""
    del now
    if company not in COMPANIES:
        hint = did_you_mean(company, COMPANIES)
        raise ValueError(f"unknown company {company!r}{hint} (allowed: {', '.join(COMPANIES)})")
    return {"session": [{}], **_of_company(company)}


@cache
def _of_company(company: str) -> Rows:
    return read_databases(Path(__file__).with_name("databases") / company)


world = office_world()
