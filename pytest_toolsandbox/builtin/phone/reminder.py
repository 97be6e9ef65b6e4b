"""Reminders, at a time and perhaps at a place."""

from typing import Any

from pytest_toolsandbox.worlds.context import Context
from pytest_toolsandbox.worlds.parameter import NOT_GIVEN, NotGiven
from pytest_toolsandbox.worlds.tool import tool

from . import arguments
from .search import about, at_least, at_most, equal_to, identified, only_row, search

FILTERS = {
    "reminder_id": equal_to("reminder_id"),
    "content": about("content", 50),
    "creation_timestamp_lowerbound": at_least("creation_timestamp"),
    "creation_timestamp_upperbound": at_most("creation_timestamp"),
    "reminder_timestamp_lowerbound": at_least("reminder_timestamp"),
    "reminder_timestamp_upperbound": at_most("reminder_timestamp"),
    "latitude": equal_to("latitude"),
    "longitude": equal_to("longitude"),
}


@tool("reminder")
def add_reminder(
    context: Context,
    content: str,
    reminder_timestamp: float,
    latitude: float | None = None,
    longitude: float | None = None,
) -> str:
    """Set a new reminder.

    Args:
        content: What to be reminded of.
        reminder_timestamp: When to be reminded, as a POSIX timestamp in seconds.
        latitude: The latitude of the place that the reminder belongs to, from -90 to 90 degrees.
            Null if it belongs to none.
        longitude: The longitude of that place, from -180 to 180 degrees. Null if there is none.

    Returns:
        The reminder_id of the new reminder.

    Raises:
        ValueError: If the timestamp or a coordinate is out of range.
    """
    reminder_timestamp = arguments.timestamp("reminder_timestamp", reminder_timestamp)
    latitude = arguments.latitude("latitude", latitude)
    longitude = arguments.longitude("longitude", longitude)
    reminder_id = context.new_identifier()
    context.add(
        "reminder",
        {
            "reminder_id": reminder_id,
            "content": content,
            "creation_timestamp": context.now.timestamp(),
            "reminder_timestamp": reminder_timestamp,
            "latitude": latitude,
            "longitude": longitude,
        },
    )
    return reminder_id


@tool("reminder")
def modify_reminder(
    context: Context,
    reminder_id: str,
    content: str | NotGiven = NOT_GIVEN,
    reminder_timestamp: float | NotGiven = NOT_GIVEN,
    latitude: float | NotGiven | None = NOT_GIVEN,
    longitude: float | NotGiven | None = NOT_GIVEN,
) -> None:
    """Change a reminder. What is left out stays as it is, and its creation time becomes now.

    Args:
        reminder_id: The reminder to change.
        content: What to be reminded of now.
        reminder_timestamp: When to be reminded now, as a POSIX timestamp in seconds.
        latitude: The new latitude, from -90 to 90 degrees. Null takes the old one away.
        longitude: The new longitude, from -180 to 180 degrees. Null takes the old one away.

    Raises:
        ValueError: If the timestamp or a coordinate is out of range, or if there is nothing to
            change.
        NoDataError: If no reminder has this reminder_id.
        DuplicateError: If several reminders have this reminder_id.
    """
    fields = arguments.fields_to_change(
        content=content,
        reminder_timestamp=arguments.timestamp("reminder_timestamp", reminder_timestamp),
        latitude=arguments.latitude("latitude", latitude),
        longitude=arguments.longitude("longitude", longitude),
    )
    row = only_row(context, "reminder", reminder_id)
    context.update("reminder", row, creation_timestamp=context.now.timestamp(), **fields)


@tool("reminder")
def remove_reminder(context: Context, reminder_id: str) -> None:
    """Delete a reminder.

    Args:
        reminder_id: The reminder to delete.

    Raises:
        NoDataError: If no reminder has this reminder_id.
    """
    context.remove("reminder", *identified(context, "reminder", reminder_id))


@tool("reminder")
def search_reminder(
    context: Context,
    reminder_id: str | NotGiven = NOT_GIVEN,
    content: str | NotGiven = NOT_GIVEN,
    creation_timestamp_lowerbound: float | NotGiven = NOT_GIVEN,
    creation_timestamp_upperbound: float | NotGiven = NOT_GIVEN,
    reminder_timestamp_lowerbound: float | NotGiven = NOT_GIVEN,
    reminder_timestamp_upperbound: float | NotGiven = NOT_GIVEN,
    latitude: float | NotGiven = NOT_GIVEN,
    longitude: float | NotGiven = NOT_GIVEN,
) -> list[dict[str, Any]]:
    """Find reminders, past or future, that meet all of the given criteria.

    At least one criterion is needed. The content may be approximate: of the reminders that have
    a word of it, the closest five are found, the closest first; everything else has to agree
    exactly.

    Args:
        reminder_id: The reminder's identifier.
        content: What the reminder is about, or a part of it.
        creation_timestamp_lowerbound: The earliest time at which the reminder was set or last
            changed, as a POSIX timestamp in seconds.
        creation_timestamp_upperbound: The latest time at which the reminder was set or last
            changed, as a POSIX timestamp in seconds.
        reminder_timestamp_lowerbound: The earliest time for which the reminder is set, as a POSIX
            timestamp in seconds.
        reminder_timestamp_upperbound: The latest time for which the reminder is set, as a POSIX
            timestamp in seconds.
        latitude: The latitude of the reminder's place, from -90 to 90 degrees.
        longitude: The longitude of the reminder's place, from -180 to 180 degrees.

    Returns:
        The reminders, each with reminder_id, content, creation_timestamp, reminder_timestamp,
        latitude and longitude; an empty list if there are none.

    Raises:
        ValueError: If a timestamp or a coordinate is out of range, or if there is no criterion.
    """
    timestamps = {
        "creation_timestamp_lowerbound": creation_timestamp_lowerbound,
        "creation_timestamp_upperbound": creation_timestamp_upperbound,
        "reminder_timestamp_lowerbound": reminder_timestamp_lowerbound,
        "reminder_timestamp_upperbound": reminder_timestamp_upperbound,
    }
    return search(
        context.rows("reminder"),
        FILTERS,
        {
            "reminder_id": reminder_id,
            "content": content,
            **{name: arguments.timestamp(name, value) for name, value in timestamps.items()},
            "latitude": arguments.latitude("latitude", latitude),
            "longitude": arguments.longitude("longitude", longitude),
        },
    )


TOOLS = (add_reminder, modify_reminder, remove_reminder, search_reminder)
