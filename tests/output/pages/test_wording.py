"""How values, times, scores, calls and constraints are worded."""

from __future__ import annotations

from datetime import UTC, tzinfo
from zoneinfo import ZoneInfo

import pytest
from rows import every

from pytest_toolsandbox import Scenario, ToolCall
from pytest_toolsandbox.language.tasks import Milestones
from pytest_toolsandbox.output.pages.wording import (
    constrained_columns,
    describe_constraint,
    python_call,
    score_text,
    shortened,
    with_wall_times,
)
from pytest_toolsandbox.protocols import read_file

LOS_ANGELES = ZoneInfo("America/Los_Angeles")


@every(
    ("name", "text", "written"),
    [
        ("", "{a_timestamp: 1741968000.0}", "{a_timestamp: 1741968000.0 (2025-03-14 16:00)}"),
        ("", "f(timestamp_min: 1741968001)", "f(timestamp_min: 1741968001 (2025-03-14 16:00:01))"),
        ("", "{phone: 1741968000, timestamp: null}", "{phone: 1741968000, timestamp: null}"),
        ("reminder_timestamp", "1741968000.0 ± 60", "1741968000.0 (2025-03-14 16:00) ± 60"),
        ("rows[0].timestamp", "1741968000", "1741968000 (2025-03-14 16:00)"),
        ("timestamp", "null", "null"),
        ("timestamp", "12345678", "12345678"),
        ("timestamp", "'1741968000' or '+1741968000'", "'1741968000' or '+1741968000'"),
        ("content", "1741968000", "1741968000"),
    ],
)
def test_the_wall_time_stands_behind_a_timestamp(name: str, text: str, written: str) -> None:
    assert with_wall_times(text, UTC, name) == written


@every(("zone", "written"), [(UTC, "2025-03-14 16:00"), (LOS_ANGELES, "2025-03-14 09:00")])
def test_it_is_the_time_of_the_world(zone: tzinfo, written: str) -> None:
    assert with_wall_times("1741968000", zone, "timestamp") == f"1741968000 ({written})"


SCENARIO = """
world: phone
user: {opening: Hello}
tools: [search_contacts, get_current_timestamp, add_reminder]
milestones:
  found: {call: {search_contacts: {name: Ada}}}
  timed: {call: {any_of: [get_current_timestamp, {search_contacts: {name: {regex: A.*}}}]}}
  told: {says: {mentions: [{from: {milestone: timed}}]}}
  kept:
    state:
      reminder:
        added: [{content: one, latitude: null}, {content: {contains: two}}]
  same: {guardrails: none, state: {contact: {unchanged: true, since: told}}}
  empty: {state: {reminder: {rows: []}, setting: {wifi: false, cellular: true}}}
"""


@pytest.fixture
def scenario() -> Scenario:
    (loaded,) = read_file(SCENARIO.encode(), "test", "test.yaml", {})
    return loaded


@pytest.mark.parametrize(
    ("event", "place", "words", "columns"),
    [
        ("found", 0, "search_contacts(name: 'Ada')", ()),
        ("timed", 0, "get_current_timestamp() or search_contacts(name: matches /A.*/)", ()),
        ("told", 0, "a value from timed", ()),
        (
            "kept",
            0,
            "{content: like 'one', latitude: null} and {content: contains 'two'}",
            ("content", "latitude"),
        ),
        ("same", 0, "no change since told", ()),
        ("empty", 0, "no rows", ()),
        ("empty", 1, "{wifi: false, cellular: true}", ("wifi", "cellular")),
    ],
)
def test_constraints(
    scenario: Scenario, event: str, place: int, words: str, columns: tuple[str, ...]
) -> None:
    constraint = scenario.task_as(Milestones).milestones[event].constraints[place]
    assert describe_constraint(constraint) == words
    assert constrained_columns(constraint) == columns


@every(
    ("score", "written"),
    [
        (0, "0.00"),
        (0.004, "0.00"),
        (1 / 3, "0.33"),
        (0.375, "0.38"),
        (0.996, "0.99"),
        (1 - 1e-12, "0.99"),
        (1.0, "1.00"),
    ],
)
def test_scores(score: float, written: str) -> None:
    assert score_text(score) == written


@every(
    ("arguments", "written"),
    [
        ("{}", "find()"),
        ("", "find()"),
        ('{"a": true, "b": null, "c": 1.0}', "find(a=True, b=None, c=1.0)"),
        ('{"a": "it\'s", "b": {"c": ["d"]}}', "find(a=\"it's\", b={'c': ['d']})"),
        ('{"text": "a\\nb\\u001b[2J"}', "find(text='a\\nb\\x1b[2J')"),
        ("{", "find({)"),
        ("[1]", "find([1])"),
        ("NaN", "find(NaN)"),
        ("[" * 100_000, f"find({'[' * 292}..."),
        (f'{{"text": "{"x" * 400}"}}', f"find(text='{'x' * 286}..."),
    ],
)
def test_calls(arguments: str, written: str) -> None:
    assert python_call(ToolCall("1", "find", arguments)) == written


@every(
    ("text", "written"),
    [
        ("", ""),
        (" a \n\t b ", "a b"),
        ("x" * 10, "x" * 10),
        ("x" * 11, "xxxxxxx..."),
        ("\x1b[31m", "\\x1b[31m"),
        ("\u200b\ud83d", "\\u200b\\..."),
        ("\ud83d", "\\ud83d"),
        ("tóo ✗", "tóo ✗"),
    ],
)
def test_shortened(text: str, written: str) -> None:
    assert shortened(text, 10) == written


def test_no_part_of_a_key_is_shown_where_a_text_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SERVICE_API_KEY", "abcdefghijklmnopqrstuvwxyz")
    shown = shortened("w" * 290 + "abcdefghijklmnopqrstuvwxyz")
    assert shown == "w" * 290 + "***"
