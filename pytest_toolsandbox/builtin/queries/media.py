"""The world ``queries.media``: news, podcasts and music."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from pytest_toolsandbox.worlds.tool import CallComparison, tool

from .data_files import data_of
from .listing import between, ordered, paged
from .records import allows, day, find_record, mentions, shown, within
from .world import look_up_world

Language = Literal["de", "en", "es", "fr"]
Section = Literal["business", "culture", "health", "science", "sports", "technology"]
Order = Mapping[str, tuple[str, bool]]
"""What to sort by → the field, and whether its greatest value comes first."""

ARTICLE_ORDER: Order = {
    "newest": ("published_on", True),
    "oldest": ("published_on", False),
    "shares": ("shares_count", True),
}
PODCAST_ORDER: Order = {
    "rating": ("rating", True),
    "subscribers": ("subscribers_count", True),
    "title": ("title", False),
}
EPISODE_ORDER: Order = {
    "newest": ("published_on", True),
    "oldest": ("published_on", False),
    "longest": ("minutes", True),
}
TRACK_ORDER: Order = {
    "plays": ("plays_count", True),
    "newest": ("release_year", True),
    "shortest": ("seconds", False),
}


@tool("media")
def list_news_sources(
    country_code: str | None = None,
    language: Language | None = None,
    section: Section | None = None,
    is_public: bool | None = None,
) -> list[dict[str, Any]]:
    """List the newspapers, magazines and stations that articles come from.

    Args:
        country_code: The country of the source, by its code of three letters, such as VEL.
        language: The code of the language that it publishes in.
        section: A section that it has.
        is_public: Whether the source is paid for by the public.

    Returns:
        Sources with source_id, name, country_code, language, sections, is_public and founded, in
        the order of their identifiers.
    """
    matches = [
        source
        for source in data_of("media")["sources"]
        if allows(country_code, source["country_code"])
        and allows(language, source["language"])
        and (section is None or section in source["sections"])
        and allows(is_public, source["is_public"])
    ]
    return [shown(source, *source) for source in ordered(matches, "source_id", "source_id")]


@tool(
    "media",
    comparison=CallComparison(
        arguments={"article_ids": "set", "source_ids": "set", "exclude_source_ids": "set"}
    ),
)
def search_news_articles(
    query: str | None = None,
    article_ids: list[str] | None = None,
    source_ids: list[str] | None = None,
    exclude_source_ids: list[str] | None = None,
    section: Section | None = None,
    author: str | None = None,
    published_after: str | None = None,
    published_before: str | None = None,
    sort_by: Literal["newest", "oldest", "shares"] = "newest",
    page: int = 1,
) -> dict[str, Any]:
    """Search news articles. Only those are found that fit all arguments that are given.

    Args:
        query: The first letters of words of the headline or of the summary.
        article_ids: Only these articles, by their identifiers, such as art-118.
        source_ids: Only articles from these sources, by identifier, such as src-02.
        exclude_source_ids: No articles from these sources.
        section: The section that the article appeared in.
        author: The full name of the author.
        published_after: Only articles of this date, such as 2025-05-14, or later.
        published_before: Only articles of this date or earlier.
        sort_by: The order: by date, or the most often shared first.
        page: The page of the results, from 1; there are 5 on a page.

    Returns:
        The page: articles with article_id, source_id, section, headline, summary, author,
        published_on and shares_count.

    Raises:
        NoDataError: If there is no such source.
        ValueError: If a date is not of that form or the page is less than 1.
    """
    for source_id in (source_ids or []) + (exclude_source_ids or []):
        find_record(data_of("media")["sources"], "source_id", source_id, "source")
    first = None if published_after is None else day("published_after", published_after)
    last = None if published_before is None else day("published_before", published_before)
    matches = [
        article
        for article in data_of("media")["articles"]
        if mentions(query, article["headline"], article["summary"])
        and (article_ids is None or article["article_id"] in article_ids)
        and (source_ids is None or article["source_id"] in source_ids)
        and article["source_id"] not in (exclude_source_ids or [])
        and allows(section, article["section"])
        and (author is None or author.casefold() == article["author"].casefold())
        and within(article["published_on"], first, last)
    ]
    field, descending = ARTICLE_ORDER[sort_by]
    return paged(ordered(matches, field, "article_id", descending=descending), page)


@tool("media")
def search_podcasts(
    query: str | None = None,
    category: Literal["comedy", "history", "music", "science", "society", "technology"]
    | None = None,
    language: Language | None = None,
    explicit: bool | None = None,
    min_rating: float | None = None,
    sort_by: Literal["rating", "subscribers", "title"] = "rating",
    page: int = 1,
) -> dict[str, Any]:
    """Search podcasts. Only those are found that fit all arguments that are given.

    Args:
        query: The first letters of words of the title or of the host's name.
        category: What the podcast is about.
        language: The code of the language that is spoken.
        explicit: Whether there is strong language in it.
        min_rating: The least rating by listeners, from 1 to 5.
        sort_by: The order: highest rating first, most subscribers first, or by title.
        page: The page of the results, from 1; there are 5 on a page.

    Returns:
        The page: podcasts with podcast_id, title, host, category, language, explicit, rating,
        subscribers_count, publisher_id, which is a news source or null, and theme_track_id.

    Raises:
        ValueError: If the page is less than 1.
    """
    matches = [
        podcast
        for podcast in data_of("media")["podcasts"]
        if mentions(query, podcast["title"], podcast["host"])
        and allows(category, podcast["category"])
        and allows(language, podcast["language"])
        and allows(explicit, podcast["explicit"])
        and between(min_rating, podcast["rating"], None)
    ]
    field, descending = PODCAST_ORDER[sort_by]
    return paged(ordered(matches, field, "podcast_id", descending=descending), page)


@tool("media")
def get_podcast_episodes(
    podcast_id: str,
    guest: str | None = None,
    min_minutes: int | None = None,
    max_minutes: int | None = None,
    published_after: str | None = None,
    published_before: str | None = None,
    sort_by: Literal["newest", "oldest", "longest"] = "newest",
    page: int = 1,
) -> dict[str, Any]:
    """Get the episodes of a podcast. Only those are found that fit all arguments that are given.

    Args:
        podcast_id: The identifier of the podcast, such as pod-03.
        guest: The first letters of words of the guest's name.
        min_minutes: The least length, in minutes.
        max_minutes: The greatest length, in minutes.
        published_after: Only episodes of this date, such as 2025-05-14, or later.
        published_before: Only episodes of this date or earlier.
        sort_by: The order: by date, or the longest first.
        page: The page of the results, from 1; there are 5 on a page.

    Returns:
        The page: episodes with episode_id, podcast_id, number, title, guest, which may be null,
        minutes, published_on, the article_ids that it talks about and the track_ids that it plays.

    Raises:
        NoDataError: If there is no such podcast.
        ValueError: If a date is not of that form or the page is less than 1.
    """
    find_record(data_of("media")["podcasts"], "podcast_id", podcast_id, "podcast")
    first = None if published_after is None else day("published_after", published_after)
    last = None if published_before is None else day("published_before", published_before)
    matches = [
        episode
        for episode in data_of("media")["episodes"]
        if episode["podcast_id"] == podcast_id
        and mentions(guest, episode["guest"] or "")
        and between(min_minutes, episode["minutes"], max_minutes)
        and within(episode["published_on"], first, last)
    ]
    field, descending = EPISODE_ORDER[sort_by]
    return paged(ordered(matches, field, "episode_id", descending=descending), page)


@tool("media", comparison=CallComparison(arguments={"track_ids": "set"}))
def search_music_tracks(
    query: str | None = None,
    track_ids: list[str] | None = None,
    artist: str | None = None,
    genre: Literal["ambient", "electronic", "folk", "jazz", "pop", "rock"] | None = None,
    instrumental: bool | None = None,
    min_bpm: int | None = None,
    max_bpm: int | None = None,
    released_from: int | None = None,
    released_until: int | None = None,
    sort_by: Literal["plays", "newest", "shortest"] = "plays",
    page: int = 1,
) -> dict[str, Any]:
    """Search tracks of music. Only those are found that fit all arguments that are given.

    Args:
        query: The first letters of words of the title.
        track_ids: Only these tracks, by their identifiers, such as trk-207.
        artist: The full name of the artist.
        genre: The genre.
        instrumental: Whether nobody sings.
        min_bpm: The least tempo, in beats per minute.
        max_bpm: The greatest tempo, in beats per minute.
        released_from: The first year of release.
        released_until: The last year of release.
        sort_by: The order: most played first, newest first, or shortest first.
        page: The page of the results, from 1; there are 5 on a page.

    Returns:
        The page: tracks with track_id, title, artist, album_id, genre, instrumental, bpm, seconds,
        release_year and plays_count.

    Raises:
        ValueError: If the page is less than 1.
    """
    matches = [
        track
        for track in data_of("media")["tracks"]
        if mentions(query, track["title"])
        and (track_ids is None or track["track_id"] in track_ids)
        and (artist is None or artist.casefold() == track["artist"].casefold())
        and allows(genre, track["genre"])
        and allows(instrumental, track["instrumental"])
        and between(min_bpm, track["bpm"], max_bpm)
        and between(released_from, track["release_year"], released_until)
    ]
    field, descending = TRACK_ORDER[sort_by]
    return paged(ordered(matches, field, "track_id", descending=descending), page)


@tool("media")
def get_music_album(album_id: str, include_tracks: bool = False) -> dict[str, Any]:
    """Get an album of music.

    Args:
        album_id: The identifier of the album, such as alb-12.
        include_tracks: Whether the identifiers and titles of its tracks are given, too.

    Returns:
        The album: album_id, title, artist, label, producer, released_on, and, if wanted, tracks by
        their identifiers.

    Raises:
        NoDataError: If there is no such album.
    """
    album = find_record(data_of("media")["albums"], "album_id", album_id, "album")
    if not include_tracks:
        return shown(album, *album)
    tracks = [track for track in data_of("media")["tracks"] if track["album_id"] == album_id]
    listed = [shown(track, "track_id", "title") for track in ordered(tracks, "track_id", "title")]
    return {**shown(album, *album), "tracks": listed}


world = look_up_world(
    name="queries.media",
    toolset=(
        list_news_sources,
        search_news_articles,
        search_podcasts,
        get_podcast_episodes,
        search_music_tracks,
        get_music_album,
    ),
    summary="News articles and their sources, podcasts and their episodes, tracks and albums.",
)
