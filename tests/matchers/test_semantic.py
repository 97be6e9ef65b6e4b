from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest
from cosines import MEASURED, Cosines

from pytest_toolsandbox.matchers import MatcherMistake, Reading, read
from pytest_toolsandbox.matchers.embedding import EmbedderError, using

LATE = "Sorry, I'm late"


@pytest.fixture
def embedder() -> Iterator[Cosines]:
    """All that is not the same is as near to ``LATE`` as its number of dots says, in tenths."""
    dots = {"." * count: count / 10 for count in range(1, 11)}
    embedder = Cosines(LATE, {**dots, "Meet me at 5": 0.9, "5": 0.9})
    with using(embedder):
        yield embedder


@pytest.mark.parametrize(
    ("text", "score", "reached"),
    [
        ("See you at 5pm", 1, True),
        ("Meet you at five in the afternoon", 0.713, True),
        ("See you at 6pm", 0, False),
    ],
)
def test_a_time_that_is_another_one_is_seen(text: str, score: float, reached: bool) -> None:
    assert (
        MEASURED.cosines["See you at 6pm"] > MEASURED.cosines["Meet you at five in the afternoon"]
    )
    expected = read({"semantic": "See you at 5pm"})
    with using(MEASURED):
        assert expected.similarity(text) == pytest.approx(score)
        assert expected.reached(text) is reached


@pytest.mark.parametrize(("dots", "reached"), [(4, False), (5, True), (6, True)])
def test_the_usual_threshold_is_a_half_inclusive(
    embedder: Cosines, dots: int, reached: bool
) -> None:
    expected = read({"semantic": LATE})
    assert expected.threshold == 0.5
    assert expected.similarity("." * dots) == pytest.approx(dots / 10)
    assert expected.reached("." * dots) is reached
    assert embedder.asked == [[LATE, "." * dots]]


@pytest.mark.parametrize("value", [None, 5, True, 0.5, [LATE], {"text": LATE}, "", " \n"])
def test_what_has_no_words_scores_nothing(value: Any) -> None:
    assert read({"semantic": LATE}).similarity(value) == 0
    assert read({"semantic": LATE}).explain(value) is None


@pytest.mark.parametrize("text", [LATE, "See you at 5pm", "👍", " ok "])
def test_the_same_text_needs_no_embedder(text: str) -> None:
    assert read({"semantic": text}).similarity(text) == 1


def test_a_text_that_lacks_a_detail_needs_none_either(embedder: Cosines) -> None:
    assert read({"semantic": "See you at 5pm"}).similarity("See you at 6pm") == 0
    assert embedder.asked == []


def test_any_other_text_needs_one() -> None:
    expected = read({"not": {"any_of": ["a", {"semantic": LATE}]}})
    assert not expected.reached(LATE)
    with pytest.raises(EmbedderError, match=r"^the matcher 'semantic' needs an embedder: "):
        expected.reached("I overslept")


@pytest.mark.usefixtures("embedder")
def test_details_that_are_more_than_asked_for_do_not_matter() -> None:
    assert read({"semantic": LATE}).similarity("Meet me at 5") == pytest.approx(0.9)


@pytest.mark.usefixtures("embedder")
def test_a_number_is_no_text_but_a_text_may_be_a_number() -> None:
    assert read({"semantic": LATE}).similarity("5") == pytest.approx(0.9)
    assert read({"semantic": LATE}).similarity(5) == 0


def test_it_is_described_with_a_threshold_that_is_not_the_usual_one() -> None:
    assert read({"semantic": "See you at 5"}).describe() == "means 'See you at 5'"
    strict = read({"semantic": {"text": "See you at 5", "threshold": 0.9}})
    assert strict.describe() == "means 'See you at 5' (at least 0.9)"


def test_what_is_missing_is_explained() -> None:
    expected = read({"semantic": "Dinner for two on Friday at 5 pm"})
    assert expected.explain("Dinner for three on Friday at 6 pm") == "missing: two, 5 pm"
    assert expected.explain("Dinner for 2: Friday, 17:00") is None
    assert read({"any_of": [{"semantic": "at 5 pm"}]}).explain("at 6") == "missing: 5 pm"


@pytest.mark.parametrize(
    ("expected", "reading", "threshold"),
    [
        ({"semantic": "a"}, Reading(thresholds={"semantic": 0.7}), 0.7),
        ({"semantic": "a"}, Reading(thresholds={"rouge_l": 0.7}), 0.5),
        ({"semantic": "a"}, Reading(thresholds={"semantic": 0.7}, threshold=0), 0),
        ({"semantic": {"text": "a", "threshold": 0}}, Reading(threshold=0.8), 0),
        ("a", Reading(own="semantic", threshold=0.8), 0.8),
    ],
)
def test_the_nearest_threshold_counts(expected: Any, reading: Reading, threshold: float) -> None:
    assert read(expected, reading).threshold == threshold


@pytest.mark.parametrize("literal", [None, 5, True, "", " ", [1], {"text": "a"}])
def test_a_bare_value_that_is_no_text_is_exact_where_it_is_the_measure(literal: Any) -> None:
    assert read(literal, Reading(own="semantic")).name == "exact"
    assert read("a", Reading(own="semantic")).name == "semantic"


@pytest.mark.parametrize(
    ("argument", "text", "path"),
    [
        (5, "expected text, found the number 5; put it in quotes: '5'", ()),
        (None, "expected text, found null", ()),
        ("", "expected text, found an empty text", ()),
        (" \n", "expected text, found an empty text", ()),
        (["a"], "expected text, found a list of 1", ()),
        ({}, "expected {text, threshold}; text is missing", ()),
        ({"text": " "}, "expected text, found an empty text", ("text",)),
        (
            {"text": "a", "treshold": 0.5},
            "unknown key 'treshold'; did you mean 'threshold'? (allowed: text, threshold)",
            ("treshold",),
        ),
        (
            {"text": "a", "threshold": 1.5},
            "expected a number from 0 to 1, found the number 1.5",
            ("threshold",),
        ),
    ],
)
def test_mistakes(argument: Any, text: str, path: tuple[str, ...]) -> None:
    with pytest.raises(MatcherMistake) as caught:
        read({"semantic": argument})
    assert (str(caught.value), caught.value.path) == (text, ("semantic", *path))


def test_reading_it_costs_no_import() -> None:
    program = """
import sys
from pytest_toolsandbox.matchers import read
assert read({"semantic": "See you at 5"}).similarity("See you at 5") == 1
assert not {"numpy", "httpx", "litellm", "pytest_toolsandbox.text.quantities"} & set(sys.modules)
"""
    subprocess.run([sys.executable, "-c", program], check=True)


def test_numbers_dates_and_times_are_the_same() -> None:
    matcher = read({"semantic": "Tell Ada that the party is on Friday"})
    with using(lambda texts: [[1.0] for _ in texts]):
        assert matcher.similarity("Let Ada know: the party is on Friday") == 1
        assert matcher.similarity("Tell Ada that the party is on Sunday") == 0
        assert matcher.explain("Tell Ada that the party is on Sunday") == "missing: Friday"
