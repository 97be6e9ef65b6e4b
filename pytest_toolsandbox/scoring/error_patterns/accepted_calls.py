"""The calls that a scenario accepts; error patterns compare the agent's calls with them.

They are the calls of the solutions, with the values that the agent saw in its own conversation. A
look-up of the agent replaces a look-up of a solution if it returned the same or more, alone or
together with others.
"""

from __future__ import annotations

import itertools
import json
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, Final, Self

from pytest_toolsandbox.calls.tool_call import ToolTrace
from pytest_toolsandbox.conversation.messages import Trajectory
from pytest_toolsandbox.conversation.solutions import PlayedCall, played_solutions
from pytest_toolsandbox.language.roles import ToolStep
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.language.tasks import FINISH, Query
from pytest_toolsandbox.language.values import FromResult, results_in, substituted
from pytest_toolsandbox.matchers import Matcher, Reading, read
from pytest_toolsandbox.matchers.mentions import is_mentioned
from pytest_toolsandbox.scoring.queries import conclusion_of
from pytest_toolsandbox.scoring.results import LatestResults
from pytest_toolsandbox.scoring.tooltalk.comparison import token_f1
from pytest_toolsandbox.scoring.words import is_free_text
from pytest_toolsandbox.text.formatting import format_value
from pytest_toolsandbox.worlds.state import frozen, identity
from pytest_toolsandbox.worlds.world import World

from .attempts import whole_value
from .patterns import FREE, AcceptedCall, AcceptedSolution, OneOf

if TYPE_CHECKING:
    from pytest_toolsandbox.scoring.tooltalk.evaluate_calls import CallEvaluation

_COUNT: Final = re.compile(r"total|count|page|limit|offset|more|next", re.IGNORECASE)
"""Names of fields with the length of a list, or with the place where it continues."""
_CODE: Final = 3
"""The longest code, such as a country code. Questions rarely contain codes."""
_STEM: Final = 4
"""The length of the common beginning of two forms of a word: rent, rented."""
EVERYTHING: Sequence[AcceptedSolution] = ((),)
"""The solution for a conversation that passed: no call is missing or wrong."""
_INCLUDED: Mapping[str, Any] = {}
"""Marks a look-up whose result is part of the result of another look-up of the agent."""
_MOST_CHOICES = 64
"""The limit of combinations of earlier results for one argument, which grow exponentially."""


_LATEST: Final = LatestResults[Sequence[AcceptedSolution]]()


def accepted_calls(scenario: Scenario, trajectory: Trajectory) -> Sequence[AcceptedSolution]:
    """Return the accepted calls of each solution that can be played.

    ``finish`` is left out if the conversation concluded in words. If the agent called ``finish``
    and a solution ends in words, the call is accepted.
    """
    sources = scenario.task, scenario.solutions, scenario.world, scenario.now
    return _LATEST.value(sources, trajectory, partial(_accepted_calls, scenario, trajectory))


def _accepted_calls(scenario: Scenario, trajectory: Trajectory) -> Sequence[AcceptedSolution]:
    task = scenario.task
    question = task.text if isinstance(task, Query) else None
    made = _ConversationCalls(scenario.world, trajectory, question)
    conclusion = conclusion_of(trajectory)
    finishes = conclusion is None or conclusion.by == "finish"
    solutions: list[AcceptedSolution] = []
    for played in played_solutions(scenario):
        calls = [call for call in made.accepted(played) if finishes or call.tool != FINISH.name]
        may_finish = finishes and FINISH.name in scenario.task.further_tools
        if may_finish and not any(call.tool == FINISH.name for call in calls):
            calls.append(AcceptedCall(FINISH.name, {"answer": FREE}))
        solutions.append(tuple(calls))
    return solutions


