from __future__ import annotations

from functools import partial
from typing import Any

import pytest
from lookups import call_in, error_in
from rows import every

from pytest_toolsandbox.builtin.queries.data_files import data_of
from pytest_toolsandbox.builtin.queries.media import world

call = partial(call_in, world)
error = partial(error_in, world)


@pytest.mark.parametrize(
    ("arguments", "ids"),
    [
        (
            {"section": "science", "is_public": True},
            ["src-02", "src-05", "src-07", "src-09", "src-11"],
        ),
        ({"country_code": "DUN", "is_public": False}, ["src-03", "src-04"]),
        ({"language": "fr", "section": "business"}, ["src-08"]),
        ({"country_code": "dun"}, []),
    ],
)
def test_list_news_sources(arguments: dict[str, Any], ids: list[str]) -> None:
    assert [source["source_id"] for source in call("list_news_sources", **arguments)] == ids


@pytest.mark.parametrize(
    ("arguments", "headlines"),
    [
        ({"query": "comet"}, ["Comet bright enough to read by, almost"]),
        ({"query": "owls slow"}, ["Why owls turn their heads in steps"]),
        ({"source_ids": ["src-04", "src-06"], "section": "sports", "sort_by": "shares"}, None),
        ({"author": "delia marsh", "query": "robots"}, ["Delivery robots get their own lane"]),
        ({"source_ids": ["src-03"], "exclude_source_ids": ["src-03"]}, []),
        ({"article_ids": ["art-124"]}, ["Comet bright enough to read by, almost"]),
        ({"article_ids": ["art-124"], "section": "health"}, []),
    ],
)
def test_search_news_articles(arguments: dict[str, Any], headlines: list[str] | None) -> None:
    found = call("search_news_articles", **arguments)["results"]
    if headlines is None:
        headlines = ["Radenz gewinnt das Derby", "Fenwater loses the mud race by a boot"]
        headlines.sort(key=_shares, reverse=True)
    assert [article["headline"] for article in found] == headlines


def _shares(headline: str) -> int:
    (article,) = (a for a in data_of("media")["articles"] if a["headline"] == headline)
    return int(article["shares_count"])


def test_both_days_of_a_span_are_in_it() -> None:
    day = "2025-03-23"
    (article,) = call("search_news_articles", published_after=day, published_before=day)["results"]
    assert article["article_id"] == "art-124"


@pytest.mark.parametrize(
    ("arguments", "titles"),
    [
        ({"category": "technology"}, ["Solder and Smoke", "Werkbank Sieben"]),
        ({"category": "technology", "min_rating": 4.3}, ["Solder and Smoke"]),
        (
            {"explicit": True, "sort_by": "title"},
            ["Liner Noise", "Sobremesa larga", "Solder and Smoke"],
        ),
        ({"explicit": True, "language": "es"}, ["Sobremesa larga"]),
        ({"query": "night"}, ["The Night Log"]),
        ({"query": "Greta"}, ["Harbour Talk"]),
        (
            {"page": 2},
            ["Sobremesa larga", "Werkbank Sieben", "Marée basse", "Attic Empires", "Harbour Talk"],
        ),
    ],
)
def test_search_podcasts(arguments: dict[str, Any], titles: list[str]) -> None:
    found = call("search_podcasts", **arguments)["results"]
    assert [podcast["title"] for podcast in found] == titles


@pytest.mark.parametrize(
    ("arguments", "titles"),
    [
        (
            {"sort_by": "longest"},
            ["The chip town", "Robots on the pavement", "Wooden batteries", "Phones that listen"],
        ),
        ({"guest": "maeve"}, ["Phones that listen"]),
        ({"min_minutes": 52, "max_minutes": 59}, ["Wooden batteries", "Robots on the pavement"]),
        (
            {
                "published_after": "2024-11-13",
                "published_before": "2024-11-18",
                "sort_by": "oldest",
            },
            ["The chip town", "Robots on the pavement"],
        ),
    ],
)
def test_get_podcast_episodes(arguments: dict[str, Any], titles: list[str]) -> None:
    found = call("get_podcast_episodes", podcast_id="pod-03", **arguments)["results"]
    assert [episode["title"] for episode in found] == titles


def test_an_episode_without_a_guest_is_found_by_no_guest() -> None:
    everything = call("get_podcast_episodes", podcast_id="pod-05")
    assert None in [episode["guest"] for episode in everything["results"]]
    found = call("get_podcast_episodes", podcast_id="pod-05", guest="none")
    assert found["total_results"] == 0


@pytest.mark.parametrize(
    ("arguments", "titles"),
    [
        ({"artist": "marisma", "instrumental": True}, ["Isla Norte"]),
        ({"genre": "jazz", "instrumental": False}, ["Ember"]),
        ({"query": "waltz", "released_until": 2014}, ["Last Stop Waltz"]),
        ({"genre": "folk", "released_from": 2020, "instrumental": True}, ["Low Tide Waltz"]),
        ({"genre": "jazz", "min_bpm": 119, "max_bpm": 119}, ["Platform Four"]),
        ({"track_ids": ["trk-312", "trk-999"]}, ["Platform Four"]),
    ],
)
def test_search_music_tracks(arguments: dict[str, Any], titles: list[str]) -> None:
    found = call("search_music_tracks", **arguments)["results"]
    assert [track["title"] for track in found] == titles


