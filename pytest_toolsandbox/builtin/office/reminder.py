"""Reminders: tasks, perhaps with a date, that are pending or complete."""
# ruff: noqa: N802  # tools have the names that ToolTalk gave them

from typing import Any

from pytest_toolsandbox.worlds.context import Context, NoDataError
from pytest_toolsandbox.worlds.state import Row
from pytest_toolsandbox.worlds.tool import CallComparison, FreeText, SupersetOf, tool

from .identifiers import draw
from .rows import add, change, remove, rows_of, shown
from .session import current_username, session_needed
from .times import moment

PLUGIN = "Reminder"


@tool(
    PLUGIN,
    action=True,
    precondition=session_needed,
    comparison=CallComparison(
        arguments={"task": FreeText(is_title=True), "due_date": "date"}, result="ignored"
    ),
)
def AddReminder(context: Context, task: str, due_date: str | None = None) -> dict[str, str]:
    """Add a reminder for the user who is logged in.

    Args:
        task: What to be reminded of.
        due_date: When it is due, in the form YYYY-MM-DD HH:MM:SS.

    Returns:
        The reminder_id of the new reminder.

    Raises:
        PermissionError: If nobody is logged in.
        ValueError: If due_date does not have the right form.
    """
    username = current_username(context)
    if due_date is not None:
        _check_due_date(due_date)
    reminder_id = draw(context, "AddReminder")
    add(
        context,
        "reminder",
        {
            "username": username,
            "reminder_id": reminder_id,
            "task": task,
            "due_date": due_date,
            "status": "pending",
        },
    )
    return {"reminder_id": reminder_id}


@tool(PLUGIN, action=True, precondition=session_needed)
def CompleteReminder(context: Context, reminder_id: str) -> dict[str, str]:
    """Mark a reminder of the user who is logged in as complete.

    Args:
        reminder_id: The reminder that is done.

    Returns:
        The status, which is success.

    Raises:
        PermissionError: If nobody is logged in.
        NoDataError: If the user has no such reminder.
        ValueError: If it is complete already.
    """
    reminder = _reminders(context, reminder_id)[0]
    if reminder["status"] == "complete":
        raise ValueError(f"Reminder {reminder_id} already completed")
    change(context, "reminder", reminder, status="complete")
    return {"status": "success"}


@tool(PLUGIN, action=True, precondition=session_needed)
def DeleteReminder(context: Context, reminder_id: str) -> dict[str, str]:
    """Delete a reminder of the user who is logged in.

    Args:
        reminder_id: The reminder to delete.

    Returns:
        The status, which is success.

    Raises:
        PermissionError: If nobody is logged in.
        NoDataError: If the user has no such reminder.
    """
    remove(context, "reminder", *_reminders(context, reminder_id))
    return {"status": "success"}


@tool(
    PLUGIN,
    precondition=session_needed,
    comparison=CallComparison(result=SupersetOf("reminders", "reminder_id"), whole_request=True),
)
def GetReminders(context: Context) -> dict[str, Any]:
    """List all reminders of the user who is logged in, complete ones too.

    Returns:
        The reminders, each with reminder_id, task, due_date and status, which is pending or
        complete; an empty list if there are none.

    Raises:
        PermissionError: If nobody is logged in.
    """
    reminders = rows_of(context, "reminder", current_username(context))
    return {"reminders": [shown(reminder) for reminder in reminders]}


def _check_due_date(due_date: str) -> None:
    try:
        moment(due_date)
    except ValueError:
        raise ValueError(f"Invalid due_date: {due_date}") from None


def _reminders(context: Context, reminder_id: str) -> tuple[Row, ...]:
    username = current_username(context)
    reminders = context.state["reminder"].where(username=username, reminder_id=reminder_id)
    if not reminders:
        raise NoDataError(f"Reminder {reminder_id} not found in database")
    return reminders


TOOLS = (AddReminder, CompleteReminder, DeleteReminder, GetReminders)
