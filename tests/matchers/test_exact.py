"""``exact``, ``contains`` and ``regex``."""

from __future__ import annotations

import math
import re
import warnings
from typing import Any

import pytest
from rows import every

from pytest_toolsandbox.matchers import MatcherMistake, Reading, read
from pytest_toolsandbox.worlds.state import Row

NAN = math.nan
INF = math.inf


@every(
    ("expected", "value"),
    [
        (None, None),
        (True, True),
        (False, False),
        (25, 25.0),
        (25.0, 25),
        (0, -0.0),
        (2**53 + 1, 2**53 + 1),
        (NAN, NAN),
        (INF, INF),
        ("", ""),
        ("Ada", "Ada"),
        ("日本", "日本"),
        ([], []),
        ([1, [None, True]], [1.0, [None, True]]),
        ([1, 2], (1, 2)),
        ([NAN], [NAN]),
        ({}, {}),
        ({"a": 1, "b": [2]}, {"b": [2.0], "a": 1}),
        ({"a": {"b": [1]}}, Row({"a": {"b": [1]}})),
        ({"a": NAN}, {"a": NAN}),
    ],
)
def test_equal_json_values_agree_in_both_directions(expected: Any, value: Any) -> None:
    assert read({"exact": expected}).similarity(value) == 1
    assert read({"exact": value}).similarity(expected) == 1
    assert read({"exact": expected}).reached(value)


@every(
    ("expected", "value"),
    [
        (None, False),
        (None, 0),
        (None, ""),
        (None, []),
        (None, {}),
        (True, 1),
        (True, 1.0),
        (False, 0),
        (True, "true"),
        (1, "1"),
        (2**53 + 1, float(2**53)),
        (0.1 + 0.2, 0.3),
        (NAN, 0),
        (NAN, None),
        (NAN, "nan"),
        (NAN, "NaN"),
        (INF, -INF),
        ("Ada", "ada"),
        ("Ada", "Ada "),
        ("e\u0301", "\u00e9"),
        ([1, 2], [2, 1]),
        ([1, 2], [1, 2, 3]),
        ([True], [1]),
        ([], {}),
        ([], ""),
        (["a", "b"], "ab"),
        ({"a": 1}, {"a": True}),
        ({"a": 1}, {"a": 1, "b": None}),
        ({"a": None}, {}),
        ({"a": [1]}, {"a": [[1]]}),
        ({"a": 1}, [["a", 1]]),
    ],
)
def test_different_json_values_do_not(expected: Any, value: Any) -> None:
    assert read({"exact": expected}).similarity(value) == 0
    assert read({"exact": value}).similarity(expected) == 0
    assert not read({"exact": expected}).reached(value)


def test_a_bare_value_is_exact_by_itself() -> None:
    assert read({"name": "Ada", "age": 36}).similarity({"age": 36, "name": "Ada"}) == 1
    assert read(None).similarity(None) == 1


def test_exact_escapes_what_looks_like_a_matcher() -> None:
    assert read({"exact": {"contains": "a"}}).similarity({"contains": "a"}) == 1
    assert read({"exact": {"contains": "a"}}).similarity("a") == 0
    assert read({"exact": "the keys"}, Reading(own="rouge_l")).similarity("The keys!") == 0


@every(
    ("value", "text"),
    [
        ("blue pot", "'blue pot'"),
        ("", "''"),
        ("it's", '"it\'s"'),
        ("a\nb", '"a\\nb"'),
        ("日本", "'日本'"),
        ("x" * 100, f"'{'x' * 79}…'"),
        (None, "null"),
        (True, "true"),
        (25, "25"),
        (12.5, "12.5"),
        (NAN, ".nan"),
        (INF, ".inf"),
        (-INF, "-.inf"),
        ([1, ["a"]], "[1, ['a']]"),
        ({"name": "Ada", "is it": None}, "{name: 'Ada', 'is it': null}"),
        ({}, "{}"),
    ],
)
def test_it_is_described_as_yaml_would_write_it(value: Any, text: str) -> None:
    assert read({"exact": value}).describe() == text


def test_equal_matchers_are_equal_and_hash_alike() -> None:
    assert read([1, NAN]) == read((1.0, NAN))
    assert hash(read([1, NAN])) == hash(read((1.0, NAN)))
    assert read(1) != read(True)


def test_it_does_not_change_with_the_value_that_it_was_read_from() -> None:
    value = {"names": ["Ada"]}
    expected = read(value)
    value["names"].append("Grace")
    assert expected.similarity({"names": ["Ada"]}) == 1
    assert expected.describe() == "{names: ['Ada']}"


@every(
    ("part", "value", "score"),
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
def test_scores_of_contains(part: str, value: Any, score: float) -> None:
    expected = read({"contains": part})
    assert expected.similarity(value) == score
    assert expected.reached(value) is bool(score)


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
def test_mistakes_of_contains(argument: Any, text: str) -> None:
    with pytest.raises(MatcherMistake) as caught:
        read({"contains": argument})
    assert (str(caught.value), caught.value.path) == (text, ("contains",))


def test_contains_is_described() -> None:
    assert read({"contains": "blue pot"}).describe() == "contains 'blue pot'"


@every(
    ("pattern", "value", "score"),
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
def test_scores_of_regex(pattern: str, value: Any, score: float) -> None:
    expected = read({"regex": pattern})
    assert expected.similarity(value) == score
    assert expected.reached(value) is bool(score)


@pytest.mark.parametrize(
    ("argument", "text"),
    [
        ("(", "'(' is not a regular expression: missing ), unterminated subpattern at position 0"),
        ("a{3,1}", "'a{3,1}' is not a regular expression: min repeat greater than max repeat"),
        (
            "a{99999999999}",
            "'a{99999999999}' is not a regular expression: the repetition number is too large",
        ),
        ("", "expected text, found an empty text"),
        (5, "expected text, found the number 5; put it in quotes: '5'"),
        (["a"], "expected text, found a list of 1"),
    ],
)
def test_mistakes_of_regex(argument: Any, text: str) -> None:
    with pytest.raises(MatcherMistake, match=f"^{re.escape(text)}") as caught:
        read({"regex": argument})
    assert caught.value.path == ("regex",)


def test_a_warning_that_the_user_made_an_error_is_a_mistake() -> None:
    re.purge()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(MatcherMistake, match="Possible nested set"):
            read({"regex": "[[a]"})


def test_regex_is_described() -> None:
    assert read({"regex": "blue|green"}).describe() == "matches /blue|green/"
    assert read({"regex": "x" * 100}).describe() == f"matches /{'x' * 79}…/"
