"""The world ``queries.sports``: a bookmaker's sports, leagues, markets and odds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from pytest_toolsandbox.worlds.context import NoDataError
from pytest_toolsandbox.worlds.tool import CallComparison, tool

from .data_files import data_of
from .records import Entry, allows, find_record, page_of, shown, whole
from .world import look_up_world

SPORTS_PAGE = 5
MOST_MARKETS = 10

EventType = Literal["match", "outright"]
MarketType = Literal["moneyline", "spread", "totals", "outright"]
NO_ODDS = ("line", "points")
"""Fields of a market beside its odds: the handicap of the home side, and the total points."""


@tool("sports")
def list_sports(page_num: int = 1) -> dict[str, Any]:
    """List the sports.

    Args:
        page_num: The page of the list, from 1; there are 5 sports on a page.

    Returns:
        A page of sports, each with sport_id and name, and how many pages there are.
    """
    sports = data_of("sports")["sports"]
    rows = [shown(sport, "sport_id", "name") for sport in sports]
    return {
        "page_num": whole("page_num", page_num, 1),
        "total_pages": -(-len(rows) // SPORTS_PAGE),
        "sports": page_of(rows, page_num, SPORTS_PAGE),
    }


@tool("sports")
def list_leagues(sport_id: int, country: str | None = None) -> list[dict[str, Any]]:
    """List the leagues and tournaments of a sport.

    Args:
        sport_id: The sport's identifier, as list_sports gives it.
        country: Only leagues of this country, by its English name.

    Returns:
        The leagues, each with league_id, name, country, and how many participants it has.

    Raises:
        NoDataError: If there is no such sport.
    """
    _sport(sport_id)
    wanted = None if country is None else country.casefold()
    return [
        shown(league, "league_id", "name", "country", "participants")
        for league in _leagues(sport_id)
        if allows(wanted, league["country"].casefold())
    ]


@tool("sports", comparison=CallComparison(arguments={"league_ids": "set"}))
def list_markets(
    sport_id: int,
    league_ids: list[int] | None = None,
    event_type: EventType | None = None,
    is_live: bool | None = None,
) -> dict[str, Any]:
    """List the events of a sport that one can bet on, with the markets of each.

    Args:
        sport_id: The sport's identifier, as list_sports gives it.
        league_ids: Only events of these leagues of the sport, as list_leagues gives them.
        event_type: match for a single match, outright for the winner of a whole league.
        is_live: true for events that are being played now, false for those that have not begun.

    Returns:
        total, how many events there are, and the first 10 of them, the earliest first, each with
        event_id, league_id, name, event_type, starts in UTC, is_live, market_types, and max_stake
        in euros.

    Raises:
        NoDataError: If there is no such sport, or no such league in it.
    """
    _sport(sport_id)
    known = [league["league_id"] for league in _leagues(sport_id)]
    for league_id in league_ids or ():
        if league_id not in known:
            raise NoDataError(f"sport {sport_id} has no league with league_id {league_id!r}")
    wanted = known if league_ids is None else league_ids
    matches = [
        event
        for event in _events()
        if event["league_id"] in wanted
        and allows(event_type, event["event_type"])
        and allows(is_live, event["is_live"])
    ]
    return {"total": len(matches), "events": [_listed(event) for event in matches[:MOST_MARKETS]]}


@tool("sports")
def get_event_odds(
    event_id: int, market_type: MarketType, odds_format: Literal["decimal", "american"] = "decimal"
) -> dict[str, Any]:
    """Look up the odds of one market of an event.

    Args:
        event_id: The event's identifier, as list_markets gives it.
        market_type: moneyline for who wins, spread for who wins with a handicap for the home
            side, totals for how many points there are in all, outright for who wins the league.
        odds_format: decimal for what a stake of 1 pays back, american for the win on a stake of
            100, or, when negative, the stake that wins 100.

    Returns:
        The market: home and away, and draw where there can be one; for spread also the line, for
        totals points, over and under; for outright the odds of each participant.

    Raises:
        NoDataError: If there is no such event, or it has no such market.
    """
    event = find_record(_events(), "event_id", event_id, "event")
    if market_type not in event["odds"]:
        raise NoDataError(f"event {event_id} has no market {market_type!r}")
    market: Mapping[str, float] = event["odds"][market_type]
    return {
        **shown(event, "event_id", "name"),
        "market_type": market_type,
        "odds_format": odds_format,
        "odds": {
            name: value if odds_format == "decimal" or name in NO_ODDS else _american(value)
            for name, value in market.items()
        },
    }


def _sport(sport_id: int) -> Entry:
    return find_record(data_of("sports")["sports"], "sport_id", sport_id, "sport")


def _leagues(sport_id: int) -> list[Entry]:
    leagues: list[Entry] = data_of("sports")["leagues"]
    return [league for league in leagues if league["sport_id"] == sport_id]


def _events() -> list[Entry]:
    events: list[Entry] = data_of("sports")["events"]
    return events


def _listed(event: Entry) -> dict[str, Any]:
    return {
        **shown(event, "event_id", "league_id", "name", "event_type", "starts", "is_live"),
        "market_types": list(event["odds"]),
        **shown(event, "max_stake"),
    }


def _american(odds: float) -> int:
    """Return decimal odds, which are above 1, in the American format."""
    win = odds - 1
    return round(win * 100) if win >= 1 else round(-100 / win)


world = look_up_world(
    name="queries.sports",
    toolset=(list_sports, list_leagues, list_markets, get_event_odds),
    summary="Sports, their leagues, and the odds of a bookmaker.",
)
