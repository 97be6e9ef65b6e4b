"""Which call is which true one: the best matching, one to one, exactly (ToolTalk, algorithm 2)."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from pytest_toolsandbox.evaluation.hungarian import min_cost_assignment


def match_calls(agreeing: Sequence[Collection[int]]) -> tuple[int | None, ...]:
    """Return the truth of each prediction, given the truths that it agrees with.

    As many predictions as possible get one. Of such matchings it is the one that serves earlier
    predictions first (the first prediction on which two matchings differ in serving it decides)
    and, among those that serve the same ones, gives earlier truths to earlier predictions. It takes
    time in the order of truths times truths times predictions.
    """
    truths = sorted({truth for some in agreeing for truth in some})
    costs = [_costs(agreeing, rank, truth, len(truths)) for rank, truth in enumerate(truths)]
    matched: list[int | None] = [None] * len(agreeing)
    for truth, prediction in zip(truths, min_cost_assignment(costs), strict=True):
        if prediction < len(agreeing):
            matched[prediction] = truth
    return tuple(matched)


def _costs(agreeing: Sequence[Collection[int]], rank: int, truth: int, count: int) -> list[int]:
    """Return what it costs to give a truth to each prediction, or to none of them, which is free.

    To serve a prediction outweighs serving all that come after it, and these outweigh the ranks of
    all truths. A prediction that does not agree costs more than none.
    """
    ranks = count ** len(agreeing)
    costs = []
    for after, agreed in zip(reversed(range(len(agreeing))), agreeing, strict=True):
        costs.append(rank * count**after - ranks * 2**after if truth in agreed else 1)
    return costs + [0] * count
