"""Calendars: each user has one, and can change no other."""
# ruff: noqa: N802  # tools have the names that ToolTalk gave them

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from pytest_toolsandbox.worlds.context import Context, NoDataError
from pytest_toolsandbox.worlds.state import Row
from pytest_toolsandbox.worlds.tool import CallComparison, FreeText, SupersetOf, tool

from .identifiers import draw
from .rows import add, change, has_entry, remove, rows_of, shown
from .session import current_username, session_needed
from .times import moment, now

PLUGIN = "Calendar"


@tool(
    PLUGIN,
    action=True,
    precondition=session_needed,
    comparison=CallComparison(
        arguments={
            "name": FreeText(is_title=True),
            "description": FreeText(),
            "location": FreeText(is_title=True),
            "attendees": "attendees",
        },
        result="ignored",
    ),
)
def CreateEvent(
    context: Context,
    name: str,
    event_type: str,
    start_time: str,
    end_time: str,
    description: str | None = None,
    location: str | None = None,
    attendees: list[str] | None = None,
) -> dict[str, str]:
    """Put an event into the calendar of the user who is logged in.

    Args:
        name: What the event is called.
        event_type: What it is: meeting, which has attendees, or event.
        start_time: When it starts, in the form YYYY-MM-DD HH:MM:SS. Not in the past.
        end_time: When it ends, in the form YYYY-MM-DD HH:MM:SS. Not before it starts.
        description: What it is about.
        location: Where it is.
        attendees: The usernames of those who take part. The user's own is added if it is missing.

    Returns:
        The event_id of the new event.

    Raises:
        PermissionError: If nobody is logged in.
        ValueError: If event_type is another one, a meeting has no attendees, a time does not have
            the right form or is in the past, or the event starts after its end.
    """
    if event_type not in ("meeting", "event"):
        raise ValueError(f"Event type {event_type} not supported.")
    if event_type == "meeting" and not attendees:
        raise ValueError("Meeting must have attendees.")
    username = current_username(context)
    _check_times(context, start_time, end_time)
    event_id = draw(context, "CreateEvent")
    add(
        context,
        "event",
        {
            "username": username,
            "event_id": event_id,
            "name": name,
            "event_type": event_type,
            "description": description,
            "start_time": start_time,
            "end_time": end_time,
            "location": location,
            "attendees": None if attendees is None else _with(attendees, username),
        },
    )
    return {"event_id": event_id}


@tool(PLUGIN, action=True, precondition=session_needed)
def DeleteEvent(context: Context, event_id: str) -> dict[str, str]:
    """Delete an event from the calendar of the user who is logged in.

    Args:
        event_id: The event to delete.

    Returns:
        The status, which is success.

    Raises:
        PermissionError: If nobody is logged in.
        NoDataError: If the user's calendar has no such event.
    """
    remove(context, "event", *_events(context, current_username(context), event_id))
    return {"status": "success"}


@tool(
    PLUGIN,
    action=True,
    precondition=session_needed,
    comparison=CallComparison(
        arguments={
            "new_name": FreeText(is_title=True),
            "new_description": FreeText(),
            "new_location": FreeText(is_title=True),
            "new_attendees": "attendees",
        },
        merged_by="event_id",
    ),
)
def ModifyEvent(
    context: Context,
    event_id: str,
    new_name: str | None = None,
    new_start_time: str | None = None,
    new_end_time: str | None = None,
    new_description: str | None = None,
    new_location: str | None = None,
    new_attendees: list[str] | None = None,
) -> dict[str, str]:
    """Change an event in the calendar of the user who is logged in.

    What is left out stays as it is. A new start needs a new end, and the other way round.

    Args:
        event_id: The event to change.
        new_name: What it is called now.
        new_start_time: When it starts now, in the form YYYY-MM-DD HH:MM:SS. Not in the past.
        new_end_time: When it ends now, in the form YYYY-MM-DD HH:MM:SS. Not before it starts.
        new_description: What it is about now.
        new_location: Where it is now.
        new_attendees: The usernames of those who take part now. The user's own is added if it is
            missing.

    Returns:
        The status, which is success.

    Raises:
        PermissionError: If nobody is logged in.
        NoDataError: If the user's calendar has no such event.
        ValueError: If one time is given without the other, a time does not have the right form or
            is in the past, or the event would start after its end.
    """
    username = current_username(context)
    event = _events(context, username, event_id)[0]
    if new_start_time is not None and new_end_time is None:
        raise ValueError("new_end_time must be provided if new_start_time is provided.")
    if new_start_time is not None and new_end_time is not None:
        _check_times(context, new_start_time, new_end_time)
    if new_end_time is not None and new_start_time is None:
        raise ValueError("new_start_time must be provided if new_end_time is provided.")
    fields = {
        "name": new_name,
        "start_time": new_start_time,
        "end_time": new_end_time,
        "description": new_description,
        "location": new_location,
        "attendees": None if new_attendees is None else _with(new_attendees, username),
    }
    changes = {column: value for column, value in fields.items() if value is not None}
    change(context, "event", event, **changes)
    return {"status": "success"}


@tool(
    PLUGIN,
    precondition=session_needed,
    comparison=CallComparison(
        arguments={"start_time": "ignored", "end_time": "ignored"},
        result=SupersetOf("events", "event_id"),
    ),
)
def QueryCalendar(context: Context, start_time: str, end_time: str) -> dict[str, Any]:
    """Find the events of the user who is logged in that touch a span of time.

    Args:
        start_time: When the span starts, in the form YYYY-MM-DD HH:MM:SS.
        end_time: When it ends, in the form YYYY-MM-DD HH:MM:SS.

    Returns:
        The events, each with event_id, name, event_type, description, start_time, end_time,
        location and attendees; an empty list if there are none.

    Raises:
        PermissionError: If nobody is logged in.
        NoDataError: If the user never had an event.
        ValueError: If a time does not have the right form, or the span starts after its end.
    """
    username = current_username(context)
    if not has_entry(context, "event", username):
        raise NoDataError(f"User {username} has no events.")
    start, end = _span(start_time, end_time)
    return {
        "events": [
            shown(event)
            for event in rows_of(context, "event", username)
            if moment(event["start_time"]) <= end and start <= moment(event["end_time"])
        ]
    }


def _events(context: Context, username: str, event_id: str) -> tuple[Row, ...]:
    events = context.state["event"].where(username=username, event_id=event_id)
    if not events:
        raise NoDataError(f"Event {event_id} not found.")
    return events


def _check_times(context: Context, start_time: str, end_time: str) -> None:
    start, _ = _span(start_time, end_time)
    if start < now(context):
        raise ValueError("Start time and end time must be in the future.")


def _span(start_time: str, end_time: str) -> tuple[datetime, datetime]:
    start, end = moment(start_time), moment(end_time)
    if start > end:
        raise ValueError("Start time must be before end time.")
    return start, end


def _with(attendees: Sequence[str], username: str) -> list[str]:
    return [*attendees] if username in attendees else [*attendees, username]


TOOLS = (CreateEvent, DeleteEvent, ModifyEvent, QueryCalendar)
