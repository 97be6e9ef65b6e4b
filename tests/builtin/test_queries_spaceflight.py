from __future__ import annotations

import re
from datetime import UTC, datetime
from functools import partial
from typing import Any

import pytest
from lookups import call_in
from rows import every

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


def identifiers(kind: str, **arguments: Any) -> list[Any]:
    return [row[IDENTIFIERS[kind]] for row in call(f"list_{kind}", **arguments)["results"]]


def test_the_tools() -> None:
    assert list(world.tools) == [
        "list_articles",
        "get_article",
        "list_blogs",
        "get_blog",
        "list_reports",
        "get_report",
        "list_launches",
        "get_launch",
        "list_events",
        "get_event",
    ]


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


@every(
    ("arguments", "found"),
    [
        ({"search": "radish"}, []),
        ({"search": "Lantern", "published_at_lte": "2022-11-18"}, [24011]),
        ({"search": "lantern heat shield"}, [24025]),
        ({"title_contains": "Crew", "summary_contains": "booster"}, [24111]),
        ({"title_contains": "booster"}, [24045]),
        ({"summary_contains": "insured"}, [24095]),
        ({"news_site": ["Polar Launch Watch"]}, [24122, 24072, 24037]),
        (
            {"news_site": ["Polar Launch Watch"], "ordering": "published_at"},
            [24037, 24072, 24122],
        ),
        ({"launch_id": "lch-1107", "news_site_exclude": ["Orbit Ledger"]}, [24012]),
        ({"launch_id": "lch-1107", "news_site_exclude": []}, [24025, 24012, 24011]),
        ({"launch_id": "lch-1107", "news_site": []}, []),
        ({"news_site": ["Orbit Ledger", "Apogee Daily"], "launch_id": "lch-1195"}, [24095, 24094]),
        ({"event_id": 345}, [24117]),
        ({"launch_id": "lch-1160", "is_featured": True}, [24066]),
        ({"launch_id": "lch-1160", "is_featured": False}, [24067, 24064]),
        ({"published_at_gte": "2023-09-08", "published_at_lte": "2023-09-08"}, [24052]),
        ({"launch_id": "lch-9999"}, []),
    ],
)
def test_articles(arguments: dict[str, Any], found: list[int]) -> None:
    assert identifiers("articles", **arguments) == found
    assert call("list_articles", **arguments)["count"] == len(found)


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        ({"search": "radishes"}, [5118]),
        ({"title_contains": "Cargo 9"}, [5172]),
        ({"summary_contains": "Cargo 8"}, [5147]),
        ({"news_site": ["Selwyn Shoreline"], "ordering": "published_at"}, [5136, 5153, 5160]),
        ({"launch_id": "lch-1152", "event_id": 314}, [5131]),
        ({"published_at_gte": "2025-01-30"}, [5172, 5166]),
        ({"published_at_lte": "2022-11-17"}, [5103]),
    ],
)
def test_blogs(arguments: dict[str, Any], found: list[int]) -> None:
    assert identifiers("blogs", **arguments) == found


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        ({"summary_contains": "spacewalk"}, [8123, 8113, 8109]),
        ({"search": "Beacon"}, [8120]),
        ({"title_contains": "february", "ordering": "published_at"}, [8101, 8113]),
        ({"news_site": ["Flight Safety Board"], "published_at_lte": "2023-12-31"}, [8106]),
    ],
)
def test_reports(arguments: dict[str, Any], found: list[int]) -> None:
    assert identifiers("reports", **arguments) == found


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        ({"rocket": "K2 Heavy"}, ["lch-1203", "lch-1160"]),
        ({"rocket": "K2", "mission_type": "crew", "ordering": "net"}, ["lch-1152", "lch-1210"]),
        ({"provider": "Boreal Orbital", "status": "failure"}, ["lch-1138"]),
        ({"search": "halcyon cargo", "net_gte": "2024-01-01"}, ["lch-1226", "lch-1179"]),
        ({"net_gte": "2024-05-30", "net_lte": "2024-05-30"}, ["lch-1188"]),
        ({"status": "scheduled", "ordering": "net"}, ["lch-1233", "lch-1240", "lch-1247"]),
    ],
)
def test_launches(arguments: dict[str, Any], found: list[str]) -> None:
    assert identifiers("launches", **arguments) == found


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        ({"event_type": "spacewalk", "ordering": "date"}, [314, 322, 345]),
        ({"search": "solar array", "event_type": "spacewalk"}, [322]),
        ({"search": "freighter stays"}, [327, 305]),
        ({"launch_id": "lch-1152", "event_type": "docking"}, [309]),
        ({"date_gte": "2025-04-29", "date_lte": "2025-05-08"}, [356, 352]),
    ],
)
def test_events(arguments: dict[str, Any], found: list[int]) -> None:
    assert identifiers("events", **arguments) == found


