from __future__ import annotations

import pytest

from pytest_toolsandbox.text.phrases import counted, listed, type_of


@pytest.mark.parametrize(("count", "text"), [(0, "0 files"), (1, "1 file"), (2, "2 files")])
def test_things_are_counted(count: int, text: str) -> None:
    assert counted(count, "file") == text


@pytest.mark.parametrize(
    ("value", "text"), [(None, "None"), ([], "a list"), (1, "an int"), (object(), "an object")]
)
def test_a_type_has_its_article(value: object, text: str) -> None:
    assert type_of(value) == text


def test_words_are_listed() -> None:
    assert listed(["a", "b", "c"]) == "a, b or c"
