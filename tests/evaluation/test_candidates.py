"""Another name or number that an answer gives beside the right one."""

from __future__ import annotations

import pytest

from pytest_toolsandbox.evaluation.candidates import another, joined

ABOUT = frozenset(("songs", "played", "record"))
NAMES = ("Ada Winter", "usr-24")
KNOWN = "Who recorded it, and how long is it? Bob Summer, 12 minutes, 8 May 2021"


def is_known(run: str) -> bool:
    return all(word in KNOWN for word in run.split())


def is_asked(run: str) -> bool:
    return any(one in run for one in ("Bob", "12", "8 May"))


@pytest.mark.parametrize(
    ("sentence", "found"),
    [
        ("Ada Winter would do as well.", "Ada Winter"),
        ("Take Ada Winter instead.", "Ada Winter"),
        ("Hmm, looking again, Ada Winter it is.", "Ada Winter"),
        ("So the winner is usr-24.", "usr-24"),
        ("Let me correct myself: it's Cora Autumn.", "Cora Autumn"),
        ("To be exact, 15 minutes.", "15 minutes"),
        ("But 30 is equally possible.", "30"),
        ("Replace that with Ada Winter.", "Ada Winter"),
        ("Make no mistake, Ada Winter is meant.", "Ada Winter"),
        ("Ada Winter has just as strong a case.", "Ada Winter"),
        ("Ada Winter has 30.", ""),
        ("Ada Winter was second.", ""),
        ("Ada Winter came close.", ""),
        ("I also looked at Ada Winter.", ""),
        ("It was not Ada Winter.", ""),
        ("Ada Winter played four songs.", ""),
        ("That's 720 seconds.", ""),
        ("It was in March.", ""),
        ("Should I look up Ada Winter, too?", ""),
    ],
)
def test_in_a_sentence_of_its_own(sentence: str, found: str) -> None:
    assert another(sentence, ABOUT, NAMES, is_known) == found


@pytest.mark.parametrize(
    ("sentence", "found"),
    [
        ("It was Bob Summer, or if you prefer Ada Winter.", ["Ada Winter"]),
        ("It was Ada Winter or else Bob Summer.", ["Ada Winter"]),
        ("Bob Summer resp. Ada Winter", ["Ada Winter"]),
        ("Bob Summer/Ada Winter", ["Ada Winter"]),
        ("It takes 12, or it's 15 minutes.", ["15"]),
        ("12 minutes (possibly 15)", ["15"]),
        ("on 8 May 2021 or otherwise 8 May 2022", ["8 May 2022"]),
        ("It was Bob Summer, who sang for 12 minutes.", []),
        ("12 minutes, or 720 seconds", []),
        ("Bob Summer or more", []),
        ("Bob Summer (or Bobby, as he was called)", []),
    ],
)
def test_joined_to_the_right_one(sentence: str, found: list[str]) -> None:
    assert list(dict.fromkeys(joined(sentence, NAMES, is_known, is_asked))) == found
