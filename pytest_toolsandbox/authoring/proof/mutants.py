"""Mutants of a solution: each changes one thing, which should make it fail."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Literal, get_args

from pytest_toolsandbox.conversation.messages import Trajectory
from pytest_toolsandbox.language.constraints import HoldsConstraint, MomentConstraint
from pytest_toolsandbox.language.roles import ParallelStep, SayStep, Step, ToolStep, calls_of
from pytest_toolsandbox.language.tasks import Milestones
from pytest_toolsandbox.scoring.milestones.consent import Consents
from pytest_toolsandbox.worlds.state import Row, State

from .equivalent_solutions import wrongly_set_back
from .played_solution import SolutionCall, Solved, played, step_of

Kind = Literal[
    "call dropped",
    "call repeated",
    "argument changed",
    "text negated",
    "answer emptied",
    "answer denied",
    "answer changed",
    "calls swapped",
    "change undone",
    "call a turn late",
    "question dropped",
    "withheld tool tried",
    "row deleted",
    "extra action",
]
_TIMESTAMP = 10**8
"""Numbers from here on are taken for seconds since 1970, and change by an hour; others by 7."""

DENIAL = "Sorry, I wasn't able to do that."
ANOTHER_TEXT = "Something else altogether"
_VERB = re.compile(r"(?<=\w )(?:is|are|was|were|will|can|has|have|am)\b|(?<=\bI)['\u2019]m\b")
"""What says in the middle of a text that something is so, and not whether it is."""
_IS_OPPOSITE = re.compile(
    r"\?|\b(?:not|never|no|nobody|nothing|none|neither|cannot)\b|n['\u2019]t\b", re.IGNORECASE
)
"""A question, or a text that is negated already."""
_NUMBER = re.compile(r"\+?[\d\s().-]*\d")
MUTANT_KINDS: tuple[Kind, ...] = get_args(Kind)
Changed = tuple[str, Sequence[Step], bool]
"""The change, the steps of the mutant, and whether the scenario requires the changed part."""


@dataclass(frozen=True)
class Mutant:
    """A changed solution, which should fail.

    ``play`` may raise ``PlayError``, if no agent can do this. A change of a part that is not
    ``asked`` for is harmless if the world and the answers end as in the solution.
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
    makers: dict[Kind, Callable[[Solved], Iterator[Changed]]] = {
        "call dropped": _dropped_calls,
        "call repeated": _repeated_calls,
        "argument changed": _changed_arguments,
        "text negated": _negated_texts,
        "answer emptied": _emptied_answer,
        "answer denied": _denied_answer,
        "calls swapped": _swapped_calls,
        "change undone": _undone_changes,
        "call a turn late": _late_calls,
        "question dropped": _dropped_questions,
        "withheld tool tried": _tried_tools,
    }
    for kind, make in makers.items():
        for what, steps, asked in make(solution):
            yield Mutant(kind, what, partial(played, solution.scenario, steps), asked)
    yield from _deleted_rows(solution)


def _dropped_calls(solution: Solved) -> Iterator[Changed]:
    for call in solution.calls:
        if _counts(solution, call):
            arguments = (f"{name}={value!r}" for name, value in call.written.arguments.items())
            what = f"{call.written.tool}({', '.join(arguments)})"
            asked = solution.asked_arguments(call) is not None
            yield what, _with_calls(solution.written_out, call), asked


def _repeated_calls(solution: Solved) -> Iterator[Changed]:
    for call in solution.calls:
        if call.made.changed_the_world:
            twice = _with_calls(solution.written_out, call, call.written, call.written)
            yield f"{call.written.tool} made twice", twice, False


def _changed_arguments(solution: Solved) -> Iterator[Changed]:
    for call in solution.calls:
        step = step_of(solution.steps, call)
        if step is None:
            continue
        asked = solution.asked_arguments(call) or frozenset()
        used = any(solution.takes_from(step, call.step) for step in range(len(solution.steps)))
        everything = call.made.changed_the_world or used
        for name, original in call.written.arguments.items():
            value = mutated(original, call.made.before) if everything or name in asked else None
            if value is not None:
                mutant = ToolStep(step.tool, {**step.arguments, name: value})
                what = f"{step.tool}: {name}={value!r} instead of {original!r}"
                yield what, _with_calls(solution.steps, call, mutant), name in asked


def _negated_texts(solution: Solved) -> Iterator[Changed]:
    """Yield a mutant for each text of a call that changes the world: it says the opposite."""
    for call in solution.calls if solution.scenario.task.has_user else ():
        step = step_of(solution.steps, call)
        if step is None or not call.made.changed_the_world:
            continue
        for name, text in call.written.arguments.items():
            if not isinstance(text, str) or _IS_OPPOSITE.search(text):
                continue
            if verb := _VERB.search(text):
                opposite = f"{text[: verb.end()]} not{text[verb.end() :]}"
                mutant = ToolStep(step.tool, {**step.arguments, name: opposite})
                what = f"{step.tool}: {name}={opposite!r} instead of {text!r}"
                yield what, _with_calls(solution.steps, call, mutant), True


def _emptied_answer(solution: Solved) -> Iterator[Changed]:
    yield from _with_last_words(solution, "the last message says nothing", "")


def _denied_answer(solution: Solved) -> Iterator[Changed]:
    if any(call.made.changed_the_world for call in solution.calls):
        yield from _with_last_words(solution, f"the last message says: {DENIAL}", DENIAL)


def _with_last_words(solution: Solved, what: str, words: str) -> Iterator[Changed]:
    *before, last = solution.steps[: len(solution.written_out)]  # the user may have left before
    if isinstance(last, SayStep):
        yield what, (*before, SayStep(words)), True


def _swapped_calls(solution: Solved) -> Iterator[Changed]:
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
            yield f"{second.written.tool} before {first.written.tool}", swapped, True


