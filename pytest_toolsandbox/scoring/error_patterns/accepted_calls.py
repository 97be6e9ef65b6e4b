"""The calls that a scenario accepts, with which error patterns compare the calls of an agent.

They are those of its solutions, with the values that the agent saw in its own conversation. A
look-up of the agent's is accepted in the place of another one that found the same or less, alone
or together with further ones.
"""

from __future__ import annotations

import itertools
import json
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
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
"""Names of fields that say how long a list is, or where it goes on."""
_CODE: Final = 3
"""Letters of a code, such as a country's, which a question hardly spells out."""
_STEM: Final = 4
"""Letters by which a word is known in another form: rent, rented."""


@dataclass(frozen=True)
class _WantedLookUp:
    """A look-up of a solution, which others of the agent may replace.

    ``listed`` is what it found, ``step`` how it is written, ``usual`` are the defaults of its tool.
    """

    listed: ToolTrace
    step: ToolStep
    question: str
    usual: Mapping[str, Any]

    def is_found_by(self, look_up: ToolTrace) -> bool:
        """Return whether another look-up found all of it with the arguments that were asked for."""
        return self.has_asked_arguments(look_up) and _contain([look_up.result], self.listed.result)

    def parts(self, traces: Sequence[ToolTrace]) -> list[ToolTrace]:
        """Return the look-ups that together found all that this one did, if they did.

        Each takes a part, such as a page or a year.
        """
        alike = filter(self.has_asked_arguments, traces)
        parts = [part for part in alike if _is_about_same(part.result, self.listed.result)]
        together = len(parts) > 1 and _contain([part.result for part in parts], self.listed.result)
        return parts if together else []

    def has_asked_arguments(self, look_up: ToolTrace) -> bool:
        """Return whether a look-up of the same tool gives all arguments that were asked for."""
        arguments = {k: v for k, v in look_up.arguments.items() if v != self.usual.get(k)}
        return look_up.tool_name == self.listed.tool_name and arguments.keys() >= self._asked

    @cached_property
    def _asked(self) -> frozenset[str]:
        """The arguments that the question asks for, so that none of them may be left out.

        What is taken from earlier results was not asked for, nor was what has no word in it.
        """
        return frozenset(
            name
            for name, value in self.listed.arguments.items()
            if value != self.usual.get(name)
            and _is_asked(value, self.question)
            and name not in self.step.others
            and not any(results_in(self.step.arguments.get(name)))
        )


def _is_about_same(result: Any, listed: Any) -> bool:
    """Return whether two results are about the same thing: everything but lists agrees."""
    if not isinstance(result, Mapping) or not isinstance(listed, Mapping):
        return isinstance(result, list) and isinstance(listed, list)
    return all(
        isinstance(value, list) or result.get(key) == value or _is_count(key, value)
        for key, value in listed.items()
    )


def _contain(parts: Sequence[Any], less: Any) -> bool:
    """Return whether all of a result is in at least one of several."""
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
    """Return whether a result has a value somewhere in it."""
    inside = result.values() if isinstance(result, Mapping) else result
    parts = inside if isinstance(result, (Mapping, list, tuple)) else ()
    return bool(result == value) or any(contains(part, value) for part in parts)


def _is_count(key: str, value: Any) -> bool:
    return bool(_COUNT.search(key)) and (value is None or isinstance(value, (int, bool)))


def _is_asked(value: Any, question: str) -> bool:
    """Whether an argument may be a constraint of the question: it names it, or cannot name it."""
    if isinstance(value, (list, tuple)):
        return any(_is_asked(member, question) for member in value)
    if isinstance(value, str):
        words = re.findall(rf"\d{{{_STEM}}}|[^\W\d_]{{{_STEM},}}", value)
        stems = (rf"(?<!\w){re.escape(word[:_STEM])}" for word in words)
        return len(value) <= _CODE or any(re.search(s, question, re.IGNORECASE) for s in stems)
    return isinstance(value, bool) or is_mentioned(value, question)


EVERYTHING: Sequence[AcceptedSolution] = ((),)
"""What is accepted where a conversation is right as it is: no call is missing or wrong."""

_INCLUDED: Mapping[str, Any] = {}
"""The arguments of a look-up whose result another look-up of the agent includes."""

