"""``number`` and ``close``."""

from __future__ import annotations

import math
from typing import Any

import pytest
from rows import every

from pytest_toolsandbox.matchers import MatcherMistake, read


@every(
    ("to", "within", "value", "score"),
    [
        (68, 0, "It is 68°F today.", 1),
        (20, 0.5, "It is 20.4 degrees.", 1),
        (20, 0.5, "It is 20.5 degrees.", 1),
        (20, 0.5, "It is 20.51 degrees.", 0),
        (0.3, 0.1, "0.4", 1),
        (1500, 0, "You walked 1,500 steps.", 1),
        (12.5, 0, "between 3 and 12.50", 1),
        (-5, 0, "It is -5 outside.", 1),
        (5, 0, "It is -5 outside.", 0),
        (5, 1, "At 5:30.", 0),
        (5, 0, "five", 0),
        (5, 0, "", 0),
        (5, 0, 5, 1),
        (5, 0.5, 5.5, 1),
        (5, 0.5, 5.6, 0),
        (1, 0, True, 0),
        (0, 0, None, 0),
        (5, 5, math.nan, 0),
        (5, 5, math.inf, 0),
        (5, 5, [5], 0),
        (5, 0, "\u0665", 1),
    ],
)
def test_scores(to: float, within: float, value: Any, score: float) -> None:
    expected = read({"number": {"to": to, "within": within}})
    assert expected.similarity(value) == score
    assert expected.reached(value) is bool(score)


def test_it_is_the_very_number_unless_told() -> None:
    assert read({"number": {"to": 5}}).similarity("5.0 left") == 1
    assert read({"number": {"to": 5}}).similarity("5.01 left") == 0


@pytest.mark.parametrize(
    ("argument", "text", "path"),
    [
        (5, "expected {to, within}, found the number 5", ()),
        ({"within": 5}, "expected {to, within}; to is missing", ()),
        ({"to": "5"}, "expected a number, found the text '5'", ("to",)),
        ({"to": math.inf}, "expected a finite number, found the number .inf", ("to",)),
        (
            {"to": 5, "within": -0.5},
            "expected a number that is at least 0, found the number -0.5",
            ("within",),
        ),
        (
            {"to": 5, "withn": 1},
            "unknown key 'withn'; did you mean 'within'? (allowed: to, within)",
            ("withn",),
        ),
    ],
)
def test_mistakes(argument: Any, text: str, path: tuple[str, ...]) -> None:
    with pytest.raises(MatcherMistake) as caught:
        read({"number": argument})
    assert (str(caught.value), caught.value.path) == (text, ("number", *path))


def test_it_is_described() -> None:
    assert read({"number": {"to": 5, "within": 0.5}}).describe() == "number 5 ± 0.5"
    assert read({"number": {"to": 5}}).describe() == "number 5"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("It is 68 or 70.5.", "numbers found: 68, 70.5"),
        ("no idea", "no number found"),
        (None, "no number found"),
        (7, "numbers found: 7"),
        (" ".join(map(str, range(10, 30))), "numbers found: 10, 11, 12, 13, 14, 15, 16, 17"),
        ("5", None),
    ],
)
def test_it_explains_what_it_found_instead(value: Any, text: str | None) -> None:
    assert read({"number": {"to": 5}}).explain(value) == text


HUGE = 10**400


@every(
    ("to", "within", "value", "score"),
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
def test_scores_of_close(to: float, within: float, value: Any, score: float) -> None:
    expected = read({"close": {"to": to, "within": within}})
    assert expected.similarity(value) == score
    assert expected.reached(value) is bool(score)


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
def test_mistakes_of_close(argument: Any, text: str, path: tuple[str, ...]) -> None:
    with pytest.raises(MatcherMistake) as caught:
        read({"close": argument})
    assert (str(caught.value), caught.value.path) == (text, ("close", *path))


def test_close_is_described() -> None:
    assert read({"close": {"to": 5, "within": 0.5}}).describe() == "5 ± 0.5"
    assert read({"close": {"to": 37.25, "within": 0}}).describe() == "37.25"
    assert read({"close": {"to": math.inf, "within": 0}}).describe() == ".inf"
