from __future__ import annotations

import pytest

from pytest_toolsandbox.text.formatting import join_words, pluralize, type_name


@pytest.mark.parametrize(("count", "text"), [(0, "0 files"), (1, "1 file"), (2, "2 files")])
def test_things_are_counted(count: int, text: str) -> None:
    assert pluralize(count, "file") == text


@pytest.mark.parametrize(
    ("value", "text"), [(None, "None"), ([], "a list"), (1, "an int"), (object(), "an object")]
)
def test_a_type_has_its_article(value: object, text: str) -> None:
    assert type_name(value) == text


def test_words_are_listed() -> None:
    assert join_words(["a", "b", "c"]) == "a, b or c"
