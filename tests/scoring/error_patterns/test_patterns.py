"""How alike the names of tools are."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

import pytest
from hypothesis import given, strategies as st
from rows import every

from pytest_toolsandbox.language.error_patterns import PATTERNS
from pytest_toolsandbox.scoring.error_patterns.patterns import MAX_CALLS, api_similarity


@every(
    ("names", "similarity"),
    [
        ([], None),
        (["search"], None),
        (["search", "weigh"], 0.0),
        (["search_films", "search_actors"], 0.0),  # what all share tells nothing apart
        (["search_films", "search_actors", "weigh"], 1 / 9),
        (["get_film", "getFilm"], 1.0),
        (["get_film_by_id", "get_film_by_title", "weigh"], 0.2),
        (["HTTPGet", "http_get", "list"], 1 / 3),
        (["step_1", "step_2"], 0.0),
        (["Über_uns", "über"], 0.0),
        (["_", "__"], 1.0),
    ],
)
def test_names(names: list[str], similarity: float | None) -> None:
    assert api_similarity(names) == (None if similarity is None else pytest.approx(similarity))


NAMES = st.lists(st.from_regex(r"[a-c](_[a-c]){0,3}", fullmatch=True), min_size=2, unique=True)


@given(NAMES)
def test_api_similarity_is_from_0_to_1_and_ignores_the_order_and_words_that_all_share(
    names: list[str],
) -> None:
    similarity = api_similarity(names)
    assert similarity is not None
    assert 0 <= similarity <= 1
    assert api_similarity(names[::-1]) == similarity
    assert api_similarity([f"shared_{name}" for name in names]) == similarity


PAGE = (Path(__file__).parents[3] / "docs" / "error-patterns.md").read_text(encoding="utf-8")


def test_the_session_is_a_real_one() -> None:
    examples = doctest.DocTestParser().get_doctest(PAGE, {}, "error-patterns.md", None, None)
    result = doctest.DocTestRunner().run(examples)
    assert result.failed == 0
    assert result.attempted == 14


def test_the_patterns_stand_there_in_their_order() -> None:
    rows = re.findall(r"^\| ([A-Z]{3}) \| ([^|]+) \|", PAGE, re.MULTILINE)
    assert rows == [(pattern, definition.name) for pattern, definition in PATTERNS.items()]
    assert f"`max_calls`, {MAX_CALLS} unless" in PAGE
