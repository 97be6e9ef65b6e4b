"""Tables of long texts: each is read once, however many expectations are compared with it."""

from __future__ import annotations

import random
from typing import Any

import pytest

from pytest_toolsandbox.matchers import read
from pytest_toolsandbox.matchers.normal_text import split
from pytest_toolsandbox.matchers.quantities import quantities_in
from pytest_toolsandbox.matchers.statements.clauses import clauses

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


@pytest.mark.parametrize(
    ("expected", "reader"),
    [
        ([{"claims": ["sent|moved", f"Fred {i}"]} for i in range(EXPECTED)], clauses),
        ([{"denies": ["sent", f"Fred {i}"]} for i in range(EXPECTED)], clauses),
        (
            [{"same_facts": f"Meet Fred on Friday at {i % 12 + 1} pm"} for i in range(EXPECTED)],
            quantities_in,
        ),
    ],
)
def test_many_expectations_read_a_text_once(expected: list[dict[str, Any]], reader: Any) -> None:
    notes = list(map(note, range(NOTES)))
    reader.cache_clear()
    for matcher in map(read, expected):
        list(map(matcher.reached, notes))
    assert 0 < reader.cache_info().misses <= NOTES + EXPECTED
