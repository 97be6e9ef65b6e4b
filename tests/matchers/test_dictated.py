"""Texts and titles that users dictate, beside those that agents write."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest
import yaml
from rows import every

from pytest_toolsandbox.matchers.facts import dictated, moments
from pytest_toolsandbox.wording.long_texts import MOST

TODAY = dt.date(2025, 9, 19)
GROUPS = yaml.safe_load(
    (Path(__file__).parent / "texts" / "dictated" / "dictated.yaml").read_text()
)


def pairs(kind: str) -> Iterator[tuple[str, str, str, bool]]:
    for group in GROUPS:
        expected = group.get("text") or group["title"]
        for found in group[kind]:
            yield expected, found, group.get("known", ""), "title" in group


@every(("expected", "found", "known", "is_title"), [*pairs("same")])
def test_what_tells_the_same(expected: str, found: str, known: str, is_title: bool) -> None:
    assert dictated(expected, found, [known], TODAY, is_title=is_title) is None


@every(("expected", "found", "known", "is_title"), [*pairs("wrong")])
def test_what_tells_something_else(expected: str, found: str, known: str, is_title: bool) -> None:
    assert dictated(expected, found, [known], TODAY, is_title=is_title) is not None


def test_the_reason_names_what_is_otherwise() -> None:
    text, found = "Petra brings the cake.", "Ines brings the cups."
    reason = dictated(text, found, [], TODAY, is_title=False)
    assert reason is not None
    assert "cups for cake" in reason


@pytest.mark.parametrize(
    ("text", "found", "part"),
    [
        ("Bring boots, leave hats.", "Bring hats, leave boots.", "exchanged: "),
        ("You get the key.", "You get the key and my password.", "given away: password"),
        ("You get the key.", "I get the key from you.", "another person: "),
        ("Wait before you pay the bill.", "Pay the bill before you wait.", "pay before wait"),
        ("Ada pays, so Ben sings.", "Ben sings if Ada pays.", "left open: if"),
    ],
)
def test_the_reason_names_what_changed_places(text: str, found: str, part: str) -> None:
    reason = dictated(text, found, [], TODAY, is_title=False)
    assert reason is not None
    assert part in reason


@pytest.mark.parametrize("word", ["if ", "before we ", "so ", "because a, ", "you give me it and "])
def test_many_links_take_no_long_time(word: str) -> None:
    text = "Take gloves before noon if you can, because we leave."
    assert dictated(text, word * 20_000, [], TODAY, is_title=False)


def test_a_long_text_takes_no_long_time() -> None:
    assert dictated("See you at the lake. ", "word " * 20_000, [], TODAY, is_title=False)


@pytest.mark.parametrize("piece", ["5 pm ", "+1 ", "7/", "five ", "on Saturday at 5, "])
def test_days_of_a_long_text_are_named_once_each(
    piece: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = [0]

    def counted(pattern: str, words: str, text: str) -> str:
        read[0] += len(text)
        return pattern_of(pattern).sub(words, text)

    pattern_of = re.compile
    monkeypatch.setattr(moments, "re", SimpleNamespace(sub=counted, escape=re.escape))
    text = piece * (MOST // len(piece))
    moments.with_days_of("Come tomorrow at 5.", text, TODAY)
    assert read[0] <= len(text)
