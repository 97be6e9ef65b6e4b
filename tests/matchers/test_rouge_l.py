from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st
from rouge_score.rouge_scorer import RougeScorer
from rows import every

from pytest_toolsandbox.matchers import MatcherMistake, Reading, read
from pytest_toolsandbox.matchers.rouge_l import _f1, rouge_l

SCORER = RougeScorer(["rougeL"], use_stemmer=True)
STEMS = ["run", "happi", "nation", "argu", "relat", "sky", "die", "generous", "Text", "ADA", "x1"]
ENDINGS = ["", "s", "es", "ed", "ing", "ly", "ment", "ational", "iveness", "ies", "y", "'s", "ly."]
words = st.builds(str.__add__, st.sampled_from(STEMS), st.sampled_from(ENDINGS))
sentences = st.lists(words, max_size=12).map(" ".join)
ascii_texts = st.text(st.characters(max_codepoint=127), max_size=40)


@settings(deadline=None, max_examples=300)
@given(st.one_of(sentences, ascii_texts), st.one_of(sentences, ascii_texts))
def test_it_is_the_rouge_l_of_rouge_score(expected: str, text: str) -> None:
    reference = SCORER.score(expected, text)["rougeL"].fmeasure
    wanted = 1.0 if expected == text else reference
    assert rouge_l(expected, text) == pytest.approx(wanted, abs=1e-12)


@settings(deadline=None)
@given(st.text(), st.text())
def test_it_is_symmetric_in_the_unit_interval_and_one_for_the_same(text: str, other: str) -> None:
    assert rouge_l(text, other) == rouge_l(other, text)
    assert 0 <= rouge_l(text, other) <= 1
    assert rouge_l(text, text) == 1


@every(
    ("expected", "text", "score"),
    [
        ("", "", 1),
        ("?!", "?!", 1),
        ("👍", "👍", 1),
        ("", "word", 0),
        ("?!", "!?", 0),
        ("👍", "👎", 0),
        ("The keys.", "the KEYS", 1),
        ("keys are lost", "key is losing", 1 / 3),
        ("has been sent", "has not been sent", 6 / 7),
        ("the message", "message", 2 / 3),
        ("a b c", "c b a", 1 / 3),
        ("snake_case", "snake case", 1),
        ("don't", "don t", 1),
        ("$12.50", "12 50", 1),
        # A letter outside of ASCII in either text: words of every script count in both.
        ("café", "CAFÉ", 1),
        ("cafe", "café", 0),
        ("caf", "café", 0),
        ("мама мыла раму", "мама мыла окно", 2 / 3),
        ("два messages", "два message", 1),
        ("日本 東京", "日本 大阪", 1 / 2),
        ("مرحبا يا آدا", "مرحبا", 1 / 2),
        ("привет_мир", "привет мир", 1),
        # No letter, so rouge_score's words.
        ("20 m²", "20 m", 1),
        ("done ✓", "done", 1),
        ("\u0665 apples", "apples", 1),
    ],
)
def test_scores(expected: str, text: str, score: float) -> None:
    assert read({"rouge_l": expected}).similarity(text) == pytest.approx(score, abs=1e-12)


def test_of_long_texts_beginning_and_end_are_read() -> None:
    half = " ".join(f"word{number}" for number in range(2000))
    there, other = (f"{half} {word * 9000} {half}" for word in ("here ", "else "))
    assert rouge_l(there, other) == 1
    assert rouge_l(half, f"{half} {'here ' * 300_000} {half}") < 0.02


@pytest.mark.parametrize("value", [None, 5, True, 0.5, ["blue pot"], {"text": "blue pot"}])
def test_what_is_no_text_scores_nothing(value: Any) -> None:
    assert read({"rouge_l": "blue pot 5"}).similarity(value) == 0


def test_the_usual_threshold_is_a_half_inclusive() -> None:
    expected = read({"rouge_l": "one two"})
    assert expected.threshold == 0.5
    assert expected.similarity("one three") == 0.5
    assert expected.reached("one three")
    assert not expected.reached("three one four")


