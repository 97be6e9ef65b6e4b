"""The execution environment: executes tool calls, parallel calls by Murphy's law.

Parallel calls are tried in every order (ToolSandbox, appendix A.6). The lexicographically first
order in which a call fails is used, with the calls after the failure in the given order. If none
fails, the given order is used.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cached_property
from typing import Any, Self

from pytest_toolsandbox.calls.faults import no_call_feedback
from pytest_toolsandbox.calls.text_format import TEXT, TEXT_FORMATS
from pytest_toolsandbox.calls.tool_call import (
    ToolCall,
    ToolTrace,
    read_arguments,
    readable_arguments,
)
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.text.regular_expression import SlowSearchError
from pytest_toolsandbox.worlds.context import WorldError
from pytest_toolsandbox.worlds.json_values import as_json
from pytest_toolsandbox.worlds.protocol import RunningWorld, SimulatedWorld
from pytest_toolsandbox.worlds.state import Caller, State
from pytest_toolsandbox.worlds.tool_view import ToolView

from .call_wrappers import CallRequest, CallWrapper, Execute, feedback_wrapper, wrapped
from .faulty_calls import FaultCounts, fault_wrapper
from .late_tools import Offer
from .messages import Response
from .perturbed_calls import perturbing_wrappers

MOST_EXECUTIONS = 4_000
"""The limit of executions, after which the given order is used.

