from __future__ import annotations

from functools import partial

import pytest
from lookups import call_in
from rows import every

from pytest_toolsandbox.builtin.queries.data_files import data_of
from pytest_toolsandbox.builtin.queries.media import world

call = partial(call_in, world)


def test_both_days_of_a_span_are_in_it() -> None:
    day = "2025-03-23"
    (article,) = call("search_news_articles", published_after=day, published_before=day)["results"]
    assert article["article_id"] == "art-124"


def test_an_episode_without_a_guest_is_found_by_no_guest() -> None:
    everything = call("get_podcast_episodes", podcast_id="pod-05")
    assert None in [episode["guest"] for episode in everything["results"]]
    found = call("get_podcast_episodes", podcast_id="pod-05", guest="none")
    assert found["total_results"] == 0


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
