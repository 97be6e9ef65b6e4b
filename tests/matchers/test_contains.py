from __future__ import annotations

from typing import Any

import pytest
from rows import every

from pytest_toolsandbox.matchers import MatcherMistake, read


@every(
    ("part", "found", "score"),
    [
        ("blue pot", "under the blue pot.", 1),
        ("pot", "potato", 1),
        ("blue pot", "blue pot", 1),
        (" ", "a b", 1),
        ("京", "東京", 1),
        ("blue pot", "under the Blue pot", 0),
        ("blue pot", "blue  pot", 0),
        ("blue pot", "", 0),
        ("é", "e\u0301", 0),
        ("5", 5, 0),
        ("a", ["a"], 0),
        ("a", {"a": "a"}, 0),
        ("None", None, 0),
        ("True", True, 0),
    ],
)
def test_scores(part: str, found: Any, score: float) -> None:
    expected = read({"contains": part})
    assert expected.similarity(found) == score
    assert expected.reached(found) is bool(score)


@pytest.mark.parametrize(
    ("argument", "text"),
    [
        ("", "expected text, found an empty text"),
        (None, "expected text, found null"),
        (12.5, "expected text, found the number 12.5; put it in quotes: '12.5'"),
        (False, "expected text, found the boolean false"),
        (["a", "b"], "expected text, found a list of 2"),
        ({"text": "a"}, "expected text, found a mapping of text"),
    ],
)
def test_mistakes(argument: Any, text: str) -> None:
    with pytest.raises(MatcherMistake) as caught:
        read({"contains": argument})
    assert (str(caught.value), caught.value.path) == (text, ("contains",))


def test_it_is_described() -> None:
    assert read({"contains": "blue pot"}).describe() == "contains 'blue pot'"
