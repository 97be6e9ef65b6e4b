from __future__ import annotations

import re
from datetime import UTC, datetime
from functools import partial

import pytest
from lookups import call_in

from pytest_toolsandbox.builtin.queries.data_files import data_of
from pytest_toolsandbox.builtin.queries.spaceflight import world

DATA = data_of("spaceflight")
IDENTIFIERS = {
    "articles": "article_id",
    "blogs": "blog_id",
    "reports": "report_id",
    "launches": "launch_id",
    "events": "event_id",
}
TIMES = {"launches": "net", "events": "date"}

call = partial(call_in, world)


@pytest.mark.parametrize(
    ("one", "other", "arguments"),
    [
        ("list_articles", "list_blogs", ["is_featured", "news_site_exclude"]),
        ("list_blogs", "list_reports", ["event_id", "launch_id"]),
    ],
)
def test_similar_tools_differ_in_what_they_filter_by(
    one: str, other: str, arguments: list[str]
) -> None:
    names = [set(world.tools[name].parameters) for name in (one, other)]
    assert sorted(names[0] - names[1]) == arguments
    assert names[1] < names[0]


@pytest.mark.parametrize(
    ("kind", "fields"),
    [
        ("articles", ["article_id", "title", "news_site", "published_at"]),
        ("blogs", ["blog_id", "title", "news_site", "published_at"]),
        ("reports", ["report_id", "title", "news_site", "published_at"]),
        ("launches", ["launch_id", "name", "net", "status"]),
        ("events", ["event_id", "name", "event_type", "date"]),
    ],
)
def test_lists_leave_the_facts_to_the_single_records(kind: str, fields: list[str]) -> None:
    identifier = IDENTIFIERS[kind]
    time = TIMES.get(kind, "published_at")
    rows = call(f"list_{kind}", limit=10)["results"]
    assert [row[time] for row in rows] == sorted((row[time] for row in rows), reverse=True)
    for row in rows:
        assert list(row) == fields
        single = call(f"get_{identifier.removesuffix('_id')}", **{identifier: row[identifier]})
        assert single in DATA[kind]
        assert row.items() <= single.items()


def test_what_is_done_with_a_result_does_not_change_the_data() -> None:
    call("get_article", article_id=24011)["launch_ids"].clear()
    assert call("get_article", article_id=24011)["launch_ids"] == ["lch-1107"]


@pytest.mark.parametrize("kind", IDENTIFIERS)
def test_identifiers_and_titles_are_unique(kind: str) -> None:
    title = "name" if kind in TIMES else "title"
    for field in (IDENTIFIERS[kind], title):
        values = [record[field] for record in DATA[kind]]
        assert len(set(values)) == len(values)
    assert len({frozenset(record) for record in DATA[kind]}) == 1


def test_identifiers_tell_the_kinds_apart() -> None:
    values = [record[field] for kind, field in IDENTIFIERS.items() for record in DATA[kind]]
    assert len(set(values)) == len(values)
    for launch in DATA["launches"]:
        assert re.fullmatch(r"lch-\d{4}", launch["launch_id"])


def test_references_resolve_and_agree() -> None:
    launches = {launch["launch_id"]: launch for launch in DATA["launches"]}
    events = {event["event_id"]: event for event in DATA["events"]}
    for event in DATA["events"]:
        assert launches.keys() >= set(event["launch_ids"])
    for text in (*DATA["articles"], *DATA["blogs"]):
        assert launches.keys() >= set(text["launch_ids"])
        for identifier in text["event_ids"]:
            assert events[identifier]["launch_ids"] == text["launch_ids"]
            assert events[identifier]["date"] < text["published_at"]


@pytest.mark.parametrize("kind", IDENTIFIERS)
def test_times_are_in_utc_and_distinct(kind: str) -> None:
    texts = [record[TIMES.get(kind, "published_at")] for record in DATA[kind]]
    assert len(set(texts)) == len(texts) or kind == "reports"
    for text in texts:
        moment = datetime.strptime(text, "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=UTC)
        assert kind == "launches" or moment < world.now


def test_only_launches_to_come_are_scheduled() -> None:
    now = world.now.strftime("%Y-%m-%dT%H:%M:%SZ")
    for launch in DATA["launches"]:
        assert (launch["status"] == "scheduled") == (launch["net"] > now)
        assert launch["booster_recovered"] is None or launch["status"] != "scheduled"


def test_every_literal_is_used() -> None:
    for tool, argument, kind in (
        ("list_launches", "mission_type", "launches"),
        ("list_launches", "status", "launches"),
        ("list_events", "event_type", "events"),
    ):
        shown = world.tools[tool].parameters[argument].shown["enum"]
        assert set(shown) == {record[argument] for record in DATA[kind]}
