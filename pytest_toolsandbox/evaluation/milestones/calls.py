"""How near a call comes to those that are expected."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from pytest_toolsandbox.calls.tool_call import readable_arguments
from pytest_toolsandbox.conversation.messages import Message
from pytest_toolsandbox.evaluation.results import Difference
from pytest_toolsandbox.language.constraints import (
    CallConstraint,
    CallPattern,
)

from .comparison import (
    NOTHING,
    Comparison,
    combined,
    compare_value,
    differing,
    no_match,
)

SAME_TOOL = 0.5
FAILED_CALL = 0.25
"""How near a call comes that has nothing else in common with the expected one."""


def compare_calls(
    constraint: CallConstraint, message: Message, results: Mapping[str, Any]
) -> Comparison:
    """Compare a call with the alternatives of a constraint: the best of them counts."""
    compared = [_compare_call(pattern, message, results) for pattern in constraint.alternatives]
    if len(compared) == 1:
        return compared[0]
    best = max(compared, key=lambda c: (c.similarity, c.nearness))
    if best.reached or not any(c.reached for c in compared):
        return best
    return replace(best, reached=True, explain=tuple)


def _compare_call(pattern: CallPattern, message: Message, results: Mapping[str, Any]) -> Comparison:
    name, arguments = name_and_arguments(message)
    if name != pattern.tool:
        return NOTHING
    if message.error is not None:
        error = message.error
        return differing(lambda: Difference(name, "a call without error", error, 0.0), FAILED_CALL)
    cells = {key: expected.alternatives(results) for key, expected in pattern.arguments.items()}
    parts = [
        compare_value(key, cell, arguments[key])
        if key in arguments
        else no_match(key, cell, note="the argument was not given")
        for key, cell in cells.items()
    ]
    compared = combined(parts)
    return compared.at_nearness(SAME_TOOL + (1 - SAME_TOOL) * compared.nearness)


def name_and_arguments(message: Message) -> tuple[str, Mapping[str, Any]]:
    """Return the call of a message: as executed, with defaults, else as it was asked for."""
    if message.trace is not None:
        return message.trace.tool_name, message.trace.arguments
    assert message.call is not None
    return message.call.name, readable_arguments(message.call.arguments) or {}
