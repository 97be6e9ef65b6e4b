from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import pytest
from hypothesis import given, strategies as st
from rows import every

from pytest_toolsandbox.matchers import Matcher, Reading, read
from pytest_toolsandbox.scoring.milestones.comparison import (
    FULL,
    NOTHING,
    Comparison,
    Target,
    combined,
    compare_value,
    geometric_mean,
    no_match,
)
from pytest_toolsandbox.scoring.milestones.rows import compare_rows
from pytest_toolsandbox.scoring.results import Difference
from pytest_toolsandbox.worlds.state import Row


@dataclass(frozen=True)
class Scored(Matcher):
    """Finds in a mapping how well it agrees with it; 1/2 is enough."""

    key: str
    threshold: float = 0.5

    @classmethod
    def read(cls, argument: Any, _: Reading) -> Self:
        return cls(argument)

    def similarity(self, value: Any) -> float:
        return float(value[self.key])

    def describe(self) -> str:
        return f"<{self.key}>"


def cell(*expected: Any) -> list[Matcher]:
    return [read(value) for value in expected]


def target(**cells: Any) -> Target:
    return Target({name: cell(expected) for name, expected in cells.items()})


# values


def test_a_value_that_agrees_is_a_full_match_without_differences() -> None:
    assert compare_value("name", cell("Ada"), "Ada") is FULL
    alternatives = cell({"mentions": ["red", "jug"]}, {"mentions": ["blue", "pot"]}, {"exact": "x"})
    assert compare_value("text", alternatives, "the blue pot") is FULL
    (difference,) = compare_value("text", alternatives, "the blue jar").differences
    assert difference.expected == "mentions blue, pot"


@every(
    ("compared", "difference"),
    [
        (compare_value("name", cell("Ada"), "Bob"), ("'Ada'", "Bob", 0.0, None, 1.0)),
        (
            compare_value("amount", [], None),
            ("a value from the result of another milestone's call", None, 0.0, "there is none"),
        ),
        (
            compare_value("place", cell("here"), Row({"at": [1, {"b": 2}]})),
            ("'here'", {"at": [1, {"b": 2}]}, 0.0, None, 1.0),
        ),
        (no_match("name", cell("Ada", "Bob"), note="not given"),
         ("'Ada' or 'Bob'", None, 0.0, "not given")),
        (target(name=None).compare(Row({"age": 36})), ("null", None, 0.0)),
    ],
)  # fmt: skip
def test_a_value_that_does_not_match_says_what_was_expected(
    compared: Comparison, difference: tuple[Any, ...]
) -> None:
    assert compared == NOTHING
    (only,) = compared.differences
    assert only == Difference(only.where, *difference)


def test_a_graded_value_has_its_similarity_and_its_note() -> None:
    compared = compare_value("text", cell({"mentions": ["blue", "pot"]}), "a blue jug")
    assert compared.similarity == compared.nearness == 0.5
    assert not compared.reached
    assert compared.differences == (
        Difference("text", "mentions blue, pot", "a blue jug", 0.5, "missing: pot"),
    )


def test_a_graded_value_may_be_good_enough_and_still_differ() -> None:
    compared = compare_value("text", cell({"rouge_l": "the blue pot"}), "the blue jug")
    assert compared.reached
    assert compared.similarity == pytest.approx(2 / 3)
    assert len(compared.differences) == 1


@every(
    ("expected", "value", "similarity"),
    [
        (None, None, 1),
        (None, 0, 0),
        (None, "", 0),
        (None, False, 0),
        (0, None, 0),
        ("", None, 0),
        (25, 25.0, 1),
        (1, True, 0),
        (math.nan, math.nan, 1),
        ([1, 2], (1, 2), 1),
        ({"rouge_l": "!!"}, "!!", 1),
        ({"rouge_l": "!!"}, "??", 0),
        ({"rouge_l": "x"}, None, 0),
        ({"close": {"to": 5, "within": 0.5}}, 5.5, 1),
        ({"close": {"to": 5, "within": 0.5}}, None, 0),
        ({"contains": "Pot"}, "Pots", 1),
        ({"contains": "Pot"}, "pots", 0),
        ({"anything": True}, None, 1),
    ],
)
def test_cells_by_their_measure(expected: Any, value: Any, similarity: float) -> None:
    assert compare_value("cell", cell(expected), value).similarity == similarity


