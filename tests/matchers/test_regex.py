from __future__ import annotations

import re
import warnings
from typing import Any

import pytest
from rows import every

from pytest_toolsandbox.matchers import MatcherMistake, read


@every(
    ("pattern", "found", "score"),
    [
        ("blue|green", "a green pot", 1),
        ("^blue", "a blue pot", 0),
        ("BLUE", "blue", 0),
        ("(?i)BLUE", "blue", 1),
        ("a.b", "a\nb", 0),
        ("(?s)a.b", "a\nb", 1),
        (r"\bключ\b", "мой ключ тут", 1),
        (r"^$", "", 1),
        (r"\d", 5, 0),
        ("None", None, 0),
        (".", True, 0),
        (".", ["a"], 0),
        (".", {"a": "b"}, 0),
    ],
)
def test_scores(pattern: str, found: Any, score: float) -> None:
    expected = read({"regex": pattern})
    assert expected.similarity(found) == score
    assert expected.reached(found) is bool(score)


@pytest.mark.parametrize(
    ("argument", "text"),
    [
        (
            "(",
            "'(' is not a regular expression: missing ), unterminated subpattern at position 0",
        ),
        (
            "a{3,1}",
            "'a{3,1}' is not a regular expression: min repeat greater than max repeat",
        ),
        (
            "a{99999999999}",
            "'a{99999999999}' is not a regular expression: the repetition number is too large",
        ),
        ("", "expected text, found an empty text"),
        (5, "expected text, found the number 5; put it in quotes: '5'"),
        (["a"], "expected text, found a list of 1"),
    ],
)
def test_mistakes(argument: Any, text: str) -> None:
    with pytest.raises(MatcherMistake, match=f"^{re.escape(text)}") as caught:
        read({"regex": argument})
    assert caught.value.path == ("regex",)


def test_a_warning_that_the_user_made_an_error_is_a_mistake() -> None:
    re.purge()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(MatcherMistake, match="Possible nested set"):
            read({"regex": "[[a]"})


def test_it_is_described() -> None:
    assert read({"regex": "blue|green"}).describe() == "matches /blue|green/"
    assert read({"regex": "x" * 100}).describe() == f"matches /{'x' * 79}…/"
