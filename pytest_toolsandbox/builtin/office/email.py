"""E-mails: searching the inbox, and sending, which no search finds again."""
# ruff: noqa: N802  # tools have the names that ToolTalk gave them

from typing import Any

from pytest_toolsandbox.worlds.context import Context
from pytest_toolsandbox.worlds.tool import CallComparison, FreeText, SupersetOf, tool

from .formats import is_email
from .identifiers import draw
from .rows import rows_of
from .searching import UNCOMPARED, Search
from .session import current_username, session_needed
from .times import MOMENT, now

PLUGIN = "Email"


@tool(
    PLUGIN,
    precondition=session_needed,
    comparison=CallComparison(arguments=UNCOMPARED, result=SupersetOf("emails", "email_id")),
)
def SearchInbox(
    context: Context,
    query: str | None = None,
    match_type: str = "any",
    sender: str | None = None,
    start_date: str | None = None,
    end_date: str | None = None,
) -> dict[str, Any]:
    """Find e-mails that the user who is logged in got and that meet all of the given criteria.

    At least one of query, sender, start_date and end_date is needed. The latest five are found.

    Args:
        query: Words of the subject or the body. Case does not count, and parts of words do.
        match_type: Whether any of the words must be there, which is the default, or all of them:
            any or all.
        sender: The e-mail address of who sent it, exactly as it is written.
        start_date: The earliest date and time, in the form YYYY-MM-DD HH:MM:SS.
        end_date: The latest date and time, in the form YYYY-MM-DD HH:MM:SS.

    Returns:
        The emails, the latest first, each with email_id, date, sender, receivers, subject and
        body; an empty list if there are none.

    Raises:
        PermissionError: If nobody is logged in.
        ValueError: If there is no criterion, match_type is another one, a date does not have the
            right form, or the start is later than the end. Not if the inbox is empty, which has no
            mail of any kind.
    """
    emails = rows_of(context, "email", current_username(context))
    if not emails:
        return {"emails": []}
    search = Search(query, match_type, sender, start_date, end_date)
    return {"emails": search.latest(emails, "date", ("subject", "body"), now(context))}


@tool(
    PLUGIN,
    action=True,
    precondition=session_needed,
    comparison=CallComparison(
        arguments={"to": "set", "subject": FreeText(is_title=True), "body": FreeText(0.8)},
        result="ignored",
    ),
)
def SendEmail(context: Context, to: list[str], subject: str, body: str) -> dict[str, str]:
    """Send an e-mail from the user who is logged in.

    Args:
        to: The e-mail addresses of those who are to get it.
        subject: The subject.
        body: The text.

    Returns:
        The email_id of the new e-mail.

    Raises:
        PermissionError: If nobody is logged in.
        ValueError: If one of the addresses does not have the right form.
    """
    username = current_username(context)
    for address in to:
        if not is_email(address):
            raise ValueError(f"{address} is not a valid email address.")
    email_id = draw(context, "SendEmail")
    context.add(
        "sent_email",
        {
            "username": username,
            "email_id": email_id,
            "date": format(now(context), MOMENT),
            "receivers": to,
            "subject": subject,
            "body": body,
        },
    )
    return {"email_id": email_id}


TOOLS = (SearchInbox, SendEmail)
