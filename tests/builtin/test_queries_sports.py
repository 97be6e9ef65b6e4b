from __future__ import annotations

from datetime import datetime
from functools import partial
from typing import Any

import pytest
from lookups import call_in, error_in
from rows import every

from pytest_toolsandbox.builtin.queries.data_files import data_of
from pytest_toolsandbox.builtin.queries.sports import world

DATA = data_of("sports")
LEAGUES, EVENTS = DATA["leagues"], DATA["events"]
FOOTBALL, BASKETBALL, SQUASH = 15, 6, 34

call = partial(call_in, world)
error = partial(error_in, world)


@pytest.mark.parametrize(
    ("page_num", "names"),
    [
        (1, ["Badminton", "Basketball", "Cricket", "Cycling", "Football"]),
        (3, ["Table Tennis", "Tennis", "Volleyball"]),
        (4, []),
    ],
)
def test_sports_are_listed_in_pages(page_num: int, names: list[str]) -> None:
    found = call("list_sports", page_num=page_num)
    assert [sport["name"] for sport in found["sports"]] == names
    assert (found["page_num"], found["total_pages"]) == (page_num, 3)


def test_leagues_are_those_of_the_sport() -> None:
    names = [league["name"] for league in call("list_leagues", sport_id=BASKETBALL)]
    assert names == ["Lakes Conference", "Lakes Conference Women", "Adria Basket"]
    assert call("list_leagues", sport_id=SQUASH) == []


@pytest.mark.parametrize("country", ["Croatia", "croatia"])
def test_leagues_may_be_of_one_country(country: str) -> None:
    assert call("list_leagues", sport_id=BASKETBALL, country=country) == [
        {"league_id": 2005, "name": "Adria Basket", "country": "Croatia", "participants": 4}
    ]


def test_ten_markets_are_shown_at_most() -> None:
    found = call("list_markets", sport_id=FOOTBALL)
    starts = [event["starts"] for event in found["events"]]
    assert (found["total"], len(starts)) == (22, 10)
    assert starts == sorted(starts)


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({"is_live": True}, [50337, 50362, 50218]),
        ({"is_live": True, "league_ids": [1932, 1899]}, [50337, 50218]),
        ({"event_type": "outright", "league_ids": [1899]}, [50256]),
        ({"event_type": "outright", "is_live": True}, []),
        ({"league_ids": []}, []),
    ],
)
def test_markets_meet_all_conditions(arguments: dict[str, Any], expected: list[int]) -> None:
    found = call("list_markets", sport_id=FOOTBALL, **arguments)
    assert [event["event_id"] for event in found["events"]] == expected
    assert found["total"] == len(expected)


def test_an_event_says_which_markets_it_has() -> None:
    (event, *_) = call("list_markets", sport_id=FOOTBALL, is_live=True)["events"]
    assert event == {
        "event_id": 50337,
        "league_id": 1932,
        "name": "Sanvito 1908 v Virtus Casalmora",
        "event_type": "match",
        "starts": "2025-05-14 09:40",
        "is_live": True,
        "market_types": ["moneyline", "spread", "totals"],
        "max_stake": 2500,
    }


@pytest.mark.parametrize(
    ("market_type", "odds_format", "odds"),
    [
        ("moneyline", "decimal", {"home": 1.75, "draw": 3.55, "away": 4.94}),
        ("moneyline", "american", {"home": -133, "draw": 255, "away": 394}),
        ("spread", "decimal", {"line": -1.5, "home": 2.04, "away": 1.78}),
        ("spread", "american", {"line": -1.5, "home": 104, "away": -128}),
        ("totals", "american", {"points": 2.5, "over": 113, "under": -139}),
    ],
)
def test_odds_are_in_the_format_that_is_asked_for(
    market_type: str, odds_format: str, odds: dict[str, float]
) -> None:
    found = call("get_event_odds", event_id=50337, market_type=market_type, odds_format=odds_format)
    assert found == {
        "event_id": 50337,
        "name": "Sanvito 1908 v Virtus Casalmora",
        "market_type": market_type,
        "odds_format": odds_format,
        "odds": odds,
    }


def test_even_odds_are_plus_a_hundred() -> None:
    found = call("get_event_odds", event_id=50425, market_type="moneyline", odds_format="american")
    assert found["odds"] == {"home": 100, "away": -125}


@pytest.mark.parametrize(
    ("tool", "arguments", "expected"),
    [
        ("list_sports", {"page_num": 0}, "ValueError: page_num must be 1 or more, not 0"),
        (
            "list_leagues",
            {"sport_id": 1},
            "NoDataError: there is no sport with sport_id 1",
        ),
        (
            "list_markets",
            {"sport_id": 1},
            "NoDataError: there is no sport with sport_id 1",
        ),
        (
            "list_markets",
            {"sport_id": FOOTBALL, "league_ids": [1899, 2005]},
            "NoDataError: sport 15 has no league with league_id 2005",
        ),
        (
            "get_event_odds",
            {"event_id": 1, "market_type": "totals"},
            "NoDataError: there is no event with event_id 1",
        ),
        (
            "get_event_odds",
            {"event_id": 50337, "market_type": "outright"},
            "NoDataError: event 50337 has no market 'outright'",
        ),
    ],
)
def test_errors_name_what_is_missing(tool: str, arguments: dict[str, Any], expected: str) -> None:
    assert error(tool, **arguments) == expected


@pytest.mark.parametrize(
    ("tool", "arguments", "problem"),
    [
        ("list_sports", {"page_num": "3"}, "of type 'string', but expected 'integer'"),
        ("list_markets", {"sport_id": 1, "page_num": 3}, "keyword argument 'page_num'"),
        (
            "list_markets",
            {"sport_id": 1, "league_ids": 1899},
            "'integer', but expected 'array or null'",
        ),
    ],
)
def test_arguments_are_checked(tool: str, arguments: dict[str, Any], problem: str) -> None:
    with pytest.raises(TypeError, match=problem):
        world.tools[tool].bind(arguments)


@pytest.mark.parametrize(
    ("kind", "field"), [("sports", "sport_id"), ("leagues", "league_id"), ("events", "event_id")]
)
def test_identifiers_are_unique(kind: str, field: str) -> None:
    identifiers = [record[field] for record in DATA[kind]]
    assert len(set(identifiers)) == len(identifiers)


def test_leagues_have_sports() -> None:
    sports = {sport["sport_id"] for sport in DATA["sports"]}
    assert {league["sport_id"] for league in LEAGUES} <= sports


@every("event", EVENTS, ids=lambda event: str(event["event_id"]))
def test_an_event_is_sound(event: dict[str, Any]) -> None:
    assert event["league_id"] in {league["league_id"] for league in LEAGUES}
    begun = datetime.fromisoformat(event["starts"]) <= world.now.replace(tzinfo=None)
    assert event["is_live"] is begun
    assert ("outright" in event["odds"]) == (event["event_type"] == "outright")
    for market in event["odds"].values():
        odds = [value for name, value in market.items() if name not in {"line", "points"}]
        assert len(odds) > 1
        assert all(value > 1 for value in odds)