def ground_truth_accepted(result: CallEvaluation) -> list[AcceptedSolution]:
    """Return the ground-truth calls of a recording; matched ones as the agent made them.

    Several calls may match one ground-truth call, and one call several.
    """
    made: dict[int, list[int]] = defaultdict(list)
    for place, prediction in enumerate(result.predictions):
        if prediction.match is not None:
            made[prediction.match].append(place)
    calls, taken = [], set[int]()
    for at, truth in enumerate(result.ground_truths):
        places = [] if truth.match is None else made[at] or [truth.match]
        as_made = [result.predictions[place] for place in places if place not in taken]
        # A call that matches several ground-truth calls is accepted once.
        taken |= {*places}
        for prediction in as_made if places else [truth]:
            arguments = dict(prediction.call.arguments or {})
            calls.append(AcceptedCall(truth.call.tool, arguments, truth.call.error is not None))
    for call in result.further_look_ups:
        further = AcceptedCall(call.tool, dict(call.arguments or {}))
        calls += [] if further in calls else [further]
    return [tuple(calls)]


def _is_tried_again(played: PlayedCall, later: Sequence[PlayedCall]) -> bool:
    """Whether a call was in vain because of a fault, so that the solution makes it once more."""
    made = played.made
    return bool(made.fault and made.failed) and any(
        call.step.tool == played.step.tool and call.arguments == played.arguments for call in later
    )


@dataclass(frozen=True)
class _ConversationCalls:
    world: World
    trajectory: Trajectory
    question: str | None

    def accepted(self, solution: Sequence[PlayedCall]) -> Iterator[AcceptedCall]:
        """Yield the accepted call for each call of a solution."""
        substitutes = self._substitutes(solution)
        for place, played in enumerate(solution):
            tool, arguments = played.step.tool, substitutes.get(place)
            if arguments is _INCLUDED or _is_tried_again(played, solution[place + 1 :]):
                continue
            if arguments is None and tool == FINISH.name:
                # The success of the query says whether the answer is right.
                arguments = dict.fromkeys(played.arguments, FREE)
            elif arguments is None:
                arguments = {
                    name: self._argument(tool, name, value, played.step.arguments.get(name))
                    for name, value in played.arguments.items()
                } | self._with_others(played)
            yield AcceptedCall(tool, arguments, played.made.failed)

    @cached_property
    def _results(self) -> Mapping[str, list[Any]]:
        """Tool → the distinct results of its calls."""
        results: defaultdict[str, list[Any]] = defaultdict(list)
        for call in self.trajectory.calls:
            if call.trace is not None and call.trace.result not in results[call.trace.tool_name]:
                results[call.trace.tool_name].append(call.trace.result)
        return results

    def _substitutes(self, solution: Sequence[PlayedCall]) -> Mapping[int, Mapping[str, Any]]:
        """Return place in the solution → the arguments of the look-up that replaces it.

        Look-ups that the agent made as the solution did are left out. Each look-up of the agent
        replaces one, but one that returned more may replace several: all after the first are
        ``_INCLUDED``.
        """
        look_ups = (call.trace for call in self.trajectory.calls if not call.changed_the_world)
        unused, taken, open_places = [trace for trace in look_ups if trace is not None], [], []
        for place, played in enumerate(solution):
            trace = played.made.trace
            if played.look_up_result is None or trace is None:
                continue
            # Calls that are made as in the solution are set aside first, so that they replace no
            # other.
            if trace in unused:
                unused.remove(trace)
                taken.append(trace)
            else:
                open_places.append((place, trace))
        arguments: dict[int, Mapping[str, Any]] = {}
        for place, trace in open_places:
            same = (
                candidate
                for candidate in unused
                if candidate not in taken and _is_same(candidate, trace)
            )
            wanted = self._wanted_look_up(trace, solution[place])
            # Look-ups with the same result come before those with more. Only queries accept more.
            wider = itertools.chain(filter(wanted.is_found_by, unused), wanted.parts(unused))
            look_up = next(itertools.chain(same, wider if self.question else ()), None)
            if look_up is not None:
                arguments[place] = _INCLUDED if look_up in taken else look_up.arguments
                taken.append(look_up)
            elif self.question and self._knows_results(wanted, solution[place + 1 :]):
                arguments[place] = _INCLUDED
        return arguments

    def _wanted_look_up(self, listed: ToolTrace, played: PlayedCall) -> _WantedLookUp:
        parameters = self.world.agent_tools[played.step.tool].parameters
        usual = {name: known.default for name, known in parameters.items() if not known.required}
        return _WantedLookUp(listed, played.step, self.question or "", usual)

    def _knows_results(self, wanted: _WantedLookUp, later: Sequence[PlayedCall]) -> bool:
        """Return whether other look-ups gave the agent all that a solution takes from this one."""
        same = [trace for trace in self._traces if trace.tool_name == wanted.step.tool]
        # Results of a tool are known by its name only until its next call.
        again = (at for at, call in enumerate(later) if call.step.tool == wanted.step.tool)
        taken = [
            source.value(wanted.listed.result)
            for call in later[: next(again, len(later)) + 1]
            for source in results_in(dict(call.step.arguments))
            if source.name == wanted.step.tool
        ]
        if not taken or not all(value is not None and self._was_found(value) for value in taken):
            return False
        return not same or any(map(wanted.has_asked_arguments, same))

    @property
    def _traces(self) -> list[ToolTrace]:
        return [call.trace for call in self.trajectory.calls if call.trace is not None]

    def _was_found(self, value: Any) -> bool:
        """Return whether a tool returned a value before the agent used it."""
        known = (call for call in self._traces if contains([call.arguments, call.result], value))
        first = next(known, None)
        return first is not None and not contains(first.arguments, value)

    def _argument(self, tool: str, name: str, value: Any, written: Any) -> Any:
        """Return what is accepted for an argument, given its ``value`` in the solution."""
        sources = list(dict.fromkeys(results_in(written)))
        if not sources:
            return _TextAlike(value) if _is_free_text(self.world, name, value) else value
        choices = [self._choices(source) for source in sources]
        if not all(choices):
            return FREE  # the missing look-up is a finding of its own
        combinations = itertools.islice(itertools.product(*choices), _MOST_CHOICES)
        values = [
            substituted(written, dict(zip(sources, choice, strict=True)).__getitem__)
            for choice in combinations
        ]
        # The agent may also know the value of the solution from another source.
        definition = self.world.agent_tools.get(tool)
        whole = (whole_value(candidate, name, definition) for candidate in (value, *values))
        exact = list({identity(frozen(each)): {"exact": each} for each in whole}.values())
        return read({"any_of": exact} if len(exact) > 1 else exact[0], Reading())

    def _with_others(self, played: PlayedCall) -> dict[str, Any]:
        """Return the accepted values of arguments for which the solution lists several."""
        parameters = self.world.agent_tools[played.step.tool].parameters
        accepted = {}
        for name, alternatives in played.step.alternatives.items():
            usual = parameters[name].default
            values = [played.arguments.get(name, usual), *alternatives]
            accepted[name] = OneOf(tuple(usual if value is None else value for value in values))
        return accepted

    def _choices(self, source: FromResult) -> list[Any]:
        values = (source.value(result) for result in self._results.get(source.name, ()))
        return [value for value in values if value is not None]


