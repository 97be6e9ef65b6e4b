from __future__ import annotations

import math
from typing import Any

import pytest
from rows import every

from pytest_toolsandbox.matchers import MatcherMistake, read


@every(
    ("to", "within", "found", "score"),
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
def test_scores(to: float, within: float, found: Any, score: float) -> None:
    expected = read({"number": {"to": to, "within": within}})
    assert expected.similarity(found) == score
    assert expected.reached(found) is bool(score)


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
    ("found", "text"),
    [
        ("It is 68 or 70.5.", "numbers found: 68, 70.5"),
        ("no idea", "no number found"),
        (None, "no number found"),
        (7, "numbers found: 7"),
        (" ".join(map(str, range(10, 30))), "numbers found: 10, 11, 12, 13, 14, 15, 16, 17"),
        ("5", None),
    ],
)
def test_it_explains_what_it_found_instead(found: Any, text: str | None) -> None:
    assert read({"number": {"to": 5}}).explain(found) == text
