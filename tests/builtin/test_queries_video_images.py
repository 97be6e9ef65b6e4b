from __future__ import annotations

import re
from datetime import date
from functools import partial
from typing import Any

import pytest
from lookups import call_in
from rows import every

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


def test_the_tools() -> None:
    assert {name: list(tool.parameters) for name, tool in world.tools.items()} == {
        "search_images": [
            "query",
            "image_type",
            "orientation",
            "category",
            "color",
            "license",
            "min_width",
            "min_height",
            "editors_choice",
            "order",
            "page",
            "per_page",
        ],
        "search_videos": [
            "query",
            "video_type",
            "category",
            "license",
            "min_duration",
            "max_duration",
            "has_audio",
            "order",
            "page",
            "per_page",
        ],
        "get_image": ["image_id"],
        "get_video": ["video_id", "quality"],
        "get_collection": ["collection_id", "media_type"],
        "get_contributor": ["contributor_id"],
    }


@every(
    ("arguments", "found"),
    [
        ({"query": "HARBOUR", "order": "likes"}, [40177, 40112, 40131, 40206]),
        ({"query": "harbour sunrise"}, [40177, 40112]),
        ({"query": "harb sunr"}, [40177, 40112]),
        ({"query": "arbour"}, []),
        ({"image_type": "vector", "category": "food"}, [40171, 40248]),
        ({"image_type": "illustration", "orientation": "square"}, [40219]),
        ({"color": "white", "order": "latest"}, [40242, 40230, 40193]),
        ({"license": "editorial"}, [40211, 40131]),
        ({"min_width": 7200, "order": "latest"}, [40242, 40230, 40184, 40131]),
        ({"min_width": 7201}, [40230]),
        ({"min_height": 6000, "category": "nature"}, [40125]),
        ({"editors_choice": True, "category": "technology", "license": "free"}, [40138]),
        ({"editors_choice": False, "category": "technology"}, [40219, 40165, 40138]),
        ({"category": "fantasy", "color": "red"}, []),
    ],
)
def test_images(arguments: dict[str, Any], found: list[int]) -> None:
    assert hits("images", **arguments) == found
    assert call("search_images", **arguments)["total"] == len(found)


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        ({"query": "machine", "order": "latest"}, [71080, 71066, 71051]),
        ({"video_type": "animation", "order": "views"}, [71073, 71051, 71066]),
        ({"category": "travel", "license": "attribution"}, [71008]),
        ({"min_duration": 46, "max_duration": 52, "order": "likes"}, [71080, 71044]),
        ({"max_duration": 12}, [71051]),
        ({"max_duration": 0}, []),
        ({"category": "food", "has_audio": True}, [71015]),
        ({"category": "food", "has_audio": False}, [71060]),
    ],
)
def test_videos(arguments: dict[str, Any], found: list[int]) -> None:
    assert hits("videos", **arguments) == found
    assert call("search_videos", **arguments)["total"] == len(found)


@pytest.mark.parametrize("kind", ["images", "videos"])
def test_pages(kind: str) -> None:
    every = [hits(kind, per_page=10, page=page) for page in (1, 2, 3, 4)]
    flat = [identifier for page in every for identifier in page]
    assert every[3] == []
    assert sorted(flat) == [record[IDENTIFIERS[kind]] for record in DATA[kind]]
    assert hits(kind) == flat[:5]
    assert hits(kind, page=3, per_page=4) == flat[8:12]


def test_a_hit() -> None:
    assert call("search_images", query="owl") == {
        "total": 1,
        "page": 1,
        "hits": [
            {
                "image_id": 40211,
                "title": "Owl in a hollow oak",
                "image_type": "photo",
                "likes": 2015,
                "downloads": 24331,
            }
        ],
    }
    (video,) = call("search_videos", query="ferry")["hits"]
    assert list(video) == ["video_id", "title", "video_type", "duration", "likes", "downloads"]


def test_an_image() -> None:
    image = call("get_image", image_id=40177)
    assert image == {
        **next(record for record in DATA["images"] if record["image_id"] == 40177),
        "collection_ids": ["harbours-at-dawn"],
    }
    assert call("get_image", image_id=40189)["collection_ids"] == []


