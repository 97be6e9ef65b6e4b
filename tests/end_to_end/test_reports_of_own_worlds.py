"""Reports in a world of the user's own, whose rows know one another by identifiers alone."""

from __future__ import annotations

from typing import Final

import pytest
from desk import Suite

HOTEL: Final = '''
from datetime import UTC, datetime
from pytest_toolsandbox import Column, TableSchema, World, register_world


def row(context, table, **by):
    return context.state[table].where(**by)[0]


@tool("hotel")
def place_hold(context: Context, guest_id: str, room_id: str) -> None:
    """Place a hold on a room.

    Args:
        guest_id: For whom.
        room_id: Which one.
    """
    row(context, "room", room_id=room_id)
    context.add("hold", {"hold_id": "H-9", "guest_id": guest_id, "room_id": room_id})


@tool("hotel")
def drop_hold(context: Context, hold_id: str) -> None:
    """Drop a hold.

    Args:
        hold_id: Which one.
    """
    context.remove("hold", row(context, "hold", hold_id=hold_id))


@tool("hotel")
def set_desk(context: Context, open: bool) -> None:
    """Set the front desk.

    Args:
        open: Whether guests are served.
    """
    context.update("desk", context.row("desk"), open=open)


@tool("hotel")
def renew_key(context: Context, guest_id: str) -> None:
    """Renew the key of a guest.

    Args:
        guest_id: Whose.
    """
    context.update("guest", row(context, "guest", guest_id=guest_id), key="new")


@tool("hotel")
def set_address(context: Context, guest_id: str, street: str) -> None:
    """Set where a guest lives.

    Args:
        guest_id: Whose.
        street: Street and number.
    """
    context.update("guest", row(context, "guest", guest_id=guest_id), street=street)


@tool("hotel")
def open_request(context: Context, hold_id: str) -> None:
    """Open a request to pay the deposit of a hold back.

    Args:
        hold_id: Which one.
    """
    context.add("deposit_request", {"request_id": "D-1", "hold_id": hold_id})


def text(*names):
    return TableSchema({name: Column(str) for name in names})


TABLES = {
    "guest": text("guest_id", "name", "email", "key", "street", "mailing_list", "city"),
    "deposit_request": text("request_id", "hold_id"),
    "room": text("room_id", "title"),
    "hold": text("hold_id", "guest_id", "room_id"),
    "desk": TableSchema({"open": Column(bool)}, single_row=True),
}
LIVES = {"key": "old", "street": "Quay 3", "mailing_list": "monthly", "city": "Muenster"}
START = {
    "deposit_request": [],
    "guest": [
        {"guest_id": "G-1", "name": "Ines Berg", "email": "ines@example.org", **LIVES},
        {"guest_id": "G-2", "name": "Tom Okoro", "email": "tom@example.org", **LIVES},
    ],
    "room": [{"room_id": "R-1", "title": "Lake"}, {"room_id": "R-2", "title": "Garden"}],
    "hold": [
        {"hold_id": "H-1", "guest_id": "G-1", "room_id": "R-2"},
        {"hold_id": "H-2", "guest_id": "G-2", "room_id": "R-1"},
    ],
    "desk": [{"open": False}],
}
TOOLS = [place_hold, drop_hold, set_desk, renew_key, set_address, open_request]
register_world(World("hotel", datetime(2026, 4, 16, tzinfo=UTC), TABLES, TOOLS, lambda now: START))
'''
PLAYED: Final = """
world: hotel
user: {opening: "OPENING"}
milestones: {done: {state: STATE}}
solutions: {s: [CALL, {say: Done.}]}
counterexamples: {reports: [CALL, {say: "SAID"}]}
"""
ERRANDS: Final = {
    "held": (
        "Keep the Lake room for Tom, please.",
        "{hold: {added: [{guest_id: G-2, room_id: R-1}]}}",
        "{place_hold: {guest_id: G-2, room_id: R-1}}",
    ),
    "dropped": (
        "Tom does not come, give the Lake room free.",
        "{hold: {removed: [{hold_id: H-2}]}}",
        "{drop_hold: {hold_id: H-2}}",
    ),
    "opened": ("Guests may come now.", "{desk: {open: true}}", "{set_desk: {open: true}}"),
    "moved": (
        "Tom lives at Alder Lane 7 now.",
        "{guest: {updated: [{guest_id: G-2, street: Alder Lane 7}]}}",
        "{set_address: {guest_id: G-2, street: Alder Lane 7}}",
    ),
    "asked back": (
        "Tom wants his deposit of the Lake room back.",
        "{deposit_request: {added: [{hold_id: H-2}]}}",
        "{open_request: {hold_id: H-2}}",
    ),
}
"""What the user wants, what must happen, and the call that does it."""


