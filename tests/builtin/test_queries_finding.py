from __future__ import annotations

from datetime import date
from typing import Any

import pytest
from rows import every

from pytest_toolsandbox.builtin.queries.records import (
    allows,
    day,
    find_record,
    mentions,
    page_of,
    shown,
    whole,
    within,
)
from pytest_toolsandbox.worlds.context import NoDataError

RECORDS = [{"key": "a", "tags": ["x"]}, {"key": "b", "tags": []}]


def test_one_record() -> None:
    assert find_record(RECORDS, "key", "b", "thing") is RECORDS[1]
    with pytest.raises(NoDataError, match=r"^there is no thing with key 'c'$"):
        find_record(RECORDS, "key", "c", "thing")


def test_what_is_shown_is_a_copy_in_the_order_asked_for() -> None:
    copy = shown(RECORDS[0], "tags", "key")
    assert list(copy.items()) == [("tags", ["x"]), ("key", "a")]
    assert copy["tags"] is not RECORDS[0]["tags"]


@every(
    ("words", "texts", "expected"),
    [
        (None, [], True),
        ("", ["anything"], True),
        ("RED kettle", ["A kettle", "that is red"], True),
        ("kett", ["kettle"], True),
        ("ettle", ["kettle"], False),
        ("kettles", ["kettle"], False),
        ("red pan", ["a red kettle"], False),
        ("solid-state", ["The state of a solid"], True),
        ("ice", ["not-ice"], True),
        ("red", [], False),
    ],
)
def test_mentions(words: str | None, texts: list[str], *, expected: bool) -> None:
    assert mentions(words, *texts) is expected


@pytest.mark.parametrize(
    ("wanted", "value", "expected"),
    [(None, "a", True), ("a", "a", True), ("a", "b", False), (False, True, False), (0, 0, True)],
)
def test_allows(wanted: Any, value: Any, *, expected: bool) -> None:
    assert allows(wanted, value) is expected


def test_a_day() -> None:
    assert day("start", None) is None
    assert day("start", "2024-02-29") == date(2024, 2, 29)


@pytest.mark.parametrize("text", ["", "2024-2-1", "20240201", "2024-W05-4", "2023-02-29"])
def test_what_is_no_day(text: str) -> None:
    with pytest.raises(ValueError, match=f"^start must be a date such as .*, not '{text}'$"):
        day("start", text)


@pytest.mark.parametrize(
    ("first", "last", "expected"),
    [
        (None, None, True),
        (date(2024, 3, 31), date(2024, 3, 31), True),
        (date(2024, 4, 1), None, False),
        (None, date(2024, 3, 30), False),
    ],
)
@pytest.mark.parametrize("text", ["2024-03-31", "2024-03-31T23:59:00Z"])
def test_a_span_has_both_its_ends(
    text: str, first: date | None, last: date | None, *, expected: bool
) -> None:
    assert within(text, first, last) is expected


def test_a_range() -> None:
    assert [whole("size", value, 1, 3) for value in (1, 3)] == [1, 3]
    assert whole("size", 1000, 1) == 1000
    with pytest.raises(ValueError, match=r"^size must be from 1 to 3, not 4$"):
        whole("size", 4, 1, 3)
    with pytest.raises(ValueError, match=r"^size must be 1 or more, not 0$"):
        whole("size", 0, 1)


def test_pages() -> None:
    assert [page_of("abcde", page, 2) for page in (1, 2, 3, 4)] == [
        ["a", "b"],
        ["c", "d"],
        ["e"],
        [],
    ]
    with pytest.raises(ValueError, match=r"^page must be 1 or more, not 0$"):
        page_of("abcde", 0, 2)
