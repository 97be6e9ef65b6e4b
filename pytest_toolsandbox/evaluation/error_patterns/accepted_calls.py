"""The calls that a scenario accepts, with which error patterns compare those of an agent.

What its protocol counts as right is accepted, whatever a solution says: a conversation that reached
everything, an argument that is alike by the measure of its tool, a look-up that found the same.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from pytest_toolsandbox.calls.tool_call import ToolTrace
from pytest_toolsandbox.conversation.messages import Trajectory
from pytest_toolsandbox.conversation.solutions import PlayedCall, played_solutions
from pytest_toolsandbox.evaluation.queries import conclusion_of
from pytest_toolsandbox.evaluation.tooltalk.evaluate_calls import CallEvaluation
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.language.tasks import FINISH
from pytest_toolsandbox.language.values import FromResult, results_in, substituted
from pytest_toolsandbox.matchers import Matcher, Reading, read
from pytest_toolsandbox.worlds.state import frozen, identity
from pytest_toolsandbox.worlds.world import World

from .patterns import FREE, AcceptedCall, AcceptedSolution

EVERYTHING: Sequence[AcceptedSolution] = ((),)
"""What is accepted where a conversation is right as it is: no call is missing or wrong."""

MOST_CHOICES = 64
"""How many combinations of earlier results one argument may be made of."""


def accepted_calls(scenario: Scenario, trajectory: Trajectory) -> list[AcceptedSolution]:
    """Return the calls of each solution that can be played, as a conversation may make them."""
    made = _ConversationCalls(trajectory)
    conclusion = conclusion_of(trajectory)
    finishes = conclusion is None or conclusion.by == "finish"
    accepted = [
        _accepted(scenario.world, one, made, finishes=finishes)
        for one in played_solutions(scenario)
    ]
    may_finish = FINISH.name in scenario.task.further_tools
    return list(map(_with_finish, accepted)) if may_finish and finishes else accepted


def ground_truth_accepted(result: CallEvaluation) -> list[AcceptedSolution]:
    """Return the ground-truth calls of a recorded conversation; those that were made, as made."""
    calls = []
    for truth in result.ground_truths:
        made = truth if truth.match is None else result.predictions[truth.match]
        arguments = dict(made.call.arguments or {})
        calls.append(AcceptedCall(truth.call.tool, arguments, truth.call.error is not None))
    return [tuple(calls)]


@dataclass(frozen=True)
class _ConversationCalls:
    trajectory: Trajectory

    @cached_property
    def results(self) -> Mapping[str, list[Any]]:
        """Tool → what its calls returned, each result once."""
        results: dict[str, list[Any]] = {}
        for call in self.trajectory.calls:
            if call.trace is not None:
                of_tool = results.setdefault(call.trace.tool_name, [])
                if call.trace.result not in of_tool:
                    of_tool.append(call.trace.result)
        return results

    @cached_property
    def look_ups(self) -> list[ToolTrace]:
        """What came of the calls that found something out, and changed nothing."""
        calls = (call for call in self.trajectory.calls if not call.changed_the_world)
        return [call.trace for call in calls if call.trace is not None]

    def substitutes(self, solution: Sequence[PlayedCall]) -> Mapping[int, Mapping[str, Any]]:
        """Return the place of a call in a solution → the arguments with which it found the same.

        A call that was made with its own arguments needs no others, and one that was made again
        found nothing new.
        """
        left, taken, sought = list(self.look_ups), [], []
        for place, played in enumerate(solution):
            trace = played.made.trace
            if played.found is None or trace is None:
                continue
            if trace in left:
                left.remove(trace)
                taken.append(trace)
            else:
                sought.append((place, trace))
        arguments = {}
        for place, trace in sought:
            same = (one for one in left if one not in taken and _found_the_same(one, trace))
            if (look_up := next(same, None)) is not None:
                taken.append(look_up)
                arguments[place] = look_up.arguments
        return arguments


def _found_the_same(one: ToolTrace, other: ToolTrace) -> bool:
    if one.tool_name != other.tool_name:
        return False
    return unordered(one.result) == unordered(other.result)


def unordered(value: Any) -> str:
    """Write a JSON value so that the order in its lists and objects does not count."""
    if isinstance(value, list):
        return f"[{','.join(sorted(map(unordered, value)))}]"
    if isinstance(value, Mapping):
        items = sorted(f"{key!r}:{unordered(item)}" for key, item in value.items())
        return f"{{{','.join(items)}}}"
    return json.dumps(value)


def _accepted(
    world: World, solution: Sequence[PlayedCall], made: _ConversationCalls, *, finishes: bool
) -> AcceptedSolution:
    """Return what is accepted of a solution; ``finish`` is left out where words conclude."""
    substitutes = made.substitutes(solution)
    return tuple(
        AcceptedCall(
            played.step.tool,
            substitutes[place] if place in substitutes else _arguments(world, played, made),
            played.made.error is not None,
        )
        for place, played in enumerate(solution)
        if finishes or played.step.tool != FINISH.name
    )


def _with_finish(solution: AcceptedSolution) -> AcceptedSolution:
    """Return a solution as an agent that calls ``finish`` plays it, even if it ends in words."""
    if any(call.tool == FINISH.name for call in solution):
        return solution
    return (*solution, AcceptedCall(FINISH.name, {"answer": FREE}))


def _arguments(world: World, played: PlayedCall, made: _ConversationCalls) -> Mapping[str, Any]:
    if played.step.tool == FINISH.name:
        return dict.fromkeys(played.arguments, FREE)  # whether the answer is right is the success
    return {
        name: _argument(world, name, value, played.step.arguments.get(name), made)
        for name, value in played.arguments.items()
    }


def _argument(world: World, name: str, value: Any, written: Any, made: _ConversationCalls) -> Any:
    """Return what an argument may be, which was ``value`` when the solution was played."""
    sources = list(dict.fromkeys(results_in(written)))
    if not sources:
        return _free_text(value) if _is_free_text(world, name, value) else value
    choices = [_choices(source, made) for source in sources]
    if not all(choices):
        return FREE  # the look-up that it follows from was not made, which is a finding by itself
    combinations = itertools.islice(itertools.product(*choices), MOST_CHOICES)
    values = [
        substituted(written, dict(zip(sources, choice, strict=True)).__getitem__)
        for choice in combinations
    ]
    # An agent that knows the value of the solution from elsewhere makes no mistake here.
    different = list({identity(frozen(one)): {"exact": one} for one in (value, *values)}.values())
    return read({"any_of": different} if len(different) > 1 else different[0], Reading())


def _choices(source: FromResult, made: _ConversationCalls) -> list[Any]:
    found = (source.value(result) for result in made.results.get(source.name, ()))
    return [value for value in found if value is not None]


def _is_free_text(world: World, name: str, value: Any) -> bool:
    """Whether columns of this name are compared by their words, not letter by letter."""
    columns = (table.columns.get(name) for table in world.tables.values())
    return isinstance(value, str) and any(c is not None and c.measure != "exact" for c in columns)


def _free_text(value: str) -> Matcher:
    return read({"rouge_l": value}, Reading())
