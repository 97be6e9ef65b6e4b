"""The fields of a record that have its conversation: messages, calls, changes, usage."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from typing import Any

from pytest_toolsandbox.conversation.messages import Agreed, MadeCall, Trajectory

from .parts import MessageUsageRecord


def conversation_fields(trajectory: Trajectory) -> dict[str, Any]:
    """Return the fields of a ``ConversationRecord``."""
    states = enumerate(itertools.pairwise((trajectory.start, *trajectory.states)))
    return {
        "messages": trajectory.messages,
        "tool_calls": [*map(_place, trajectory.calls)],
        **({"user_calls": [*map(_place, trajectory.user_calls)]} if trajectory.user_calls else {}),
        "snapshots": [
            {"message": index, "changes": changes}
            for index, (before, after) in states
            if after is not before and (changes := after.changes_since(before))
        ],
        **({"logged": logged} if (logged := [*_logged(trajectory)]) else {}),
        **({"clock": moves} if (moves := [*_clock_moves(trajectory)]) else {}),
        **(
            {"agreements": [*map(Agreed._asdict, trajectory.agreements)]}
            if trajectory.agreements
            else {}
        ),
        "untried_orders": trajectory.untried_orders,
        **({"message_usage": [*_by_message(trajectory)]} if trajectory.spent else {}),
        **({"reasoning": [*_thoughts(trajectory)]} if trajectory.reasoning else {}),
    }


def _logged(trajectory: Trajectory) -> Iterator[int]:
    """Yield the messages with which the log of a live world grows."""
    log = trajectory.start.log
    for index, state in enumerate(trajectory.states):
        if state.log is not log and state.log != log:
            log = state.log
            yield index


def _clock_moves(trajectory: Trajectory) -> Iterator[dict[str, Any]]:
    """Yield where the clock moved, and to which time."""
    for message, now in trajectory.clock_moves.items():
        yield {"message": message, "now": now.isoformat()}


def _place(call: MadeCall) -> dict[str, int | None]:
    return {name: getattr(call, name) for name in ("request", "answer", "batch", "order")}


def _by_message(trajectory: Trajectory) -> Iterator[dict[str, Any]]:
    """Yield the usage of messages, without unknown and default figures."""
    default = {"requests": 1, "cached_tokens": 0}
    for index, asker, usage, reasons in trajectory.spent:
        values = ((name, getattr(usage, name, None)) for name in MessageUsageRecord.__annotations__)
        figures = {n: value for n, value in values if value not in (None, default.get(n))}
        ended = {"finish_reasons": [*reasons]} if reasons else {}
        yield {"message": index, "asker": asker, **rounded(figures), **ended}


def _thoughts(trajectory: Trajectory) -> Iterator[dict[str, Any]]:
    """Yield before which messages the agent thought, and what, if it is kept."""
    for index, text in trajectory.reasoning:
        yield {"message": index, **({"text": text} if text else {})}


def rounded(figures: Mapping[str, Any]) -> dict[str, Any]:
    """Return the figures of a usage with as many digits as a record has."""
    digits = {"cost": 10, "latency": 3, "waited": 3}
    return {
        name: round(value, digits[name]) if name in digits and value is not None else value
        for name, value in figures.items()
    }