Nine calls that all change the world need fewer.
"""

_Execute = Callable[[int, State], Response]


@dataclass(frozen=True)
class Execution:
    """The calls, as indices of the given order, with their responses, in the order of execution.

    If ``all_tried`` is false, there were too many orders, and the calls happened as given.
    """

    outcomes: tuple[tuple[int, Response], ...]
    all_tried: bool


def execute_parallel(
    count: int, state: State, execute: _Execute, may_explore: Callable[[], bool] = lambda: True
) -> Execution:
    """Execute parallel calls.

    ``execute(call, state)`` must be pure: each call is executed once in each state to which some of
    the others can lead, as long as ``may_explore()`` allows it.
    """
    search, all_tried, order = _Search(execute, may_explore), True, tuple(range(count))
    try:
        if count > 1 and search.can_fail(state, frozenset(order)):
            # Order by order would take n! executions; the search shares states that orders have in
            # common.
            order = search.first_failing(state, order)
    except _BudgetSpent:
        all_tried = False
    return Execution(search.replay(order, state), all_tried)


class _BudgetSpent(Exception):  # noqa: N818  # a signal
    pass


class _Search:
    def __init__(self, execute: _Execute, may_explore: Callable[[], bool]) -> None:
        self.execute, self.may_explore = execute, may_explore
        self.outcomes: dict[tuple[State, int], Response] = {}
        self.failing: dict[tuple[State, frozenset[int]], bool] = {}

    def replay(self, order: Sequence[int], state: State) -> tuple[tuple[int, Response], ...]:
        """Return the calls with their outcomes in an order."""
        outcomes = []
        for call in order:
            # Hashing a state takes time: a single call has no known outcomes, and needs no lookup.
            known = self.outcomes.get((state, call)) if self.outcomes else None
            outcome = known or self.execute(call, state)
            outcomes.append((call, outcome))
            state = outcome.state
        return tuple(outcomes)

    def outcome(self, state: State, call: int) -> Response:
        # Calls are pure, so each is executed once per state. Many orders lead to the same state.
        if (state, call) not in self.outcomes:
            if len(self.outcomes) >= MOST_EXECUTIONS or not self.may_explore():
                raise _BudgetSpent
            self.outcomes[state, call] = self.execute(call, state)
        return self.outcomes[state, call]

    def can_fail(self, state: State, calls: frozenset[int]) -> bool:
        """Whether a call fails in some order of the calls.

        Calls that change nothing can come last: a call that fails after them fails without them.
        """
        if (state, calls) not in self.failing:
            outcomes = {call: self.outcome(state, call) for call in sorted(calls)}
            fails_now = any(outcome.failed for outcome in outcomes.values())
            self.failing[state, calls] = fails_now or any(
                self.can_fail(outcome.state, calls - {call})
                for call, outcome in outcomes.items()
                if outcome.state is not state
            )
        return self.failing[state, calls]

    def first_failing(self, state: State, calls: Sequence[int]) -> tuple[int, ...]:
        order: list[int] = []
        remaining = list(calls)
        while remaining:
            # Greedy, and still lexicographically first: ``leads_to_failure`` looks ahead.
            call = next(call for call in remaining if self.leads_to_failure(state, remaining, call))
            remaining.remove(call)
            order.append(call)
            outcome = self.outcome(state, call)
            if outcome.failed:
                break
            state = outcome.state
        return (*order, *remaining)

    def leads_to_failure(self, state: State, calls: Sequence[int], call: int) -> bool:
        """Whether ``call`` fails, or some order of the others does after it."""
        outcome = self.outcome(state, call)
        return outcome.failed or self.can_fail(outcome.state, frozenset(calls) - {call})


NO_CALL = "SyntaxError: there is no tool call that could be read"


def _always(_: ToolView) -> bool:
    """Return true: a tool of the scenario is offered."""
    return True


class _Refused(Exception):  # noqa: N818  # it never leaves this module
    """A call is not executed. The message is the line for the agent."""


@dataclass(frozen=True)
class ExecutionEnvironment:
    """Executes calls of tools in a world whose clock is at ``now`` unless it has moved.

    ``tools`` maps the names under which tools are offered to the tools. Each call passes through
    the ``wrappers``, the first of them first. ``no_call`` answers a text that should have a call.
    ``user_tools`` are the tools of the user, whose calls pass through no wrapper.

    Whoever makes one closes it, for instance by ``with``: a live world has objects or processes.
    """

    world: SimulatedWorld
    now: datetime
    tools: Mapping[str, ToolView]
    wrappers: Sequence[CallWrapper] = ()
    no_call: str = NO_CALL
    user_tools: Mapping[str, ToolView] = field(default_factory=dict)
    is_offered: Callable[[ToolView], bool] = _always
    _simple: dict[tuple[str, str], dict[str, Any]] = field(default_factory=dict, init=False)

    def execute(self, calls: Sequence[ToolCall], state: State, place: int) -> Execution:
        """Execute parallel calls.

        ``place`` is the index of the first call's message: identifiers derive from it.
        """

        def run(index: int, before: State) -> Response:
            return self.run(calls[index], before, f"{place}/{index}")

        if len(calls) == 1:
            return execute_parallel(1, state, run)
        with self.exploring() as settle:
            execution = execute_parallel(len(calls), state, run, self._world.may_explore)
            settle(execution.outcomes[-1][1].state if execution.outcomes else state)
        return execution

    def run(self, call: ToolCall, state: State, place: str, by: Caller = "agent") -> Response:
        """Execute one call. The caller gets a declared exception in one line, ``Type: message``.

        Raises :class:`WorldError` for any other exception of the tool.
        """
        request = CallRequest(call, state, place, by)
        return self._executed(request) if by == "user" else self._execute(request)

    def move_clock(self, state: State, now: datetime, place: str) -> State:
        """Return the state after the clock moved on. Raises :class:`WorldError`."""
        return self._world.fork(state, place).move_clock(now, place)

    @contextmanager
    def exploring(self) -> Iterator[Callable[[State], None]]:
        """Execute calls of several states in a block, which calls what it gets with the last one.

        In a live world, going back to a state is then as fast as the world allows.
        """
        self._world.explore()
        yield self._world.settle

    def close(self) -> None:
        """Close the world. May be called several times; raises :class:`WorldError`."""
        if "_world" in vars(self):
            self._world.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: object, raised: BaseException | None, traceback: object) -> None:
        try:
            self.close()
        except WorldError:
            if raised is None:  # the first error says more
                raise

    def refusal(self, state: State) -> Response:
        """Return the answer to a text that should have a call and has none."""
        return Response(self.no_call, state, error=self.no_call)

    @cached_property
    def _world(self) -> RunningWorld:
        return self.world.open(self.now)

    @cached_property
    def _execute(self) -> Execute:
        return wrapped(self._executed, self.wrappers)

    def _executed(self, request: CallRequest) -> Response:
        world = self._world.fork(request.state, request.place, request.by)
        try:
            content, trace = self._called(request.call, world, self._tools_of(request.by))
        except _Refused as refused:
            return Response(str(refused), request.state, error=str(refused))
        except (WorldError, SlowSearchError, KeyboardInterrupt):
            raise
        except BaseException as error:  # noqa: BLE001  # an exception that the tool declares
            line = _line(error, self._tools_of(request.by).get(request.call.written[0]))
            # Our worlds undo the changes of a tool that raises; a custom world may keep them.
            return Response(line, world.snapshot(), error=line)
        return Response(content, world.snapshot(), replace(trace, reads=world.tables_read))

    def _tools_of(self, caller: Caller) -> Mapping[str, ToolView]:
        return self.user_tools if caller == "user" else self.tools

    def _called(
        self, call: ToolCall, world: RunningWorld, tools: Mapping[str, ToolView]
    ) -> tuple[str, ToolTrace]:
        name, arguments_text = call.written
        # What a server could not parse has no name, and its text, if any, is no JSON object.
        is_readable = arguments_text.strip() and readable_arguments(arguments_text) is not None
        if not name and not is_readable:
            raise _Refused("SyntaxError: the call cannot be read: it has no name of a tool")
        if name not in tools or not self.is_offered(tools[name]):
            raise _Refused(f"NameError: name {name!r} is not defined: there is no such tool")
        view = tools[name]
        world.check_precondition(view.tool)
        bound = self._bound(view, arguments_text)
        arguments = as_json(bound)  # before the call: the tool may change what it is given
        content = world.call(view.tool, bound)
        completed = view.tool.completed(json.loads(arguments))
        return content, ToolTrace(view.tool.name, completed, json.loads(content))

    def _bound(self, tool: ToolView, arguments_text: str) -> dict[str, Any]:
        # Murphy's law executes the same call many times. A user's tool may have the name under
        # which the agent sees another one.
        key = f"{tool.tool.name} as {tool.name}", arguments_text
        if key not in self._simple:
            try:
                bound = tool.bind(read_arguments(arguments_text))
            except (TypeError, ValueError) as error:  # the message has the agent's names already
                raise _Refused(_line(error)) from None
            if any(isinstance(value, (list, dict)) for value in bound.values()):
                return bound  # the tool may change what is in them
            self._simple[key] = bound
        return dict(self._simple[key])


def environment_of(scenario: Scenario, offer: Offer | None = None) -> ExecutionEnvironment:
    """Return the environment of a conversation, with the feedback and the faults of its scenario.

    The ``offer`` knows which tools are offered in the current turn.
    """
    tools, wrappers, no_call = scenario.tool_views, list[CallWrapper](), NO_CALL
    is_offered = _always if offer is None else offer.has
    if scenario.gives_feedback:
        no_call = no_call_feedback(TEXT_FORMATS.get(scenario.call_format, TEXT))
        wrappers.append(feedback_wrapper(tools))
    wrappers += perturbing_wrappers(scenario, is_offered)
    if scenario.faults:
        wrappers.append(fault_wrapper(tools, is_offered, FaultCounts(scenario.faults)))
    return ExecutionEnvironment(
        scenario.world,
        scenario.now,
        tools,
        wrappers,
        no_call,
        scenario.user_tool_views,
        is_offered,
    )


def _line(error: BaseException, tool: ToolView | None = None) -> str:
    """Write an error in one line, with the names that the agent knows."""
    try:
        message = " ".join(str(error).split())
    except Exception:  # noqa: BLE001  # a user's exception whose __str__ fails
        message = ""
    message = message if tool is None else tool.renamed(message)
    return type(error).__name__ + (f": {message}" if message else "")
