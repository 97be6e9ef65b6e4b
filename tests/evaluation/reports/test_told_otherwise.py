"""Reports of the other one of two cases, and of another amount than the one that was sent."""

from __future__ import annotations

from functools import cache

from replies import Reply, Written, told, written
from rows import every

from pytest_toolsandbox.evaluation.reports.inventions import inventions
from pytest_toolsandbox.evaluation.reports.reports import Reports
from pytest_toolsandbox.language.loading import read_file
from pytest_toolsandbox.language.scenario import Scenario

SCENE = """
world: phone
categories: [single_user_turn]
user: {opening: "%s"}
milestones: {told: {says: '\\w'}}
"""
EITHER = "If it rains on Friday remind me at 7 to take the bus, otherwise at 7 to pump up my tires."
PRICE = "Text Katherine how much the cheddar is a pound."
BUS = written("add_reminder", content="Take the bus", reminder_timestamp=1747404000.0)
TEXT = written(
    "send_message_with_phone_number",
    phone_number="+14155550111",
    content="The cheddar is 13.27 dollars a pound.",
)


@cache
def scene(opening: str) -> Scenario:
    (one,) = read_file((SCENE % opening).encode(), "scene", "scene.yaml")
    return one


def invented(opening: str, *said: Reply | Written) -> list[str]:
    trajectory = told(scene(opening), *said)
    return [one.claim for one in inventions(Reports(scene(opening), trajectory))]


@every(
    ("report", "is_other"),
    [
        ("I'll remind you at 7 to take the bus.", False),
        ("I'll remind you of the bus at 7.", False),
        ("It will rain, so the tires can wait: I'll remind you to take the bus.", False),
        ("I'll remind you at 7 to pump up your tires.", True),
        ("It stays dry, so I will remind you to pump up the tires at 7.", True),
    ],
)
def test_the_other_one_of_two_cases(report: str, is_other: bool) -> None:
    assert bool(invented(EITHER, BUS, report)) is is_other


@every(
    ("report", "is_other"),
    [
        ("She was saved as Imogen Ashworth, now she is Yasmin.", False),
        ("She was saved as Yasmin, now she is Imogen Ashworth.", True),
    ],
)
def test_what_somebody_was_called_before(report: str, is_other: bool) -> None:
    person = "d4281204-f289-55cb-b8dd-d4e5da9d867e"
    renamed = written("modify_contact", person_id=person, name="Yasmin")
    assert bool(invented("Call Imogen Yasmin from now on.", renamed, report)) is is_other


def test_a_claim_is_told_once_and_as_it_was_written() -> None:
    report = 'I texted Katherine, and she replied "Fine with me".'
    assert invented(PRICE, TEXT, report) == ["she replied fine with me"]


@every(
    ("report", "is_other"),
    [
        ("I texted Katherine that you come on Friday at five.", False),
        ("I texted Katherine that you come on Friday at six.", True),
        ("I texted Katherine that you come on Monday.", True),
    ],
)
def test_a_time_that_no_text_has(report: str, is_other: bool) -> None:
    text = written(
        "send_message_with_phone_number", phone_number="+14155550111", content="I come Friday at 5."
    )
    assert bool(invented("Text Katherine when I come.", text, report)) is is_other


@every(
    ("report", "is_other"),
    [
        ("Your teeth cleaning is on Sunday at 8:45 am now, the shopping on Sunday at 6 pm.", False),
        ("The teeth cleaning now rings at 8:45 am, and the oat milk at 6 pm.", False),
        ("Moved: the teeth cleaning from Saturday 8:45 to Sunday 8:45, oat milk at 6 pm.", False),
        ("Your teeth cleaning is now on Sunday at 6 pm and the oat milk on Sunday at 6 pm.", True),
        ("Your teeth cleaning is now at 8:45 am and the oat milk on Sunday at 8:45 am.", True),
    ],
)
def test_the_time_of_another_row(report: str, is_other: bool) -> None:
    added = (
        written("add_reminder", content="Teeth cleaning", reminder_timestamp=1762101900.0),
        written("add_reminder", content="Buy oat milk", reminder_timestamp=1762135200.0),
    )
    asked = "Remind me of teeth cleaning and oat milk, a day after Saturday."
    assert bool(invented(asked, *added, report)) is is_other


@every(
    ("report", "is_other"),
    [
        ("Katherine has the number of the shop.", False),
        ("Katherine has the number of the shop in Seattle.", False),
        ("Not the one in San Francisco, but the one in Seattle: Katherine has its number.", False),
        ("Katherine has the number of the shop in San Francisco.", True),
        ("I sent Katherine the number of Petal Theory in Fillmore Street.", True),
    ],
)
def test_another_place_of_one_name(report: str, is_other: bool) -> None:
    found = written("search_location_around_lat_lon", location="Petal Theory")
    text = written(
        "send_message_with_phone_number", phone_number="+14155550111", content="+12065550150"
    )
    assert bool(invented("Text Katherine their number.", found, text, report)) is is_other
