"""The execution environment: carries out tool calls and says what came of them.

The order in which parallel calls happen: Murphy's law (ToolSandbox, appendix A.6).

If in any order one of the calls fails, the lexicographically first such order is what happened,
with the calls that the failure leaves over in given order. If none fails, the given order is.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from pytest_toolsandbox.calls.faults import feedback, no_call_feedback
from pytest_toolsandbox.calls.text_format import TEXT, TextFormat
from pytest_toolsandbox.calls.tool_call import ToolCall, ToolTrace, read_arguments
from pytest_toolsandbox.text.regular_expression import SlowSearchError
from pytest_toolsandbox.worlds.context import Context, WorldError
from pytest_toolsandbox.worlds.json_values import as_json
from pytest_toolsandbox.worlds.state import State, TableSchema
from pytest_toolsandbox.worlds.tool_view import ToolView

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


NO_CALL = "SyntaxError: there is no tool call that could be read"


class _Refused(Exception):  # noqa: N818  # it never leaves this module
    """A tool does not take these arguments. The text is the line for the agent."""


@dataclass(frozen=True)
class ExecutionEnvironment:
    """Executes calls of the tools that are offered, in a world whose clock stands still.

    ``tools`` maps the names under which they are offered to the tools, and ``tables`` those of
    the world's tables to what they take. With ``feedback`` a call that is not valid is answered
    with what is allowed (SpecTool, section 4); ``written`` is how calls in a text should be.
    """

    now: datetime
    tools: Mapping[str, ToolView]
    feedback: bool = False
    tables: Mapping[str, TableSchema] = field(default_factory=dict)
    written: TextFormat = TEXT
    _simple: dict[tuple[str, str], dict[str, Any]] = field(default_factory=dict, init=False)

    def execute(self, calls: Sequence[ToolCall], state: State, place: int) -> Happened:
        """Execute calls that were made at once, and return the responses as they happened.

        ``place`` is the index of the first call's message: identifiers derive from it.
        """

        def run(call: int, before: State) -> Response:
            return self.run(calls[call], before, f"{place}/{call}")

        return execute_parallel(len(calls), state, run)

    def run(self, call: ToolCall, state: State, place: str) -> Response:
        """Execute one call. What its tool declares goes back in one line, ``Type: message``.

        Raises :class:`WorldError` for anything else that the tool raises.
        """
        if self.feedback and (told := feedback(call, self.tools)):
            return Response(told, state, error=told.partition("\n")[0])
        read: set[str] = set()
        context = Context(state.watched(read), self.now, place, self.tables)
        try:
            content, trace = self._executed(call, context)
        except _Refused as refused:
            return Response(str(refused), state, error=str(refused))
        except (WorldError, SlowSearchError, KeyboardInterrupt):
            raise
        except BaseException as error:  # noqa: BLE001  # what the tool declares
            line = _line(error, self.tools.get(call.written[0]))
            return Response(line, state, error=line)
        after = state if context.state == state else context.state
        return Response(content, after, replace(trace, reads=tuple(sorted(read))))

    def refusal(self, state: State) -> Response:
        """Return the answer to a text without the call that should be in it."""
        told = no_call_feedback(self.written) if self.feedback else NO_CALL
        return Response(told, state, error=told)

    def _executed(self, call: ToolCall, context: Context) -> tuple[str, ToolTrace]:
        name, written = call.written
        if name not in self.tools:
            raise _Refused(f"NameError: name {name!r} is not defined: there is no such tool")
        tool = self.tools[name]
        tool.tool.check_precondition(context)
        bound = self._bound(tool, written)
        arguments = as_json(bound)  # now: the tool may do with them what it likes
        content = tool.tool.answer(context, bound)
        whole = tool.tool.completed(json.loads(arguments))
        return content, ToolTrace(tool.tool.name, whole, json.loads(content))

    def _bound(self, tool: ToolView, written: str) -> dict[str, Any]:
        key = tool.name, written  # parallel calls are tried again and again
        if key not in self._simple:
            try:
                bound = tool.bind(read_arguments(written))
            except (TypeError, ValueError) as error:  # these are in the terms of the call
                raise _Refused(_line(error)) from None
            if any(isinstance(value, (list, dict)) for value in bound.values()):
                return bound  # the tool may change what is in them
            self._simple[key] = bound
        return dict(self._simple[key])


def _line(error: BaseException, tool: ToolView | None = None) -> str:
    """Write an error in one line, in the names under which the agent knows the tool."""
    try:
        message = " ".join(str(error).split())
    except Exception:  # noqa: BLE001  # an exception of a user's own that cannot be written
        message = ""
    message = message if tool is None else tool.renamed(message)
    return type(error).__name__ + (f": {message}" if message else "")
