"""A conversation for the HTML report: what is said of it, its thread, its graph, its calls."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from pytest_toolsandbox.language.protocol import find_protocol
from pytest_toolsandbox.records.record import Record
from pytest_toolsandbox.reporting.pages.findings import with_findings
from pytest_toolsandbox.reporting.pages.replay import tooltalk_call
from pytest_toolsandbox.reporting.pages.thread import MessageView, thread
from pytest_toolsandbox.reporting.pages.transcript import said, section
from pytest_toolsandbox.reporting.pages.view import PageView, Section
from pytest_toolsandbox.wording.redaction import redacted_line

from .graph import Graph, milestone_graph


@dataclass(frozen=True)
class CallPair:
    """A call that was expected beside the one that was made; ``message`` is its index."""

    expected: str
    made: str
    message: int | None


@dataclass(frozen=True)
class Conversation:
    """All that is shown of a record. ``pairs`` say under ``pairs_title`` what calls they are."""

    record: Record
    page: PageView
    messages: tuple[MessageView, ...]
    graph: Graph | None
    pairs_title: str
    pairs: tuple[CallPair, ...]


def conversation(record: Record) -> Conversation:
    """Return what is shown of a record, whatever came of it."""
    page = page_view(record)
    title, pairs = "the closest solution", _solution(record)
    if "calls" in record and record["outcome"] not in ("error", "inconclusive"):
        title, pairs = "the ground truth", _truths(record)
    messages = tuple(thread(record, page.notes))
    return Conversation(record, page, messages, milestone_graph(record), title, tuple(pairs))


def page_view(record: Record) -> PageView:
    """Return what is said of a record: why it could not be scored, or what its protocol says."""
    if record["outcome"] in ("error", "inconclusive") or record["scores"] is None:
        differs = "\n".join(record.get("unrecorded", ()))
        parts = (Section(differs),) if differs else ()
        return PageView(redacted_line(record["reason"] or record["outcome"]), parts)
    try:
        protocol = find_protocol(record.get("protocol", ""))
    except KeyError:  # a protocol of the user's own, or a record of version 1, which has no field
        return PageView(record["outcome"], notes=with_findings(record, {}))
    view: PageView | None = protocol.view(record)
    if view is None:  # a protocol of the user's own that has but a text
        lines = protocol.page(record).splitlines() if record["outcome"] == "failed" else ["passed"]
        parts = (Section("\n".join(lines[1:])),) if lines[1:] else ()
        view = PageView(lines[0], parts, with_findings(record, {}))
    return view


def other_calls(record: Record) -> list[str]:
    """Return the lines about calls of tools that are not the scenario's, if there were any."""
    others = (f"  {name} {count}" for name, count in record.get("other_calls", {}).items())
    return [*section("calls of tools that are not the scenario's", others)][1:]


def _solution(record: Record) -> Iterator[CallPair]:
    """Yield the calls of the closest solution, and then those of the agent that stand for none."""
    calls = {call["request"]: call for call in record.get("tool_calls", [])}
    expected = record.get("closest_solution", [])
    for one in expected:
        made = "" if one.message is None else said(record["messages"][one.message])
        yield CallPair(redacted_line(one.expected), made, one.message)
    covered = {one.message for one in expected}
    for request in calls if expected else ():
        if request not in covered:
            yield CallPair("", said(record["messages"][request]), request)


def _truths(record: Record) -> Iterator[CallPair]:
    """Yield the true calls beside those that they were predicted with, then the others."""
    answers = [call["answer"] for call in record["tool_calls"] if call["answer"] is not None]
    predictions = record["calls"]["predictions"]
    for truth in record["calls"]["truths"]:
        place, made = truth["prediction"], ""
        if place is not None:
            made = tooltalk_call(predictions[place]["call"])
        at = None if place is None else answers[place]
        yield CallPair(tooltalk_call(truth["call"]), made, at)
    for place, prediction in enumerate(predictions):
        if prediction["truth"] is None:
            yield CallPair("", tooltalk_call(prediction["call"]), answers[place])
