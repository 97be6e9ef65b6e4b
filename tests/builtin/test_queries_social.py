from __future__ import annotations

from functools import partial

import pytest
from lookups import call_in

from pytest_toolsandbox.builtin.queries.data_files import data_of
from pytest_toolsandbox.builtin.queries.social import world

call = partial(call_in, world)


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
