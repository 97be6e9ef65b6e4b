"""Reports of the other one of two cases, and of another amount than the one that was sent."""

from __future__ import annotations

from functools import cache

from replies import Reply, Written, told, written
from rows import every

from pytest_toolsandbox.evaluation.milestones.inventions import inventions
from pytest_toolsandbox.evaluation.reports import Reports
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
        ("I told Katherine that it is $13.27 a pound.", False),
        ("I texted Katherine that the cheddar is about 13 dollars a pound.", False),
        ("Katherine knows that it costs $13.27.", False),
        ("I told Katherine that it is $29.26 a pound.", True),
        ("I texted Katherine that the cheddar costs 31 dollars.", True),
    ],
)
def test_an_amount_that_no_text_has(report: str, is_other: bool) -> None:
    assert bool(invented(PRICE, TEXT, report)) is is_other


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
