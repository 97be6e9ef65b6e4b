"""What a record notes of a user that a model played, as it was noted in the conversation."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pytest_toolsandbox.records.record import UserNotesRecord
    from pytest_toolsandbox.users.simulated.model_user import UserNotes


def stored_notes(told: UserNotesRecord) -> UserNotes:
    """Return the notes that a record tells."""
    from pytest_toolsandbox.users.simulated.faults import UserFault
    from pytest_toolsandbox.users.simulated.model_user import UserNotes
    from pytest_toolsandbox.users.simulated.review import Review

    faults = [
        UserFault(one["kind"], one["told"], one["utterance"], one["left"])  # type: ignore[arg-type]  # it is a kind
        for one in told["faults"]
    ]
    review = Review(**told["review"]) if "review" in told else None
    style = told["style"]
    return UserNotes(style, told["utterances"], told["asked_again"], faults, review)  # type: ignore[arg-type]  # it is a style