@pytest.mark.parametrize(
    ("tool", "field", "order", "descending"),
    [
        ("search_news_articles", "published_on", "newest", True),
        ("search_news_articles", "published_on", "oldest", False),
        ("search_news_articles", "shares_count", "shares", True),
        ("search_podcasts", "rating", "rating", True),
        ("search_podcasts", "subscribers_count", "subscribers", True),
        ("search_podcasts", "title", "title", False),
        ("search_music_tracks", "plays_count", "plays", True),
        ("search_music_tracks", "release_year", "newest", True),
        ("search_music_tracks", "seconds", "shortest", False),
    ],
)
def test_order(tool: str, field: str, order: str, *, descending: bool) -> None:
    first = call(tool, sort_by=order)
    pages = range(2, first["total_pages"] + 1)
    more = [call(tool, sort_by=order, page=page)["results"] for page in pages]
    values = [record[field] for page in [first["results"], *more] for record in page]
    assert len(values) == first["total_results"]
    assert values == sorted(values, reverse=descending)


def test_an_album_with_and_without_tracks() -> None:
    (track,) = call("search_music_tracks", query="Moth Protocol")["results"]
    album = call("get_music_album", album_id=track["album_id"])
    assert list(album) == ["album_id", "title", "artist", "label", "producer", "released_on"]
    assert (album["title"], album["producer"]) == ("Nightbloom", "Milo Sant")
    longer = call("get_music_album", album_id=track["album_id"], include_tracks=True)
    titles = {listed["title"] for listed in longer.pop("tracks")}
    assert titles == {"Nightbloom", "Moth Protocol", "Seedling"}
    assert longer == album


@pytest.mark.parametrize(
    ("tool", "arguments", "message"),
    [
        (
            "search_news_articles",
            {"source_ids": ["The Lomvik Courier"]},
            "NoDataError: there is no source with source_id 'The Lomvik Courier'",
        ),
        (
            "search_news_articles",
            {"exclude_source_ids": ["src-12"]},
            "NoDataError: there is no source with source_id 'src-12'",
        ),
        (
            "search_news_articles",
            {"published_after": "14.05.2025"},
            "ValueError: published_after must be a date such as 2024-03-31, not '14.05.2025'",
        ),
        (
            "search_podcasts",
            {"min_rating": "4"},
            "TypeError: Parameter 'min_rating' is of type 'string', but expected 'number or null'.",
        ),
        (
            "get_podcast_episodes",
            {"podcast_id": "pod-11"},
            "NoDataError: there is no podcast with podcast_id 'pod-11'",
        ),
        (
            "get_podcast_episodes",
            {"podcast_id": "pod-01", "published_before": "2025"},
            "ValueError: published_before must be a date such as 2024-03-31, not '2025'",
        ),
        ("search_music_tracks", {"page": 0}, "ValueError: page must be 1 or more, not 0"),
        (
            "get_music_album",
            {"album_id": "trk-312"},
            "NoDataError: there is no album with album_id 'trk-312'",
        ),
    ],
)
def test_errors(tool: str, arguments: dict[str, Any], message: str) -> None:
    assert error(tool, **arguments) == message


@every(
    ("kind", "field"),
    [
        ("sources", "source_id"),
        ("articles", "article_id"),
        ("articles", "headline"),
        ("articles", "published_on"),
        ("articles", "shares_count"),
        ("podcasts", "podcast_id"),
        ("podcasts", "rating"),
        ("podcasts", "subscribers_count"),
        ("episodes", "episode_id"),
        ("episodes", "minutes"),
        ("albums", "album_id"),
        ("albums", "title"),
        ("tracks", "track_id"),
        ("tracks", "title"),
        ("tracks", "plays_count"),
        ("tracks", "seconds"),
    ],
)
def test_values_that_decide_are_unique(kind: str, field: str) -> None:
    values = [record[field] for record in data_of("media")[kind]]
    assert len(set(values)) == len(values)


def test_references_lead_somewhere() -> None:
    content = data_of("media")
    sources = {source["source_id"]: source for source in content["sources"]}
    articles = {article["article_id"]: article for article in content["articles"]}
    tracks = {track["track_id"] for track in content["tracks"]}
    albums = {album["album_id"]: album for album in content["albums"]}
    podcasts = {podcast["podcast_id"] for podcast in content["podcasts"]}
    for article in articles.values():
        assert article["section"] in sources[article["source_id"]]["sections"]
    for podcast in content["podcasts"]:
        assert podcast["publisher_id"] in {None, *sources}
        assert podcast["theme_track_id"] in tracks
    for episode in content["episodes"]:
        assert episode["podcast_id"] in podcasts
        assert set(episode["track_ids"]) <= tracks
        discussed = [articles[one]["published_on"] for one in episode["article_ids"]]
        assert all(published < episode["published_on"] for published in discussed)
    for track in content["tracks"]:
        album = albums[track["album_id"]]
        assert (track["artist"], str(track["release_year"])) == (
            album["artist"],
            album["released_on"][:4],
        )


def test_episodes_are_numbered_as_they_came_out() -> None:
    for podcast in data_of("media")["podcasts"]:
        page = call("get_podcast_episodes", podcast_id=podcast["podcast_id"], sort_by="oldest")
        numbers = [episode["number"] for episode in page["results"]]
        assert numbers == list(range(numbers[0], numbers[0] + page["total_results"]))


def test_everything_came_out_before_now() -> None:
    today = world.now.date().isoformat()
    content = data_of("media")
    assert all(r["published_on"] < today for r in content["articles"] + content["episodes"])
