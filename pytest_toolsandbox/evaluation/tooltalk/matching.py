"""Which call is which ground-truth call: the best one-to-one matching (ToolTalk, algorithm 2)."""

from __future__ import annotations

from collections.abc import Collection, Sequence


def match_calls(agreeing: Sequence[Collection[int]]) -> tuple[int | None, ...]:
    """Return the ground-truth call of each prediction, given those that it agrees with.

    As many predictions as possible get one. Of such matchings it is the one that serves earlier
    predictions first and, among those that serve the same ones, gives earlier ground-truth calls to
    earlier predictions. It takes time in the order of predictions times agreements.
    """
    taken: list[int | None] = [None] * len(agreeing)
    holders: dict[int, int] = {}

    def serve(prediction: int, settled: int, seen: set[int]) -> bool:
        """Give a prediction the first call that can be freed; those before ``settled`` stay."""
        for place in sorted(agreeing[prediction]):
            if place in seen:
                continue
            seen.add(place)
            holder = holders.get(place)
            if holder is None or (holder >= settled and serve(holder, settled, seen)):
                taken[prediction], holders[place] = place, prediction
                return True
        return False

    for prediction in range(len(agreeing)):
        serve(prediction, 0, set())
    # Which predictions are served no longer changes, so each in turn may choose the first
    # ground-truth call that later ones can do without.
    for prediction, place in enumerate(taken):
        if place is not None:
            del holders[place]
            serve(prediction, prediction, set())
    return tuple(taken)