_MOST_CHOICES = 64
"""How many combinations of earlier results one argument may be made of."""


def accepted_calls(scenario: Scenario, trajectory: Trajectory) -> list[AcceptedSolution]:
    """Return the calls of each solution that can be played, as a conversation may make them.

    ``finish`` is left out where words conclude. An agent that calls it may do so as well where a
    solution ends in words.
    """
    task = scenario.task
    question = task.text if isinstance(task, Query) else None
    made = _ConversationCalls(scenario.world, trajectory, question)
    conclusion = conclusion_of(trajectory)
    finishes = conclusion is None or conclusion.by == "finish"
    solutions = []
    for played in played_solutions(scenario):
        calls = [call for call in made.accepted(played) if finishes or call.tool != FINISH.name]
        may_finish = finishes and FINISH.name in scenario.task.further_tools
        if may_finish and not any(call.tool == FINISH.name for call in calls):
            calls.append(AcceptedCall(FINISH.name, {"answer": FREE}))
        solutions.append(tuple(calls))
    return solutions


def ground_truth_accepted(result: CallEvaluation) -> list[AcceptedSolution]:
    """Return the ground-truth calls of a recorded conversation; those that were made, as made.

    Several calls may have made one, and one several.
    """
    made: dict[int, list[int]] = defaultdict(list)
    for place, prediction in enumerate(result.predictions):
        if prediction.match is not None:
            made[prediction.match].append(place)
    calls, taken = [], set[int]()
    for at, truth in enumerate(result.ground_truths):
        places = [] if truth.match is None else made[at] or [truth.match]
        as_made = [result.predictions[place] for place in places if place not in taken]
        taken |= {*places}
        for prediction in as_made if places else [truth]:
            arguments = dict(prediction.call.arguments or {})
            calls.append(AcceptedCall(truth.call.tool, arguments, truth.call.error is not None))
    for call in result.further_look_ups:
        further = AcceptedCall(call.tool, dict(call.arguments or {}))
        calls += [] if further in calls else [further]
    return [tuple(calls)]


