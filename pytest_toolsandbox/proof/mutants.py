"""Mutants of a solution: the same but for one thing that should have made it fail."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal, get_args

from pytest_toolsandbox.conversation.messages import Trajectory
from pytest_toolsandbox.language.roles import Role
from pytest_toolsandbox.language.steps import ParallelStep, SayStep, Step, ToolStep
from pytest_toolsandbox.worlds.state import State, Table

from .mutate_value import mutated
from .solved import MadeCall, Solved, played

Kind = Literal[
    "call dropped",
    "argument changed",
    "answer emptied",
    "calls swapped",
    "row deleted",
    "extra action",
]
KINDS: tuple[Kind, ...] = get_args(Kind)


@dataclass(frozen=True)
class Mutant:
    """What became of a solution.

    ``play`` may raise ``PlayError``: then there is no such agent. What is not ``asked`` for by
    itself breaks nothing where world and answers end as in the solution.
    """

    kind: Kind
    what: str
    play: Callable[[], Trajectory]
    asked: bool


def mutants(solution: Solved) -> Iterator[Mutant]:
    """Yield the mutants of a solution.

    Where a call is missing or out of place, the others keep the values that they had, as those of
    an agent that guessed them; where an argument is changed, what follows from it changes too.
    """
    yield from _dropped_calls(solution)
    yield from _changed_arguments(solution)
    yield from _emptied_answer(solution)
    yield from _swapped_calls(solution)
    yield from _deleted_rows(solution)


def _dropped_calls(solution: Solved) -> Iterator[Mutant]:
    for made in solution.calls:
        if _counts(solution, made):
            asked = solution.asked_arguments(made) is not None
            what, steps = _written(solution.call(made)), _without(solution.written_out, made)
            yield _mutant("call dropped", what, solution, steps, asked=asked)


def _changed_arguments(solution: Solved) -> Iterator[Mutant]:
    for made in solution.calls:
        call = _call_at(solution.steps, made)
        if call is None:
            continue
        asked = solution.asked_arguments(made) or frozenset()
        for name in _arguments_that_matter(solution, made, asked):
            found = solution.call(made).arguments[name]
            value = mutated(found, solution.trajectory.states[made.response - 1])
            if value is not None:
                mutant = ToolStep(call.tool, {**call.arguments, name: value})
                what = f"{call.tool}: {name}={value!r} instead of {found!r}"
                steps = _with_call(solution.steps, made, mutant)
                yield _mutant("argument changed", what, solution, steps, asked=name in asked)


def _arguments_that_matter(
    solution: Solved, made: MadeCall, asked: Collection[str]
) -> Iterator[str]:
    """Yield those that a milestone asks for, and all where the call changes or tells something."""
    everything = solution.changes_the_world(made) or solution.is_used(made)
    for name in solution.call(made).arguments:
        if everything or name in asked:
            yield name


def _emptied_answer(solution: Solved) -> Iterator[Mutant]:
    *before, last = solution.steps[: len(solution.written_out)]  # the user may have left before
    if isinstance(last, SayStep):
        steps = (*before, SayStep(""))
        what = "the last message says nothing"
        yield _mutant("answer emptied", what, solution, steps, asked=True)


def _swapped_calls(solution: Solved) -> Iterator[Mutant]:
    """Yield a mutant for two calls that count, of which the second needs the first."""
    steps = solution.written_out
    calls = [
        call
        for call in solution.calls
        if isinstance(steps[call.step], ToolStep) and _counts(solution, call)
    ]
    for first, second in itertools.combinations(calls, 2):
        if solution.takes_from(second.step, first.step) or _fails_before(solution, first, second):
            swapped = list(steps)
            swapped[first.step], swapped[second.step] = steps[second.step], steps[first.step]
            what = f"{solution.call(second).tool} before {solution.call(first).tool}"
            yield _mutant("calls swapped", what, solution, swapped, asked=True)


def _counts(solution: Solved, made: MadeCall) -> bool:
    """Whether a call changes the world, or a milestone asks for it."""
    return solution.asked_arguments(made) is not None or solution.changes_the_world(made)


def _fails_before(solution: Solved, first: MadeCall, second: MadeCall) -> bool:
    """Whether a call fails in the world as it was before an earlier one."""
    response = solution.trajectory.messages[second.response]
    if response.error is not None or not solution.changes_the_world(first):
        return False
    steps = (*solution.written_out[: first.step], solution.call(second))
    trajectory = played(solution.scenario, steps)
    answers = [m for m in trajectory.messages if m.recipient is Role.AGENT and m.call is not None]
    return answers[-1].error is not None


def _deleted_rows(solution: Solved) -> Iterator[Mutant]:
    """Yield a mutant for each table that the solution leaves as it is: a row is gone at the end."""
    trajectory = solution.trajectory
    for name, table in trajectory.start.items():
        if solution.scenario.world.tables[name].single_row or not table.rows:
            continue
        if all(state[name] == table for state in trajectory.states):
            fewer = table.without(table.rows[0])

            def play(name: str = name, fewer: Table = fewer) -> Trajectory:
                return _with_table(trajectory, name, fewer)

            yield Mutant("row deleted", f"the first row of {name}", play, asked=True)


def _with_table(trajectory: Trajectory, name: str, table: Table) -> Trajectory:
    """Return the conversation with another table from the last answer to the agent on."""
    answers = [i for i, m in enumerate(trajectory.messages) if m.recipient is Role.AGENT]

    def state(index: int, before: State) -> State:
        return before.with_table(name, table) if index >= answers[-1] else before

    states = tuple(state(index, before) for index, before in enumerate(trajectory.states))
    return replace(trajectory, states=states)


def _mutant(
    kind: Kind, what: str, solution: Solved, steps: Sequence[Step], *, asked: bool
) -> Mutant:
    return Mutant(kind, what, lambda: played(solution.scenario, steps), asked)


def _call_at(steps: Sequence[Step], made: MadeCall) -> ToolStep | None:
    """Return a call as it is written, if it is: an agent may be made to say more."""
    step = steps[made.step] if made.step < len(steps) else None
    if isinstance(step, ParallelStep):
        return step.steps[made.place]
    return step if isinstance(step, ToolStep) else None


def _with_call(steps: Sequence[Step], made: MadeCall, call: ToolStep) -> list[Step]:
    step = steps[made.step]
    instead: Step = call
    if isinstance(step, ParallelStep):
        instead = ParallelStep((*step.steps[: made.place], call, *step.steps[made.place + 1 :]))
    return [*steps[: made.step], instead, *steps[made.step + 1 :]]


def _without(steps: Sequence[Step], made: MadeCall) -> list[Step]:
    step = steps[made.step]
    left: list[Step] = []
    if isinstance(step, ParallelStep):
        left = [ParallelStep((*step.steps[: made.place], *step.steps[made.place + 1 :]))]
    return [*steps[: made.step], *left, *steps[made.step + 1 :]]


def _written(call: ToolStep) -> str:
    return (
        f"{call.tool}({', '.join(f'{name}={value!r}' for name, value in call.arguments.items())})"
    )