@dataclass(frozen=True)
class _WantedLookUp:
    """A look-up of a solution that look-ups of the agent may replace.

    ``listed`` is the call with its result, ``step`` the written step, ``usual`` the defaults of its
    tool.
    """

    listed: ToolTrace
    step: ToolStep
    question: str
    usual: Mapping[str, Any]

    def is_found_by(self, look_up: ToolTrace) -> bool:
        """Return whether a look-up returned all of it and has the required arguments."""
        return self.has_asked_arguments(look_up) and _contain([look_up.result], self.listed.result)

    def parts(self, traces: Sequence[ToolTrace]) -> list[ToolTrace]:
        """Return the look-ups that together returned all of it, or none.

        Each of them returned a part, such as a page or a year.
        """
        alike = filter(self.has_asked_arguments, traces)
        parts = [part for part in alike if _is_about_same(part.result, self.listed.result)]
        together = len(parts) > 1 and _contain([part.result for part in parts], self.listed.result)
        return parts if together else []

    def has_asked_arguments(self, look_up: ToolTrace) -> bool:
        """Return whether a look-up of the same tool has all arguments of the question."""
        arguments = {k: v for k, v in look_up.arguments.items() if v != self.usual.get(k)}
        return look_up.tool_name == self.listed.tool_name and arguments.keys() >= self._asked

    @cached_property
    def _asked(self) -> frozenset[str]:
        """The arguments that the question asks for, which must not be left out.

        Values from earlier results, and values without a word in the question, do not count.
        """
        return frozenset(
            name
            for name, value in self.listed.arguments.items()
            if value != self.usual.get(name)
            and _is_asked(value, self.question)
            and name not in self.step.alternatives
            and not any(results_in(self.step.arguments.get(name)))
        )