@dataclass(frozen=True)
class _ConversationCalls:
    world: World
    trajectory: Trajectory
    question: str | None

    def accepted(self, solution: Sequence[PlayedCall]) -> Iterator[AcceptedCall]:
        """Yield what is accepted for each call of a solution."""
        substitutes = self._substitutes(solution)
        for place, played in enumerate(solution):
            tool, arguments = played.step.tool, substitutes.get(place)
            if arguments is _INCLUDED:
                continue
            if arguments is None and tool == FINISH.name:
                # Whether the answer is right is said by the success.
                arguments = dict.fromkeys(played.arguments, FREE)
            elif arguments is None:
                arguments = {
                    name: self._argument(tool, name, value, played.step.arguments.get(name))
                    for name, value in played.arguments.items()
                } | self._with_others(played)
            yield AcceptedCall(tool, arguments, played.made.error is not None)

    @cached_property
    def _results(self) -> Mapping[str, list[Any]]:
        """Tool → what its calls returned, each result once."""
        results: defaultdict[str, list[Any]] = defaultdict(list)
        for call in self.trajectory.calls:
            if call.trace is not None and call.trace.result not in results[call.trace.tool_name]:
                results[call.trace.tool_name].append(call.trace.result)
        return results

    def _substitutes(self, solution: Sequence[PlayedCall]) -> Mapping[int, Mapping[str, Any]]:
        """Return the place of a look-up in a solution → the agent's that found the same, or more.

        Left out are those that the agent made as the solution did. Each of its calls counts once,
        but one that found more may replace several: those after the first are ``_INCLUDED``.
        """
        look_ups = (call.trace for call in self.trajectory.calls if not call.changed_the_world)
        left, taken, sought = [trace for trace in look_ups if trace is not None], [], []
        for place, played in enumerate(solution):
            trace = played.made.trace
            if played.found is None or trace is None:
                continue
            if trace in left:
                left.remove(trace)
                taken.append(trace)
            else:
                sought.append((place, trace))
        arguments: dict[int, Mapping[str, Any]] = {}
        for place, trace in sought:
            same = (other for other in left if other not in taken and _is_same(other, trace))
            wanted = self._sought(trace, solution[place])
            wider = itertools.chain(filter(wanted.is_found_by, left), wanted.parts(left))
            look_up = next(itertools.chain(same, wider if self.question else ()), None)
            if look_up is not None:
                arguments[place] = _INCLUDED if look_up in taken else look_up.arguments
                taken.append(look_up)
            elif self.question and self._knows_results(wanted, solution[place + 1 :]):
                arguments[place] = _INCLUDED
        return arguments

    def _sought(self, listed: ToolTrace, played: PlayedCall) -> _WantedLookUp:
        parameters = self.world.agent_tools[played.step.tool].parameters
        usual = {name: known.default for name, known in parameters.items() if not known.required}
        return _WantedLookUp(listed, played.step, self.question or "", usual)

    def _knows_results(self, sought: _WantedLookUp, later: Sequence[PlayedCall]) -> bool:
        """Whether the agent has from other look-ups all that a solution takes from this one."""
        same = [trace for trace in self._traces if trace.tool_name == sought.step.tool]
        again = (at for at, call in enumerate(later) if call.step.tool == sought.step.tool)
        taken = [
            source.value(sought.listed.result)
            for call in later[: next(again, len(later)) + 1]
            for source in results_in(dict(call.step.arguments))
            if source.name == sought.step.tool
        ]
        if not taken or not all(value is not None and self._was_found(value) for value in taken):
            return False
        return not same or any(map(sought.has_asked_arguments, same))

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
            return FREE  # the look-up that it follows from was not made: a finding by itself
        combinations = itertools.islice(itertools.product(*choices), _MOST_CHOICES)
        values = [
            substituted(written, dict(zip(sources, choice, strict=True)).__getitem__)
            for choice in combinations
        ]
        # An agent that knows the value of the solution from elsewhere makes no mistake here.
        definition = self.world.agent_tools.get(tool)
        whole = (whole_value(candidate, name, definition) for candidate in (value, *values))
        exact = list({identity(frozen(each)): {"exact": each} for each in whole}.values())
        return read({"any_of": exact} if len(exact) > 1 else exact[0], Reading())

    def _with_others(self, played: PlayedCall) -> dict[str, Any]:
        """Return what is accepted for arguments of which the solution says several values."""
        parameters = self.world.agent_tools[played.step.tool].parameters
        accepted = {}
        for name, others in played.step.others.items():
            usual = parameters[name].default
            values = [played.arguments.get(name, usual), *others]
            accepted[name] = OneOf(tuple(usual if other is None else other for other in values))
        return accepted

    def _choices(self, source: FromResult) -> list[Any]:
        values = (source.value(result) for result in self._results.get(source.name, ()))
        return [value for value in values if value is not None]


def _is_same(look_up: ToolTrace, other: ToolTrace) -> bool:
    is_same_tool = look_up.tool_name == other.tool_name
    return is_same_tool and unordered(look_up.result) == unordered(other.result)


def unordered(value: Any) -> str:
    """Write a JSON value so that the order in its lists and objects does not count."""
    if isinstance(value, list):
        return f"[{','.join(sorted(map(unordered, value)))}]"
    if isinstance(value, Mapping):
        items = sorted(f"{key!r}:{unordered(item)}" for key, item in value.items())
        return f"{{{','.join(items)}}}"
    return json.dumps(value)


def _is_free_text(world: World, name: str, value: Any) -> bool:
    """Return whether columns of this name are compared otherwise than letter by letter."""
    columns = (table.columns.get(name) for table in world.tables.values())
    is_free = any(column is not None and is_free_text(column) for column in columns)
    return isinstance(value, str) and is_free


@dataclass(frozen=True)
class _TextAlike(Matcher):
    """A text with much the same words, by token F1: how ToolTalk compares free texts."""

    text: str
    threshold: float = 0.5

    @classmethod
    def read(cls, argument: Any, reading: Reading) -> Self:
        """Take a text."""
        del reading
        return cls(argument)

    def similarity(self, found: Any) -> float:
        """Return the F1 of the words, in [0, 1]."""
        return token_f1(self.text, found) if isinstance(found, str) else 0.0

    def describe(self) -> str:
        """Write it as ``like 'blue pot'``."""
        return f"like {format_value(self.text)}"
