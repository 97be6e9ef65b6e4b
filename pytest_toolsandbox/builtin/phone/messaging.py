"""Text messages."""

from typing import Any

from pytest_toolsandbox.worlds.context import Context, DuplicateError
from pytest_toolsandbox.worlds.parameter import NOT_GIVEN, NotGiven
from pytest_toolsandbox.worlds.tool import tool

from . import arguments
from .search import about, at_least, at_most, equal_to, search

FILTERS = {
    "message_id": equal_to("message_id"),
    "sender_person_id": equal_to("sender_person_id"),
    "sender_phone_number": equal_to("sender_phone_number"),
    "recipient_person_id": equal_to("recipient_person_id"),
    "recipient_phone_number": equal_to("recipient_phone_number"),
    "content": about("content", 50),
    "creation_timestamp_lowerbound": at_least("creation_timestamp"),
    "creation_timestamp_upperbound": at_most("creation_timestamp"),
}


@tool("messaging")
def search_messages(
    context: Context,
    message_id: str | NotGiven = NOT_GIVEN,
    sender_person_id: str | NotGiven = NOT_GIVEN,
    sender_phone_number: str | NotGiven = NOT_GIVEN,
    recipient_person_id: str | NotGiven = NOT_GIVEN,
    recipient_phone_number: str | NotGiven = NOT_GIVEN,
    content: str | NotGiven = NOT_GIVEN,
    creation_timestamp_lowerbound: float | NotGiven = NOT_GIVEN,
    creation_timestamp_upperbound: float | NotGiven = NOT_GIVEN,
) -> list[dict[str, Any]]:
    """Find text messages, sent or received, that meet all of the given criteria.

    At least one criterion is needed. The content may be approximate: of the messages that have
    a word of it, the closest five are found, the closest first; everything else has to agree
    exactly.

    Args:
        message_id: The message's identifier.
        sender_person_id: The person_id of the contact who sent the message.
        sender_phone_number: The number it was sent from, with + and the country code.
        recipient_person_id: The person_id of the contact who received the message.
        recipient_phone_number: The number it was sent to, with + and the country code.
        content: What the message says, or a part of it.
        creation_timestamp_lowerbound: The earliest time at which the message was sent, as a POSIX
            timestamp in seconds.
        creation_timestamp_upperbound: The latest time at which the message was sent, as a POSIX
            timestamp in seconds.

    Returns:
        The messages, each with message_id, sender_person_id, sender_phone_number,
        recipient_person_id, recipient_phone_number, content and creation_timestamp; an empty list
        if there are none. A person_id is null when the number belongs to no contact.

    Raises:
        NumberParseException: If a phone number is not one.
        ValueError: If a timestamp is out of range, or if there is no criterion.
    """
    return search(
        context.rows("messaging"),
        FILTERS,
        {
            "message_id": message_id,
            "sender_person_id": sender_person_id,
            "sender_phone_number": arguments.phone_number(sender_phone_number),
            "recipient_person_id": recipient_person_id,
            "recipient_phone_number": arguments.phone_number(recipient_phone_number),
            "content": content,
            "creation_timestamp_lowerbound": arguments.timestamp(
                "creation_timestamp_lowerbound", creation_timestamp_lowerbound
            ),
            "creation_timestamp_upperbound": arguments.timestamp(
                "creation_timestamp_upperbound", creation_timestamp_upperbound
            ),
        },
    )


@tool("messaging")
def send_message_with_phone_number(context: Context, phone_number: str, content: str) -> str:
    """Send a text message to a phone number.

    Args:
        phone_number: The number to send it to, with + and the country code.
        content: What the message says.

    Returns:
        The message_id of the new message.

    Raises:
        NumberParseException: If phone_number is not a phone number.
        ConnectionError: If cellular service is off.
        DuplicateError: If the address book does not have exactly one contact for the owner of the
            phone, from whom to send.
    """
    arguments.phone_number(phone_number)
    if not context.row("setting")["cellular"]:
        raise ConnectionError("Cellular service is not enabled")
    owners = context.state["contact"].where(is_self=True)
    if len(owners) != 1:
        raise DuplicateError(
            "The sender is unclear: the owner of the phone should have 1 contact (is_self), "
            f"but has {len(owners)}"
        )
    recipients = context.state["contact"].where(phone_number=phone_number)
    message_id = context.new_identifier()
    context.add(
        "messaging",
        {
            "message_id": message_id,
            "sender_person_id": owners[0]["person_id"],
            "sender_phone_number": owners[0]["phone_number"],
            "recipient_person_id": recipients[0]["person_id"] if recipients else None,
            "recipient_phone_number": phone_number,
            "content": content,
            "creation_timestamp": context.now.timestamp(),
        },
    )
    return message_id


TOOLS = (search_messages, send_message_with_phone_number)
