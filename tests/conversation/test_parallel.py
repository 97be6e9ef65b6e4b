from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Sequence

import pytest
from hypothesis import given, strategies as st
from rows import every

from pytest_toolsandbox.conversation import environment as parallel
from pytest_toolsandbox.conversation.environment import execute_parallel
from pytest_toolsandbox.conversation.messages import Response
from pytest_toolsandbox.worlds.state import State, Table


def done(state: State, *, failed: bool = False) -> Response:
    """Return what came of a call in a world whose whole state is one set of numbers."""
    return Response("", state, error="no" if failed else None)


Call = Callable[[frozenset[int]], frozenset[int] | None]
"""From a state to the next one, or to ``None`` where the call fails."""


def world(*numbers: int) -> State:
    return State({"numbers": Table({"number": number} for number in numbers)})


def numbers_in(state: State) -> frozenset[int]:
    return frozenset(row["number"] for row in state["numbers"])


class Machine:
    """Carries out calls, and counts how often each is executed in each state."""

    def __init__(self, calls: Sequence[Call]) -> None:
        self.calls = calls
        self.executed: Counter[tuple[State, int]] = Counter()

    def __call__(self, call: int, state: State) -> Response:
        self.executed[state, call] += 1
        after = self.calls[call](numbers_in(state))
        if after is None:
            return done(state, failed=True)
        return done(state if after == numbers_in(state) else world(*sorted(after)))


def order_of(*calls: Call, start: Sequence[int] = ()) -> tuple[int, ...]:
    return tuple(
        call for call, _ in execute_parallel(len(calls), world(*start), Machine(calls)).outcomes
    )


def read(numbers: frozenset[int]) -> frozenset[int]:
    return numbers


def add(number: int) -> Call:
    return lambda numbers: numbers | {number}


def take(number: int) -> Call:
    return lambda numbers: numbers - {number} if number in numbers else None


def needs(number: int) -> Call:
    return lambda numbers: numbers if number in numbers else None


def needs_none_of(*forbidden: int) -> Call:
    return lambda numbers: None if numbers & set(forbidden) else numbers


ADD_1, ADD_2, ADD_3 = add(1), add(2), add(3)


@every(
    ("calls", "start", "order"),
    [
        ((), (), ()),
        ((needs(1),), (), (0,)),
        ((read, read, read), (), (0, 1, 2)),
        ((ADD_1, ADD_2, ADD_3), (), (0, 1, 2)),
        # what makes the other possible is done too late in some order, and that one happens
        ((needs(1), ADD_1), (), (0, 1)),
        ((ADD_1, needs(1)), (), (1, 0)),
        ((ADD_1, needs(1)), (1,), (0, 1)),
        ((ADD_1, read, needs(1)), (), (1, 2, 0)),
        ((ADD_1, ADD_2, needs(1)), (), (1, 2, 0)),
        ((ADD_1, ADD_2, ADD_3, needs(2)), (), (0, 2, 3, 1)),
        # one that fails in the given order leaves it as it is
        ((needs(1), needs(2)), (), (0, 1)),
        ((read, ADD_1, needs(2), ADD_2), (), (0, 1, 2, 3)),
        # what spoils the other is done too early
        ((needs_none_of(1), ADD_1), (), (1, 0)),
        ((ADD_1, needs_none_of(1)), (), (0, 1)),
        ((needs_none_of(1, 2), ADD_3, ADD_2, ADD_1), (), (1, 2, 0, 3)),
        # a failure that takes two calls before it
        ((lambda n: None if n >= {1, 2} else n, ADD_1, ADD_2), (), (1, 2, 0)),
        ((ADD_2, lambda n: None if n >= {1, 2} else n, ADD_1), (), (0, 2, 1)),
        # only one can have it
        ((take(1), take(1)), (1,), (0, 1)),
        ((ADD_1, take(1), take(1)), (1,), (0, 1, 2)),
    ],
)
def test_the_first_order_in_which_one_fails_is_what_happened(
    calls: Sequence[Call], start: Sequence[int], order: Sequence[int]
) -> None:
    assert order_of(*calls, start=start) == order


