"""What is claimed, denied, refused and asked, on tables of wordings.

``wordings/`` has several tables for each matcher. The one ``kept_aside`` was written together with
the first, and not looked at while the matcher was: 142 of its 147 wordings were judged right at
first. Of those ``written_later``, once it was whole, 75 of 81 were; of those with which all four
were then ``attacked``, 216 of 244; of those with which they were attacked ``again`` when what these
showed was mended, 148 of 157; and of the ``fresh`` ones, which were written without a look at the
code and tried when all were, 268 of 305: 159 of 183 for ``claims``, 36 of 42 for ``denies``, 35 of
40 for ``refuses``, 38 of 40 for ``asks``.

What stands below ``met_but_misread`` and ``unmet_but_misread`` is judged wrong, and is meant the
other way: a mend moves it to ``met`` or ``unmet``.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import yaml
from rows import every

from pytest_toolsandbox.matchers import MatcherMistake, read

NAMES = ("claims", "denies", "refuses", "asks")
WORDINGS = Path(__file__).parent / "wordings"


KEPT_ASIDE = ("kept_aside", "written_later", "fresh")
"""Tables that were whole before the matcher was tried on any of their rows."""


class Wording(NamedTuple):
    """A text, whether it states what is expected, and whether the matcher says so."""

    expected: dict[str, Any]
    text: str
    is_met: bool
    is_misread: bool
    table: str


def wordings() -> Iterator[Wording]:
    for file in sorted(WORDINGS.glob("*.yaml")):
        name, _, table = file.stem.partition("_")
        for group in yaml.safe_load(file.read_text(encoding="utf-8")):
            expected = {name: group.pop(name)}
            for meant, texts in group.items():
                is_met, is_misread = MEANT[meant]
                for text in texts:
                    yield Wording(expected, text, is_met, is_misread, table)


MEANT = {
    "met": (True, False),
    "unmet": (False, False),
    "met_but_misread": (True, True),
    "unmet_but_misread": (False, True),
}
ALL = list(wordings())


@every(("expected", "text", "is_met"), [one[:3] for one in ALL if not one.is_misread])
def test_wordings_are_read_as_they_are_meant(
    expected: dict[str, Any], text: str, is_met: bool
) -> None:
    assert read(expected).reached(text) is is_met


@every(("expected", "text", "is_met"), [one[:3] for one in ALL if one.is_misread])
def test_wordings_that_are_misread_are_known(
    expected: dict[str, Any], text: str, is_met: bool
) -> None:
    assert read(expected).reached(text) is not is_met, "it is read right: move it"


@pytest.mark.parametrize("name", NAMES)
def test_each_has_a_table_of_wordings(name: str) -> None:
    own = [one for one in ALL if name in one.expected]
    assert len(own) == len({(one.text, one.is_met) for one in own})
    assert min(sum(one.is_met for one in own), sum(not one.is_met for one in own)) >= 80
    assert sum(one.table in KEPT_ASIDE for one in own) >= len(own) / 3


@pytest.mark.parametrize("name", NAMES)
def test_all_are_yes_or_no_and_of_texts_alone(name: str) -> None:
    matcher = read({name: ["sent", "Fred"]})
    assert matcher.similarity(None) == matcher.similarity(5) == matcher.similarity("") == 0
    assert {matcher.similarity(text) for _, text, *_ in ALL} == {0, 1}


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
