"""What is claimed, denied, refused and asked, on tables of wordings.

``wordings/`` has several tables for each matcher. The one ``kept_aside`` was written together with
the first, and not looked at while the matcher was: 142 of its 147 wordings were judged right at
first. Of those ``written_later``, once it was whole, 75 of 81 were; of those with which all four
were then ``attacked``, 216 of 244; and of the fresh ones with which they were attacked ``again``
when what these showed was mended, 148 of 157.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from rows import every

from pytest_toolsandbox.matchers import MatcherMistake, read

NAMES = ("claims", "denies", "refuses", "asks")
WORDINGS = Path(__file__).parent / "wordings"


def wordings() -> Iterator[tuple[dict[str, Any], str, bool]]:
    for file in sorted(WORDINGS.glob("*.yaml")):
        name = file.stem.partition("_")[0]
        for group in yaml.safe_load(file.read_text(encoding="utf-8")):
            for text in group["met"]:
                yield {name: group[name]}, text, True
            for text in group["unmet"]:
                yield {name: group[name]}, text, False


ALL = list(wordings())

KNOWN = {
    "The text has been sent. I hope Katherine isn't too annoyed!": False,
    "The flight can't be cancelled once booked, so shall I book it?": True,
    "I didn't get an email address. What is it?": True,
    "I turned low battery mode off and wifi and cellular on.": True,
    "If you like, it now comes a week later.": True,
}
"""Wordings that are judged wrong: what they say is denied or left open beside something else."""


@every(("expected", "text", "is_met"), ALL)
def test_wordings_are_read_as_they_are_meant(
    expected: dict[str, Any], text: str, is_met: bool
) -> None:
    assert read(expected).reached(text) is KNOWN.get(text, is_met)


@pytest.mark.parametrize("name", NAMES)
def test_each_has_a_table_of_wordings(name: str) -> None:
    own = [(text, is_met) for expected, text, is_met in ALL if name in expected]
    assert len(own) == len(set(own)) >= 80
    assert min(sum(is_met for _, is_met in own), sum(not is_met for _, is_met in own)) >= 35


@pytest.mark.parametrize("name", NAMES)
def test_all_are_yes_or_no_and_of_texts_alone(name: str) -> None:
    matcher = read({name: ["sent", "Fred"]})
    assert matcher.similarity(None) == matcher.similarity(5) == matcher.similarity("") == 0
    assert {matcher.similarity(text) for _, text, _ in ALL} == {0, 1}


def test_alternatives_stand_in_a_list_or_between_bars() -> None:
    assert read({"claims": ["sent|booked", "Fred"]}) == read(
        {"claims": [["sent", "booked"], "fred"]}
    )
    assert read({"claims": "booked | Paid"}).describe() == "claims booked | paid"


def test_words_of_one_deed_stand_for_each_other() -> None:
    for word in ("sent", "texted", "let Fred know", "told"):
        assert read({"claims": [word, "Fred"]}).reached("I've messaged Fred.")
    assert not read({"claims": ["deleted", "Fred"]}).reached("I've messaged Fred.")
    assert read({"claims": ["deployed"]}).reached("It has been deployed.")
    assert not read({"claims": ["deployed"]}).reached("It will be deployed.")


def test_numbers_are_words_too() -> None:
    assert read({"claims": ["set", 5]}).reached("I've set it for 5 pm.")
    assert not read({"claims": ["set", 5]}).reached("I've set the reminder for 6 pm.")


@pytest.mark.parametrize(
    ("expected", "text", "reason"),
    [
        ({"claims": "sent"}, "Shall I text him?", "only: asked 'shall i text him'"),
        ({"claims": "sent"}, "I'll text him.", "only: planned 'i will text him'"),
        ({"claims": "sent"}, "I didn't text him.", "only: denied 'i did not text him'"),
        (
            {"claims": "sent"},
            "If I texted him, he would come.",
            "only: as a condition 'if i texted him'",
        ),
        ({"claims": "sent|booked"}, "Hello!", "nothing is said of: sent | booked"),
        (
            {"denies": "rain"},
            "It rains. Rain is coming.",
            "only: said 'it rains', said 'rain is coming'",
        ),
        ({"asks": ["address"]}, "The address is new.", "only: said 'the address is new'"),
        ({"claims": "sent"}, "Sent.", None),
        ({"claims": "sent"}, None, None),
    ],
)
def test_a_report_says_how_the_words_were_meant(
    expected: dict[str, Any], text: str | None, reason: str | None
) -> None:
    assert read(expected).explain(text) == reason


@pytest.mark.parametrize(
    ("argument", "message", "path"),
    [
        ([], "expected a list of words and numbers, found an empty list", ("claims",)),
        (
            ["sent", ["Fred", " "]],
            "expected a word or a number, found an empty text",
            ("claims", 1, 1),
        ),
        (["sent", "Fred|"], "expected a word on each side of |, found 'Fred|'", ("claims", 1)),
        ({"words": "sent"}, "expected a word or a number, found a mapping of words", ("claims",)),
        (None, "expected a word or a number, found null", ("claims",)),
    ],
)
def test_mistakes_have_a_place_and_a_remedy(
    argument: Any, message: str, path: tuple[str | int, ...]
) -> None:
    with pytest.raises(MatcherMistake) as caught:
        read({"claims": argument})
    assert (caught.value.text, caught.value.path) == (message, path)
