"""The world ``queries.social``: the profiles, posts and replies of a small social network."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from pytest_toolsandbox.worlds.tool import CallComparison, tool

from .data_files import data_of
from .listing import between, ordered, paged
from .records import Entry, allows, day, find_record, mentions, shown, whole, within
from .world import look_up_world

Order = Mapping[str, tuple[str, bool]]
"""What to sort by → the field, and whether its greatest value comes first."""

PROFILE_ORDER: Order = {
    "followers": ("followers_count", True),
    "newest": ("joined_on", True),
    "handle": ("handle", False),
}
POST_ORDER: Order = {
    "newest": ("published_at", True),
    "oldest": ("published_at", False),
    "likes": ("likes_count", True),
    "reposts": ("reposts_count", True),
}
REPLY_ORDER: Order = {
    "newest": ("published_at", True),
    "oldest": ("published_at", False),
    "likes": ("likes_count", True),
}


@tool("social", comparison=CallComparison(arguments={"user_ids": "set"}))
def search_profiles(
    query: str | None = None,
    handle: str | None = None,
    user_ids: list[str] | None = None,
    location: str | None = None,
    interest: Literal["astronomy", "baking", "birds", "cycling", "gardening", "pottery"]
    | None = None,
    verified: bool | None = None,
    min_followers: int | None = None,
    max_followers: int | None = None,
    joined_after: str | None = None,
    sort_by: Literal["followers", "newest", "handle"] = "followers",
    page: int = 1,
) -> dict[str, Any]:
    """Search the profiles of users. Only those are found that fit all arguments that are given.

    Args:
        query: The first letters of words of the display name or of the biography.
        handle: The handle, without the sign @ in front.
        user_ids: Only these users, by their identifiers, such as usr-204.
        location: The town that the profile names.
        interest: Something that the user has chosen as an interest.
        verified: Whether the network has checked who the user is.
        min_followers: The least number of followers.
        max_followers: The greatest number of followers.
        joined_after: Only users who joined on this date, such as 2025-05-14, or later.
        sort_by: The order: most followers first, newest users first, or handles by the alphabet.
        page: The page of the results, from 1; there are 5 on a page.

    Returns:
        The page: profiles with user_id, handle, display_name, biography, location, interests,
        verified, followers_count, following_count, joined_on and pinned_post_id, which may be null.

    Raises:
        ValueError: If the date is not of that form or the page is less than 1.
    """
    joined = None if joined_after is None else day("joined_after", joined_after)
    matches = [
        profile
        for profile in data_of("social")["profiles"]
        if mentions(query, profile["display_name"], profile["biography"])
        and allows(handle, profile["handle"])
        and (user_ids is None or profile["user_id"] in user_ids)
        and (location is None or location.casefold() == profile["location"].casefold())
        and (interest is None or interest in profile["interests"])
        and allows(verified, profile["verified"])
        and between(min_followers, profile["followers_count"], max_followers)
        and within(profile["joined_on"], joined, None)
    ]
    field, descending = PROFILE_ORDER[sort_by]
    return paged(ordered(matches, field, "user_id", descending=descending), page)


@tool("social")
def search_posts(
    query: str | None = None,
    author_id: str | None = None,
    hashtag: str | None = None,
    language: Literal["de", "en", "es", "fr"] | None = None,
    has_media: bool | None = None,
    min_likes: int | None = None,
    published_after: str | None = None,
    published_before: str | None = None,
    sort_by: Literal["newest", "oldest", "likes", "reposts"] = "newest",
    page: int = 1,
) -> dict[str, Any]:
    """Search posts. Only those are found that fit all arguments that are given.

    Args:
        query: The first letters of words of the post.
        author_id: The user who wrote the post, by identifier, such as usr-204.
        hashtag: A hashtag of the post, without the sign # in front.
        language: The code of the language that the post is in.
        has_media: Whether there are pictures or films in the post.
        min_likes: The least number of likes.
        published_after: Only posts of this date, such as 2025-05-14, or later.
        published_before: Only posts of this date or earlier.
        sort_by: The order: by time, or the most likes or reposts first.
        page: The page of the results, from 1; there are 5 on a page.

    Returns:
        The page: posts with post_id, author_id, text, hashtags, language, has_media, likes_count,
        reposts_count, replies_count and published_at in UTC.

    Raises:
        NoDataError: If there is no such author.
        ValueError: If a date is not of that form or the page is less than 1.
    """
    if author_id is not None:
        find_record(data_of("social")["profiles"], "user_id", author_id, "user")
    first = None if published_after is None else day("published_after", published_after)
    last = None if published_before is None else day("published_before", published_before)
    matches = [
        _with_count(post)
        for post in data_of("social")["posts"]
        if mentions(query, post["text"])
        and allows(author_id, post["author_id"])
        and (hashtag is None or hashtag.casefold() in post["hashtags"])
        and allows(language, post["language"])
        and allows(has_media, post["has_media"])
        and between(min_likes, post["likes_count"], None)
        and within(post["published_at"], first, last)
    ]
    field, descending = POST_ORDER[sort_by]
    return paged(ordered(matches, field, "post_id", descending=descending), page)


@tool("social")
def get_post_replies(
    post_id: str,
    sort_by: Literal["newest", "oldest", "likes"] = "oldest",
    min_likes: int | None = None,
    limit: int = 5,
) -> list[dict[str, Any]]:
    """Get the replies to a post.

    Args:
        post_id: The identifier of the post, such as pst-3107.
        sort_by: The order: by time, or the most likes first.
        min_likes: Only replies with as many likes or more.
        limit: How many replies there are at most, from 1 to 10.

    Returns:
        Replies with reply_id, author_id, text, likes_count and published_at in UTC.

    Raises:
        NoDataError: If there is no such post.
        ValueError: If the limit is out of range.
    """
    find_record(data_of("social")["posts"], "post_id", post_id, "post")
    whole("limit", limit, 1, 10)
    matches = [
        reply
        for reply in _replies(post_id)
        if min_likes is None or reply["likes_count"] >= min_likes
    ]
    fields = ("reply_id", "author_id", "text", "likes_count", "published_at")
    field, descending = REPLY_ORDER[sort_by]
    replies = ordered(matches, field, "reply_id", descending=descending)
    return [shown(reply, *fields) for reply in replies[:limit]]


def _replies(post_id: str) -> list[Entry]:
    return [reply for reply in data_of("social")["replies"] if reply["post_id"] == post_id]


def _with_count(post: Entry) -> Entry:
    return {**post, "replies_count": len(_replies(post["post_id"]))}


world = look_up_world(
    name="queries.social",
    toolset=(search_profiles, search_posts, get_post_replies),
    summary="A small social network: profiles, posts and replies.",
)