def test_limit_and_offset() -> None:
    whole = identifiers("articles", limit=10)
    assert identifiers("articles") == whole[:5]
    assert identifiers("articles", limit=3, offset=4) == whole[4:7]
    count = call("list_articles", offset=1000)["count"]
    assert count == len(DATA["articles"])
    assert identifiers("articles", offset=count) == []
    assert len(identifiers("articles", offset=count - 1)) == 1


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


def test_a_launch() -> None:
    assert call("get_launch", launch_id="lch-1160") == {
        "launch_id": "lch-1160",
        "name": "K2 Heavy demonstration",
        "provider": "Kestrel Launch Systems",
        "rocket": "K2 Heavy",
        "pad": "Port Selwyn 1",
        "mission_type": "test",
        "orbit": "geostationary transfer orbit",
        "net": "2023-11-29T20:45:00Z",
        "status": "partial_failure",
        "payload_mass_kg": 18000,
        "booster_recovered": False,
    }


def test_what_is_done_with_a_result_does_not_change_the_data() -> None:
    call("get_article", article_id=24011)["launch_ids"].clear()
    assert call("get_article", article_id=24011)["launch_ids"] == ["lch-1107"]


SITES = (
    "Apogee Daily, Kestrel Observer, Meridian Agency News, Orbit Ledger, Perigee Post, "
    "Polar Launch Watch"
)


@every(
    ("tool", "arguments", "error"),
    [
        (
            "get_article",
            {"article_id": 5103},
            "NoDataError: there is no article with article_id 5103",
        ),
        ("get_blog", {"blog_id": 24011}, "NoDataError: there is no blog with blog_id 24011"),
        ("get_report", {"report_id": 1}, "NoDataError: there is no report with report_id 1"),
        (
            "get_launch",
            {"launch_id": "Lantern 1"},
            "NoDataError: there is no launch with launch_id 'Lantern 1'",
        ),
        ("get_event", {"event_id": 1}, "NoDataError: there is no event with event_id 1"),
        (
            "list_articles",
            {"news_site": ["Orbit Ledger", "Halcyon Crew Blog"]},
            f"ValueError: news_site of articles can be {SITES}, not 'Halcyon Crew Blog'",
        ),
        (
            "list_articles",
            {"news_site_exclude": ["orbit ledger"]},
            f"ValueError: news_site_exclude of articles can be {SITES}, not 'orbit ledger'",
        ),
        (
            "list_reports",
            {"news_site": ["Orbit Ledger"]},
            (
                "ValueError: news_site of reports can be Flight Safety Board, "
                "Meridian Station Reports, not 'Orbit Ledger'"
            ),
        ),
        (
            "list_launches",
            {"rocket": "K3"},
            "ValueError: rocket of launches can be Colossus, K2, K2 Heavy, Skua, Vireo, not 'K3'",
        ),
        (
            "list_launches",
            {"provider": "Boreal"},
            (
                "ValueError: provider of launches can be Arcturon Aerospace, Boreal Orbital, "
                "Kestrel Launch Systems, Meridian Space Agency, not 'Boreal'"
            ),
        ),
        (
            "list_launches",
            {"net_gte": "2024-05"},
            "ValueError: net_gte must be a date such as 2024-03-31, not '2024-05'",
        ),
        (
            "list_blogs",
            {"published_at_lte": "2024-05-30T00:00:00Z"},
            (
                "ValueError: published_at_lte must be a date such as 2024-03-31, "
                "not '2024-05-30T00:00:00Z'"
            ),
        ),
        (
            "list_events",
            {"date_lte": "today"},
            "ValueError: date_lte must be a date such as 2024-03-31, not 'today'",
        ),
        ("list_events", {"limit": 11}, "ValueError: limit must be from 1 to 10, not 11"),
        ("list_events", {"limit": 0}, "ValueError: limit must be from 1 to 10, not 0"),
        ("list_events", {"offset": -1}, "ValueError: offset must be 0 or more, not -1"),
        (
            "list_articles",
            {"limit": "2"},
            "TypeError: Parameter 'limit' is of type 'string', but expected 'integer'.",
        ),
        (
            "list_reports",
            {"launch_id": "lch-1107"},
            "TypeError: got an unexpected keyword argument 'launch_id'",
        ),
    ],
)
def test_errors(tool: str, arguments: dict[str, Any], error: str) -> None:
    with pytest.raises(Exception) as caught:  # noqa: PT011  # its type is part of the text
        call(tool, **arguments)
    assert f"{caught.type.__name__}: {caught.value}" == error


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