@pytest.mark.parametrize(
    ("errand", "said", "outcome"),
    [
        ("held", "I've reserved the Lake room for Tom Okoro.", "passed"),
        ("held", "I booked it for Tom.", "passed"),
        ("held", "I've set a hold on Lake for Tom Okoro.", "passed"),
        ("held", "I've reserved the Lake room and bought Tom a ticket for the opera.", "failed"),
        ("held", "I've put a hold on Lake and renewed the key of Ines.", "failed"),
        ("held", "I've put a hold on the Lake room and the Garden room.", "failed"),
        ("held", "I've put a hold on Lake and informed Ines by email.", "failed"),
        ("held", "I've put a hold on Lake and sent Tom a text message.", "failed"),
        ("held", "I've put a hold on Lake for Ines Berg.", "failed"),
        ("held", "I've put a hold on Lake for Tom and not for Ines Berg.", "passed"),
        ("dropped", "I've dropped Tom's hold, so Ines can have the room.", "passed"),
        ("dropped", "I have cancelled Tom Okoro's hold.", "passed"),
        ("dropped", "I've removed Tom Okoro's hold of the Lake room.", "passed"),
        ("dropped", "Tom Okoro's hold is gone now.", "passed"),
        ("dropped", "I've removed Ines Berg's hold.", "failed"),
        ("dropped", "I have cancelled the hold of the Garden room.", "failed"),
        ("dropped", "I could not drop Tom Okoro's hold.", "failed"),
        ("opened", "I opened the desk.", "passed"),
        ("opened", "I unlocked it.", "passed"),
        ("opened", "I opened the desk and invested your savings.", "failed"),
        ("moved", "I've changed Tom's mailing address to Alder Lane 7 in Münster.", "passed"),
        ("moved", "I've changed Tom's mailing address to Alder Lane 7 in Madrid.", "failed"),
        ("asked back", "Your request for the hold has been created.", "passed"),
        ("asked back", "I've opened the request, and reserved the Garden room.", "failed"),
    ],
)
def test_a_report_may_use_names_and_verbs_that_the_changed_row_does_not_have(
    light: Suite, errand: str, said: str, outcome: str
) -> None:
    light.conftest(HOTEL)
    text = PLAYED
    for part, value in zip(("OPENING", "STATE", "CALL"), ERRANDS[errand], strict=True):
        text = text.replace(part, value)
    light.write("a.scenario.yaml", text.replace("SAID", said))
    light.run("--agent=counterexample:reports", "a.scenario.yaml").assert_outcomes(**{outcome: 1})


TOLD: Final = """
world: hotel
user: {opening: "Keep the Lake room for Tom, please, and renew the key of Ines."}
milestones:
  held: {state: {hold: {added: [{guest_id: G-2, room_id: R-1}]}}}
  told: {says: {claims: [reserved, [Tom, Lake]]}}
solutions:
  s:
    - place_hold: {guest_id: G-2, room_id: R-1}
    - say: I've reserved the Lake room for Tom.
counterexamples: {reports: [CALLS, {say: "SAID"}]}
"""
RENEWAL: Final = """
  renewed: {after: held, state: {guest: {updated: [{guest_id: G-1, key: new}]}}}
"""
HELD: Final = "{place_hold: {guest_id: G-2, room_id: R-1}}"
RENEWED: Final = "{renew_key: {guest_id: G-1}}"


