"""The data of the phone at the start: contacts, messages, reminders and settings."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from pytest_toolsandbox.worlds.clock import read_moment
from pytest_toolsandbox.worlds.context import stable_identifier

OWNER = "Robin Vance"

# Name, phone number, relationship. Several names are easily taken for one another.
PEOPLE = (
    (OWNER, "+14155550100", "self"),
    ("Katherine Lindqvist", "+14155550111", "sister"),
    ("Kat Lindholm", "+14155550112", "coworker"),
    ("Daniel Reyes", "+15105550120", "friend"),
    ("Daniel Reyna", "+15105550121", "plumber"),
    ("Danny Okonkwo", "+14155550122", "friend"),
    ("Priya Raman", "+14155550130", "boss"),
    ("Priya Ramanathan", "+16505550131", "coworker"),
    ("Dr. Helen Marsh", "+14155550140", "dentist"),
    ("Ingrid Vance", "+12065550141", "mother"),
    ("Grandpa Joe", "+12065550142", "grandfather"),
    ("Tobias Engel", "+14155550150", "landlord"),
    ("Imogen Ashworth", "+442079460018", "friend"),
    ("Samira Haddad", "+14155550160", "running partner"),
    ("Samir Haddad", "+14155550161", None),
    ("Leo Fontaine", "+15105550170", "guitar teacher"),
    ("Nadia Petrova", "+14155550171", "roommate"),
    ("Vinnie Caruso", "+16505550172", "mechanic"),
    ("Oleander Pharmacy", "+14155550180", None),
)
NUMBERS = {name: number for name, number, _ in PEOPLE}

# Who sent it (if not the owner) or got it, when, and what it says.
MESSAGES = (
    ("from", "Tobias Engel", "today-13d 09:12", "Rent receipt for this month is in your mailbox."),
    ("from", "Imogen Ashworth", "today-11d 08:05", "Landing in London tonight, miss you already!"),
    ("to", "Imogen Ashworth", "today-11d 08:21", "Have a safe flight. Come back in the autumn."),
    ("from", "Priya Raman", "today-9d 16:40", "Can you have the budget slides ready by Friday?"),
    ("to", "Priya Raman", "today-9d 16:52", "Yes, a first draft will be with you on Thursday."),
    ("to", "Tobias Engel", "today-8d 19:30", "The kitchen tap has started leaking again."),
    ("from", "Tobias Engel", "today-8d 20:02", "Please call Daniel Reyna, I will cover the bill."),
    ("to", "Daniel Reyna", "today-7d 08:45", "Could you look at a leaking kitchen tap this week?"),
    ("from", "Daniel Reyna", "today-7d 12:10", "I can stop by on Saturday around ten."),
    ("from", "Dr. Helen Marsh", "today-6d 10:00", "Your cleaning is due. Reply YES to be booked."),
    ("to", "Dr. Helen Marsh", "today-6d 10:25", "YES, any morning except Monday works for me."),
    ("from", "Daniel Reyes", "today-5d 18:15", "Two tickets for the jazz festival, are you in?"),
    ("to", "Daniel Reyes", "today-5d 18:31", "Absolutely! I owe you dinner for that."),
    ("from", "Katherine Lindqvist", "today-4d 19:48", "What should we get Mom for her birthday?"),
    ("to", "Katherine Lindqvist", "today-4d 20:05", "She keeps talking about a watercolor class."),
    ("from", "Katherine Lindqvist", "today-4d 20:07", "Perfect, let us split it down the middle."),
    ("from", "+14155550199", "today-3d 13:26", "Your parcel is waiting at the Valencia St locker."),
    ("from", "Samira Haddad", "today-2d 06:50", "Running late, start the warm-up without me."),
    ("from", "Nadia Petrova", "today-2d 17:33", "We are out of oat milk and dish soap."),
    ("to", "Nadia Petrova", "today-2d 17:41", "I will pick up both on my way home."),
    ("from", "Vinnie Caruso", "today-1d 11:20", "Brakes are done, the car is ready for pickup."),
    ("to", "Ingrid Vance", "today-1d 21:05", "Good night, I will phone you on Sunday."),
)

# When it was set, when it is due, what it is about, and where, if anywhere.
REMINDERS = (
    ("today-14d 08:30", "today-10d 18:00", "Return the library books", (37.7785, -122.4156)),
    ("today-12d 12:00", "today-7d 09:00", "Pay the electricity bill", None),
    ("today-9d 16:55", "today-6d 15:00", "Send Priya the budget slides", None),
    ("today-3d 20:15", "today-1d 17:30", "Pick up the prescription", (37.7642, -122.4218)),
    ("today-6d 10:30", "today+1d 08:45", "Teeth cleaning at Dr. Marsh", (37.7899, -122.4034)),
    ("today-2d 17:42", "today+1d 18:00", "Buy oat milk and dish soap", None),
    ("today-1d 11:25", "today+2d 17:00", "Fetch the car from Vinnie", (37.4848, -122.2281)),
    ("today-4d 20:10", "today+3d 12:00", "Sign Mom up for the watercolor class", None),
    ("today-5d 18:40", "today+9d 19:30", "Jazz festival with Daniel", (37.8044, -122.2712)),
    ("today-7d 09:00", "today+14d 10:00", "Renew the passport", None),
)


def person_id(name: str) -> str:
    """Return the identifier of a person."""
    return stable_identifier("phone", "person", name)


def initial(now: datetime) -> Mapping[str, Iterable[Mapping[str, Any]]]:
    """Return the rows of all tables, with times relative to ``now``."""
    return {
        "setting": [_setting()],
        "contact": [
            {
                "person_id": person_id(name),
                "name": name,
                "phone_number": number,
                "relationship": relationship,
                "is_self": name == OWNER,
            }
            for name, number, relationship in PEOPLE
        ],
        "messaging": [_message(now, *message) for message in MESSAGES],
        "reminder": [_reminder(now, *reminder) for reminder in REMINDERS],
    }


def _setting() -> dict[str, Any]:
    """Everything is on, and the phone is near the Ferry Building in San Francisco."""
    return {
        "cellular": True,
        "wifi": True,
        "location_service": True,
        "low_battery_mode": False,
        "latitude": 37.7955,
        "longitude": -122.3937,
    }


def _message(now: datetime, direction: str, other: str, when: str, content: str) -> dict[str, Any]:
    ends = (_end("sender", other), _end("recipient", OWNER))
    if direction == "to":
        ends = (_end("sender", OWNER), _end("recipient", other))
    timestamp = read_moment(when, now).timestamp()
    return {**ends[0], **ends[1], "content": content, "creation_timestamp": timestamp}


def _end(side: str, who: str) -> dict[str, Any]:
    """Return the columns of one end of a message; ``who`` is a name or a stranger's number."""
    if who not in NUMBERS:
        return {f"{side}_person_id": None, f"{side}_phone_number": who}
    return {f"{side}_person_id": person_id(who), f"{side}_phone_number": NUMBERS[who]}


def _reminder(
    now: datetime, created: str, due: str, content: str, place: tuple[float, float] | None
) -> dict[str, Any]:
    latitude, longitude = place or (None, None)
    return {
        "content": content,
        "creation_timestamp": read_moment(created, now).timestamp(),
        "reminder_timestamp": read_moment(due, now).timestamp(),
        "latitude": latitude,
        "longitude": longitude,
    }