def test_a_video() -> None:
    video = call("get_video", video_id=71037)
    assert video["collection_ids"] == ["quiet-forests"]
    assert [file["quality"] for file in video["files"]] == ["large", "small"]
    assert call("get_video", video_id=71037, quality="small") == {
        **video,
        "files": [{"quality": "small", "width": 1280, "height": 720, "bytes": 8300000}],
    }


STREET_FOOD_IMAGES = [
    {"image_id": 40120, "title": "Fried plantain on a grill"},
    {"image_id": 40158, "title": "Noodle stall at night"},
    {"image_id": 40193, "title": "Hands folding dumplings"},
]
STREET_FOOD_VIDEOS = [
    {"video_id": 71015, "title": "Market cook at work"},
    {"video_id": 71060, "title": "Steam over a noodle pot"},
]


@pytest.mark.parametrize(
    ("arguments", "media"),
    [
        ({}, {"images": STREET_FOOD_IMAGES, "videos": STREET_FOOD_VIDEOS}),
        ({"media_type": "all"}, {"images": STREET_FOOD_IMAGES, "videos": STREET_FOOD_VIDEOS}),
        ({"media_type": "images"}, {"images": STREET_FOOD_IMAGES}),
        ({"media_type": "videos"}, {"videos": STREET_FOOD_VIDEOS}),
    ],
)
def test_a_collection(arguments: dict[str, str], media: dict[str, Any]) -> None:
    assert call("get_collection", collection_id="street-food", **arguments) == {
        "collection_id": "street-food",
        "title": "Street food",
        "curator_id": "u-3318",
        **media,
    }


def test_a_contributor() -> None:
    assert call("get_contributor", contributor_id="u-3352") == {
        "contributor_id": "u-3352",
        "name": "Aiko Tsurumi",
        "country": "JP",
        "since": 2019,
        "plan": "professional",
        "images_uploaded": 6,
        "videos_uploaded": 2,
    }


@every(
    ("tool", "arguments", "error"),
    [
        ("get_image", {"image_id": 71008}, "NoDataError: there is no image with image_id 71008"),
        ("get_video", {"video_id": 40112}, "NoDataError: there is no video with video_id 40112"),
        (
            "get_video",
            {"video_id": 71037, "quality": "medium"},
            "NoDataError: video 71037 has no file of quality 'medium'",
        ),
        (
            "get_collection",
            {"collection_id": "Street food"},
            "NoDataError: there is no collection with collection_id 'Street food'",
        ),
        (
            "get_contributor",
            {"contributor_id": "3352"},
            "NoDataError: there is no contributor with contributor_id '3352'",
        ),
        ("search_images", {"page": 0}, "ValueError: page must be 1 or more, not 0"),
        ("search_images", {"per_page": 11}, "ValueError: per_page must be from 1 to 10, not 11"),
        ("search_videos", {"per_page": 0}, "ValueError: per_page must be from 1 to 10, not 0"),
        # Whether or not there is anything that the range would apply to.
        (
            "search_images",
            {"query": "nothing", "min_width": -1},
            "ValueError: min_width must be 0 or more, not -1",
        ),
        ("search_images", {"min_height": -1}, "ValueError: min_height must be 0 or more, not -1"),
        (
            "search_videos",
            {"min_duration": -1},
            "ValueError: min_duration must be 0 or more, not -1",
        ),
        (
            "search_videos",
            {"query": "nothing", "max_duration": -1},
            "ValueError: max_duration must be 0 or more, not -1",
        ),
        (
            "get_image",
            {"image_id": "40112"},
            "TypeError: Parameter 'image_id' is of type 'string', but expected 'integer'.",
        ),
        (
            "search_images",
            {"order": "views"},
            (
                "TypeError: Parameter 'order' is not valid: order: 'views' is not one of "
                "['downloads', 'latest', 'likes']"
            ),
        ),
        (
            "search_videos",
            {"color": "red"},
            "TypeError: got an unexpected keyword argument 'color'",
        ),
    ],
)
def test_errors(tool: str, arguments: dict[str, Any], error: str) -> None:
    with pytest.raises(Exception) as caught:  # noqa: PT011  # its type is part of the text
        call(tool, **arguments)
    assert f"{caught.type.__name__}: {caught.value}" == error


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