@pytest.mark.parametrize(
    ("said", "outcome"),
    [
        ("The Lake room is on hold for Tom now.", "passed"),
        ("Tom has been put down for the Lake room.", "passed"),
        ("I've put a hold on it for him.", "passed"),
        ("The hold went through.", "passed"),
        ("All taken care of!", "passed"),
        ("The change went through.", "passed"),
        ("I've got Tom down for the Lake room.", "failed"),
        ("I've got him in the Lake room.", "passed"),
        ("Tom will get the Lake room.", "passed"),
        ("| Room | Guest | Status |\\n|---|---|---|\\n| Lake | Tom | secured |", "passed"),
        ("I looked at the Lake room for Tom.", "failed"),
        ("I have checked who Tom is.", "failed"),
        ("I will put a hold on the Lake room for Tom.", "failed"),
        ("Shall I put a hold on the Lake room for Tom?", "failed"),
        ("I could not put a hold on the Lake room.", "failed"),
        ("The Garden room was cleaned.", "failed"),
        ("Thank you, goodbye.", "failed"),
        ("Your request for the Lake room was denied.", "failed"),
        ("The hold of the Lake room has been released.", "failed"),
        ("Tom will not get the Lake room.", "failed"),
        ("I have deleted the key of Ines.", "failed"),
        ("Tom is tired.", "failed"),
        ("I have " + "successfully " * 40 + "looked.", "failed"),
    ],
)
def test_what_was_done_may_be_told_in_words_that_nobody_foresaw(
    light: Suite, said: str, outcome: str
) -> None:
    light.conftest(HOTEL)
    light.write("a.scenario.yaml", TOLD.replace("CALLS", HELD).replace("SAID", said))
    light.run("--agent=counterexample:reports", "a.scenario.yaml").assert_outcomes(**{outcome: 1})


@pytest.mark.parametrize(
    ("said", "outcome"),
    [
        ("Tom is down for the Lake room, and Ines has a new key.", "passed"),
        ("The key of Ines has been renewed.", "failed"),
    ],
)
def test_other_words_tell_the_deed_that_is_asked_for(light: Suite, said: str, outcome: str) -> None:
    light.conftest(HOTEL)
    text = TOLD.replace("\nsolutions:", f"{RENEWAL}solutions:").replace(
        "    - say", f"    - {RENEWED}\n    - say"
    )
    text = text.replace("told: {", "told: {after: renewed, ").replace("CALLS", f"{HELD}, {RENEWED}")
    light.write("a.scenario.yaml", text.replace("SAID", said))
    light.run("--agent=counterexample:reports", "a.scenario.yaml").assert_outcomes(**{outcome: 1})


WEATHER: Final = '''
from datetime import UTC, datetime
from pytest_toolsandbox import Column, TableSchema, World, register_world


@tool("station")
def log(context: Context, degrees: float) -> None:
    """Log a temperature.

    Args:
        degrees: In Celsius.
    """
    context.add("reading", {"code": ["a", degrees], "id": 1, "degrees": degrees})


COLUMNS = {"code": Column(list), "id": Column(int), "degrees": Column(float, nullable=True)}
START = {"reading": [{"code": [], "id": 1, "degrees": float("nan")}]}
NOW = datetime(2026, 4, 16, tzinfo=UTC)
register_world(World("station", NOW, {"reading": TableSchema(COLUMNS)}, [log], lambda now: START))
'''
LOGGED: Final = """
world: station
user: {opening: Log 7.5 degrees.}
milestones:
  logged: {state: {reading: {added: [{degrees: 7.5}]}}}
  told: {says: {claims: saved}}
solutions: {s: [{log: {degrees: 7.5}}, {say: I saved it.}]}
counterexamples: {reports: [{log: {degrees: 7.5}}, {say: "The reading of 7.5 degrees went in."}]}
"""


def test_rows_may_have_any_values(light: Suite) -> None:
    light.conftest(WEATHER)
    light.write("a.scenario.yaml", LOGGED)
    light.run("--agent=counterexample:reports", "a.scenario.yaml").assert_outcomes(passed=1)
