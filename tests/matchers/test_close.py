from __future__ import annotations

import math
from typing import Any

import pytest
from rows import every

from pytest_toolsandbox.matchers import MatcherMistake, read

HUGE = 10**400


@every(
    ("to", "within", "found", "score"),
    [
        (5, 0.5, 5, 1),
        (5, 0.5, 5.5, 1),
        (5, 0.5, 4.5, 1),
        (5, 0.5, 5.500001, 0),
        (5, 0, 5.0, 1),
        (5, 0, 5.000001, 0),
        (-5, 1, -6, 1),
        (-5, 1, 5, 0),
        # Inclusive as written, though the difference of the floats is a little more.
        (0.3, 0.1, 0.4, 1),
        (1e9, 1, 1e9 + 2, 0),
        (1700000000.0, 5, 1700000005, 1),
        (1, 1e-20, 1, 1),
        (math.inf, 0, math.inf, 1),
        (-math.inf, 0, -math.inf, 1),
        (math.inf, 5, -math.inf, 0),
        (math.inf, 5, 1e308, 0),
        (1e308, 5, math.inf, 0),
        (5, 0.5, math.nan, 0),
        (HUGE, 1, HUGE + 1, 1),
        (HUGE, 1, 1.5, 0),
        (1.5, 1, HUGE, 0),
        (1, 5, True, 0),
        (0, 5, False, 0),
        (5, 5, None, 0),
        (5, 5, "5", 0),
        (5, 5, [5], 0),
    ],
)
def test_scores(to: float, within: float, found: Any, score: float) -> None:
    expected = read({"close": {"to": to, "within": within}})
    assert expected.similarity(found) == score
    assert expected.reached(found) is bool(score)


@every(
    ("argument", "text", "path"),
    [
        (5, "expected {to, within}, found the number 5", ()),
        ({"to": 5}, "expected {to, within}; within is missing", ()),
        ({"within": 5}, "expected {to, within}; to is missing", ()),
        ({"to": "5", "within": 1}, "expected a number, found the text '5'", ("to",)),
        ({"to": True, "within": 1}, "expected a number, found the boolean true", ("to",)),
        ({"to": math.nan, "within": 1}, "expected a number, found the number .nan", ("to",)),
        (
            {"to": 5, "within": -1},
            "expected a number that is at least 0, found the number -1",
            ("within",),
        ),
        (
            {"to": 5, "within": math.inf},
            "expected a finite number, found the number .inf",
            ("within",),
        ),
        ({"to": 5, "within": None}, "expected a number, found null", ("within",)),
        ({"to": 5, "by": 1}, "unknown key 'by' (allowed: to, within)", ("by",)),
    ],
)
def test_mistakes(argument: Any, text: str, path: tuple[str, ...]) -> None:
    with pytest.raises(MatcherMistake) as caught:
        read({"close": argument})
    assert (str(caught.value), caught.value.path) == (text, ("close", *path))


def test_it_is_described() -> None:
    assert read({"close": {"to": 5, "within": 0.5}}).describe() == "5 ± 0.5"
    assert read({"close": {"to": 37.25, "within": 0}}).describe() == "37.25"
    assert read({"close": {"to": math.inf, "within": 0}}).describe() == ".inf"
