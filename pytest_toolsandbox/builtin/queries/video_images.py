"""The world ``queries.video_images``: a library of pictures and videos to download."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final, Literal

from pytest_toolsandbox.worlds.context import NoDataError
from pytest_toolsandbox.worlds.tool import tool

from .data_files import data_of
from .records import Entry, allows, find_record, mentions, page_of, shown, whole
from .world import look_up_world

MOST_ROWS: Final = 10
"""The most rows of a page."""

Category = Literal["animals", "fantasy", "food", "industry", "nature", "technology", "travel"]
Color = Literal["black", "blue", "brown", "green", "orange", "red", "white", "yellow"]
License = Literal["attribution", "editorial", "free"]
Quality = Literal["large", "medium", "small"]
IMAGE: Final = ("image_id", "title", "image_type", "likes", "downloads")
VIDEO: Final = ("video_id", "title", "video_type", "duration", "likes", "downloads")


@tool("video_images")
def search_images(
    query: str | None = None,
    image_type: Literal["illustration", "photo", "vector"] | None = None,
    orientation: Literal["horizontal", "square", "vertical"] | None = None,
    category: Category | None = None,
    color: Color | None = None,
    license: License | None = None,  # noqa: A002  # what such libraries call it
    min_width: int = 0,
    min_height: int = 0,
    editors_choice: bool = False,
    order: Literal["downloads", "latest", "likes"] = "downloads",
    page: int = 1,
    per_page: int = 5,
) -> dict[str, Any]:
    """Search still images; all filters that are given must hold.

    Args:
        query: Words that the title or the tags must have; the beginning of a word will do.
        image_type: Kind of image.
        orientation: Shape of the image.
        category: Subject of the image.
        color: Colour that prevails in the image.
        license: Under which terms the image may be used.
        min_width: Least width in pixels.
        min_height: Least height in pixels.
        editors_choice: True for only those that the editors have chosen.
        order: What comes first: the most downloaded, the latest upload or the most liked.
        page: Number of the page, from 1 on.
        per_page: How many images a page has, from 1 to 10.

    Returns:
        The total number, and the images on the page with image_id, title, image_type, likes and
        downloads.
    """
    whole("min_width", min_width, 0)
    whole("min_height", min_height, 0)
    matches = [
        image
        for image in _records("images")
        if mentions(query, image["title"], *image["tags"])
        and allows(image_type, image["image_type"])
        and allows(orientation, image["orientation"])
        and allows(category, image["category"])
        and allows(color, image["color"])
        and allows(license, image["license"])
        and image["width"] >= min_width
        and image["height"] >= min_height
        and (not editors_choice or image["editors_choice"])
    ]
    return _page(matches, IMAGE, order, page, per_page)


@tool("video_images")
def search_videos(
    query: str | None = None,
    video_type: Literal["animation", "film"] | None = None,
    category: Category | None = None,
    license: License | None = None,  # noqa: A002  # what such libraries call it
    min_duration: int = 0,
    max_duration: int | None = None,
    has_audio: bool | None = None,
    order: Literal["downloads", "latest", "likes", "views"] = "downloads",
    page: int = 1,
    per_page: int = 5,
) -> dict[str, Any]:
    """Search videos; all filters that are given must hold.

    Args:
        query: Words that the title or the tags must have; the beginning of a word will do.
        video_type: Kind of video.
        category: Subject of the video.
        license: Under which terms the video may be used.
        min_duration: Least duration in seconds.
        max_duration: Greatest duration in seconds.
        has_audio: Only videos with sound, or only those without.
        order: What comes first: the most downloaded, the latest upload, the most liked or the most
            viewed.
        page: Number of the page, from 1 on.
        per_page: How many videos a page has, from 1 to 10.

    Returns:
        The total number, and the videos on the page with video_id, title, video_type, duration,
        likes and downloads.
    """
    whole("min_duration", min_duration, 0)
    whole("max_duration", 0 if max_duration is None else max_duration, 0)
    matches = [
        video
        for video in _records("videos")
        if mentions(query, video["title"], *video["tags"])
        and allows(video_type, video["video_type"])
        and allows(category, video["category"])
        and allows(license, video["license"])
        and video["duration"] >= min_duration
        and (max_duration is None or video["duration"] <= max_duration)
        and allows(has_audio, video["has_audio"])
    ]
    return _page(matches, VIDEO, order, page, per_page)


@tool("video_images")
def get_image(image_id: int) -> dict[str, Any]:
    """Get one still image with its size, its tags, its license and who made it.

    Args:
        image_id: Identifier of the image.

    Returns:
        The image, with the identifiers of its contributor and of the collections that it is in.
    """
    image = find_record(_records("images"), "image_id", image_id, "image")
    return {**shown(image, *image), "collection_ids": _collections_with("image_ids", image_id)}


@tool("video_images")
def get_video(video_id: int, quality: Quality | None = None) -> dict[str, Any]:
    """Get one video with its duration, its license, who made it and the files to download.

    Args:
        video_id: Identifier of the video.
        quality: Only the file of this quality.

    Returns:
        The video, with the identifiers of its contributor and of the collections that it is in.
    """
    video = find_record(_records("videos"), "video_id", video_id, "video")
    files = [file for file in video["files"] if allows(quality, file["quality"])]
    if not files:
        raise NoDataError(f"video {video_id} has no file of quality {quality!r}")
    return {
        **shown(video, *video),
        "files": [shown(file, *file) for file in files],
        "collection_ids": _collections_with("video_ids", video_id),
    }


@tool("video_images")
def get_collection(
    collection_id: str, media_type: Literal["all", "images", "videos"] = "all"
) -> dict[str, Any]:
    """Get a collection and what is in it.

    Args:
        collection_id: Identifier of the collection, in words with hyphens between them.
        media_type: Whether to list its images, its videos or both.

    Returns:
        The collection with the identifier of its curator, who is a contributor, and its images and
        videos with their identifiers and titles.
    """
    collection = find_record(_records("collections"), "collection_id", collection_id, "collection")
    entry = shown(collection, "collection_id", "title", "curator_id")
    if media_type != "videos":
        entry["images"] = _titles("images", "image_id", collection["image_ids"])
    if media_type != "images":
        entry["videos"] = _titles("videos", "video_id", collection["video_ids"])
    return entry


@tool("video_images")
def get_contributor(contributor_id: str) -> dict[str, Any]:
    """Get a contributor and how much they have uploaded.

    Args:
        contributor_id: Identifier of the contributor, such as u-1000.

    Returns:
        The contributor with name, country, year of joining and plan, and how many images and videos
        they have uploaded.
    """
    contributors = _records("contributors")
    contributor = find_record(contributors, "contributor_id", contributor_id, "contributor")
    uploads = {
        f"{kind}_uploaded": sum(r["contributor_id"] == contributor_id for r in _records(kind))
        for kind in ("images", "videos")
    }
    return {**shown(contributor, *contributor), **uploads}


def _records(kind: str) -> Sequence[Entry]:
    records: Sequence[Entry] = data_of("video_images")[kind]
    return records


def _collections_with(field: str, identifier: int) -> list[str]:
    return [
        collection["collection_id"]
        for collection in _records("collections")
        if identifier in collection[field]
    ]


def _titles(kind: str, field: str, identifiers: Iterable[int]) -> list[dict[str, Any]]:
    records = _records(kind)
    entries = [
        find_record(records, field, identifier, kind.removesuffix("s"))
        for identifier in identifiers
    ]
    return [shown(record, field, "title") for record in entries]


def _page(
    records: Sequence[Entry], fields: Sequence[str], order: str, page: int, per_page: int
) -> dict[str, Any]:
    """Return the rows on a page, with the greatest in the field of the order first."""
    whole("per_page", per_page, 1, MOST_ROWS)
    field = "uploaded" if order == "latest" else order
    ordered = sorted(records, key=lambda record: record[field], reverse=True)
    hits = [shown(record, *fields) for record in page_of(ordered, page, per_page)]
    return {"total": len(records), "page": page, "hits": hits}


world = look_up_world(
    name="queries.video_images",
    toolset=(
        search_images,
        search_videos,
        get_image,
        get_video,
        get_collection,
        get_contributor,
    ),
    summary="A library of pictures and videos with their contributors and collections.",
)
