from __future__ import annotations

from functools import partial
from typing import Any

import pytest
from lookups import call_in, error_in
from rows import every

from pytest_toolsandbox.builtin.queries.data_files import data_of
from pytest_toolsandbox.builtin.queries.social import world

call = partial(call_in, world)
error = partial(error_in, world)


@every(
    ("arguments", "handles"),
    [
        ({"handle": "wing.count"}, ["wing.count"]),
        ({"handle": "@wing.count"}, []),
        ({"query": "drainpipes"}, ["backyard.orrery"]),
        ({"query": "Mira Tol"}, ["mira_kiln"]),
        ({"location": "baie-marine", "sort_by": "handle"}, ["levain.lou", "velo.chantal"]),
        ({"location": "Radenz", "interest": "pottery"}, ["clay_and_rye"]),
        ({"interest": "astronomy", "verified": False}, ["backyard.orrery"]),
        ({"user_ids": ["usr-202", "usr-000"]}, ["terrace.jungle"]),
        ({"min_followers": 11169, "max_followers": 11169}, ["terrace.jungle"]),
        (
            {"joined_after": "2021-10-29", "interest": "baking", "sort_by": "newest"},
            ["levain.lou", "crumb_report", "panadera_ines"],
        ),
    ],
)
def test_search_profiles(arguments: dict[str, Any], handles: list[str]) -> None:
    found = call("search_profiles", **arguments)["results"]
    assert [profile["handle"] for profile in found] == handles


@pytest.mark.parametrize(
    ("field", "order", "descending"),
    [
        ("followers_count", "followers", True),
        ("joined_on", "newest", True),
        ("handle", "handle", False),
    ],
)
def test_profiles_in_order(field: str, order: str, *, descending: bool) -> None:
    pages = [call("search_profiles", sort_by=order, page=page)["results"] for page in range(1, 6)]
    values = [profile[field] for page in pages for profile in page]
    assert len(values) == len(data_of("social")["profiles"])
    assert values == sorted(values, reverse=descending)


@pytest.mark.parametrize(
    ("arguments", "texts"),
    [
        (
            {"query": "drainpipe telescope"},
            ["The drainpipe telescope saw first light, and then a neighbour's cat."],
        ),
        (
            {"hashtag": "OwlBox", "language": "de", "sort_by": "oldest"},
            ["Vier Eier im Kasten, seit heute Nacht.", "Das erste Küken ist geschlüpft!"],
        ),
        ({"hashtag": "poem", "has_media": True}, []),
        ({"author_id": "usr-202", "hashtag": "pots"}, ["Forty-first pot. There was a gap."]),
    ],
)
def test_search_posts(arguments: dict[str, Any], texts: list[str]) -> None:
    assert [post["text"] for post in call("search_posts", **arguments)["results"]] == texts


@pytest.mark.parametrize(
    ("field", "order", "descending"),
    [
        ("published_at", "newest", True),
        ("published_at", "oldest", False),
        ("likes_count", "likes", True),
        ("reposts_count", "reposts", True),
    ],
)
def test_posts_in_order(field: str, order: str, *, descending: bool) -> None:
    page = call("search_posts", sort_by=order)
    values = [post[field] for post in page["results"]]
    every = sorted((p[field] for p in data_of("social")["posts"]), reverse=descending)
    assert values == every[:5]


def test_both_days_of_a_span_are_in_it() -> None:
    post = call("search_posts", sort_by="newest")["results"][2]
    day = post["published_at"][:10]
    page = call("search_posts", published_after=day, published_before=day)
    assert post in page["results"]
    assert all(found["published_at"].startswith(day) for found in page["results"])


def test_the_least_number_of_likes() -> None:
    page = call("search_posts", min_likes=2300)
    likes = [p["likes_count"] for p in data_of("social")["posts"] if p["likes_count"] >= 2300]
    assert sorted(p["likes_count"] for p in page["results"]) == sorted(likes)


def test_a_post_counts_its_replies() -> None:
    post = call("search_posts", query="poppy seed roll")["results"][0]
    assert post["replies_count"] == len(call("get_post_replies", post_id=post["post_id"])) == 2


