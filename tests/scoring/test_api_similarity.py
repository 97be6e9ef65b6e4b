"""How alike the names of tools are."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st
from rows import every

from pytest_toolsandbox.scoring.error_patterns.patterns import api_similarity


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
def test_it_is_a_share_and_needs_no_order(names: list[str]) -> None:
    found = api_similarity(names)
    assert found is not None
    assert 0 <= found <= 1
    assert api_similarity(names[::-1]) == found


@given(NAMES)
def test_a_word_that_all_share_changes_nothing(names: list[str]) -> None:
    assert api_similarity([f"shared_{name}" for name in names]) == api_similarity(names)
