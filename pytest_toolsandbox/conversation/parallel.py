"""The order in which parallel calls happen: Murphy's law (ToolSandbox, appendix A.6).

If in any order one of the calls fails, the lexicographically first such order is what happened,
with the calls that the failure leaves over in given order. If none fails, the given order is.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from pytest_toolsandbox.worlds.state import State

BUDGET = 20_000
"""Executions after which the given order has to do: beyond 10 calls that all change the world."""


class Outcome(Protocol):
    """What comes of a call."""

    @property
    def state(self) -> State:
        """The state that the call left."""
        ...

    @property
    def failed(self) -> bool:
        """Whether the call failed, and so changed nothing."""
        ...


Execute = Callable[[int, State], Outcome]


def order_of_calls(count: int, state: State, execute: Execute) -> tuple[int, ...]:
    """Return the order that happened, as indices of the given order.

    ``execute(call, state)`` must be pure: each call is executed once in each state that some of
    the others can lead to.
    """
    given = tuple(range(count))
    if count == 1:
        return given
    search = _Search(execute)
    everything = frozenset(given)
    try:
        if not search.can_fail(state, everything):
            return given
        return search.first_failing(state, everything)
    except _BudgetSpent:
        return given


class _BudgetSpent(Exception):  # noqa: N818  # a signal
    pass


class _Search:
    def __init__(self, execute: Execute) -> None:
        self.execute = execute
        self.outcomes: dict[tuple[State, int], Outcome] = {}
        self.failing: dict[tuple[State, frozenset[int]], bool] = {}

    def outcome(self, state: State, call: int) -> Outcome:
        if (state, call) not in self.outcomes:
            if len(self.outcomes) >= BUDGET:
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

    def first_failing(self, state: State, calls: frozenset[int]) -> tuple[int, ...]:
        order: list[int] = []
        left = sorted(calls)
        while left:
            for call in left:
                outcome = self.outcome(state, call)
                rest = [other for other in left if other != call]
                if outcome.failed:
                    return (*order, call, *rest)
                if self.can_fail(outcome.state, frozenset(rest)):
                    order, left, state = [*order, call], rest, outcome.state
                    break
        raise AssertionError("asked only where some order fails")
