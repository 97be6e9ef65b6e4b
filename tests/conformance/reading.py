"""A case in ToolSandbox's terms, as a scenario and a trajectory of this project.

A table of the case is a table of the state. The message bus is one too, ``SANDBOX``, which at
every snapshot has one row, the message; so what is expected of several columns of a message is
expected of a row. Where nothing but a call is expected it is a call constraint.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache

from pytest_toolsandbox.calls.tool_call import ToolCall, ToolTrace
from pytest_toolsandbox.conversation.messages import Message, Trajectory
from pytest_toolsandbox.language.constraints import (
    START,
    CallConstraint,
    CallPattern,
    Constraint,
    Event,
    StateConstraint,
    StateKind,
)
from pytest_toolsandbox.language.roles import Role
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.language.tasks import Milestones
from pytest_toolsandbox.language.values import Expected
from pytest_toolsandbox.protocols import read_file
from pytest_toolsandbox.worlds.state import State, Table

from .cells import BUS, Json, Measure, close, filled, golden_traces, known

KINDS: Mapping[str, StateKind] = {
    "snapshot_similarity": "rows",
    "tool_trace_dependant_similarity": "rows",
    "addition_similarity": "added",
    "removal_similarity": "removed",
    "update_similarity": "updated",
    "guardrail_similarity": "unchanged",
}
ANSWER = {"sender": "EXECUTION_ENVIRONMENT", "recipient": "AGENT"}


def read_case(case: Json) -> tuple[Scenario, Trajectory]:
    """Return what a case expects, as a scenario, and what happened in it."""
    template = _template()
    task = replace(
        template.task_as(Milestones),
        milestones=_events(case, "milestones", "milestone_edges"),
        minefields=_events(case, "minefields", "minefield_edges"),
        protected=(),
        guarded={},
    )
    return replace(template, name=str(case["id"]), task=task), _trajectory(case)


@cache
def _template() -> Scenario:
    """Return a scenario whose expectations are still to come."""
    text = b"world: phone\nuser: {opening: Hello.}\nprotected: [contact]\n"
    (scenario,) = read_file(text, "case", "case.yaml")
    return scenario


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
    """Return the first trace of a message, with the results of all: any may be extracted from."""
    results = [trace["result"] for trace in traces]
    return ToolTrace(traces[0]["tool_name"], traces[0]["arguments"], results)


def _states(case: Json) -> Iterator[State]:
    tables = {name: Table() for name in case["databases"]}
    for index, message in enumerate(case["messages"]):
        for name, versions in case["databases"].items():
            rows = next((v["rows"] for v in versions if v["index"] == index), None)
            tables[name] = tables[name] if rows is None else Table(rows)
        yield State({**tables, BUS: Table([message])})


def _events(case: Json, section: str, edges_key: str) -> dict[str, Event]:
    edges = case[edges_key]
    if edges is None:
        edges = [(index, index + 1) for index in range(len(case[section]) - 1)]
    return {
        str(index): Event(
            str(index),
            tuple(_constraint(case, item) for item in event["constraints"]),
            tuple(str(before) for before, after in edges if after == index),
            dict.fromkeys(_guarded(case, event), frozenset()),
        )
        for index, event in enumerate(case[section])
    }


def _guarded(case: Json, event: Json) -> frozenset[str]:
    listed = event["guardrail_database_list"]
    excluded = event["guardrail_database_exclusion_list"] or ()
    return frozenset(case["databases"] if listed is None else listed) - {BUS, *excluded}


def _constraint(case: Json, constraint: Json) -> Constraint:
    if _is_call(case, constraint):
        return CallConstraint("call", tuple(_call_patterns(constraint)))
    table = constraint["database"]
    rows = constraint["target"]["rows"] if constraint["target"] else ()
    return StateConstraint(
        table,
        table,
        KINDS[constraint["constraint"]],
        tuple(_row(constraint, row) for row in rows),
        _reference(constraint),
    )


def _reference(constraint: Json) -> str | None:
    reference = constraint["reference"]
    return START if reference == -1 else None if reference is None else str(reference)


def _row(constraint: Json, row: Json) -> dict[str, Expected]:
    return {column: _cell(constraint, column, value) for column, value in row.items()}


def _cell(constraint: Json, column: str, value: object) -> Expected:
    measure = Measure.of(constraint, column)
    if column != constraint.get("fill_to"):
        return known(measure, value)
    return filled(measure, str(value), _reference(constraint) or "", constraint["extractor"])


def _is_call(case: Json, constraint: Json) -> bool:
    """Whether a constraint expects one call and nothing else, of messages with one trace each.

    Not where values are taken from results: there any call at a milestone's snapshot gives them,
    be it the one that the milestone expects or not.
    """
    if constraint["database"] != BUS or constraint["constraint"] != "snapshot_similarity":
        return False
    rows = constraint["target"]["rows"]
    if constraint["reference"] is not None or len(rows) != 1 or not rows[0].get("tool_trace"):
        return False
    other_columns = {column: value for column, value in rows[0].items() if column != "tool_trace"}
    return (
        other_columns == ANSWER
        and all(len(message["tool_trace"] or ()) <= 1 for message in case["messages"])
        and not any("extractor" in c for event in case["milestones"] for c in event["constraints"])
    )


def _call_patterns(constraint: Json) -> Iterator[CallPattern]:
    (row,) = constraint["target"]["rows"]
    tolerances = Measure.of(constraint, "tool_trace").tolerances
    for golden in golden_traces(row["tool_trace"]):
        arguments = golden["arguments"].items()
        cells = {name: Expected(close(value, tolerances.get(name))) for name, value in arguments}
        yield CallPattern(golden["tool_name"], cells)
