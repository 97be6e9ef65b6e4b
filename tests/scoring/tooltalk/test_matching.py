from __future__ import annotations

from collections.abc import Iterator, Sequence

from hypothesis import given, strategies as st
from rows import every

from pytest_toolsandbox.scoring.tooltalk.matching import match_calls

Matching = tuple[int | None, ...]

GRAPHS = st.integers(0, 5).flatmap(
    lambda truths: st.lists(
        st.lists(st.integers(0, max(truths - 1, 0)), unique=True, max_size=truths), max_size=6
    )
)


@every(
    ("agreeing", "expected"),
    [
        ([], ()),
        ([[]], (None,)),
        ([[0], [1]], (0, 1)),
        ([[0], [0]], (0, None)),  # the earlier prediction
        ([[1, 0]], (0,)),  # the earlier truth
        ([[0, 1], [0, 1]], (0, 1)),
        ([[0, 1], [0]], (1, 0)),  # more of them, where the first to come would leave one out
        ([[0, 1], [0], [1]], (1, 0, None)),  # as many, and the second one before the third
        ([[1], [0, 1], [0]], (1, 0, None)),
        ([[0, 1, 2], [0], [0, 1]], (2, 0, 1)),
        ([[2], [0, 2], [0, 1]], (2, 0, 1)),
        ([[], [1], []], (None, 1, None)),
    ],
)
def test_matchings(agreeing: list[list[int]], expected: Matching) -> None:
    assert match_calls(agreeing) == expected


def all_matchings(agreeing: Sequence[Sequence[int]]) -> Iterator[Matching]:
    if not agreeing:
        yield ()
        return
    for rest in all_matchings(agreeing[:-1]):
        yield (*rest, None)
        yield from ((*rest, truth) for truth in agreeing[-1] if truth not in rest)


def served(matching: Matching) -> list[bool]:
    return [truth is not None for truth in matching]


@given(GRAPHS)
def test_no_matching_is_larger(agreeing: list[list[int]]) -> None:
    largest = max(sum(served(matching)) for matching in all_matchings(agreeing))
    assert sum(served(match_calls(agreeing))) == largest


@given(GRAPHS)
def test_it_is_the_first_of_the_largest(agreeing: list[list[int]]) -> None:
    """Predictions that are served come before the truths that they get."""

    def rank(matching: Matching) -> tuple[int, list[bool], list[int]]:
        truths = [truth for truth in matching if truth is not None]
        return -len(truths), [not one for one in served(matching)], truths

    assert match_calls(agreeing) == min(all_matchings(agreeing), key=rank)


@given(GRAPHS)
def test_it_does_not_depend_on_the_order_in_which_truths_are_named(
    agreeing: list[list[int]],
) -> None:
    assert match_calls([truths[::-1] for truths in agreeing]) == match_calls(agreeing)
    assert match_calls([{*truths} for truths in agreeing]) == match_calls(agreeing)


@given(st.lists(st.integers(0, 3), max_size=7), st.lists(st.integers(0, 3), max_size=7))
def test_where_agreement_is_equality_it_is_what_the_first_to_come_take(
    predictions: list[int], truths: list[int]
) -> None:
    """ToolTalk's published code lets each prediction take the first truth that is left."""
    agreeing = [[i for i, truth in enumerate(truths) if truth == p] for p in predictions]
    taken: list[int | None] = []
    for candidates in agreeing:
        taken.append(next((truth for truth in candidates if truth not in taken), None))
    assert match_calls(agreeing) == tuple(taken)


def test_many_predictions_of_few_ground_truth_calls() -> None:
    agreeing = [[place % 10, 3] for place in range(600)]
    assert match_calls(agreeing) == (*range(10), *[None] * 590)


def test_a_hundred_equal_calls() -> None:
    assert match_calls([range(100)] * 101) == (*range(100), None)


def test_a_long_way_round_is_no_matter() -> None:
    """The last one is served only if each of the others moves on by one."""
    count = 40
    agreeing = [[place, place + 1] for place in range(count)] + [[0]]
    assert match_calls(agreeing) == (*range(1, count + 1), 0)
