"""Texts and titles that users dictate, beside those that agents write."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from pathlib import Path

import yaml
from rows import every

from pytest_toolsandbox.matchers.facts import dictated

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


def test_a_long_text_takes_no_long_time() -> None:
    assert dictated("See you at the lake. ", "word " * 20_000, [], TODAY, is_title=False)
