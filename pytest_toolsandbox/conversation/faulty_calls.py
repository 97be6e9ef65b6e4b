"""The call wrapper that lets calls meet the faults of a scenario.

A fault is met in place of the world, or on the way back from it. Calls that the world would refuse
for their arguments meet none. Which call is the second of its kind is decided when it is first
executed: parallel calls are counted in the given order, before they are tried in another one.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from pytest_toolsandbox.calls.tool_call import ToolCall, read_arguments
from pytest_toolsandbox.language.constraints import CallPattern
from pytest_toolsandbox.language.faults import ToolFault
from pytest_toolsandbox.worlds.json_values import as_json
from pytest_toolsandbox.worlds.state import frozen, identity
from pytest_toolsandbox.worlds.tool_view import ToolView

from .call_wrappers import CallRequest, CallWrapper, Execute
from .messages import Response

FindFault = Callable[[str, Mapping[str, Any]], ToolFault | None]
"""Takes the tool and the arguments of a new call, defaults included; returns the fault it meets."""


def fault_wrapper(
    tools: Mapping[str, ToolView], is_offered: Callable[[ToolView], bool], find: FindFault
) -> CallWrapper:
    """Return what lets calls meet the faults that ``find`` returns, once for each call."""
    met: dict[str, ToolFault | None] = {}
    """Place of a call → the fault that it meets."""

    def wrapper(execute: Execute, request: CallRequest) -> Response:
        view = tools.get(request.call.written[0])
        arguments = None if view is None else bound_arguments(request.call, view)
        if view is None or arguments is None or not is_offered(view):
            return execute(request)
        if request.place not in met:
            met[request.place] = find(view.tool.name, arguments)
        fault = met[request.place]
        return execute(request) if fault is None else with_fault(fault, execute, request, view)

    return wrapper


def bound_arguments(call: ToolCall, view: ToolView) -> dict[str, Any] | None:
    """Return the arguments of a call by the world's names, ``None`` if the tool refuses them."""
    try:
        bound = view.bind(read_arguments(call.written[1]))
        return view.tool.completed(json.loads(as_json(bound)))
    except (TypeError, ValueError):
        return None


class FaultCounts:
    """Counts the calls that match faults, and returns the fault that a call meets."""

    def __init__(self, faults: Sequence[ToolFault]) -> None:
        self._faults = faults
        self._counts: Counter[object] = Counter()

    def __call__(self, tool: str, arguments: Mapping[str, Any]) -> ToolFault | None:
        """Count a call, and return the first fault that it meets."""
        met = None
        for fault in self._faults:
            if not any(_matches(pattern, tool, arguments) for pattern in fault.calls):
                continue
            values = tuple(identity(frozen(arguments.get(name))) for name in fault.per)
            self._counts[fault.name, values] += 1
            if met is None and fault.meets(self._counts[fault.name, values]):
                met = fault
        return met


def _matches(pattern: CallPattern, tool: str, arguments: Mapping[str, Any]) -> bool:
    return pattern.tool == tool and all(
        name in arguments
        and any(matcher.reached(arguments[name]) for matcher in expected.alternatives({}))
        for name, expected in pattern.arguments.items()
    )


def with_fault(
    fault: ToolFault, execute: Execute, request: CallRequest, view: ToolView
) -> Response:
    """Return the response to a call that meets a fault.

    A fault of the answer needs one: a call that the world refuses gets the world's error.
    """
    if fault.fails_for:
        response = _done_in_part(fault, execute, request, view)
    elif fault.error is not None:
        response = _with_error(fault, execute, request, view)
    elif fault.stale is not None:
        response = _as_of(fault, execute, request)
    else:
        response = _incomplete(fault, execute(request))
    return response


def _with_error(
    fault: ToolFault, execute: Execute, request: CallRequest, view: ToolView
) -> Response:
    line = view.renamed(fault.error or "")
    if not fault.executed:
        return Response(line, request.state, error=line, fault=fault.name)
    response = execute(request)
    if response.failed:
        return response
    return replace(response, content=line, error=line, fault=fault.name)


def _done_in_part(
    fault: ToolFault, execute: Execute, request: CallRequest, view: ToolView
) -> Response:
    """Execute a call without the items of its lists that fail, and say which these are."""
    arguments = read_arguments(request.call.written[1])
    error, failed = view.renamed(fault.error or ""), []
    for name, items in fault.fails_for.items():
        shown = view.argument_names.get(name, name)
        wanted = arguments.get(shown)
        if isinstance(wanted, list):
            keys = {identity(frozen(item)) for item in items}
            failed += [item for item in wanted if identity(frozen(item)) in keys]
            arguments[shown] = [item for item in wanted if identity(frozen(item)) not in keys]
    if not failed:
        return execute(request)
    listed = ", ".join(item if isinstance(item, str) else as_json(item) for item in failed)
    line = f"{error} (for {listed})"
    if not any(arguments.get(view.argument_names.get(n, n)) for n in fault.fails_for):
        return Response(line, request.state, error=line, fault=fault.name)
    rest = _with_arguments(request, view, arguments)
    return _noted(fault, execute(rest), f"Failed for {listed}: {error}")


def _with_arguments(
    request: CallRequest, view: ToolView, shown_arguments: Mapping[str, Any]
) -> CallRequest:
    """Return a request with other arguments, under the names that the agent knows."""
    names = view.world_names
    by_world = {names.get(name, name): value for name, value in shown_arguments.items()}
    call = replace(request.call, arguments=as_json(by_world))
    if call.written_name is not None:
        call = replace(call, written_arguments=as_json(dict(shown_arguments)))
    return request._replace(call=call)


def _as_of(fault: ToolFault, execute: Execute, request: CallRequest) -> Response:
    """Answer a look-up as of an earlier state; a call that changes something is no look-up."""
    assert fault.stale is not None
    old = execute(request._replace(state=fault.stale))
    if old.state != fault.stale:
        return execute(request)
    return _noted(fault, replace(old, state=request.state), fault.note)


def _incomplete(fault: ToolFault, response: Response) -> Response:
    """Leave out the last rows of an answer."""
    rows = None if response.trace is None else rows_of(response.trace.result)
    if response.trace is None or rows is None or fault.partial is None:
        return response
    if len(rows) <= fault.partial:
        return response
    left = rows[: fault.partial]
    result = with_rows(response.trace.result, left)
    note = fault.note.replace("{shown}", str(len(left))).replace("{all}", str(len(rows)))
    trace = replace(response.trace, result=result)
    return _noted(fault, replace(response, content=as_json(result), trace=trace), note)


def rows_of(result: Any) -> list[Any] | None:
    """Return the rows of a result: a list, or the only list in an object; ``None`` without one."""
    if isinstance(result, list):
        return result
    lists = (
        [value for value in result.values() if isinstance(value, list)]
        if (isinstance(result, dict))
        else []
    )
    return lists[0] if len(lists) == 1 else None


def with_rows(result: Any, rows: list[Any]) -> Any:
    """Return a result with other rows."""
    if isinstance(result, list):
        return rows
    return {name: rows if isinstance(value, list) else value for name, value in result.items()}


def _noted(fault: ToolFault, response: Response, note: str) -> Response:
    content = "\n".join(filter(None, (response.content, note)))
    return replace(response, content=content, fault=fault.name)
