"""The world ``timed_phone``: the phone, with timers, messages to send later, and notifications.

What its tools start ends when the clock moves, as with the daemon tools that ToolSandbox leaves to
later work (Lu et al. 2024, arXiv 2408.04682).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any

from pytest_toolsandbox.worlds.context import Context, NoDataError
from pytest_toolsandbox.worlds.due import Due
from pytest_toolsandbox.worlds.state import NEW_IDENTIFIER, Column, Row, State, TableSchema
from pytest_toolsandbox.worlds.tool import tool
from pytest_toolsandbox.worlds.world import World

from .phone import arguments, phone_world
from .phone.initial import initial
from .phone.knowledge import Knowledge
from .phone.messaging import send_message_with_phone_number
from .phone.tables import TABLES

_LONGEST = 7 * 24 * 3600
_WAITING, _FAILED = "waiting", "failed"

_TABLES = {
    **TABLES,
    "scheduled_message": TableSchema(
        {
            "scheduled_message_id": Column(str, default=NEW_IDENTIFIER),
            "recipient_phone_number": Column(str, measure="phone_number"),
            "content": Column(str, measure="restates"),
            "creation_timestamp": Column(float),
            "send_timestamp": Column(float),
            "status": Column(str, default=_WAITING),
        }
    ),
    "timer": TableSchema(
        {
            "timer_id": Column(str, default=NEW_IDENTIFIER),
            "label": Column(str, measure="restates"),
            "end_timestamp": Column(float),
        }
    ),
    "notification": TableSchema(
        {
            "notification_id": Column(str, default=NEW_IDENTIFIER),
            "kind": Column(str),
            "content": Column(str, measure="restates"),
            "creation_timestamp": Column(float),
        }
    ),
}


@tool("messaging")
def schedule_message(
    context: Context, phone_number: str, content: str, send_timestamp: float
) -> str:
    """Have a text message sent to a phone number later.

    It is sent at that time if cellular service is on then; otherwise it fails.

    Args:
        phone_number: The number to send it to, with + and the country code.
        content: What the message says.
        send_timestamp: When to send it, as a POSIX timestamp in seconds.

    Returns:
        The scheduled_message_id of the message.

    Raises:
        NumberParseException: If phone_number is not a phone number.
        ValueError: If the timestamp is out of range, or not in the future.
    """
    arguments.phone_number(phone_number)
    time = arguments.timestamp("send_timestamp", send_timestamp)
    now = context.now.timestamp()
    if time <= now:
        raise ValueError(f"send_timestamp {time:.0f} is not in the future: it is {now:.0f} now")
    row = {
        "recipient_phone_number": phone_number,
        "content": content,
        "creation_timestamp": now,
        "send_timestamp": time,
    }
    identifier: str = context.add("scheduled_message", row)["scheduled_message_id"]
    return identifier


@tool("messaging")
def get_scheduled_messages(context: Context) -> list[dict[str, Any]]:
    """List the messages that wait to be sent, and those that could not be sent.

    Returns:
        The messages, each with scheduled_message_id, recipient_phone_number, content,
        creation_timestamp, send_timestamp and status, which is waiting or failed.
    """
    return [dict(row) for row in context.rows("scheduled_message")]


@tool("messaging")
def cancel_scheduled_message(context: Context, scheduled_message_id: str) -> None:
    """Delete a message that was to be sent later.

    Args:
        scheduled_message_id: The message to delete.

    Raises:
        NoDataError: If no scheduled message has this scheduled_message_id.
    """
    column = "scheduled_message_id"
    context.remove("scheduled_message", *_rows(context, column, scheduled_message_id))


@tool("timer")
def start_timer(context: Context, seconds: float, label: str = "Timer") -> str:
    """Start a timer, which rings when the time is over.

    Args:
        seconds: How long it runs, in seconds, up to 7 days.
        label: What it is for.

    Returns:
        The timer_id of the new timer.

    Raises:
        ValueError: If the seconds are not above 0, or more than 7 days.
    """
    if not 0 < seconds <= _LONGEST:
        raise ValueError(f"seconds {seconds} is not above 0 and at most {_LONGEST}")
    row = {"label": label, "end_timestamp": context.now.timestamp() + seconds}
    identifier: str = context.add("timer", row)["timer_id"]
    return identifier


@tool("timer")
def get_timers(context: Context) -> list[dict[str, Any]]:
    """List the timers that are running.

    Returns:
        The timers, each with timer_id, label, end_timestamp and remaining_seconds.
    """
    now = context.now.timestamp()
    return [
        {**row, "remaining_seconds": row["end_timestamp"] - now} for row in context.rows("timer")
    ]


@tool("timer")
def cancel_timer(context: Context, timer_id: str) -> None:
    """Stop a timer before it rings.

    Args:
        timer_id: The timer to stop.

    Raises:
        NoDataError: If no timer has this timer_id.
    """
    context.remove("timer", *_rows(context, "timer_id", timer_id))


@tool("notification")
def get_notifications(context: Context) -> list[dict[str, Any]]:
    """List what the phone has shown since the beginning, oldest first.

    Returns:
        The notifications, each with notification_id, kind, content and creation_timestamp. The kind
        is reminder, timer or message_not_sent.
    """
    return [dict(row) for row in context.rows("notification")]


def _rows(context: Context, column: str, identifier: str) -> tuple[Row, ...]:
    table = column.removesuffix("_id")
    if rows := context.state[table].where(**{column: identifier}):
        return rows
    raise NoDataError(f"No {table.replace('_', ' ')} has the {column} {identifier!r}")


def _notify(context: Context, kind: str, content: str) -> None:
    now = context.now.timestamp()
    context.add("notification", {"kind": kind, "content": content, "creation_timestamp": now})


def _send(context: Context, row: Row) -> None:
    number, content = row["recipient_phone_number"], row["content"]
    try:
        send_message_with_phone_number.function(context, number, content)
    except Exception as error:  # noqa: BLE001  # as an agent would read it
        context.update("scheduled_message", row, status=_FAILED)
        _notify(context, "message_not_sent", f"Not sent to {number}: {error}")
    else:
        context.remove("scheduled_message", row)


def _ring(context: Context, row: Row) -> None:
    context.remove("timer", row)
    _notify(context, "timer", row["label"])


def _remind(context: Context, row: Row) -> None:
    _notify(context, "reminder", row["content"])


def _time_to_send(state: State, row: Row) -> float | None:
    del state
    time: float = row["send_timestamp"]
    return time if row["status"] == _WAITING else None


def _initial(now: datetime) -> Mapping[str, Iterable[Mapping[str, Any]]]:
    """Return the rows of the phone; nothing is scheduled yet."""
    return {**initial(now), "scheduled_message": [], "timer": [], "notification": []}


def timed_phone_world(knowledge: Knowledge | None = None, name: str = "timed_phone") -> World:
    """Return the world ``timed_phone``, whose tools ask ``knowledge`` about the outside world."""
    phone = phone_world(knowledge, name)
    further = (
        *(schedule_message, get_scheduled_messages, cancel_scheduled_message),
        *(start_timer, get_timers, cancel_timer, get_notifications),
    )
    return replace(
        phone,
        tables=_TABLES,
        toolset=(*phone.toolset, *further),
        initial=_initial,
        due=(
            Due("scheduled_message", _time_to_send, _send),
            Due("timer", "end_timestamp", _ring),
            Due("reminder", "reminder_timestamp", _remind),
        ),
        summary=(
            "The phone, with timers, messages to send later, and notifications when something is "
            "due, such as a reminder."
        ),
    )


world = timed_phone_world()