def test_each_call_comes_with_what_came_of_it() -> None:
    happened = execute_parallel(3, world(), Machine([ADD_1, needs(1), ADD_2])).outcomes
    assert [(call, done.failed) for call, done in happened] == [(1, True), (0, False), (2, False)]
    assert [numbers_in(done.state) for _, done in happened] == [set(), {1}, {1, 2}]
    assert execute_parallel(3, world(), Machine([ADD_1, needs(1), ADD_2])).all_tried


@st.composite
def machines(draw: st.DrawFn) -> tuple[list[Call], int]:
    """Draw calls that lead from some numbered state to another, or fail."""
    states = draw(st.integers(1, 4))
    outcome = st.one_of(st.integers(0, states - 1), st.integers(0, states - 1), st.none())
    tables = draw(st.lists(st.lists(outcome, min_size=states, max_size=states), max_size=5))
    return [_as_call(table) for table in tables], draw(st.integers(0, states - 1))


def _as_call(table: Sequence[int | None]) -> Call:
    def call(numbers: frozenset[int]) -> frozenset[int] | None:
        after = table[min(numbers)]
        return None if after is None else frozenset({after})

    return call


def run(
    calls: Sequence[Call], start: State, order: Sequence[int]
) -> tuple[tuple[int, Response], ...]:
    machine, state, happened = Machine(calls), start, []
    for call in order:
        done = machine(call, state)
        happened.append((call, done))
        state = done.state
    return tuple(happened)


@given(machines())
def test_the_outcome_is_that_of_trying_every_order(case: tuple[list[Call], int]) -> None:
    calls, first = case
    start = world(first)
    runs = [run(calls, start, order) for order in itertools.permutations(range(len(calls)))]
    failing = (run for run in runs if any(done.failed for _, done in run))
    machine = Machine(calls)
    assert execute_parallel(len(calls), start, machine).outcomes == next(failing, runs[0])
    assert max(machine.executed.values(), default=1) == 1


def test_seven_reads_are_executed_once_each() -> None:
    machine = Machine([read] * 7)
    assert len(execute_parallel(7, world(), machine).outcomes) == 7
    assert machine.executed.total() == 7


def test_seven_writes_that_commute_are_executed_once_in_each_state() -> None:
    machine = Machine([add(number) for number in range(7)])
    happened = execute_parallel(7, world(), machine).outcomes
    assert [call for call, _ in happened] == [0, 1, 2, 3, 4, 5, 6]
    assert machine.executed.total() == 448
    assert max(machine.executed.values()) == 1


def test_a_single_call_is_executed_once() -> None:
    machine = Machine([ADD_1])
    execute_parallel(1, world(), machine)
    assert machine.executed.total() == 1


def test_a_failure_at_once_ends_the_search() -> None:
    machine = Machine([needs(9), *(add(number) for number in range(7))])
    assert [call for call, _ in execute_parallel(8, world(), machine).outcomes] == list(range(8))
    assert machine.executed.total() == 14


def test_nine_writes_that_commute_are_within_the_budget() -> None:
    calls = [*(add(number) for number in range(8)), lambda n: None if len(n) == 8 else n | {99}]
    assert order_of(*calls) == tuple(range(9))
    assert order_of(*reversed(calls)) == (*range(1, 9), 0)


def test_beyond_the_budget_the_given_order_is_what_happened(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    calls = [ADD_1, ADD_2, needs_none_of(2)]
    assert order_of(*calls) == (0, 1, 2)
    assert order_of(ADD_1, needs_none_of(2), ADD_2) == (0, 2, 1)
    monkeypatch.setattr(parallel, "MOST_EXECUTIONS", 3)
    machine = Machine([ADD_1, needs_none_of(2), ADD_2])
    happened = execute_parallel(3, world(), machine)
    assert not happened.all_tried
    assert [call for call, _ in happened.outcomes] == [0, 1, 2]
    assert [numbers_in(done.state) for _, done in happened.outcomes] == [{1}, {1}, {1, 2}]
    assert machine.executed.total() <= 6
