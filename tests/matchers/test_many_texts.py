"""Tables of long texts: each is read once, however many expectations are compared with it."""

from __future__ import annotations

import random

from pytest_toolsandbox.text.normal_text import split
from pytest_toolsandbox.text.quantities import missing, quantities_in

WORDS = split("""
    the a to of and in that is for on with we they it will not can at by this from meeting budget
    team plan report sent changed client next week monday please call update two five office
    train garden because when after which moved to Ada and Leo at 5 pm tomorrow
""")
NOTES, LENGTH, EXPECTED = 20, 300, 30


def note(number: int) -> str:
    chance = random.Random(number)
    words = chance.choices(WORDS, k=LENGTH)
    text = " ".join(word + chance.choice(["", "", "", "", ",", ".", "."]) for word in words)
    return text + "".join(f" I never sent Fred {i} a thing." for i in range(EXPECTED))


def test_many_expectations_read_a_text_once() -> None:
    notes = list(map(note, range(NOTES)))
    quantities_in.cache_clear()
    for number in range(EXPECTED):
        wanted = f"Meet Fred on Friday at {number % 12 + 1} pm"
        for text in notes:
            missing(wanted, text)
    assert 0 < quantities_in.cache_info().misses <= NOTES + EXPECTED
