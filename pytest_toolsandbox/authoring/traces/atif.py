"""The agent trajectory interchange format (ATIF) of the Harbor project, versions 1.0 to 1.7.

https://github.com/harbor-framework/harbor/blob/main/rfcs/0001-trajectory-format.md
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pytest_toolsandbox.text.formatting import format_value

from .trace import (
    Trace,
    TraceCall,
    TraceError,
    TraceMessage,
    TraceUsage,
    arguments_text,
    content_text,
    mapping_at,
    objects_in,
    text_at,
    usage_of,
)


def is_atif(document: Any) -> bool:
    """Return whether a JSON value is a trajectory."""
    return isinstance(document, Mapping) and "steps" in document and "agent" in document


def atif_trace(document: Mapping[str, Any], place: str) -> Trace:
    """Return the conversation of a trajectory; those of its subagents are left out.

    Raises :class:`TraceError`.
    """
    agent, extra = mapping_at(document, "agent"), mapping_at(document, "extra")
    steps = objects_in(document["steps"], "steps")
    messages = [message for step in steps for message in _messages_of(step)]
    return Trace(
        place,
        "atif",
        tuple(messages),
        scenario=text_at(document, "scenario") or text_at(extra, "scenario"),
        name=text_at(extra, "name", "task") or text_at(document, "trajectory_id", "session_id"),
        model=text_at(agent, "model_name"),
        usage=_usage(document, steps),
    )


def _usage(document: Mapping[str, Any], steps: Sequence[Mapping[str, Any]]) -> TraceUsage | None:
    """Return the totals of the trajectory, or else the sums of its steps."""
    names = ("prompt_tokens", "completion_tokens", "cached_tokens", "cost_usd")
    final = mapping_at(document, "final_metrics")
    whole = usage_of([final], *([f"total_{name}"] for name in names))
    of_steps = [mapping_at(step, "metrics") for step in steps]
    return whole or usage_of(of_steps, *([name] for name in names))


def _messages_of(step: Mapping[str, Any]) -> Iterator[TraceMessage]:
    """Yield the messages of a step; an agent's has its calls and their results."""
    try:
        calls = [_call(call, place) for place, call in _numbered(step)]
        yield from _spoken(step, calls)
        yield from _results(step, calls)
    except TraceError as error:
        raise TraceError(f"step {step.get('step_id')}: {error}") from None


def _spoken(step: Mapping[str, Any], calls: Sequence[TraceCall]) -> Iterator[TraceMessage]:
    text, source = content_text(step.get("message")), step.get("source")
    if source not in ("system", "user", "agent"):
        allowed = "system, user or agent"
        raise TraceError(f"its source is {format_value(source)}; expected {allowed}")
    if source == "agent" or calls:
        yield TraceMessage("assistant", text, tuple(calls))
    elif text or source == "user":
        yield TraceMessage("user" if source == "user" else "system", text)


def _numbered(step: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for place, call in enumerate(objects_in(step.get("tool_calls"), "tool_calls")):
        yield f"step-{step.get('step_id')}-{place}", call


def _call(call: Mapping[str, Any], otherwise: str) -> TraceCall:
    if (name := text_at(call, "function_name")) is None:
        raise TraceError(f"a call has no function_name: {format_value(dict(call))}")
    identifier = text_at(call, "tool_call_id") or otherwise
    return TraceCall(identifier, name, arguments_text(call.get("arguments")))


def _results(step: Mapping[str, Any], calls: list[TraceCall]) -> Iterator[TraceMessage]:
    """Yield the results of the calls; others, such as of a subagent, are what the system says."""
    results = objects_in(mapping_at(step, "observation").get("results"), "results")
    known = {call.identifier for call in calls}
    by_place = [*calls] if len(results) == len(calls) else []
    for place, result in enumerate(results):
        text, identifier = content_text(result.get("content")), text_at(result, "source_call_id")
        if identifier is None and by_place:
            identifier = by_place[place].identifier
        if identifier is None:
            yield TraceMessage("system", text)
        elif identifier in known:
            yield TraceMessage("tool", text, call=identifier)
        else:
            raise TraceError(f"a result is of the call {identifier!r}, which the step lacks")