# parts


@pytest.mark.parametrize(
    ("similarities", "mean"),
    [
        ([], 1),
        ([0.3], 0.3),
        ([1, 1, 1], 1),
        ([0.25, 1], 0.5),
        ([0.5, 0.5], 0.5),
        ([1, 0, 1], 0),
        ([0.1, 0.2, 0.4], 0.2),
    ],
)
def test_the_geometric_mean(similarities: list[float], mean: float) -> None:
    assert geometric_mean(similarities) == pytest.approx(mean)


def test_parts_together() -> None:
    first, second = Difference("a", "1", 2, 0.0), Difference("b", "1", 2, 0.0)
    parts = [
        Comparison(0.25, True, 0.25, lambda: (first,)),
        Comparison(1.0, True, 0.5),
        Comparison(0.5, False, 0.75, lambda: (second,)),
    ]
    compared = combined(parts)
    assert compared == Comparison(0.5, False, 0.5)
    assert compared.differences == (first, second)
    assert combined([]) is FULL
    assert combined(parts[:1]) is parts[0]


# rows


def test_only_the_columns_of_the_target_count() -> None:
    row = Row({"name": "Ada", "age": 36, "text": "the blue jug"})
    assert target(name="Ada").compare(row) == FULL
    assert target().compare(row) is FULL
    assert target(name="Ada", age=35).compare(row).similarity == 0
    graded = target(text={"mentions": ["blue", "jug", "red", "pot"]}, age=36)
    assert graded.compare(row).similarity == pytest.approx(0.5**0.5)


def test_a_target_keeps_what_it_was_compared_with() -> None:
    wanted = target(name="Ada")
    row, equal = Row({"name": "Ada"}), Row({"name": "Ada"})
    assert wanted.compare(row) is wanted.compare(row)
    assert wanted.compare(row) == wanted.compare(equal) == target(name="Ada").compare(row)
    assert wanted.compare(Row({"name": "Ben"})).similarity == 0


def test_a_target_in_words() -> None:
    cells = Target({**target(name="Ada", age={"close": {"to": 36, "within": 1}}), "when": []})
    assert cells.describe() == (
        "name: 'Ada', age: 36 ± 1, when: a value from the result of another milestone's call"
    )


@pytest.mark.parametrize("all_rows", [True, False])
@pytest.mark.parametrize(
    ("targets", "rows", "similarity"),
    [
        ([], [], 1),
        ([{"a": 1}], [{"a": 1}], 1),
        ([{"a": 1}], [{"a": 2}], 0),
        ([{"a": 1}], [], 0),
        ([{"a": 1}, {"a": 1}], [{"a": 1}], 0),
        ([{"a": 1}, {"a": 2}], [{"a": 2}, {"a": 1}], 1),
        ([{"a": 1}, {"a": 1}], [{"a": 1}, {"a": 1}], 1),
        ([{"a": 1}, {"a": 1}], [{"a": 1}, {"a": 2}], 0),
        # what feasible both is kept for the one that has nothing else
        ([{"a": {"anything": True}}, {"a": 1}], [{"a": 1}, {"a": 2}], 1),
        ([{"a": {"mentions": ["x", "y"]}}, {"a": "x"}], [{"a": "x y"}, {"a": "x"}], 1),
        ([{"a": {"mentions": ["x", "y"]}}, {"a": "x"}], [{"a": "x"}, {"a": "x"}], 0.5**0.5),
    ],
)
def test_as_many_rows_as_targets(
    targets: list[Mapping[str, Any]],
    rows: list[Mapping[str, Any]],
    similarity: float,
    *,
    all_rows: bool,
) -> None:
    compared = compare_rows([target(**t) for t in targets], list(map(Row, rows)), all_rows=all_rows)
    assert compared.similarity == pytest.approx(similarity)
    assert compared.reached == (similarity == 1)


