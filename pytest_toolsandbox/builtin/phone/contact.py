"""The address book."""

from typing import Any

from pytest_toolsandbox.worlds.context import Context, DuplicateError
from pytest_toolsandbox.worlds.parameter import NOT_GIVEN, NotGiven
from pytest_toolsandbox.worlds.tool import tool

from . import arguments
from .search import equal_to, identified, only_row, search, similar

FILTERS = {
    "person_id": equal_to("person_id"),
    "name": similar("name", 90),
    "phone_number": equal_to("phone_number"),
    "relationship": similar("relationship", 90),
    "is_self": equal_to("is_self"),
}


@tool("contact")
def add_contact(
    context: Context,
    name: str,
    phone_number: str,
    relationship: str | None = None,
    is_self: bool = False,
) -> str:
    """Save a new contact in the address book.

    Args:
        name: The contact's name.
        phone_number: The contact's phone number, with + and the country code.
        relationship: What the contact is to the owner of the phone, such as friend or boss. Null
            if that is not known.
        is_self: Whether the contact is the owner of the phone. Only one contact can be.

    Returns:
        The person_id of the new contact.

    Raises:
        NumberParseException: If phone_number is not a phone number.
        DuplicateError: If is_self is true and the owner has a contact already.
    """
    arguments.phone_number(phone_number)
    if is_self:
        _refuse_second_self(context, person_id=None)
    person_id = context.new_identifier()
    context.add(
        "contact",
        {
            "person_id": person_id,
            "name": name,
            "phone_number": phone_number,
            "relationship": relationship,
            "is_self": is_self,
        },
    )
    return person_id


@tool("contact")
def modify_contact(
    context: Context,
    person_id: str,
    name: str | NotGiven = NOT_GIVEN,
    phone_number: str | NotGiven = NOT_GIVEN,
    relationship: str | NotGiven = NOT_GIVEN,
    is_self: bool | NotGiven = NOT_GIVEN,
) -> None:
    """Change a contact of the address book. What is left out stays as it is.

    Args:
        person_id: The contact to change.
        name: The new name.
        phone_number: The new phone number, with + and the country code.
        relationship: What the contact now is to the owner of the phone.
        is_self: Whether the contact is the owner of the phone. Only one contact can be.

    Raises:
        ValueError: If there is nothing to change.
        NumberParseException: If phone_number is not a phone number.
        DuplicateError: If is_self is true and another contact is the owner, or if several contacts
            have this person_id.
        NoDataError: If no contact has this person_id.
    """
    fields = arguments.fields_to_change(
        name=name, phone_number=phone_number, relationship=relationship, is_self=is_self
    )
    arguments.phone_number(phone_number)
    if is_self:
        _refuse_second_self(context, person_id)
    context.update("contact", only_row(context, "contact", person_id), **fields)


@tool("contact")
def remove_contact(context: Context, person_id: str) -> None:
    """Delete a contact from the address book.

    Args:
        person_id: The contact to delete.

    Raises:
        NoDataError: If no contact has this person_id.
    """
    context.remove("contact", *identified(context, "contact", person_id))


@tool("contact")
def search_contacts(
    context: Context,
    person_id: str | NotGiven = NOT_GIVEN,
    name: str | NotGiven = NOT_GIVEN,
    phone_number: str | NotGiven = NOT_GIVEN,
    relationship: str | NotGiven = NOT_GIVEN,
    is_self: bool | NotGiven = NOT_GIVEN,
) -> list[dict[str, Any]]:
    """Find contacts in the address book that meet all of the given criteria.

    At least one criterion is needed. Names and relationships may be spelled approximately, and
    the closest five are found, the closest first; everything else has to agree exactly.

    Args:
        person_id: The contact's identifier.
        name: The contact's name, or a part of it.
        phone_number: The contact's phone number, with + and the country code.
        relationship: What the contact is to the owner of the phone.
        is_self: Whether the contact is the owner of the phone.

    Returns:
        The contacts, each with person_id, name, phone_number, relationship and is_self; an empty
        list if there are none.

    Raises:
        NumberParseException: If phone_number is not a phone number.
        ValueError: If there is no criterion.
    """
    return search(
        context.rows("contact"),
        FILTERS,
        {
            "person_id": person_id,
            "name": name,
            "phone_number": arguments.phone_number(phone_number),
            "relationship": relationship,
            "is_self": is_self,
        },
    )


def _refuse_second_self(context: Context, person_id: str | None) -> None:
    for row in context.state["contact"].where(is_self=True):
        if row["person_id"] != person_id:
            raise DuplicateError(f"The contact {row['name']!r} is the owner of the phone already")


TOOLS = (add_contact, modify_contact, remove_contact, search_contacts)
