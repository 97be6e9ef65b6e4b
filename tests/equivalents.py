"""Which of the faults that are planted in a solution are no faults: there are other right ways."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from planted import Planted
from turns import played_turns

from pytest_toolsandbox.calls.tool_call import ToolCall, read_arguments
from pytest_toolsandbox.conversation.messages import Trajectory
from pytest_toolsandbox.language.roles import Role
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.language.tasks import FINISH, Query, Replay
from pytest_toolsandbox.scoring.error_patterns.accepted_calls import unordered
from pytest_toolsandbox.scoring.milestones.evaluate import evaluate
from pytest_toolsandbox.scoring.tooltalk.evaluate_replay import evaluate_replay

Done = Counter[str]
"""How often what was done."""


@dataclass(frozen=True)
class Equivalents:
    """A solution in which faults are planted, and the others, which show more right ways."""

    scenario: Scenario
    solution: Trajectory
    other_solutions: Sequence[Trajectory]

    def is_equivalent(self, fault: Planted, trajectory: Trajectory) -> bool:
        """Whether what was planted is another solution, or another way to find the same."""
        if (alone := fault.alone) is not None or fault.patterns == ("RAC",):
            return self._is_none(alone) if alone else self._is_repeated_elsewhere(fault)
        finishes = fault.call is not None and fault.call.name == FINISH.name
        if finishes or fault.patterns not in (("IAV",), ("IAC",)):
            return False
        if fault.patterns == ("IAV",) and _finds_no_less(fault, trajectory, self.solution):
            return True
        if fault.form == "before" and self._is_made_otherwise(fault):
            return True
        if fault.call is not None and fault.form == "before":
            request = self._request(ToolCall("", fault.call.name, fault.call.arguments))
            return any(request in other for other in self._all_requests)
        return self._is_right(fault, trajectory)

    def _is_right(self, fault: Planted, trajectory: Trajectory) -> bool:
        """Whether what was made is all that the recording or a solution asks for."""
        if isinstance(self.scenario.task, Replay):
            result = evaluate_replay(self.scenario, trajectory)
            return fault.patterns == ("IAV",) and all(
                truth.matched for truth in result.ground_truths
            )
        if self._is_as_asked(fault, self._requests(trajectory), self._all_requests):
            return True
        return self._is_as_asked(fault, self._look_ups(trajectory), self._all_look_ups)

    def _is_none(self, fault: Planted) -> bool:
        """Whether a fault of a mixture is none by itself."""
        trajectory = played_turns(self.scenario, fault.turns)
        return self.is_equivalent(fault, trajectory) or self.passes_too(fault, trajectory)

    def passes_too(self, fault: Planted, trajectory: Trajectory) -> bool:
        """Whether the task is done all the same; with a simulated user that is no fault."""
        if fault.patterns not in (("IAV",), ("IAC",)) or isinstance(
            self.scenario.task, (Replay, Query)
        ):
            return False
        return evaluate(self.scenario, trajectory).passed

    def _is_made_otherwise(self, fault: Planted) -> bool:
        """Whether an attempt at a look-up may be one at another solution's, which differs.

        Another one asks the same tool for something else, or for less, or not at all: of which of
        them the attempt falls short is open.
        """
        answer = fault.place.answer
        call = self.solution.messages[answer].call
        if call is None or self.solution.states[answer] != self.solution.states[answer - 1]:
            return False
        ours, *other_counts = (
            {request: count for request, count in requests.items() if _tool(request) == call.name}
            for requests in self._all_requests
        )
        return any(other != ours for other in other_counts)

    def _is_as_asked(self, fault: Planted, made: Done, solutions: Sequence[Done]) -> bool:
        """Whether what was made is all that a solution asks for, or that solution less a call."""
        return any(
            not asked - made
            or (fault.patterns == ("IAV",) and (asked - made).total() == 1 and not made - asked)
            for asked in solutions
        )

    def _is_repeated_elsewhere(self, fault: Planted) -> bool:
        """Whether another solution makes the call more often than the one it was planted in."""
        call = self.solution.messages[fault.place.answer].call
        assert call is not None
        request = self._request(call)
        first, *other_counts = (requests[request] for requests in self._all_requests)
        return any(count > first for count in other_counts)

    @cached_property
    def _all_requests(self) -> Sequence[Done]:
        return [self._requests(solution) for solution in (self.solution, *self.other_solutions)]

    @cached_property
    def _all_look_ups(self) -> Sequence[Done]:
        return [self._look_ups(solution) for solution in (self.solution, *self.other_solutions)]

    def _requests(self, trajectory: Trajectory) -> Done:
        """Return which call was made, with its defaults; how it is concluded does not count."""
        calls = (m.call for m in trajectory.messages if m.sender is Role.AGENT)
        return Counter(
            self._request(call) for call in calls if call is not None and call.name != FINISH.name
        )

    def _look_ups(self, trajectory: Trajectory) -> Done:
        """Return what was done: of calls that change nothing, what they found counts."""
        done = self._requests(trajectory)
        for index in _answers(trajectory):
            trace = trajectory.messages[index].trace
            if trace and trace.result and trajectory.states[index] == trajectory.states[index - 1]:
                call = trajectory.messages[index].call
                assert call is not None
                done[self._request(call)] -= 1
                done[f"{trace.tool_name} {unordered(trace.result)}"] += 1
        return +done

    def _request(self, call: ToolCall) -> str:
        tool = self.scenario.tool_views.get(call.name)
        parameters = tool.tool.parameters if tool else {}
        usual = {
            name: parameter.default
            for name, parameter in parameters.items()
            if not parameter.required
        }
        try:
            arguments = read_arguments(call.arguments)
        except (ValueError, TypeError):
            arguments = {"": call.arguments}
        return f"{call.name} {json.dumps({**usual, **arguments}, sort_keys=True, default=repr)}"


def _tool(request: str) -> str:
    return request.partition(" ")[0]


def _finds_no_less(fault: Planted, trajectory: Trajectory, solution: Trajectory) -> bool:
    """Whether the changed call found all that the right one did, and neither changed anything."""
    answers = [
        (trajectory.messages[index], trajectory.states[index] == trajectory.states[index - 1])
        for index in _answers(trajectory)
    ]
    place = list(_answers(solution)).index(fault.place.answer)
    if place >= len(answers):
        return False
    right = solution.messages[fault.place.answer]
    message, unchanged = answers[place]
    if not unchanged or message.error is not None:
        return False
    if message.content == right.content:
        return True
    traces = message.trace, right.trace
    return all(traces) and _has_all_of(*(trace.result for trace in traces if trace))


def _has_all_of(value: object, right: object) -> bool:
    """Whether a result has all that another one has, and perhaps longer lists."""
    if isinstance(value, dict) and isinstance(right, dict):
        same = value.keys() == right.keys()
        return same and all(_has_all_of(value[key], right[key]) for key in right)
    if isinstance(value, list) and isinstance(right, list):
        return bool(right) and all(part in value for part in right)
    return value == right


def _answers(trajectory: Trajectory) -> Iterator[int]:
    for index, message in enumerate(trajectory.messages):
        if message.call is not None and message.recipient is Role.AGENT:
            yield index
