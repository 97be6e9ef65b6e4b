"""A case in ToolSandbox's terms, as a scenario and a trajectory of this project.

A table of the case is a table of the state. The message bus is one too, ``SANDBOX``, which at
every snapshot has one row, the message; so a constraint on several columns of a message is one on
a row. A row that only asks for a call is a call constraint where that says the same.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from pytest_toolsandbox import matchers
from pytest_toolsandbox.conversation.messages import Message, ToolCall, ToolTrace, Trajectory
from pytest_toolsandbox.evaluation.comparison import compare_row
from pytest_toolsandbox.language.mistakes import Mistakes, Places
from pytest_toolsandbox.language.reading import read_scenario
from pytest_toolsandbox.language.roles import Role
from pytest_toolsandbox.language.scenario import (
    START,
    CallConstraint,
    CallPattern,
    Constraint,
    Event,
    Scenario,
    StateConstraint,
    StateKind,
)
from pytest_toolsandbox.language.values import Expected
from pytest_toolsandbox.matchers import Matcher, Reading
from pytest_toolsandbox.worlds.state import State, Table

from .extractors import EXTRACTORS

Json = dict[str, Any]

BUS = "SANDBOX"
KINDS: Mapping[str, StateKind] = {
    "snapshot_similarity": "rows",
    "tool_trace_dependant_similarity": "rows",
    "addition_similarity": "added",
    "removal_similarity": "removed",
    "update_similarity": "updated",
    "guardrail_similarity": "unchanged",
}
FUNCTIONS = {
    (BUS, "content"): "column_rouge_l_similarity",
    ("MESSAGING", "content"): "column_rouge_l_similarity",
    ("REMINDER", "content"): "column_rouge_l_similarity",
    ("CONTACT", "relationship"): "column_rouge_l_similarity",
    (BUS, "tool_trace"): "column_tool_trace_exact_match_similarity",
    (BUS, "openai_tool_call_id"): "column_one_similarity",
    (BUS, "openai_function_name"): "column_one_similarity",
    (BUS, "tool_call_exception"): "column_one_similarity",
}
EXACT = "column_exact_match_similarity"
CALL = {"sender": "EXECUTION_ENVIRONMENT", "recipient": "AGENT"}


def read_case(case: Json) -> tuple[Scenario, Trajectory]:
    """Return what a case expects, as a scenario, and what happened in it."""
    scenario = replace(
        _template(),
        name=str(case["id"]),
        milestones=_events(case, "milestones", "milestone_edges"),
        minefields=_events(case, "minefields", "minefield_edges"),
    )
    return scenario, _trajectory(case)


def _template() -> Scenario:
    """Return a scenario of which only the expectations are still to come."""
    document = {"world": "phone", "user": {"opening": "Hello."}, "protected": ["contact"]}
    scenario = read_scenario("case", document, Mistakes(Places()), {})
    assert scenario is not None
    return replace(scenario, protected=())


def _trajectory(case: Json) -> Trajectory:
    messages = tuple(map(_message, case["messages"]))
    states = tuple(_states(case))
    trajectory = Trajectory(messages, states, states[0])
    return replace(trajectory, start=states[trajectory.first])


def _message(message: Json) -> Message:
    sender, recipient = Role[message["sender"]], Role[message["recipient"]]
    visible = message["visible_to"]
    traces = message["tool_trace"] or []
    return Message(
        sender,
        recipient,
        message["content"],
        (sender, recipient) if visible is None else tuple(Role[name] for name in visible),
        ToolCall("", traces[0]["tool_name"], "{}") if traces else None,
        _trace(traces) if traces else None,
    )


def _trace(traces: Sequence[Json]) -> ToolTrace:
    """Join the traces of a message: what is extracted may come from any of their results."""
    first, results = traces[0], [trace["result"] for trace in traces]
    return ToolTrace(first["tool_name"], first["arguments"], results)


def _states(case: Json) -> Iterator[State]:
    tables = {name: Table() for name in case["databases"]}
    for index, message in enumerate(case["messages"]):
        for name, versions in case["databases"].items():
            rows = next((v["rows"] for v in versions if v["index"] == index), None)
            tables[name] = tables[name] if rows is None else Table(rows)
        yield State({**tables, BUS: Table([message])})


def _events(case: Json, section: str, edges_key: str) -> dict[str, Event]:
    count = len(case[section])
    edges = case[edges_key]
    if edges is None:
        edges = [(index, index + 1) for index in range(count - 1)]
    return {
        str(index): Event(
            str(index),
            tuple(_constraint(case, item) for item in event["constraints"]),
            tuple(str(before) for before, after in edges if after == index),
            _guarded(case, event),
        )
        for index, event in enumerate(case[section])
    }


def _guarded(case: Json, event: Json) -> frozenset[str]:
    listed, excluded = (
        event["guardrail_database_list"],
        event["guardrail_database_exclusion_list"] or (),
    )
    return frozenset(case["databases"] if listed is None else listed) - {BUS, *excluded}


def _constraint(case: Json, constraint: Json) -> Constraint:
    patterns = list(_call_patterns(case, constraint))
    if patterns:
        return CallConstraint("call", tuple(patterns))
    table, target = constraint["database"], constraint["target"] or {"rows": []}
    return StateConstraint(
        table,
        table,
        KINDS[constraint["constraint"]],
        tuple(_row(constraint, row) for row in target["rows"]),
        _reference(constraint),
    )


def _reference(constraint: Json) -> str | None:
    reference = constraint["reference"]
    return START if reference == -1 else None if reference is None else str(reference)


def _call_patterns(case: Json, constraint: Json) -> Iterator[CallPattern]:
    """Yield what to call, where a constraint asks for nothing but a call."""
    target = constraint["target"]
    plain = constraint["constraint"] == "snapshot_similarity" and constraint["reference"] is None
    if constraint["database"] != BUS or not plain or len(target["rows"]) != 1:
        return
    if any(len(message["tool_trace"] or ()) > 1 for message in case["messages"]):
        return
    (row,) = target["rows"]
    if {**row, "tool_trace": None} != {**CALL, "tool_trace": None} or not row.get("tool_trace"):
        return
    tolerances = _tolerances(constraint, "tool_trace")
    for golden in _golden_traces(row["tool_trace"]):
        arguments = golden["arguments"].items()
        cells = {name: Expected(_close(value, tolerances.get(name))) for name, value in arguments}
        yield CallPattern(golden["tool_name"], cells)


def _row(constraint: Json, row: Json) -> dict[str, Expected]:
    filled = constraint.get("fill_to")
    return {
        column: _filled(constraint, column, value)
        if column == filled
        else _cell(constraint, column, value)
        for column, value in row.items()
    }


def _cell(constraint: Json, column: str, value: Any) -> Expected:
    if value is not None and _function(constraint, column).startswith("column_tool_trace"):
        return Golden(tuple(_golden_traces(value)), tolerances=_tolerances(constraint, column))
    return Expected(_matcher(constraint, column, value))


def _filled(constraint: Json, column: str, value: str) -> Expected:
    reference = _reference(constraint)
    assert reference is not None
    extractor = constraint["extractor"]
    if column == "content":
        return FilledText(
            value, reference=reference, extractor=extractor, constraint=constraint, column=column
        )
    golden = tuple(_golden_traces(value))
    tolerances = _tolerances(constraint, column)
    return FilledTraces(golden, tolerances=tolerances, reference=reference, extractor=extractor)


def _function(constraint: Json, column: str) -> str:
    override = constraint["column_overrides"].get(column)
    if override is not None:
        return str(override["function"])
    return FUNCTIONS.get((constraint["database"], column), EXACT)


def _tolerances(constraint: Json, column: str) -> dict[str, float]:
    return dict(constraint["column_overrides"].get(column, {}).get("atol") or {})


def _matcher(constraint: Json, column: str, value: Any) -> Json:
    """Return what is expected of a column, as a scenario would write it."""
    function = _function(constraint, column)
    if function == "column_one_similarity":
        return {"anything": True}
    if function == "column_close_similarity":
        return _close(value, _tolerances(constraint, column).get(column))
    if value is None or function == EXACT:
        return {"exact": value}
    if function == "column_contains_similarity":
        return {"contains": value} if value else {"not": {"exact": None}}
    assert function == "column_rouge_l_similarity"
    return {"rouge_l": value}


def _close(value: Any, tolerance: float | None) -> Json:
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if tolerance is None or not is_number:
        return {"exact": value}
    return {"close": {"to": value, "within": tolerance}}


def _golden_traces(text: str) -> list[Json]:
    golden = json.loads(text)
    return golden if isinstance(golden, list) else [golden]


@dataclass(frozen=True)
class TraceMatcher(Matcher):
    """Any trace of a message against one golden trace."""

    tool_name: str
    arguments: Mapping[str, Matcher]

    @classmethod
    def read(cls, argument: Any, reading: Reading) -> TraceMatcher:
        """Take a golden trace and the tolerances of its arguments."""
        del reading
        golden, tolerances = argument
        arguments = {
            name: matchers.read(_close(value, tolerances.get(name)))
            for name, value in golden["arguments"].items()
        }
        return cls(golden["tool_name"], arguments)

    def similarity(self, found: Any) -> float:
        """Return 1 if one of the traces is as expected, else 0."""
        return float(any(map(self._matches, found or ())))

    def describe(self) -> str:
        """Write it as a call."""
        arguments = (f"{name}={one.describe()}" for name, one in self.arguments.items())
        return f"{self.tool_name}({', '.join(arguments)})"

    def _matches(self, trace: Json) -> bool:
        cells = {name: (one,) for name, one in self.arguments.items()}
        same = trace["tool_name"] == self.tool_name
        return same and compare_row(cells, trace["arguments"]).similarity == 1.0


@dataclass(frozen=True)
class Golden(Expected):
    """Golden traces, of which any is enough."""

    tolerances: Mapping[str, float] | None = None

    def alternatives(self, results: Mapping[str, Any]) -> tuple[Matcher, ...]:
        """Return one matcher for each trace."""
        del results
        return self.read(self.value)

    def read(self, traces: Sequence[Json]) -> tuple[Matcher, ...]:
        """Return the matchers of golden traces."""
        return tuple(
            TraceMatcher.read((trace, self.tolerances or {}), Reading()) for trace in traces
        )


@dataclass(frozen=True)
class FilledTraces(Golden):
    """Golden traces whose arguments a result fills: over those that there are, and below them."""

    reference: str = ""
    extractor: str = ""

    @property
    def references(self) -> frozenset[str]:
        """The milestone whose result it takes."""
        return frozenset({self.reference})

    def alternatives(self, results: Mapping[str, Any]) -> tuple[Matcher, ...]:
        """Return two matchers for each trace and extracted value."""
        return self.read(
            [
                {**trace, "arguments": {**first, **second}}
                for values in extracted(self.extractor, results.get(self.reference, ()))
                for trace in self.value
                for first, second in (
                    (trace["arguments"], values),
                    (values, trace["arguments"]),
                )
            ]
        )


@dataclass(frozen=True)
class FilledText(Expected):
    """A text with fields that a result fills."""

    reference: str = ""
    extractor: str = ""
    column: str = ""
    constraint: Json | None = None

    @property
    def references(self) -> frozenset[str]:
        """The milestone whose result it takes."""
        return frozenset({self.reference})

    def alternatives(self, results: Mapping[str, Any]) -> tuple[Matcher, ...]:
        """Return a matcher for each extracted value."""
        assert self.constraint is not None
        try:
            texts = [
                self.value.format(**values)
                for values in extracted(self.extractor, results.get(self.reference, ()))
            ]
        except (KeyError, IndexError):  # a field that the extractor does not give
            return ()
        return tuple(matchers.read(_matcher(self.constraint, self.column, text)) for text in texts)


def extracted(extractor: str, results: Sequence[Any]) -> Iterator[Json]:
    """Yield what an extractor finds in results; what it cannot read gives nothing."""
    for result in results:
        try:
            yield from EXTRACTORS[extractor](result)
        except (KeyError, IndexError, TypeError, ValueError):
            continue
