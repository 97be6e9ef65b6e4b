from __future__ import annotations

import contextlib
import re
import warnings
from typing import Any

import pytest

from pytest_toolsandbox.text import regular_expression
from pytest_toolsandbox.text.regular_expression import (
    RegularExpression,
    SlowSearchError,
    few_seconds,
)

A = "a" * 5_000 + "!"
WORDS = "word " * 1_000 + "!"


@pytest.mark.parametrize(
    ("text", "searched"),
    [
        ("(a+)+$", A),
        ("(a|aa)+$", A),
        ("([a-z]+)*\\d", A),
        ("(\\w+\\s*)+:", WORDS),
        ("(\\s*\\w*\\s*)*;", WORDS),
        ("(.*)*x", A),
        ("(?=(a+)+$)x", A),
        ("w.*o.*r.*d.*w.*x.*o", WORDS),
    ],
)
def test_every_search_ends(text: str, searched: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(regular_expression, "SECONDS", 0.05)
    with contextlib.suppress(SlowSearchError):
        assert not RegularExpression.read(text).is_found_in(searched)


def test_a_search_that_takes_too_long_is_no_verdict(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(regular_expression, "SECONDS", 0.05)
    with pytest.raises(SlowSearchError) as caught:
        RegularExpression.read("(a+)+$").is_found_in(A)
    assert str(caught.value) == (
        "the regular expression '(a+)+$' was given up after 0.05 seconds in a text of 5,001 "
        "characters; write it without a repetition inside another one, as in (a+)+"
    )


@pytest.mark.parametrize(
    "text",
    [
        r"x{e}",
        r"x{e<=1}",
        r"x\{e}",
        r"x[{]i}",
        r"x{}",
        r"x{,}",
        r"x{,2}y",
        r"x{2}y",
        r"x{1,2}y",
        r"\N{LATIN SMALL LETTER X}{s}",
        r"(?i)X\b",
        r"(?<!\w)x(?=y)",
        r"(?s)x.y",
        r"(x)\1",
        r"^x$",
        r"(?x) x # {e}",
        r"x*+y",
        r"(?>x+)y",
        r"(?P<a>x)(?(a)y|z)",
        r"[]x]y",
        r"[^]x]y",
        r"\[[:x]|x",
        r"[:x:]y",
        r"(x{300}){0,300}y",
    ],
)
@pytest.mark.parametrize(
    "searched",
    ["x", "y", "xy", "xx", "xxy", "z", "X", "x{e}", "x{e<=1}", "x{i}", "x{}", "x{s}", "x\ny", "]y"],
)
def test_patterns_mean_what_they_mean_to_python(text: str, searched: str) -> None:
    expected = re.search(text, searched) is not None
    assert RegularExpression.read(text).is_found_in(searched) is expected


def test_case_may_be_ignored() -> None:
    assert RegularExpression.read("which", ignore_case=True).is_found_in("Which one?")
    assert not RegularExpression.read("which").is_found_in("Which one?")


def test_a_mistake_is_said_in_pythons_words() -> None:
    with pytest.raises(ValueError, match=r"^'\(' is not a regular expression: missing \)"):
        RegularExpression.read("(")


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("(((a{100}){100}){100}){100}", "repeats 100,000,000 times, "),
        ("(?:(?:a{0,400})+?|b){300,}", "repeats 120,000 times, "),
        ("(a)(?(1)(?=(b{1000}){101})|c)", "repeats 101,000 times, "),
        ("[[:alpha:]]+", "has a POSIX class ([[:…), which Python's regular expressions lack;"),
        ("[^-[:digit:]]", "has a POSIX class ([[:…), which Python's regular expressions lack;"),
    ],
)
def test_what_the_engine_cannot_take_is_a_mistake(text: str, problem: str) -> None:
    with pytest.raises(ValueError, match=re.escape(f"'{text}' {problem}")):
        RegularExpression.read(text)


def test_a_mistake_of_the_engine_has_a_remedy() -> None:
    with pytest.raises(ValueError, match=r"others; at most 100,000 are allowed$"):
        RegularExpression.read("(a{1000}){1000}")
    with pytest.raises(ValueError, match=r"…' has 10,001 characters; at most 10,000 are allowed$"):
        RegularExpression.read("a" * 10_001)
    with pytest.raises(ValueError, match=r"; write \\w, \\d, \\s or a range such as \[a-z\]$"):
        RegularExpression.read("[[:alpha:]]")


@pytest.mark.parametrize("action", ["error", "always", "ignore"])
@pytest.mark.parametrize("text", ["[[a]b]", "[a--b]", "[a||b]", "[a&&b]", "[a~~b]"])
def test_a_warning_of_python_is_a_mistake_of_the_pattern(text: str, action: Any) -> None:
    """The filters of the run change nothing, and are as they were."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter(action)
        before = [*warnings.filters]
        with pytest.raises(ValueError, match=r"not a regular expression: Possible (nested )?set"):
            RegularExpression.read(text)
        assert [*warnings.filters] == before
    assert caught == []


def test_the_searches_of_a_conversation_have_together_what_one_has(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(regular_expression, "SECONDS", 0.3)
    texts = [f"{'x' * 150}{number}" for number in range(1000)]
    pattern = RegularExpression.read("x.*x.*xyz")
    assert not any(map(pattern.is_found_in, texts[:2]))  # each of them in a fraction of that
    with pytest.raises(SlowSearchError) as caught, few_seconds():
        any(map(pattern.is_found_in, texts))
    assert "was given up after 0.3 seconds, with the others of this" in str(caught.value)