def _is_about_same(result: Any, listed: Any) -> bool:
    """Return whether two results agree in everything except lists and counts."""
    if not isinstance(result, Mapping) or not isinstance(listed, Mapping):
        return isinstance(result, list) and isinstance(listed, list)
    return all(
        isinstance(value, list) or result.get(key) == value or _is_count(key, value)
        for key, value in listed.items()
    )


def _contain(parts: Sequence[Any], less: Any) -> bool:
    """Return whether every part of a result is in at least one of several results."""
    if isinstance(less, list):
        items = [[item] for part in parts if isinstance(part, list) for item in part]
        has_list = any(isinstance(part, list) for part in parts)
        return has_list and all(any(_contain(item, part) for item in items) for part in less)
    if isinstance(less, Mapping):
        maps = [part for part in parts if isinstance(part, Mapping)]
        return bool(maps) and all(
            _is_count(key, value) or _contain([part[key] for part in maps if key in part], value)
            for key, value in less.items()
        )
    return any(part == less for part in parts)


def contains(result: Any, value: Any) -> bool:
    """Return whether a result contains a value at any depth."""
    inside = result.values() if isinstance(result, Mapping) else result
    parts = inside if isinstance(result, (Mapping, list, tuple)) else ()
    return bool(result == value) or any(contains(part, value) for part in parts)


def _is_count(key: str, value: Any) -> bool:
    return bool(_COUNT.search(key)) and (value is None or isinstance(value, (int, bool)))


def _is_asked(value: Any, question: str) -> bool:
    """Return whether the question names an argument, or could not name it."""
    if isinstance(value, (list, tuple)):
        return any(_is_asked(member, question) for member in value)
    if isinstance(value, str):
        # A question says "rented in 2020" where the argument is ``rent``: compare the stems.
        words = re.findall(rf"\d{{{_STEM}}}|[^\W\d_]{{{_STEM},}}", value)
        stems = (rf"(?<!\w){re.escape(word[:_STEM])}" for word in words)
        return len(value) <= _CODE or any(re.search(s, question, re.IGNORECASE) for s in stems)
    return isinstance(value, bool) or is_mentioned(value, question)


def _is_same(first: ToolTrace, second: ToolTrace) -> bool:
    is_same_tool = first.tool_name == second.tool_name
    return is_same_tool and unordered(first.result) == unordered(second.result)


def unordered(value: Any) -> str:
    """Write a JSON value such that the order of lists and objects does not matter."""
    if isinstance(value, list):
        return f"[{','.join(sorted(map(unordered, value)))}]"
    if isinstance(value, Mapping):
        items = sorted(f"{key!r}:{unordered(item)}" for key, item in value.items())
        return f"{{{','.join(items)}}}"
    return json.dumps(value)


def _is_free_text(world: World, name: str, value: Any) -> bool:
    """Return whether columns of this name are compared by similarity, not exactly."""
    columns = (table.columns.get(name) for table in world.tables.values())
    is_free = any(column is not None and is_free_text(column) for column in columns)
    return isinstance(value, str) and is_free


@dataclass(frozen=True)
class _TextAlike(Matcher):
    """A text with similar words, by token F1: how ToolTalk compares free texts."""

    text: str
    threshold: float = 0.5

    @classmethod
    def read(cls, argument: Any, reading: Reading) -> Self:
        """Take a text."""
        del reading
        return cls(argument)

    def similarity(self, value: Any) -> float:
        """Return the F1 of the words, in [0, 1]."""
        return token_f1(self.text, value) if isinstance(value, str) else 0.0

    def describe(self) -> str:
        """Write it as ``like 'blue pot'``."""
        return f"like {format_value(self.text)}"
