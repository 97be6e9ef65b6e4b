"""Tables of long texts: each is read once, however many expectations are compared with it."""

from __future__ import annotations

import random
import time
from typing import Any

import pytest

from pytest_toolsandbox.matchers import read
from pytest_toolsandbox.matchers.normal_text import split

WORDS = split("""
    the a to of and in that is for on with we they it will not can at by this from meeting budget
    team plan report sent changed client next week monday please call update two five office
    train garden because when after which moved to Ada and Leo at 5 pm tomorrow
""")
NOTES, LENGTH, EXPECTED = 40, 1000, 30


def note(number: int) -> str:
    chance = random.Random(number)
    words = chance.choices(WORDS, k=LENGTH)
    text = " ".join(word + chance.choice(["", "", "", "", ",", ".", "."]) for word in words)
    return text + "".join(f" I never sent Fred {i} a thing." for i in range(EXPECTED))


@pytest.mark.parametrize(
    "expected",
    [
        [{"claims": ["sent|moved", f"Fred {i}"]} for i in range(EXPECTED)],
        [{"denies": ["changed", f"Fred {i}"]} for i in range(EXPECTED)],
        [{"same_facts": f"Meet Fred on Friday at {i % 12 + 1} pm"} for i in range(EXPECTED)],
    ],
)
def test_many_expectations_read_a_text_once(expected: list[dict[str, Any]]) -> None:
    notes = list(map(note, range(NOTES)))
    begun = time.process_time()
    for matcher in map(read, expected):
        list(map(matcher.reached, notes))
    assert time.process_time() - begun < 3
