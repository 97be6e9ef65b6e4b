from __future__ import annotations

from datetime import datetime
from functools import partial
from typing import Any

import pytest
from lookups import call_in
from rows import every

from pytest_toolsandbox.builtin.queries.data_files import data_of
from pytest_toolsandbox.builtin.queries.sports import world

DATA = data_of("sports")
LEAGUES, EVENTS = DATA["leagues"], DATA["events"]
FOOTBALL, BASKETBALL, SQUASH = 15, 6, 34

call = partial(call_in, world)


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


def test_ten_markets_are_shown_at_most() -> None:
    found = call("list_markets", sport_id=FOOTBALL)
    starts = [event["starts"] for event in found["events"]]
    assert (found["total"], len(starts)) == (22, 10)
    assert starts == sorted(starts)


def test_even_odds_are_plus_a_hundred() -> None:
    found = call("get_event_odds", event_id=50425, market_type="moneyline", odds_format="american")
    assert found["odds"] == {"home": 100, "away": -125}


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
