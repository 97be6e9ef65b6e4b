from __future__ import annotations

import re
from datetime import date
from functools import partial
from typing import Any

import pytest
from lookups import call_in

from pytest_toolsandbox.builtin.queries.data_files import data_of
from pytest_toolsandbox.builtin.queries.video_images import world

DATA = data_of("video_images")
IDENTIFIERS = {
    "images": "image_id",
    "videos": "video_id",
    "collections": "collection_id",
    "contributors": "contributor_id",
}

call = partial(call_in, world)


def hits(kind: str, **arguments: Any) -> list[int]:
    return [row[IDENTIFIERS[kind]] for row in call(f"search_{kind}", **arguments)["hits"]]


@pytest.mark.parametrize("kind", ["images", "videos"])
def test_pages(kind: str) -> None:
    every = [hits(kind, per_page=10, page=page) for page in (1, 2, 3, 4)]
    flat = [identifier for page in every for identifier in page]
    assert every[3] == []
    assert sorted(flat) == [record[IDENTIFIERS[kind]] for record in DATA[kind]]
    assert hits(kind) == flat[:5]
    assert hits(kind, page=3, per_page=4) == flat[8:12]


def test_what_is_done_with_a_result_does_not_change_the_data() -> None:
    call("get_image", image_id=40112)["tags"].clear()
    call("get_video", video_id=71008)["files"][0].clear()
    assert call("get_image", image_id=40112)["tags"] == ["harbour", "boat", "sunrise", "sea"]
    assert call("get_video", video_id=71008)["files"][0]["quality"] == "large"


@pytest.mark.parametrize("kind", IDENTIFIERS)
def test_identifiers_and_names_are_unique(kind: str) -> None:
    name = "name" if kind == "contributors" else "title"
    for field in (IDENTIFIERS[kind], name):
        values = [record[field] for record in DATA[kind]]
        assert len(set(values)) == len(values)
    assert len({frozenset(record) for record in DATA[kind]}) == 1


def test_references_resolve() -> None:
    contributors = {record["contributor_id"] for record in DATA["contributors"]}
    known = {kind: {record[IDENTIFIERS[kind]] for record in DATA[kind]} for kind in IDENTIFIERS}
    assert not known["images"] & known["videos"]
    for record in (*DATA["images"], *DATA["videos"]):
        assert record["contributor_id"] in contributors
    for collection in DATA["collections"]:
        assert collection["curator_id"] in contributors
        assert known["images"] >= set(collection["image_ids"])
        assert known["videos"] >= set(collection["video_ids"])


def test_every_order_has_one_first() -> None:
    for kind, fields in (
        ("images", ("likes", "downloads", "uploaded")),
        ("videos", ("likes", "downloads", "uploaded", "views")),
    ):
        for field in fields:
            values = [record[field] for record in DATA[kind]]
            assert len(set(values)) == len(values)


def test_dates_parse_and_identifiers_have_their_form() -> None:
    years = {record["contributor_id"]: record["since"] for record in DATA["contributors"]}
    for record in (*DATA["images"], *DATA["videos"]):
        uploaded = date.fromisoformat(record["uploaded"])
        assert years[record["contributor_id"]] <= uploaded.year
        assert uploaded < world.now.date()
    assert all(re.fullmatch(r"u-\d{4}", identifier) for identifier in years)


def test_sizes_agree_with_the_orientation() -> None:
    for image in DATA["images"]:
        width, height = image["width"], image["height"]
        shape = "square" if width == height else "vertical" if width < height else "horizontal"
        assert image["orientation"] == shape
    for video in DATA["videos"]:
        sizes = [file["bytes"] for file in video["files"]]
        assert sizes == sorted(sizes, reverse=True)
        assert len({file["quality"] for file in video["files"]}) == len(sizes)


@pytest.mark.parametrize(
    ("tool", "argument", "kinds"),
    [
        ("search_images", "image_type", ["images"]),
        ("search_images", "orientation", ["images"]),
        ("search_images", "color", ["images"]),
        ("search_images", "category", ["images", "videos"]),
        ("search_images", "license", ["images"]),
        ("search_videos", "video_type", ["videos"]),
        ("search_videos", "license", ["videos"]),
    ],
)
def test_every_literal_is_used(tool: str, argument: str, kinds: list[str]) -> None:
    shown = world.tools[tool].parameters[argument].shown["enum"]
    assert set(shown) == {record[argument] for kind in kinds for record in DATA[kind]}
