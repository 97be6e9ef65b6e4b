"""Which call is which ground-truth call: the best one-to-one matching (ToolTalk, algorithm 2)."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence


def match_calls(agreeing: Sequence[Collection[int]]) -> tuple[int | None, ...]:
    """Return the ground-truth call of each prediction, given those that it agrees with.

    As many predictions as possible get one. Of such matchings it is the one that serves earlier
    predictions first (the first prediction on which two matchings differ in serving it decides)
    and, among those that serve the same ones, gives earlier ground-truth calls to earlier
    predictions. It takes time in the order of predictions times agreements.
    """
    matching = _Matching(agreeing)
    for prediction in range(len(agreeing)):
        matching.serve(prediction, settled=0)
    # Which predictions are served no longer changes, so each in turn may choose the first
    # ground-truth call that later ones can do without.
    for prediction, taken in enumerate(matching.taken):
        if taken is not None:
            matching.release(prediction, taken)
            matching.serve(prediction, settled=prediction)
    return tuple(matching.taken)


class _Matching:
    """A matching that grows along augmenting paths: who is served may move, and stays served."""

    def __init__(self, agreeing: Sequence[Collection[int]]) -> None:
        self.agreeing = [frozenset(some) for some in agreeing]
        self.taken: list[int | None] = [None] * len(agreeing)
        self.holders: dict[int, int] = {}
        self.places = frozenset().union(*self.agreeing)

    def release(self, prediction: int, taken: int) -> None:
        self.taken[prediction] = None
        del self.holders[taken]

    def serve(self, prediction: int, settled: int) -> None:
        """Give a prediction the first call that can be freed; those before ``settled`` stay."""
        unseen = set(self.places)
        takers: dict[int, int] = {}
        waiting: list[int] = []
        for first in sorted(self.agreeing[prediction]):
            if first in unseen:
                unseen.remove(first)
                takers[first] = prediction
                waiting.append(first)
            while waiting:
                place = waiting.pop()
                holder = self.holders.get(place)
                if holder is None:
                    self._move(place, takers)
                    return
                if holder >= settled:
                    others = self.agreeing[holder] & unseen
                    unseen -= others
                    takers.update(dict.fromkeys(others, holder))
                    waiting.extend(others)

    def _move(self, free: int, takers: Mapping[int, int]) -> None:
        """Let each prediction on the path take the call that the one after it leaves."""
        place: int | None = free
        while place is not None:
            taker = takers[place]
            self.holders[place] = taker
            self.taken[taker], place = place, self.taken[taker]
