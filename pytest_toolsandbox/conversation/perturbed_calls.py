"""The call wrappers of perturbations: random faults, and lists in pages.

They answer the calls of the tools that perturbations add. Like all wrappers, they decide about a
call when it is first executed, so that parallel calls in another order get the same responses.
"""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from pytest_toolsandbox.calls.tool_call import ToolTrace, readable_arguments
from pytest_toolsandbox.language.conditions import (
    BUSY,
    LOST,
    PAGE,
    PARTIAL,
    STALE,
    Attack,
    FaultKind,
    Paging,
    RandomFaults,
)
from pytest_toolsandbox.language.faults import ToolFault
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.worlds.json_values import as_json
from pytest_toolsandbox.worlds.tool_view import ToolView

from .call_wrappers import CallRequest, CallWrapper, Execute
from .faulty_calls import bound_arguments, rows_of, with_fault, with_rows
from .messages import Response

IsOffered = Callable[[ToolView], bool]


def perturbing_wrappers(scenario: Scenario, is_offered: IsOffered) -> list[CallWrapper]:
    """Return the wrappers of a scenario's perturbations, the outermost first."""
    wrappers: list[CallWrapper] = []
    if scenario.conditions.attack:
        wrappers.append(_AttackedResults(scenario.conditions.attack))
    if scenario.conditions.faults:
        wrappers.append(_FaultingCalls(scenario, scenario.conditions.faults, is_offered))
    if scenario.conditions.paging:
        wrappers.append(_PagedResults(scenario.conditions.paging))
    return wrappers