@pytest.mark.parametrize(
    ("expected", "reading", "threshold"),
    [
        ({"rouge_l": "a"}, Reading(thresholds={"rouge_l": 0.7}), 0.7),
        ({"rouge_l": "a"}, Reading(thresholds={"mentions": 0.7}), 0.5),
        ({"rouge_l": "a"}, Reading(thresholds={"rouge_l": 0.7}, threshold=0), 0),
        ({"rouge_l": {"text": "a"}}, Reading(threshold=0.8), 0.8),
        ({"rouge_l": {"text": "a", "threshold": 0}}, Reading(threshold=0.8), 0),
        ("a", Reading(own="rouge_l", threshold=0.8), 0.8),
        ("a", Reading(own="rouge_l", thresholds={"rouge_l": 0.7}), 0.7),
    ],
)
def test_the_nearest_threshold_counts(expected: Any, reading: Reading, threshold: float) -> None:
    assert read(expected, reading).threshold == threshold


@pytest.mark.parametrize("literal", [None, 5, True, "", "?!", "👍", [1], {"text": "a"}])
def test_a_bare_value_without_words_is_exact_where_rouge_l_is_the_measure(literal: Any) -> None:
    expected = read(literal, Reading(own="rouge_l"))
    assert expected.name == "exact"
    assert expected.similarity(literal) == 1
    assert expected.similarity("?") == 0


@pytest.mark.parametrize("literal", ["Ada", "5", "é", "日", "\u0665", "²"])
def test_any_other_bare_text_is_rouge_l_there(literal: str) -> None:
    assert read(literal, Reading(own="rouge_l")).name == "rouge_l"


@pytest.mark.parametrize(
    ("argument", "text", "path"),
    [
        (5, "expected text, found the number 5; put it in quotes: '5'", ()),
        (None, "expected text, found null", ()),
        (["a"], "expected text, found a list of 1", ()),
        ({}, "expected {text, threshold}; text is missing", ()),
        ({"text": True}, "expected text, found the boolean true", ("text",)),
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
        (
            {"text": "a", "threshold": True},
            "expected a number from 0 to 1, found the boolean true",
            ("threshold",),
        ),
        (
            {"text": "a", "threshold": float("nan")},
            "expected a number from 0 to 1, found the number .nan",
            ("threshold",),
        ),
    ],
)
def test_mistakes(argument: Any, text: str, path: tuple[str, ...]) -> None:
    with pytest.raises(MatcherMistake) as caught:
        read({"rouge_l": argument})
    assert (str(caught.value), caught.value.path) == (text, ("rouge_l", *path))


def test_it_is_described_with_a_threshold_that_is_not_the_usual_one() -> None:
    assert read({"rouge_l": "blue pot"}).describe() == "like 'blue pot'"
    strict = read({"rouge_l": {"text": "blue pot", "threshold": 0.9}})
    assert strict.describe() == "like 'blue pot' (at least 0.9)"
    assert strict.explain("red pot") is None


def test_texts_of_the_same_words_cost_no_import() -> None:
    program = """
import sys
from pytest_toolsandbox.matchers import read
expected = read({"rouge_l": "Turn off the lights."})
assert [expected.similarity(t) for t in (expected.text, "turn off the lights", "")] == [1, 1, 0]
assert "rapidfuzz" not in sys.modules
"""
    subprocess.run([sys.executable, "-c", program], check=True)


def test_the_same_two_texts_are_compared_once() -> None:
    """Of a table that grows each row is met at every snapshot."""
    matcher = read({"rouge_l": "the blue pot at the door"}, Reading())
    _f1.cache_clear()
    for _ in range(3):
        assert not matcher.reached("a red kettle on the stove")
    assert _f1.cache_info().misses == 1


def test_a_text_of_very_many_words_is_none_to_compare_with() -> None:
    assert read({"rouge_l": "word " * 500}, Reading()).reached("word " * 500)
    with pytest.raises(MatcherMistake) as caught:
        read({"rouge_l": {"text": "word " * 501}}, Reading())
    assert caught.value.path == ("rouge_l", "text")
    assert str(caught.value) == (
        "501 words are too many to compare; at most 500 are allowed: write the part that "
        "matters, or use mentions"
    )
