"""The words for what agents do: send, delete, change, add, turn on or off, book and cancel."""

from __future__ import annotations

from typing import Final

from pytest_toolsandbox.matchers.normal_text import split

DEEDS: Final = frozenset(
    split("""
    aborted activate activated activates add added adding adds adjusted amended answered asked book
    booked booking bookings books cancel canceled canceling cancellation cancellations cancelled
    cancelling cancels change changed changes changing cleared contact contacted contacts correct
    corrected corrects create created creates creating deactivate deactivated deactivates delete
    deleted deletes deleting deletion deletions deliver delivered delivers disable disabled disables
    disabling discarded edit edited editing edits emailed enable enabled enables enabling erase
    erased erases erasing forward forwarded forwards gone inform informed informing informs know
    knows labeled labelled made make makes message messaged messages messaging modified modify
    modifying move moved moves moving msg msgs notified notify notifying order ordered ordering
    orders overwritten overwrote pinged postpone postponed postpones push pushed put reach reaching
    recorded relabeled relabelled relayed remind reminded reminder reminders reminds removal
    removals remove removed removes removing rename renamed renames renaming replace replaced
    replaces replacing replied reply reschedule rescheduled reschedules rescheduling resent
    reservation reservations reserve reserved reserves save saved saves saving savings schedule
    scheduled schedules scheduling secure secured secures securing send sending sends sent set sets
    setting settings shared shift shifted shifts sms stored swapped switched tagged tell telling
    tells text texted texting texts told update updated updates updating wiped write writes written
    """)
)
"""All forms of these words, in lower case."""
