"""What of a right answer no call of the agent's found: it was guessed, or known by heart."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from pytest_toolsandbox.conversation.messages import Trajectory
from pytest_toolsandbox.language.tasks import FINISH
from pytest_toolsandbox.matchers.mentions import Item, is_mentioned

Fact = tuple[Item, ...]
"""What was asked for, in its alternatives."""


def unfound(
    facts: Sequence[Fact],
    question: str,
    trajectory: Trajectory,
    solutions: Sequence[Trajectory],
    missing: Collection[str],
) -> Iterator[str]:
    """Yield the facts that every solution finds, and that no call of the agent's did.

    A fact that is worked out of what was found, such as a sum, counts as found unless the tool that
    is called last in every solution is among the ``missing`` ones, which the agent should have
    called. What a solution without calls answers may be known.
    """
    found = _found(trajectory)
    left = [fact for fact in facts if not _has(fact, question) and not _has(fact, found)]
    others = [*map(_found, solutions)] if left else []
    if not all(others):
        return
    for fact in left if others else ():
        in_others = [_has(fact, one) for one in others]
        if all(in_others):
            yield str(fact[0])
        elif not any(in_others):
            last = {_tools(one)[-1] for one in solutions}
            if not found or last <= set(missing):
                yield str(fact[0])


def _has(fact: Fact, text: str) -> bool:
    """Whether a text mentions a fact, in one of its alternatives."""
    return any(is_mentioned(one, text) for one in fact)


def _found(trajectory: Trajectory) -> str:
    """Return what the calls returned, a value in each line."""
    traces = [call.trace for call in trajectory.calls if call.trace]
    values = (one.result for one in traces if one.tool_name != FINISH.name)
    return "\n".join(line for value in values for line in _lines(value))


def _lines(value: Any) -> Iterator[str]:
    if isinstance(value, Mapping):
        for name, one in value.items():
            yield str(name)
            yield from _lines(one)
    elif isinstance(value, (list, tuple)):
        for one in value:
            yield from _lines(one)
    else:
        yield str(value)


def _tools(trajectory: Trajectory) -> list[str]:
    names = [call.trace.tool_name for call in trajectory.calls if call.trace]
    return [name for name in names if name != FINISH.name]
