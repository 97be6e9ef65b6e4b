"""Text messages between users: searching, and sending, which no search finds again."""
# ruff: noqa: N802  # tools have the names that ToolTalk gave them

from typing import Any

from pytest_toolsandbox.worlds.context import Context
from pytest_toolsandbox.worlds.tool import CallComparison, FreeText, SupersetOf, tool

from .identifiers import draw
from .rows import has_entry, rows_of
from .searching import UNCOMPARED, Search
from .session import current_username, session_needed
from .times import MOMENT, now

PLUGIN = "Messages"


@tool(
    PLUGIN,
    precondition=session_needed,
    comparison=CallComparison(arguments=UNCOMPARED, result=SupersetOf("messages", "message_id")),
)
def SearchMessages(
    context: Context,
    query: str | None = None,
    match_type: str = "any",
    sender: str | None = None,
    start_date: str | None = None,
    end_date: str | None = None,
) -> dict[str, Any]:
    """Find messages that the user who is logged in got and that meet all of the given criteria.

    At least one of query, sender, start_date and end_date is needed. The latest five are found.

    Args:
        query: Words of the message. Case does not count, and parts of words do.
        match_type: Whether any of the words must be there, which is the default, or all of them:
            any or all.
        sender: The username of who sent it, exactly as it is written.
        start_date: The earliest date and time, in the form YYYY-MM-DD HH:MM:SS.
        end_date: The latest date and time, in the form YYYY-MM-DD HH:MM:SS.

    Returns:
        The messages, the latest first, each with message_id, timestamp, sender and message; an
        empty list if there are none.

    Raises:
        PermissionError: If nobody is logged in.
        ValueError: If there is no criterion, match_type is another one, a date does not have the
            right form, or the start is later than the end. Not for a user without an entry for
            messages, who has none of any kind.
    """
    username = current_username(context)
    if not has_entry(context, "message", username):
        return {"messages": []}
    search = Search(query, match_type, sender, start_date, end_date)
    messages = rows_of(context, "message", username)
    return {"messages": search.latest(messages, "timestamp", ("message",), now(context))}


@tool(
    PLUGIN,
    action=True,
    precondition=session_needed,
    comparison=CallComparison(arguments={"message": FreeText(0.8)}, result="ignored"),
)
def SendMessage(context: Context, receiver: str, message: str) -> dict[str, str]:
    """Send a message from the user who is logged in to another user.

    Args:
        receiver: The username of who is to get it.
        message: The text, which is not empty.

    Returns:
        The message_id of the new message.

    Raises:
        PermissionError: If nobody is logged in.
        ValueError: If the message is empty.
    """
    username = current_username(context)
    if not message:
        raise ValueError("Message cannot be empty.")
    message_id = draw(context, "SendMessage")
    context.add(
        "sent_message",
        {
            "username": username,
            "message_id": message_id,
            "timestamp": format(now(context), MOMENT),
            "receiver": receiver,
            "message": message,
        },
    )
    return {"message_id": message_id}


TOOLS = (SearchMessages, SendMessage)
