from __future__ import annotations

import itertools
import random
from collections.abc import Sequence
from unittest.mock import Mock, create_autospec

import pytest
from hypothesis import given, strategies as st

from pytest_toolsandbox.matchers import exact as exact_matcher, read
from pytest_toolsandbox.scoring.milestones import assignment, rows as row_assignment
from pytest_toolsandbox.scoring.milestones.comparison import Target, combined
from pytest_toolsandbox.scoring.milestones.rows import assign_rows, compare_rows
from pytest_toolsandbox.worlds.state import Row


@st.composite
def problems(draw: st.DrawFn) -> tuple[list[Target], list[Row]]:
    texts = ("red jug", "red pot", "blue pot", "blue pot!", "green")
    wanted = [
        *texts,
        1,
        2,
        {"rouge_l": "blue pot"},
        {"rouge_l": "red pot on the floor"},
        {"mentions": ["red", "blue", "pot"]},
        {"any_of": [1, "red jug"]},
        {"anything": True},
    ]
    there = [*texts, 1, 1.0, 2, True, None, "a red pot", "pots, blue and red"]
    targets = st.dictionaries(st.sampled_from("ab"), st.sampled_from(wanted), min_size=1)
    rows = st.dictionaries(st.sampled_from("ab"), st.sampled_from(there), min_size=1)
    expected = draw(st.lists(targets, min_size=2, max_size=4))
    drawn = draw(st.lists(rows, min_size=len(expected), max_size=5))
    return [
        Target({name: [read(value)] for name, value in values.items()}) for values in expected
    ], [Row(values) for values in drawn]


def similarity(expected: Sequence[Target], rows: Sequence[Row]) -> float:
    return combined(list(map(Target.compare, expected, rows))).similarity


@given(problems(), st.none() | st.integers(0, 6), st.booleans())
def test_the_assignment_is_as_good_as_the_best_of_all(
    problem: tuple[list[Target], list[Row]], pairs: int | None, by_scipy: bool
) -> None:
    """Beyond the budget it says whether it is; small problems are solved as large ones are."""
    expected, table = problem
    choices = itertools.permutations(table, len(expected))
    best = max(similarity(expected, chosen) for chosen in choices)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(row_assignment, "_FEW", 0)
        if by_scipy:
            patch.setattr(assignment, "_STEPS", 0)
        if pairs is not None:
            patch.setattr(row_assignment, "PAIRS", pairs)
        places, is_best = assign_rows(expected, table)
    assert is_best or pairs is not None
    assert len(set(places)) == len(expected)
    assigned = similarity(expected, [table[place] for place in places])
    assert assigned == pytest.approx(best) if is_best else assigned <= best + 1e-9


def contacts(count: int) -> tuple[list[Target], list[Row]]:
    """Return shuffled rows with names and texts of their own, and a target for each."""
    texts = [f"note {number} about {number % 7}" for number in range(count)]
    expected = [
        Target({"name": [read(f"Ann {n}")], "kind": [read(n % 3)], "text": [read({"rouge_l": t})]})
        for n, t in enumerate(texts)
    ]
    table = [Row({"name": f"Ann {n}", "kind": n % 3, "text": t}) for n, t in enumerate(texts)]
    random.Random(1).shuffle(table)  # an order, no secret
    return expected, table


def compared_pairs(expected: Sequence[Target]) -> int:
    return sum(len({*target.likenesses, *target.compared}) for target in expected)


def test_shuffled_rows_are_compared_with_their_own_targets_alone() -> None:
    expected, table = contacts(3000)
    compared = compare_rows(expected, table, all_rows=True)
    assert (compared.similarity, compared.exact) == (1.0, True)
    assert compared_pairs(expected) == 3000


def test_only_the_wrong_row_of_shuffled_rows_is_a_difference() -> None:
    expected, table = contacts(3000)
    wrong = next(at for at, row in enumerate(table) if row["name"] == "Ann 7")
    table[wrong] = table[wrong].changed(kind=5)
    compared = compare_rows(expected, table, all_rows=True)
    (difference,) = compared.differences
    assert (compared.similarity, compared.exact) == (0.0, True)
    assert (difference.where, difference.expected, difference.found) == ("rows[7].kind", "1", 5)
    assert compared_pairs(expected) <= 2 * 3000


def test_rows_that_are_all_a_little_different_find_their_targets() -> None:
    expected, table = contacts(3000)
    other = [row.changed(text=f"{row['text']}, I think") for row in table]
    compared = compare_rows(expected, other, all_rows=True)
    assert 0.8 < compared.similarity < 1.0
    assert compared.exact
    assert compared_pairs(expected) == 3000


def test_too_many_rows_that_nothing_tells_apart_are_not_all_compared() -> None:
    """The others agree fully, and are kept; whether that is best would take all pairs."""
    texts = [f"note {number} on page {number % 9}" for number in range(400)]
    expected = [Target({"text": [read({"rouge_l": text})]}) for text in texts]
    table = [Row({"text": text}) for text in reversed(texts)]
    compared = compare_rows(expected, table, all_rows=True)
    assert (compared.similarity, compared.exact) == (1.0, True)
    table[7] = Row({"text": "note 392 on no page"})
    compared = compare_rows(expected, table, all_rows=True)
    assert 0.99 < compared.similarity < 1.0
    assert not compared.exact
    assert compared_pairs(expected) <= 2 * row_assignment.PAIRS


def test_a_row_that_no_target_accepts_makes_the_similarity_exactly_0() -> None:
    expected = [Target({"kind": [read(1)]}) for _ in range(400)]
    table = [Row({"kind": 1, "name": number}) for number in range(399)]
    compared = compare_rows(expected, [*table, Row({"kind": 2})], all_rows=True)
    assert (compared.similarity, compared.exact) == (0.0, True)
    assert [difference.found for difference in compared.differences] == [2]
    assert compare_rows(expected[1:], [*table, Row({"kind": 2})], all_rows=False).similarity == 1


def test_excluded_rows_are_looked_for_by_their_values() -> None:
    expected, table = contacts(1000)
    places = row_assignment.candidates_of(expected, [row.changed(kind=9) for row in table])
    assert not any(places)


def test_a_growing_table_is_read_and_compared_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ten rows that no row agrees with, in each of a hundred snapshots."""
    comparable = Mock(wraps=exact_matcher.comparable)
    monkeypatch.setattr(row_assignment, "comparable", comparable)
    agrees = create_autospec(Target.agrees, side_effect=Target.agrees)
    monkeypatch.setattr(Target, "agrees", agrees)
    expected = [Target({"text": [read({"rouge_l": f"{n} red kettles"})]}) for n in range(10)]
    table = [Row({"text": f"a kettle or {number} pots"}) for number in range(100)]
    for count in range(10, 101):
        places, is_exact = assign_rows(expected, table[:count])
        assert (len(set(places)), is_exact) == (10, True)
    assert comparable.call_count <= 100 + 91 * len(expected)  # rows, and what targets expect
    assert agrees.call_count <= 100 * 10 + 91 * 10


def test_the_rows_without_a_counterpart_come_first() -> None:
    expected = [Target({"a": [read(text)]}) for text in ("red jug", "blue pot")]
    surplus = compare_rows(
        expected, [Row({"a": text}) for text in ("red jug", "blue pot", "green")], all_rows=True
    )
    assert surplus.differences[0].found == [{"a": "green"}, {"a": "red jug"}, {"a": "blue pot"}]
    missing = compare_rows(expected, [Row({"a": "red jug"})], all_rows=True)
    assert missing.differences[0].expected == "2 rows: {a: 'blue pot'} and {a: 'red jug'}"
