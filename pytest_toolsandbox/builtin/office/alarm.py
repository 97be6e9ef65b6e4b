"""Alarms, which go off at the same time every day."""
# ruff: noqa: N802  # tools have the names that ToolTalk gave them

from typing import Any

from pytest_toolsandbox.worlds.context import Context, NoDataError
from pytest_toolsandbox.worlds.tool import CallComparison, SupersetOf, tool

from .identifiers import draw
from .rows import add, has_entry, remove, rows_of, shown
from .session import current_username, session_needed
from .times import time_of_day

PLUGIN = "Alarm"


@tool(
    PLUGIN,
    action=True,
    precondition=session_needed,
    comparison=CallComparison(result="ignored"),
)
def AddAlarm(context: Context, time: str) -> dict[str, str]:
    """Set an alarm for the user who is logged in.

    Args:
        time: The time of day at which it rings, in the form HH:MM:SS.

    Returns:
        The alarm_id of the new alarm.

    Raises:
        PermissionError: If nobody is logged in.
        ValueError: If time does not have the right form.
    """
    time_of_day(time)
    username = current_username(context)
    alarm_id = draw(context, "AddAlarm")
    add(context, "alarm", {"username": username, "alarm_id": alarm_id, "time": time})
    return {"alarm_id": alarm_id}


@tool(PLUGIN, action=True, precondition=session_needed)
def DeleteAlarm(context: Context, alarm_id: str) -> dict[str, str]:
    """Delete an alarm of the user who is logged in.

    Args:
        alarm_id: The alarm to delete.

    Returns:
        The status, which is success.

    Raises:
        PermissionError: If nobody is logged in.
        NoDataError: If the user has no such alarm.
    """
    username = current_username(context)
    alarms = context.state["alarm"].where(username=username, alarm_id=alarm_id)
    if not alarms:
        raise NoDataError(f"Alarm {alarm_id} not found.")
    remove(context, "alarm", *alarms)
    return {"status": "success"}


@tool(
    PLUGIN,
    precondition=session_needed,
    comparison=CallComparison(
        arguments={"start_range": "ignored", "end_range": "ignored"},
        result=SupersetOf("alarms", "alarm_id"),
    ),
)
def FindAlarms(
    context: Context, start_range: str | None = None, end_range: str | None = None
) -> dict[str, Any]:
    """Find the alarms of the user who is logged in: all of them, or those in a range of time.

    Args:
        start_range: The earliest time of day, in the form HH:MM:SS. That time itself counts.
        end_range: The latest time of day, in the form HH:MM:SS. That time itself counts.

    Returns:
        The alarms, each with alarm_id and time; an empty list if there are none.

    Raises:
        PermissionError: If nobody is logged in.
        ValueError: If a time does not have the right form, or the start is later than the end. Not
            for a user who never had an alarm, and so has none in any range.
    """
    username = current_username(context)
    if not has_entry(context, "alarm", username):
        return {"alarms": []}
    start = None if start_range is None else time_of_day(start_range)
    end = None if end_range is None else time_of_day(end_range)
    if start is not None and end is not None and start > end:
        raise ValueError("Start range must be earlier than end range.")
    return {
        "alarms": [
            shown(alarm)
            for alarm in rows_of(context, "alarm", username)
            if (start is None or start <= time_of_day(alarm["time"]))
            and (end is None or time_of_day(alarm["time"]) <= end)
        ]
    }


TOOLS = (AddAlarm, DeleteAlarm, FindAlarms)
