"""The order in which parallel calls happen: Murphy's law (ToolSandbox, appendix A.6).

If in any order one of the calls fails, the lexicographically first such order is what happened,
with the calls that the failure leaves over in given order. If none fails, the given order is.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from pytest_toolsandbox.worlds.state import State

from .messages import Response

MOST_EXECUTIONS = 4_000
"""Executions after which the given order has to do: more than 9 calls need that all change the
world."""


Execute = Callable[[int, State], Response]


@dataclass(frozen=True)
class Happened:
    """The calls, as indices of the given order, and what came of them, as they happened.

    Where ``all_tried`` is false the budget ended, and they happened as given.
    """

    outcomes: tuple[tuple[int, Response], ...]
    all_tried: bool


def execute_parallel(count: int, state: State, execute: Execute) -> Happened:
    """Execute calls that were made at once.

    ``execute(call, state)`` must be pure: each call is executed once in each state that some of
    the others can lead to.
    """
    search, all_tried, order = _Search(execute), True, tuple(range(count))
    try:
        if count > 1 and search.can_fail(state, frozenset(order)):
            order = search.first_failing(state, order)
    except _BudgetSpent:
        all_tried = False
    return Happened(search.replay(order, state), all_tried)


class _BudgetSpent(Exception):  # noqa: N818  # a signal
    pass


class _Search:
    def __init__(self, execute: Execute) -> None:
        self.execute = execute
        self.outcomes: dict[tuple[State, int], Response] = {}
        self.failing: dict[tuple[State, frozenset[int]], bool] = {}

    def replay(self, order: Sequence[int], state: State) -> tuple[tuple[int, Response], ...]:
        """Return the calls with their outcomes in an order."""
        happened = []
        for call in order:
            # Of a call by itself nothing is known, and a state is hashed in time with its rows.
            known = self.outcomes.get((state, call)) if self.outcomes else None
            outcome = known or self.execute(call, state)
            happened.append((call, outcome))
            state = outcome.state
        return tuple(happened)

    def outcome(self, state: State, call: int) -> Response:
        if (state, call) not in self.outcomes:
            if len(self.outcomes) >= MOST_EXECUTIONS:
                raise _BudgetSpent
            self.outcomes[state, call] = self.execute(call, state)
        return self.outcomes[state, call]

    def can_fail(self, state: State, calls: frozenset[int]) -> bool:
        """Whether some order of the calls has one that fails.

        Calls that change nothing can wait: what fails after them fails without them.
        """
        if (state, calls) not in self.failing:
            outcomes = {call: self.outcome(state, call) for call in sorted(calls)}
            self.failing[state, calls] = any(o.failed for o in outcomes.values()) or any(
                self.can_fail(outcome.state, calls - {call})
                for call, outcome in outcomes.items()
                if outcome.state != state
            )
        return self.failing[state, calls]

    def first_failing(self, state: State, calls: Sequence[int]) -> tuple[int, ...]:
        order: list[int] = []
        left = list(calls)
        while left:
            call = next(call for call in left if self.leads_to_failure(state, left, call))
            left.remove(call)
            order.append(call)
            outcome = self.outcome(state, call)
            if outcome.failed:
                break
            state = outcome.state
        return (*order, *left)

    def leads_to_failure(self, state: State, calls: Sequence[int], call: int) -> bool:
        """Whether ``call`` fails, or some order of the others does after it."""
        outcome = self.outcome(state, call)
        return outcome.failed or self.can_fail(outcome.state, frozenset(calls) - {call})