def test_replies() -> None:
    (post,) = call("search_posts", query="cracked stilt")["results"]
    replies = call("get_post_replies", post_id=post["post_id"])
    assert [reply["text"] for reply in replies] == [
        "Nitride-bonded ones, and I check them every firing.",
        "I cast my own from old shelves.",
        "None. I trust wadding.",
        "Sorry about the mugs.",
    ]
    assert list(replies[0]) == ["reply_id", "author_id", "text", "likes_count", "published_at"]
    newest = call("get_post_replies", post_id=post["post_id"], sort_by="newest", limit=1)
    assert newest == replies[-1:]
    best = max(replies, key=lambda reply: int(reply["likes_count"]))
    liked = call(
        "get_post_replies",
        post_id=post["post_id"],
        sort_by="likes",
        min_likes=best["likes_count"],
    )
    assert liked == [best]


@pytest.mark.parametrize(
    ("tool", "arguments", "message"),
    [
        (
            "search_profiles",
            {"joined_after": "2021"},
            "ValueError: joined_after must be a date such as 2024-03-31, not '2021'",
        ),
        ("search_profiles", {"page": -1}, "ValueError: page must be 1 or more, not -1"),
        (
            "search_profiles",
            {"user_ids": "usr-202"},
            "TypeError: Parameter 'user_ids' is of type 'string', but expected 'array or null'.",
        ),
        (
            "search_posts",
            {"author_id": "mira_kiln"},
            "NoDataError: there is no user with user_id 'mira_kiln'",
        ),
        (
            "search_posts",
            {"published_before": "May 2025"},
            "ValueError: published_before must be a date such as 2024-03-31, not 'May 2025'",
        ),
        (
            "search_posts",
            {"published_after": "2025-05-32"},
            "ValueError: published_after must be a date such as 2024-03-31, not '2025-05-32'",
        ),
        (
            "get_post_replies",
            {"post_id": "usr-202"},
            "NoDataError: there is no post with post_id 'usr-202'",
        ),
        (
            "get_post_replies",
            {"post_id": "pst-3173", "limit": 11},
            "ValueError: limit must be from 1 to 10, not 11",
        ),
    ],
)
def test_errors(tool: str, arguments: dict[str, Any], message: str) -> None:
    assert error(tool, **arguments) == message


@pytest.mark.parametrize(
    ("kind", "field"),
    [
        ("profiles", "user_id"),
        ("profiles", "handle"),
        ("profiles", "followers_count"),
        ("posts", "post_id"),
        ("posts", "likes_count"),
        ("posts", "reposts_count"),
        ("posts", "published_at"),
        ("replies", "reply_id"),
        ("replies", "likes_count"),
    ],
)
def test_values_that_decide_are_unique(kind: str, field: str) -> None:
    values = [record[field] for record in data_of("social")[kind]]
    assert len(set(values)) == len(values)


def test_references_lead_somewhere() -> None:
    content = data_of("social")
    users = {profile["user_id"]: profile for profile in content["profiles"]}
    posts = {post["post_id"]: post for post in content["posts"]}
    assert {post["author_id"] for post in posts.values()} == set(users)
    for reply in content["replies"]:
        assert reply["author_id"] in users
        assert reply["published_at"] > posts[reply["post_id"]]["published_at"]
    for user_id, profile in users.items():
        if profile["pinned_post_id"] is not None:
            assert posts[profile["pinned_post_id"]]["author_id"] == user_id


def test_everything_happened_before_now() -> None:
    now = world.now.strftime("%Y-%m-%dT%H:%MZ")
    content = data_of("social")
    assert all(record["published_at"] < now for record in content["posts"] + content["replies"])
    joined = {profile["user_id"]: profile["joined_on"] for profile in content["profiles"]}
    assert all(joined[post["author_id"]] < post["published_at"] for post in content["posts"])
    interests = world.tools["search_profiles"].parameters["interest"].schema["anyOf"][0]["enum"]
    assert {one for profile in content["profiles"] for one in profile["interests"]} <= {*interests}
