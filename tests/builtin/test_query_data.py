"""The data of the worlds ``queries.*`` are sound: identifiers, references, times and literals."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import UTC, date, datetime, time
from functools import partial
from typing import Any, get_args
from zoneinfo import ZoneInfo

import pytest
from lookups import call_in
from rows import every

from pytest_toolsandbox.builtin.queries.data_files import data_of
from pytest_toolsandbox.builtin.queries.flight_offers import WEEKDAYS
from pytest_toolsandbox.builtin.queries.movies import Department, Region
from pytest_toolsandbox.builtin.queries.travel import Amenity
from pytest_toolsandbox.worlds.world import find_world

Record = dict[str, Any]

COUNTRIES, MEDIA, MOVIES, PATENTS, SOCIAL, SPACE, SPORTS, TOOLS, TRAVEL, IMAGES = map(
    data_of,
    (
        *("data", "media", "movies", "patent", "social", "spaceflight", "sports", "tools"),
        *("travel", "video_images"),
    ),
)


def values(records: Iterable[Record], field: str) -> set[Any]:
    return {record[field] for record in records}


@every(
    ("kind", "fields"),
    [
        ("data.countries", "country_code"),
        ("data.cities", "city_id name"),
        ("media.sources", "source_id"),
        ("media.articles", "article_id headline published_on shares_count"),
        ("media.podcasts", "podcast_id rating subscribers_count"),
        ("media.episodes", "episode_id minutes"),
        ("media.albums", "album_id title"),
        ("media.tracks", "track_id title plays_count seconds"),
        ("movies.movies", "movie_id"),
        ("movies.people", "person_id"),
        ("patent.patents", "publication_number application_number"),
        ("patent.assignees", "assignee_id name"),
        ("patent.inventors", "inventor_id"),
        ("social.profiles", "user_id handle followers_count"),
        ("social.posts", "post_id likes_count reposts_count published_at"),
        ("social.replies", "reply_id likes_count"),
        ("spaceflight.articles", "article_id title published_at"),
        ("spaceflight.blogs", "blog_id title published_at"),
        ("spaceflight.reports", "report_id title"),
        ("spaceflight.launches", "launch_id name net"),
        ("spaceflight.events", "event_id name date"),
        ("sports.sports", "sport_id"),
        ("sports.leagues", "league_id"),
        ("sports.events", "event_id"),
        ("tools.time_zones", "time_zone"),
        ("tools.postal_codes", "country_code+postal_code"),
        ("tools.products", "barcode name"),
        ("tools.translations", "segment_id"),
        ("travel.flights", "flight_id"),
        ("travel.hotels", "hotel_id"),
        ("video_images.images", "image_id title likes downloads uploaded"),
        ("video_images.videos", "video_id title likes downloads uploaded views"),
        ("video_images.collections", "collection_id title"),
        ("video_images.contributors", "contributor_id name"),
    ],
)
def test_identifiers_and_values_that_decide_are_unique(kind: str, fields: str) -> None:
    world, _, name = kind.partition(".")
    records = data_of(world)[name]
    for field in fields.split():
        keys = [tuple(record[part] for part in field.split("+")) for record in records]
        assert len(set(keys)) == len(keys), field
    if world in ("spaceflight", "video_images"):
        assert len({frozenset(record) for record in records}) == 1


def enumerated(world: str, tool: str, argument: str) -> list[str]:
    """Return the literals that an argument of a tool takes."""
    schema = find_world(f"queries.{world}").tools[tool].parameters[argument].schema
    literals: list[str] = schema.get("enum") or schema["anyOf"][0]["enum"]
    return literals


@every(
    ("world", "tool", "argument", "kinds"),
    [
        ("spaceflight", "list_launches", "mission_type", "launches"),
        ("spaceflight", "list_launches", "status", "launches"),
        ("spaceflight", "list_events", "event_type", "events"),
        ("video_images", "search_images", "image_type", "images"),
        ("video_images", "search_images", "orientation", "images"),
        ("video_images", "search_images", "color", "images"),
        ("video_images", "search_images", "category", "images videos"),
        ("video_images", "search_images", "license", "images"),
        ("video_images", "search_videos", "video_type", "videos"),
        ("video_images", "search_videos", "license", "videos"),
    ],
)
def test_every_literal_is_used(world: str, tool: str, argument: str, kinds: str) -> None:
    used = {record[argument] for kind in kinds.split() for record in data_of(world)[kind]}
    assert {*enumerated(world, tool, argument)} == used


def test_countries_and_cities() -> None:
    countries, cities = COUNTRIES["countries"], COUNTRIES["cities"]
    assert values(cities, "country_code") == values(countries, "country_code")
    capitals = {(city["country_code"], city["city_id"]) for city in cities if city["is_capital"]}
    assert capitals == {(c["country_code"], c["capital_city_id"]) for c in countries}
    landlocked = {country["country_code"] for country in countries if country["landlocked"]}
    assert not landlocked & {city["country_code"] for city in cities if city["is_coastal"]}


@pytest.mark.parametrize(
    ("places", "key", "kind", "years"),
    [("countries", "country_code", "country", 10), ("cities", "city_id", "city", 5)],
)
def test_all_indicators_are_complete(places: str, key: str, kind: str, years: int) -> None:
    units, indicators = COUNTRIES[f"{kind}_units"], COUNTRIES[f"{kind}_indicators"]
    assert set(indicators) == values(COUNTRIES[places], key)
    shown = enumerated("data", f"get_{kind}_indicator", "indicator")
    assert list(units) == shown
    for series in indicators.values():
        assert list(series) == shown
        assert {len(numbers) for numbers in series.values()} == {years}


def test_references_of_media() -> None:
    sources = {source["source_id"]: source for source in MEDIA["sources"]}
    articles = {article["article_id"]: article for article in MEDIA["articles"]}
    albums = {album["album_id"]: album for album in MEDIA["albums"]}
    tracks, podcasts = values(MEDIA["tracks"], "track_id"), values(MEDIA["podcasts"], "podcast_id")
    for article in articles.values():
        assert article["section"] in sources[article["source_id"]]["sections"]
    for podcast in MEDIA["podcasts"]:
        assert podcast["publisher_id"] in {None, *sources}
        assert podcast["theme_track_id"] in tracks
    for episode in MEDIA["episodes"]:
        assert episode["podcast_id"] in podcasts
        assert set(episode["track_ids"]) <= tracks
        discussed = [articles[article]["published_on"] for article in episode["article_ids"]]
        assert all(published < episode["published_on"] for published in discussed)
    for track in MEDIA["tracks"]:
        album = albums[track["album_id"]]
        made = (track["artist"], str(track["release_year"]))
        assert made == (album["artist"], album["released_on"][:4])


def test_everything_happened_before_now() -> None:
    today = find_world("queries.media").now.date().isoformat()
    assert max(values(MEDIA["articles"] + MEDIA["episodes"], "published_on")) < today
    now = find_world("queries.social").now.strftime("%Y-%m-%dT%H:%MZ")
    assert max(values(SOCIAL["posts"] + SOCIAL["replies"], "published_at")) < now
    joined = {profile["user_id"]: profile["joined_on"] for profile in SOCIAL["profiles"]}
    assert all(joined[post["author_id"]] < post["published_at"] for post in SOCIAL["posts"])


@every("movie", MOVIES["movies"], ids=lambda movie: str(movie["movie_id"]))
def test_a_movie_is_sound(movie: Record) -> None:
    people = {person["person_id"]: person for person in MOVIES["people"]}
    released = date.fromisoformat(movie["release_date"])
    assert {*movie["genre_ids"]} <= values(MOVIES["genres"], "genre_id")
    assert len(values(movie["cast"], "person_id")) == len(movie["cast"])
    for role in [*movie["cast"], *movie["crew"]]:
        assert date.fromisoformat(people[role["person_id"]]["birthday"]) < released
    assert [job["job"] for job in movie["crew"]].count("Director") == 1
    assert values(movie["crew"], "department") == {*get_args(Department)}
    assert min(release["release_date"] for release in movie["releases"]) == str(released)
    regions = [release["region"] for release in movie["releases"]]
    assert len(set(regions)) == len(regions)
    assert {*regions, *movie["providers"]} <= {*get_args(Region)} == MOVIES["currencies"].keys()


def test_everybody_has_a_credit() -> None:
    roles = [role for movie in MOVIES["movies"] for role in [*movie["cast"], *movie["crew"]]]
    assert values(roles, "person_id") == values(MOVIES["people"], "person_id")


@every("patent", PATENTS["patents"], ids=lambda patent: patent["publication_number"])
def test_a_patent_is_sound(patent: Record) -> None:
    numbers = {other["publication_number"]: other for other in PATENTS["patents"]}
    inventors = {inventor["inventor_id"]: inventor for inventor in PATENTS["inventors"]}
    number, pending = patent["publication_number"], patent["status"] in {"pending", "withdrawn"}
    kind = "A1" if pending else "B[12]"
    assert re.fullmatch(rf"(US30\d{{6}}|EP9\d{{6}}|JP96\d{{5}}){kind}", number)
    application = {"US": r"39/\d{6}", "EP": r"EP\d{8}", "JP": r"JP20\d\d-\d{6}"}[number[:2]]
    assert re.fullmatch(application, patent["application_number"])
    assert re.fullmatch(r"F-\d{4}", patent["family_id"])
    assert patent["assignee_id"] in values(PATENTS["assignees"], "assignee_id")
    for identifier in patent["inventor_ids"]:
        assert inventors[identifier]["assignee_id"] == patent["assignee_id"]
    for cited, category in patent["cites"].items():
        assert numbers[cited]["filing_date"] < patent["filing_date"]
        assert category in {"A", "X", "Y"}
    for place, claim in enumerate(patent["claims"], start=1):
        assert 1 <= claim.get("depends_on", 0) < place or "depends_on" not in claim
    filed = date.fromisoformat(patent["filing_date"])
    days = [filed, *(date.fromisoformat(event["date"]) for event in patent["events"])]
    assert days == sorted(days)
    assert max(days) < find_world("queries.patent").now.date()
    assert (patent["grant_date"] is None) == pending
    assert pending or filed < date.fromisoformat(patent["grant_date"])
    codes = [event["code"] for event in patent["events"]]
    for status, code in (("expired", "LAPSE"), ("withdrawn", "WITHDR")):
        assert (code in codes) == (patent["status"] == status)


def test_patent_families_are_of_one_owner_and_of_distinct_countries() -> None:
    assignees = values(PATENTS["assignees"], "assignee_id")
    assert values(PATENTS["inventors"], "assignee_id") <= assignees
    for family in values(PATENTS["patents"], "family_id"):
        members = [patent for patent in PATENTS["patents"] if patent["family_id"] == family]
        assert len(values(members, "assignee_id")) == 1
        countries = [patent["publication_number"][:2] for patent in members]
        assert len(set(countries)) == len(countries)


def test_references_of_profiles_and_posts() -> None:
    users = {profile["user_id"]: profile for profile in SOCIAL["profiles"]}
    posts = {post["post_id"]: post for post in SOCIAL["posts"]}
    assert values(posts.values(), "author_id") == set(users)
    for reply in SOCIAL["replies"]:
        assert reply["author_id"] in users
        assert reply["published_at"] > posts[reply["post_id"]]["published_at"]
    for user_id, profile in users.items():
        if profile["pinned_post_id"] is not None:
            assert posts[profile["pinned_post_id"]]["author_id"] == user_id
    interests = {interest for profile in users.values() for interest in profile["interests"]}
    assert interests <= {*enumerated("social", "search_profiles", "interest")}


IDENTIFIERS = {"articles": "article_id", "blogs": "blog_id", "reports": "report_id"}
IDENTIFIERS |= {"launches": "launch_id", "events": "event_id"}


def test_identifiers_of_spaceflight_and_images_tell_the_kinds_apart() -> None:
    identifiers = [record[field] for kind, field in IDENTIFIERS.items() for record in SPACE[kind]]
    assert len(set(identifiers)) == len(identifiers)
    for launch in SPACE["launches"]:
        assert re.fullmatch(r"lch-\d{4}", launch["launch_id"])
    assert not values(IMAGES["images"], "image_id") & values(IMAGES["videos"], "video_id")
    for contributor in IMAGES["contributors"]:
        assert re.fullmatch(r"u-\d{4}", contributor["contributor_id"])


def test_references_of_spaceflight() -> None:
    launches = values(SPACE["launches"], "launch_id")
    events = {event["event_id"]: event for event in SPACE["events"]}
    for record in (*SPACE["events"], *SPACE["articles"], *SPACE["blogs"]):
        assert launches >= set(record["launch_ids"])
    for text in (*SPACE["articles"], *SPACE["blogs"]):
        for identifier in text["event_ids"]:
            assert events[identifier]["launch_ids"] == text["launch_ids"]
            assert events[identifier]["date"] < text["published_at"]


def test_times_of_spaceflight_are_in_utc_and_only_launches_to_come_are_scheduled() -> None:
    now = find_world("queries.spaceflight").now
    for kind in IDENTIFIERS:
        for record in SPACE[kind]:
            text = record[{"launches": "net", "events": "date"}.get(kind, "published_at")]
            moment = datetime.strptime(text, "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=UTC)
            assert kind == "launches" or moment < now
            if kind == "launches":
                assert (record["status"] == "scheduled") == (moment > now)
                assert record["booster_recovered"] is None or record["status"] != "scheduled"


def test_leagues_have_sports() -> None:
    assert values(SPORTS["leagues"], "sport_id") <= values(SPORTS["sports"], "sport_id")


@every("event", SPORTS["events"], ids=lambda event: str(event["event_id"]))
def test_an_event_is_sound(event: Record) -> None:
    assert event["league_id"] in values(SPORTS["leagues"], "league_id")
    now = find_world("queries.sports").now.replace(tzinfo=None)
    assert event["is_live"] is (datetime.fromisoformat(event["starts"]) <= now)
    assert ("outright" in event["odds"]) == (event["event_type"] == "outright")
    for market in event["odds"].values():
        odds = [value for name, value in market.items() if name not in {"line", "points"}]
        assert len(odds) > 1
        assert all(value > 1 for value in odds)


@every("product", TOOLS["products"], ids=lambda product: product["barcode"])
def test_a_product_is_sound(product: Record) -> None:
    digits = [int(digit) for digit in reversed(product["barcode"])]
    assert sum(digits[::2]) % 10 == -3 * sum(digits[1::2]) % 10  # the check digit of GS1
    assert product["net_unit"] in TOOLS["units"]
    maker = {name: product["maker"][name] for name in ("country_code", "postal_code")}
    call = partial(call_in, find_world("queries.tools"))
    assert call("search_postal_codes", **maker)["total_results"] == 1


def test_zones_and_translations_are_complete() -> None:
    zones = values(TOOLS["time_zones"], "time_zone")
    assert values(TOOLS["postal_codes"], "time_zone") <= zones
    assert all(ZoneInfo(city["time_zone"]) for city in TRAVEL["cities"])
    for unit in TOOLS["translations"]:
        assert set(unit["texts"]) == {"de", "en", "es", "fr"}
        assert unit["domain"] in {"food", "electronics", "travel", "household"}


def test_locations_and_rooms_have_their_own_identifiers() -> None:
    locations = [place["location_id"] for place in [*TRAVEL["cities"], *TRAVEL["airports"]]]
    rooms = [room["room_id"] for hotel in TRAVEL["hotels"] for room in hotel["rooms"]]
    for identifiers in (locations, rooms):
        assert len(set(identifiers)) == len(identifiers)


@every("flight", TRAVEL["flights"], ids=lambda flight: str(flight["flight_id"]))
def test_a_flight_is_sound(flight: Record) -> None:
    ends = [flight["origin"], *flight["stops"], flight["destination"]]
    assert {*ends} <= values(TRAVEL["airports"], "location_id")
    assert len(set(ends)) == len(ends)
    assert {*flight["days"]} <= {*WEEKDAYS}
    assert time.fromisoformat(flight["departs"])
    assert flight["duration"] > 0


@every("hotel", TRAVEL["hotels"], ids=lambda hotel: str(hotel["hotel_id"]))
def test_a_hotel_is_sound(hotel: Record) -> None:
    assert hotel["city_id"] in values(TRAVEL["cities"], "city_id")
    assert {*hotel["amenities"]} <= {*get_args(Amenity)}
    assert ("breakfast" in hotel["amenities"]) == (hotel["breakfast_price"] is not None)
    for room in hotel["rooms"]:
        assert room["breakfast_included"] <= ("breakfast" in hotel["amenities"])
        for span in room["sold_out"]:
            assert date.fromisoformat(span["from"]) <= date.fromisoformat(span["to"])


def test_references_of_images() -> None:
    since = {person["contributor_id"]: person["since"] for person in IMAGES["contributors"]}
    images, videos = values(IMAGES["images"], "image_id"), values(IMAGES["videos"], "video_id")
    for record in (*IMAGES["images"], *IMAGES["videos"]):
        uploaded = date.fromisoformat(record["uploaded"])
        assert since[record["contributor_id"]] <= uploaded.year
        assert uploaded < find_world("queries.video_images").now.date()
    for collection in IMAGES["collections"]:
        assert collection["curator_id"] in since
        assert images >= set(collection["image_ids"])
        assert videos >= set(collection["video_ids"])


def test_sizes_agree_with_the_orientation() -> None:
    for image in IMAGES["images"]:
        width, height = image["width"], image["height"]
        shape = "square" if width == height else "vertical" if width < height else "horizontal"
        assert image["orientation"] == shape
    for video in IMAGES["videos"]:
        sizes = [file["bytes"] for file in video["files"]]
        assert sizes == sorted(sizes, reverse=True)
        assert len(values(video["files"], "quality")) == len(sizes)
