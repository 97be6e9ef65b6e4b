from __future__ import annotations

from typing import Any

import pytest
from rows import every

from pytest_toolsandbox.matchers import MatcherMistake, Reading, read

TEXT = Reading(own="rouge_l")


@every(
    ("expected", "value", "score", "reached"),
    [
        ({"any_of": ["a", "b"]}, "b", 1, True),
        ({"any_of": ["a", "b"]}, "c", 0, False),
        ({"any_of": [None, 5]}, None, 1, True),
        ({"any_of": [{"mentions": ["a", "b"]}, {"contains": "z"}]}, "a", 0.5, False),
        # Reached by the one whose threshold is low, though another one is more similar.
        (
            {
                "any_of": [
                    {"mentions": {"words": ["a", "b", "z"], "threshold": 1}},
                    {"mentions": {"words": ["a", "y"], "threshold": 0.5}},
                ]
            },
            "a b",
            2 / 3,
            True,
        ),
        ({"all_of": [{"contains": "a"}, {"contains": "b"}]}, "ab", 1, True),
        ({"all_of": [{"contains": "a"}, {"contains": "b"}]}, "a", 0, False),
        ({"all_of": [{"mentions": ["a", "b"]}, {"contains": "a"}]}, "a", 0.5, False),
        (
            {"all_of": [{"mentions": {"words": ["a", "b"], "threshold": 0.5}}, {"contains": "a"}]},
            "a",
            0.5,
            True,
        ),
        ({"not": "a"}, "b", 1, True),
        ({"not": "a"}, "a", 0, False),
        ({"not": None}, None, 0, False),
        ({"not": None}, 0, 1, True),
        ({"not": ["a"]}, ["a"], 0, False),
        ({"not": ["a"]}, "a", 1, True),
        ({"not": {"mentions": ["a", "b"]}}, "a", 1, True),
        ({"not": {"mentions": {"words": ["a", "b"], "threshold": 0.5}}}, "a", 0, False),
        ({"not": {"not": "a"}}, "a", 1, True),
        ({"not": {"any_of": ["a", "b"]}}, "b", 0, False),
        ({"anything": True}, None, 1, True),
        ({"anything": True}, "", 1, True),
        ({"anything": True}, [float("nan")], 1, True),
    ],
)
def test_scores(expected: Any, value: Any, score: float, reached: bool) -> None:
    matcher = read(expected)
    assert matcher.similarity(value) == pytest.approx(score, abs=1e-12)
    assert matcher.reached(value) is reached


def test_bare_values_inside_mean_the_own_measure_and_take_the_event_s_threshold() -> None:
    strict = Reading(own="rouge_l", threshold=0.9)
    for expected in ({"any_of": ["the pot"]}, {"all_of": ["the pot"]}, {"not": {"not": "the pot"}}):
        assert read(expected, TEXT).reached("pot")
        assert not read(expected, strict).reached("pot")


@pytest.mark.parametrize(
    ("expected", "text"),
    [
        ({"any_of": ["a", {"contains": "b"}]}, "any of ['a'; contains 'b']"),
        ({"all_of": [1, {"mentions": ["a", "b"]}]}, "all of [1; mentions a, b]"),
        ({"not": "+14155550123"}, "not '+14155550123'"),
        ({"not": {"any_of": ["a", "b"]}}, "not any of ['a'; 'b']"),
        ({"anything": True}, "anything"),
    ],
)
def test_descriptions(expected: Any, text: str) -> None:
    assert read(expected).describe() == text


@pytest.mark.parametrize(
    ("expected", "value", "text"),
    [
        ({"any_of": [{"mentions": "a"}, "b", {"mentions": "c"}]}, "d", "missing: a or missing: c"),
        ({"any_of": [{"mentions": "a"}, "b"]}, "b", None),
        ({"any_of": ["a", "b"]}, "c", None),
        (
            {"all_of": [{"mentions": "a"}, {"contains": "b"}, {"contains": "d"}]},
            "d",
            "missing: a; unmet: contains 'b'",
        ),
        ({"all_of": [{"mentions": "a"}]}, "a", None),
        ({"not": {"mentions": "a"}}, "a", None),
    ],
)
def test_explanations(expected: Any, value: Any, text: str | None) -> None:
    assert read(expected).explain(value) == text


@pytest.mark.parametrize(
    ("expected", "text", "path"),
    [
        ({"any_of": "a"}, "expected a list of values or matchers, found the text 'a'", ("any_of",)),
        ({"any_of": []}, "expected a list of values or matchers, found an empty list", ("any_of",)),
        (
            {"all_of": {"contains": "a"}},
            "expected a list of values or matchers, found a mapping of contains",
            ("all_of",),
        ),
        (
            {"any_of": ["a", {"contains": ""}]},
            "expected text, found an empty text",
            ("any_of", 1, "contains"),
        ),
        (
            {"not": {"all_of": [{"rouge_l": {"text": 5}}]}},
            "expected text, found the number 5; put it in quotes: '5'",
            ("not", "all_of", 0, "rouge_l", "text"),
        ),
        ({"anything": False}, "expected true, found the boolean false", ("anything",)),
        ({"anything": None}, "expected true, found null", ("anything",)),
        ({"anything": 1}, "expected true, found the number 1", ("anything",)),
    ],
)
def test_mistakes(expected: Any, text: str, path: tuple[str | int, ...]) -> None:
    with pytest.raises(MatcherMistake) as caught:
        read(expected)
    assert (str(caught.value), caught.value.path) == (text, path)
