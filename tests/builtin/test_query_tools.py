"""What the tools of the worlds ``queries.*`` find, beyond the calls in ``world_calls``."""

from __future__ import annotations

import json
from functools import partial
from typing import Any

import pytest
from lookups import call_in
from rows import every

from pytest_toolsandbox.builtin.queries.data_files import data_of
from pytest_toolsandbox.worlds.world import find_world


def call(name: str, /, **arguments: Any) -> Any:
    """Call a tool by its name with that of its world, such as ``media.search_podcasts``."""
    world, _, tool = name.partition(".")
    return call_in(find_world(f"queries.{world}"), tool, **arguments)


def rows_of(page: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the records of a page, which have different names in different worlds."""
    (rows,) = (value for value in page.values() if isinstance(value, list))
    return list(rows)


def paged(tool: str, **arguments: Any) -> list[dict[str, Any]]:
    """Return the records of all pages, which have as many as the first page says."""
    page = call(tool, **arguments)
    rows = rows_of(page)
    total = page.get("total_results", page.get("total"))
    pages = -(-total // len(rows))
    assert page.get("total_pages", pages) == pages
    for number in range(2, pages + 1):
        page = call(tool, page=number, **arguments)
        assert page.get("total_results", page.get("total")) == total
        rows += rows_of(page)
    assert rows_of(call(tool, page=100, **arguments)) == []
    assert len(rows) == total == len({json.dumps(row) for row in rows})
    return rows


@every(
    ("tool", "order", "field", "descending"),
    [
        ("media.search_news_articles", "newest", "published_on", True),
        ("media.search_news_articles", "oldest", "published_on", False),
        ("media.search_news_articles", "shares", "shares_count", True),
        ("media.search_podcasts", "rating", "rating", True),
        ("media.search_podcasts", "subscribers", "subscribers_count", True),
        ("media.search_podcasts", "title", "title", False),
        ("media.search_music_tracks", "plays", "plays_count", True),
        ("media.search_music_tracks", "newest", "release_year", True),
        ("media.search_music_tracks", "shortest", "seconds", False),
        ("social.search_profiles", "followers", "followers_count", True),
        ("social.search_profiles", "newest", "joined_on", True),
        ("social.search_profiles", "handle", "handle", False),
        ("social.search_posts", "newest", "published_at", True),
        ("social.search_posts", "oldest", "published_at", False),
        ("social.search_posts", "likes", "likes_count", True),
        ("social.search_posts", "reposts", "reposts_count", True),
    ],
)
def test_all_pages_are_in_order(tool: str, order: str, field: str, *, descending: bool) -> None:
    values = [record[field] for record in paged(tool, sort_by=order)]
    assert values == sorted(values, reverse=descending)
    kind = tool.removeprefix("social.search_")
    assert kind == tool or len(values) == len(data_of("social")[kind])


def test_pages_have_every_record_once() -> None:
    assert len(paged("movies.search_movies", query="the")) > 20
    patents = paged("patent.search_patents", country="US")
    dates = [patent["filing_date"] for patent in patents]
    assert (len(dates), dates) == (17, sorted(dates, reverse=True))
    first, last = (call("movies.discover_movies", page_num=number) for number in (1, 6))
    assert (first["page_num"], first["total_pages"], first["total_results"]) == (1, 6, 48)
    votes = [movie["vote_average"] for movie in first["results"] + last["results"]]
    assert (len(votes), votes) == (16, sorted(votes, reverse=True))


@pytest.mark.parametrize(("kind", "identifier"), [("images", "image_id"), ("videos", "video_id")])
def test_pages_of_another_size(kind: str, identifier: str) -> None:
    def hits(**arguments: int) -> list[int]:
        page = call(f"video_images.search_{kind}", **arguments)
        return [row[identifier] for row in page["hits"]]

    pages = [hits(per_page=10, page=page) for page in (1, 2, 3, 4)]
    flat = [hit for page in pages for hit in page]
    assert pages[3] == []
    assert sorted(flat) == [record[identifier] for record in data_of("video_images")[kind]]
    assert hits() == flat[:5]
    assert hits(page=3, per_page=4) == flat[8:12]


def test_both_days_of_a_span_are_in_it() -> None:
    post = call("social.search_posts", sort_by="newest")["results"][2]
    day = post["published_at"][:10]
    posts = call("social.search_posts", published_after=day, published_before=day)["results"]
    assert post in posts
    assert all(other["published_at"].startswith(day) for other in posts)


def test_posts_count_likes_and_replies() -> None:
    likes = [post["likes_count"] for post in data_of("social")["posts"]]
    posts = call("social.search_posts", min_likes=2300)["results"]
    assert sorted(post["likes_count"] for post in posts) == sorted(n for n in likes if n >= 2300)
    post = call("social.search_posts", query="poppy seed roll")["results"][0]
    replies = call("social.get_post_replies", post_id=post["post_id"])
    assert post["replies_count"] == len(replies) == 2


def test_episodes_are_numbered_as_they_came_out() -> None:
    for podcast in data_of("media")["podcasts"]:
        identifier = podcast["podcast_id"]
        page = call("media.get_podcast_episodes", podcast_id=identifier, sort_by="oldest")
        numbers = [episode["number"] for episode in page["results"]]
        assert numbers == list(range(numbers[0], numbers[0] + page["total_results"]))


def test_details_of_a_movie() -> None:
    details = call("movies.get_movie_details", movie_id=4711)
    assert not {"cast", "crew", "releases", "providers", "genre_ids"} & details.keys()
    cast = call("movies.get_movie_cast", movie_id=4711)
    assert [role["order"] for role in cast] == list(range(1, len(cast) + 1))
    assert call("movies.get_movie_cast", movie_id=4711, max_results=2) == cast[:2]
    releases = call("movies.get_movie_release_dates", movie_id=4488)
    assert releases
    for release in releases:
        region = release["region"]
        only = call("movies.get_movie_release_dates", movie_id=4488, region=region)
        assert only == [release]


@every(
    ("name", "arguments", "path"),
    [
        ("movies.get_movie_details", {"movie_id": 4711}, ["production_countries"]),
        ("movies.get_watch_providers", {"movie_id": 4711, "region": "US"}, ["rent"]),
        ("patent.get_patent", {"publication_number": "US30104226B2"}, ["classifications"]),
        ("patent.get_patent_claims", {"publication_number": "US30104226B2"}, ["claims"]),
        ("spaceflight.get_article", {"article_id": 24011}, ["launch_ids"]),
        ("tools.lookup_barcode", {"barcode": "27292266", "symbology": "ean8"}, ["maker"]),
        ("video_images.get_image", {"image_id": 40112}, ["tags"]),
        ("video_images.get_video", {"video_id": 71008}, ["files", 0]),
    ],
)
def test_a_change_of_a_result_does_not_change_the_data(
    name: str, arguments: dict[str, Any], path: list[Any]
) -> None:
    before = call(name, **arguments)
    text, part = json.dumps(before), before
    for key in path:
        part = part[key]
    assert part
    part.clear()
    assert json.dumps(call(name, **arguments)) == text


SPACEFLIGHT = {
    "articles": ["article_id", "title", "news_site", "published_at"],
    "blogs": ["blog_id", "title", "news_site", "published_at"],
    "reports": ["report_id", "title", "news_site", "published_at"],
    "launches": ["launch_id", "name", "net", "status"],
    "events": ["event_id", "name", "event_type", "date"],
}


@every(("kind", "fields"), SPACEFLIGHT.items())
def test_lists_leave_the_facts_to_the_single_records(kind: str, fields: list[str]) -> None:
    identifier, *_ = fields
    time = {"launches": "net", "events": "date"}.get(kind, "published_at")
    rows = call(f"spaceflight.list_{kind}", limit=10)["results"]
    assert [row[time] for row in rows] == sorted((row[time] for row in rows), reverse=True)
    for row in rows:
        assert list(row) == fields
        get = f"spaceflight.get_{identifier.removesuffix('_id')}"
        single = call(get, **{identifier: row[identifier]})
        assert single in data_of("spaceflight")[kind]
        assert row.items() <= single.items()


@pytest.mark.parametrize(
    ("name", "other", "arguments"),
    [
        ("list_articles", "list_blogs", ["is_featured", "news_site_exclude"]),
        ("list_blogs", "list_reports", ["event_id", "launch_id"]),
    ],
)
def test_similar_tools_differ_in_their_filters(name: str, other: str, arguments: list[str]) -> None:
    tools = find_world("queries.spaceflight").tools
    more, fewer = (set(tools[name].parameters) for name in (name, other))
    assert sorted(more - fewer) == arguments
    assert fewer < more


def test_ten_markets_are_shown_at_most() -> None:
    markets = call("sports.list_markets", sport_id=15)
    starts = [event["starts"] for event in markets["events"]]
    assert (markets["total"], len(starts), starts) == (22, 10, sorted(starts))


OSLO_TO_MILAN = {"origin_id": "LOC-2058", "destination_id": "LOC-2109"}
STAY = {"city_id": 318, "checkin_date": "2025-06-20", "checkout_date": "2025-06-23"}
rooms_of = partial(call, "travel.get_hotel_rooms")
hotels = partial(call, "travel.search_hotels", **STAY)


def flights(day: int = 14, **arguments: Any) -> list[dict[str, Any]]:
    route = {**OSLO_TO_MILAN, "departure_date": f"2025-06-{day}"}
    return rows_of(call("travel.search_flights", **route, **arguments))


def test_flights_are_ordered_and_may_have_to_be_direct() -> None:
    orders = {"price": "price", "duration": "duration", "departure_time": "departure"}
    for order, field in orders.items():
        values = [offer[field] for offer in flights(sort_by=order)]
        assert values == sorted(values)
        assert len(set(values)) > 1
    assert {offer["stops"] for offer in flights()} == {0, 1}
    assert {offer["stops"] for offer in flights(max_stops=0)} == {0}


def test_weekends_are_dearer_and_flights_go_on_their_days_only() -> None:
    saturday, monday = (
        {offer["offer_id"].split("-")[0]: offer["price"] for offer in flights(day)}
        for day in (14, 16)
    )
    both = saturday.keys() & monday.keys()
    assert both
    assert saturday.keys() != monday.keys()
    assert all(saturday[number] >= monday[number] for number in both)
    assert any(saturday[number] > monday[number] for number in both)


def test_hotels_may_be_the_best_rated_first() -> None:
    ratings = [hotel["guest_rating"] for hotel in hotels(sort_by="guest_rating")["results"]]
    assert ratings == sorted(ratings, reverse=True)


@pytest.mark.parametrize("guests", [1, 2, 3, 4])
def test_the_price_of_a_hotel_is_that_of_its_cheapest_room(guests: int) -> None:
    for hotel in hotels(guests=guests)["results"]:
        stay = {"arrival_date": "2025-06-20", "nights": 3, "guests": guests}
        rooms = rooms_of(hotel_id=hotel["hotel_id"], **stay)
        assert rooms[0]["total_price"] == hotel["price_from"]
        assert all(room["sleeps"] >= guests for room in rooms)


def test_rooms_are_free_except_in_nights_that_are_sold_out() -> None:
    every_hotel = data_of("travel")["hotels"]
    rooms = ((hotel, room) for hotel in every_hotel for room in hotel["rooms"])
    hotel, room = next((hotel, room) for hotel, room in rooms if room["sold_out"])
    taken = room["sold_out"][0]
    for night, is_free in ((taken["from"], False), (taken["to"], False), ("2025-09-20", True)):
        free = rooms_of(hotel_id=hotel["hotel_id"], nights=1, guests=1, arrival_date=night)
        assert (room["room_id"] in [other["room_id"] for other in free]) == is_free


def test_rooms_may_have_to_include_breakfast() -> None:
    both = next(
        hotel
        for hotel in data_of("travel")["hotels"]
        if {room["breakfast_included"] for room in hotel["rooms"]} == {True, False}
    )
    stay = {"hotel_id": both["hotel_id"], "arrival_date": "2025-09-20", "nights": 2, "guests": 1}
    rooms, some = rooms_of(**stay), rooms_of(**stay, breakfast_only=True)
    assert some == [room for room in rooms if room["breakfast_included"]]
    assert 0 < len(some) < len(rooms)