class _FaultingCalls:
    """Lets a share of calls meet faults, and tells what came of requests without an answer."""

    def __init__(self, scenario: Scenario, faults: RandomFaults, is_offered: IsOffered) -> None:
        self._scenario, self._faults, self._is_offered = scenario, faults, is_offered
        self._places: defaultdict[str, set[str]] = defaultdict(set)
        """Tool and arguments → the places of calls that met a fault."""
        self._kinds: dict[str, tuple[FaultKind, ...]] = {}
        self._requests: dict[str, dict[str, Any]] = {}

    def __call__(self, execute: Execute, request: CallRequest) -> Response:
        name = request.call.written[0]
        if name == self._faults.status_tool and name not in self._scenario.world.tools:
            return self._status(request)
        view = self._scenario.tool_views.get(name)
        arguments = None if view is None else bound_arguments(request.call, view)
        if view is None or arguments is None or not self._is_offered(view):
            return execute(request)
        tool, key = view.tool.name, f"{view.tool.name} {as_json(arguments)}"
        if request.place not in self._kinds:
            self._kinds[request.place] = self._faults.kinds_of(
                self._scenario.name, tool, arguments, len(self._places[key])
            )
        response = self._met(self._kinds[request.place], execute, request, view)
        if response.fault in self._kinds[request.place]:
            self._places[key].add(request.place)
        return response

    def _met(
        self, kinds: tuple[FaultKind, ...], execute: Execute, request: CallRequest, view: ToolView
    ) -> Response:
        """Return the response with the first fault that fits the call."""
        executed: Response | None = None
        for kind in kinds:
            if kind == "transient":
                return Response(BUSY, request.state, error=BUSY, fault=kind)
            if kind == "timeout":
                return self._lost(request, Response("", request.state, fault=kind), done=False)
            executed = executed or execute(request)
            if executed.trace is None:
                return executed
            changes = executed.state != request.state
            if kind == "written" and changes:
                return self._lost(request, replace(executed, fault=kind), done=True)
            if kind in ("stale", "partial") and not changes:
                fault = self._of_answer(kind, executed.trace)
                response = with_fault(fault, execute, request, view) if fault else executed
                if response.trace and response.trace.result != executed.trace.result:
                    return response
        return executed or execute(request)

    def _of_answer(self, kind: FaultKind, trace: ToolTrace) -> ToolFault | None:
        """Return the fault of an answer to a look-up, ``None`` if it has no such fault."""
        if kind == "partial":
            rows = rows_of(trace.result)
            return ToolFault(kind, (), partial=len(rows) // 2, note=PARTIAL) if rows else None
        # Of a world that all conversations share, there is no earlier state to go back to.
        is_shared = self._scenario.world.plays_alone
        return None if is_shared else ToolFault(kind, (), stale=self._scenario.start, note=STALE)

    def _lost(self, request: CallRequest, response: Response, *, done: bool) -> Response:
        identifier = f"r-{hashlib.sha256(request.place.encode()).hexdigest()[:6]}"
        line = LOST.format(status=self._faults.status_tool, identifier=identifier)
        result = response.trace.result if response.trace else None
        self._requests[identifier] = {"done": done, **({"result": result} if done else {})}
        return replace(response, content=line, error=line)

    def _status(self, request: CallRequest) -> Response:
        return _answered(request, "request_id", self._requests, "there is no request")


class _AttackedResults:
    """Writes an attack into the first answer, and into later ones to the same call."""

    def __init__(self, attack: Attack) -> None:
        self._attack = attack
        self._written: tuple[str, str] | None = None
        """Tool and arguments whose answer has the attack."""

    def __call__(self, execute: Execute, request: CallRequest) -> Response:
        response = execute(request)
        if response.trace is None or response.error is not None:
            return response
        key = response.trace.tool_name, as_json(dict(response.trace.arguments))
        if self._written is None and self._attack.tool != response.trace.tool_name:
            self._written = key
        return response if self._written != key else self._with_attack(response)

    def _with_attack(self, response: Response) -> Response:
        first, *rest = response.content.split("\n")
        result, text = json.loads(first), self._attack.text
        place = self._place(result) if self._attack.in_text else None
        if place is None:
            return replace(response, content="\n".join([first, text, *rest]))
        around, key = place
        around[key] = f"{around[key]} {text}"
        return replace(response, content="\n".join([as_json(result), *rest]))

    def _place(self, result: Any) -> tuple[Any, Any] | None:
        """Return the container and key of the longest text of several words that may change."""
        places = [
            (around, key)
            for around, key in _leaves(result)
            if " " in around[key] and not any(around[key] in text for text in self._attack.spared)
        ]
        return max(places, key=lambda place: len(place[0][place[1]]), default=None)


def _leaves(value: Any) -> Iterator[tuple[Any, Any]]:
    """Yield container and key of each text in a list or an object."""
    if not isinstance(value, (dict, list)):
        return
    for key, item in value.items() if isinstance(value, dict) else enumerate(value):
        if isinstance(item, str):
            yield value, key
        else:
            yield from _leaves(item)


class _PagedResults:
    """Returns the first rows of a list, and the next ones when they are asked for."""

    def __init__(self, paging: Paging) -> None:
        self._paging = paging
        self._later: dict[str, tuple[list[Any], int, str]] = {}
        """Cursor → all rows, where its page begins, and the place of the call."""

    def __call__(self, execute: Execute, request: CallRequest) -> Response:
        if request.call.written[0] == self._paging.page_tool:
            return self._next(request)
        response = execute(request)
        rows = None if response.trace is None else rows_of(response.trace.result)
        if response.trace is None or rows is None or len(rows) <= self._paging.size:
            return response
        shown = with_rows(response.trace.result, rows[: self._paging.size])
        note = self._noted(rows, self._paging.size, request.place)
        # The trace keeps the whole result: what milestones take from it is what the world returned.
        return replace(response, content=f"{as_json(shown)}\n{note}")

    def _noted(self, rows: list[Any], end: int, place: str) -> str:
        """Return the line below a page that ends before ``end``, and keep the next page."""
        key = hashlib.sha256(f"{place} {end} {as_json(rows)}".encode()).hexdigest()[:8]
        self._later[key] = rows, end, place
        first = max(1, end - self._paging.size + 1)
        counts = {"first": first, "last": end, "all": len(rows)}
        return PAGE.format(**counts, tool=self._paging.page_tool, cursor=key)

    def _next(self, request: CallRequest) -> Response:
        arguments = readable_arguments(request.call.written[1]) or {}
        cursor = arguments.get("cursor")
        if cursor not in [*self._later]:
            return _answered(request, "cursor", {}, "there is no page")
        rows, start, place = self._later[cursor]
        end = start + self._paging.size
        page = rows[start:end]
        note = [] if end >= len(rows) else [self._noted(rows, end, place)]
        trace = ToolTrace(request.call.name, arguments, page, ())
        return Response("\n".join([as_json(page), *note]), request.state, trace)


def _answered(
    request: CallRequest, argument: str, known: Mapping[str, Any], problem: str
) -> Response:
    """Return the answer to a call of a tool that a perturbation adds."""
    arguments = readable_arguments(request.call.written[1]) or {}
    value = arguments.get(argument)
    if value not in [*known]:
        line = f"ValueError: {problem} {value!r}"
        return Response(line, request.state, error=line)
    result = known[value]
    trace = ToolTrace(request.call.name, arguments, result, ())
    return Response(as_json(result), request.state, trace)
