"""Which call is which true one: the best matching, one to one, exactly (ToolTalk, algorithm 2)."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Sequence

Routes = dict[int, int | None]
"""Truth that can be made free → the truth that its prediction moves to; ``None`` if it is free."""


def match_calls(agreeing: Sequence[Collection[int]]) -> tuple[int | None, ...]:
    """Return the truth of each prediction, given the truths that it agrees with.

    As many predictions as possible get one. Of such matchings it is the one that serves earlier
    predictions first (the first prediction on which two matchings differ in serving it decides)
    and, among those that serve the same ones, gives earlier truths to earlier predictions. It takes
    time in the order of predictions times agreements.
    """
    matching = _Matching(agreeing)
    for prediction in range(len(agreeing)):
        matching.serve(prediction)
    for prediction in range(len(agreeing)):
        matching.settle(prediction)
    return tuple(matching.truths)


class _Matching:
    """A matching that grows.

    What is served stays served: a prediction gets a truth when others can move on to other truths.
    So those that are served, in their order, are the first set that can be served at once, and a
    largest one. Once it is known, each in turn settles for the first truth that can be freed for it
    without moving those that have settled.
    """

    def __init__(self, agreeing: Sequence[Collection[int]]) -> None:
        self.agreeing = agreeing
        self.truths: list[int | None] = [None] * len(agreeing)
        self.holders: dict[int, int] = {}
        self.settled: set[int] = set()
        self.suitors: dict[int, list[int]] = {}
        for prediction, truths in enumerate(agreeing):
            for truth in truths:
                self.suitors.setdefault(truth, []).append(prediction)

    def serve(self, prediction: int) -> None:
        routes = self.routes()
        truth = min((t for t in self.agreeing[prediction] if t in routes), default=None)
        if truth is not None:
            self.move(prediction, truth, routes)

    def settle(self, prediction: int) -> None:
        own = self.truths[prediction]
        if own is None:
            return
        del self.holders[own]
        self.serve(prediction)
        self.settled.add(prediction)

    def routes(self) -> Routes:
        """Return how truths can be made free, found backwards from those that are."""
        routes: Routes = {truth: None for truth in self.suitors if truth not in self.holders}
        waiting = deque(routes)
        while waiting:
            target = waiting.popleft()
            for prediction in self.suitors[target]:
                held = self.truths[prediction]
                if held is None or held in routes or prediction in self.settled:
                    continue
                routes[held] = target
                waiting.append(held)
        return routes

    def move(self, prediction: int, truth: int, routes: Routes) -> None:
        """Give a prediction a truth, and those in its way the ones that they can move to."""
        mover: int | None = prediction
        target: int | None = truth
        while mover is not None and target is not None:
            following = self.holders.get(target)
            self.holders[target] = mover
            self.truths[mover] = target
            mover, target = following, routes[target]