def _late_calls(solution: Solved) -> Iterator[Changed]:
    """Yield a mutant for each change of a turn whose end is asked for: it comes a turn later.

    Only turns of fixed messages of the user stay the same then.
    """
    task = solution.scenario.task
    asked = {*_ended_turns(task)} if isinstance(task, Milestones) and task.user.turns else set()
    steps = solution.written_out
    ends = [place for place, step in enumerate(steps) if isinstance(step, SayStep)]
    for call in solution.calls if asked else ():
        turn = 1 + sum(end < call.step for end in ends)
        if turn in asked and turn < len(ends) and call.made.changed_the_world:
            after = ends[turn - 1] + 1
            what = f"{call.written.tool} in turn {turn + 1} instead of {turn}"
            yield what, [*_with_calls(steps[:after], call), call.written, *steps[after:]], True


def _dropped_questions(solution: Solved) -> Iterator[Changed]:
    """Yield a mutant for each message that asks for the user's consent to a call.

    The agent does not say it, and makes the call at once.
    """
    task, steps = solution.scenario.task, solution.written_out
    if not isinstance(task, Milestones):
        return
    consents = Consents(solution.scenario, solution.trajectory)
    for _ in consents.missing(task.consent):
        return  # a solution without consent is not proven
    for message, tool in consents.questions.items():
        place = solution.steps_said[message]
        yield f"{tool} without asking before", [*steps[:place], *steps[place + 1 :]], True


def _ended_turns(task: Milestones) -> Iterator[int]:
    """Yield the turns at whose end milestones look at the world."""
    for event in task.milestones.values():
        asks = any(isinstance(constraint, HoldsConstraint) for constraint in event.constraints)
        moments = (item for item in event.constraints if isinstance(item, MomentConstraint))
        for moment in moments if asks or event.constrained_tables else ():
            if moment.turn is not None:
                yield moment.turn


def _tried_tools(solution: Solved) -> Iterator[Changed]:
    """Yield a mutant for each withheld tool, which an agent that makes it up calls at the end."""
    *before, last = solution.steps
    for name in solution.scenario.withheld if isinstance(last, SayStep) else ():
        yield f"{name}()", (*before, ToolStep(name, {}), last), True


def _counts(solution: Solved, call: SolutionCall) -> bool:
    """Whether a call changes the world, or a milestone asks for it."""
    return call.made.changed_the_world or solution.asked_arguments(call) is not None


def _fails_before(solution: Solved, first: SolutionCall, second: SolutionCall) -> bool:
    """Whether a call fails in the world as it was before an earlier one."""
    if second.made.failed or not first.made.changed_the_world:
        return False
    steps = (*solution.written_out[: first.step], second.written)
    return played(solution.scenario, steps).calls[-1].error is not None


def _deleted_rows(solution: Solved) -> Iterator[Mutant]:
    """Yield a mutant for each table: a row that the solution leaves alone is gone at the end."""
    trajectory = solution.trajectory
    for name, schema in solution.scenario.world.tables.items():
        states = [] if schema.single_row else [state[name].rows for state in trajectory.states]
        kept = (row for row in trajectory.start[name] if all(row in rows for rows in states))
        if states and (row := next(kept, None)) is not None:
            play = partial(_without_row, trajectory, name, row)
            yield Mutant("row deleted", f"a row of {name}", play, asked=True)


def _undone_changes(solution: Solved) -> Iterator[Changed]:
    if back := wrongly_set_back(solution):
        yield (*back, True)


def _without_row(trajectory: Trajectory, table: str, row: Row) -> Trajectory:
    """Return the conversation without a row in the end: no call that a milestone means did it."""
    *earlier, last = trajectory.states
    return replace(trajectory, states=(*earlier, last.with_table(table, last[table].without(row))))


def _with_calls(steps: Sequence[Step], call: SolutionCall, *instead: ToolStep) -> list[Step]:
    """Return the steps with other calls instead of one."""
    step = steps[call.step]
    calls = list(calls_of(step))
    calls[call.place : call.place + 1] = instead
    new = [ParallelStep(tuple(calls))] if isinstance(step, ParallelStep) else calls
    return [*steps[: call.step], *new, *steps[call.step + 1 :]]


def mutated(value: Any, state: State) -> Any:
    """Return another value of the same type; of what the world holds, another one that it holds.

    In a list or an object the first value changes that can. ``None`` if no value can.
    """
    if isinstance(value, bool):
        return not value
    if isinstance(value, (int, float)):
        return value + (3600 if value >= _TIMESTAMP else 7)
    if isinstance(value, str):
        return _other_cell(value, state) or _other_text(value)
    if isinstance(value, (list, tuple)):
        changed = _other_item(dict(enumerate(value)), state)
        return None if changed is None else list(changed.values())
    return _other_item(value, state) if isinstance(value, Mapping) else None


def _other_item(items: Mapping[Any, Any], state: State) -> dict[Any, Any] | None:
    """Return items of which the first that can is another one."""
    for key, item in items.items():
        changed = mutated(item, state)
        if changed is not None:
            return {**items, key: changed}
    return None


def _other_cell(text: str, state: State) -> str | None:
    """Return another value of the first column that holds the text."""
    for table in state.values():
        for column in table.rows[0] if table.rows else ():
            values = [row.get(column) for row in table.rows]
            if text in values:
                other_texts = [
                    value for value in values if isinstance(value, str) and value != text
                ]
                return next(iter(other_texts), None)
    return None


def _other_text(text: str) -> str:
    """Return a number with another last digit, or another text."""
    if _NUMBER.fullmatch(text):
        return f"{text[:-1]}{(int(text[-1]) + 1) % 10}"
    return ANOTHER_TEXT