@pytest.mark.parametrize(
    ("targets", "rows", "similarity"),
    [
        ([], [{"a": 1}], 1),
        ([{"a": 1}], [{"a": 2}, {"a": 1}], 1),
        ([{"a": 1}, {"a": 1}], [{"a": 1}, {"a": 2}, {"a": 1}], 1),
        ([{"a": 1}, {"a": 1}], [{"a": 1}, {"a": 2}, {"a": 3}], 0),
        ([{"a": {"mentions": ["x", "y"]}}], [{"a": "z"}, {"a": "x"}, {"a": "z"}], 0.5),
    ],
)
def test_more_rows_than_targets(
    targets: list[Mapping[str, Any]], rows: list[Mapping[str, Any]], similarity: float
) -> None:
    cells, table = [target(**t) for t in targets], list(map(Row, rows))
    assert compare_rows(cells, table, all_rows=False).similarity == pytest.approx(similarity)
    assert compare_rows(cells, table, all_rows=True).similarity == 0


@pytest.mark.parametrize(
    ("targets", "rows", "all_rows", "expected"),
    [
        (1, 0, True, "1 row: {a: 1}"),
        (2, 1, True, "2 rows: {a: 1} and {a: 1}"),
        (0, 1, True, "0 rows"),
        (2, 3, True, "2 rows: {a: 1} and {a: 1}"),
        (1, 0, False, "at least 1 row: {a: 1}"),
        (2, 1, False, "at least 2 rows: {a: 1} and {a: 1}"),
    ],
)
def test_a_wrong_number_of_rows_is_the_difference(
    targets: int, rows: int, expected: str, *, all_rows: bool
) -> None:
    compared = compare_rows([target(a=1)] * targets, [Row({"a": 1})] * rows, all_rows=all_rows)
    assert not compared.reached
    assert compared.differences == (Difference("rows", expected, [{"a": 1}] * rows, 0.0),)


def test_of_rows_that_do_not_match_the_nearest_are_reported() -> None:
    cells = [target(name="Ada", age=36, town="Rome"), target(name="Bob", age=40, town="Oslo")]
    rows = [
        Row({"name": "Bob", "age": 40, "town": "Bonn"}),
        Row({"name": "Ada", "age": 35, "town": "Rome"}),
    ]
    differences = compare_rows(cells, rows, all_rows=True).differences
    assert [(d.where, d.found) for d in differences] == [
        ("rows[0].age", 35),
        ("rows[1].town", "Bonn"),
    ]
    assert compare_rows(cells[:1], rows, all_rows=False).differences == (
        Difference("age", "36", 35, 0.0),
    )


@st.composite
def matrices(draw: st.DrawFn) -> list[list[float]]:
    """Draw how alike each target and each row are."""
    targets = draw(st.integers(1, 4))
    rows = draw(st.integers(targets, 5))
    shares = st.sampled_from((0.0, 0.0, 0.125, 0.5, 0.5, 1.0))
    line = st.lists(shares, min_size=rows, max_size=rows)
    return draw(st.lists(line, min_size=targets, max_size=targets))


def compare_matrix(matrix: Sequence[Sequence[float]], *, all_rows: bool) -> Comparison:
    targets = [Target({"scores": [Scored(str(index))]}) for index in range(len(matrix))]
    rows = [
        {"scores": {str(index): line[row] for index, line in enumerate(matrix)}}
        for row in range(len(matrix[0]))
    ]
    return compare_rows(targets, rows, all_rows=all_rows)


@given(matrices())
def test_the_assignment_maximises_the_geometric_mean(matrix: list[list[float]]) -> None:
    best = max(
        geometric_mean([line[row] for line, row in zip(matrix, chosen, strict=True)])
        for chosen in itertools.permutations(range(len(matrix[0])), len(matrix))
    )
    compared = compare_matrix(matrix, all_rows=False)
    assert compared.similarity == pytest.approx(best)
    if len(matrix) == len(matrix[0]):
        assert compare_matrix(matrix, all_rows=True) == compared


def test_many_rows_that_hardly_agree_are_told_from_rows_that_do_not() -> None:
    """A product of tiny similarities is still more than a product with a 0 in it."""
    size = 40
    tiny = [[1e-9 if row == target else 0.0 for row in range(size)] for target in range(size)]
    assert compare_matrix(tiny, all_rows=True).similarity > 0
