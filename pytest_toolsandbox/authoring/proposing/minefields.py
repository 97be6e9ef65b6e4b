"""What only conversations that went wrong do: changes of the world, and attempts that fail."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

from pytest_toolsandbox.conversation.messages import MadeCall
from pytest_toolsandbox.language.scenario import Scenario

from .conversations import Conversation, arguments_of
from .rows import identity_of

Document = dict[str, Any]
_FEW_WORDS: Final = 3
"""Longer texts may say the same in other words."""


def wrong_writes(good: Sequence[Conversation], bad: Sequence[Conversation]) -> dict[str, Document]:
    """Return minefields for the calls by which only ``bad`` conversations change rows."""
    return _minefields("call", good, bad, _changes_rows)


def wrong_attempts(
    good: Sequence[Conversation], bad: Sequence[Conversation]
) -> dict[str, Document]:
    """Return minefields for the calls that fail, and that only ``bad`` conversations make."""
    return _minefields("tried", good, bad, lambda _, call: call.failed)


def _changes_rows(scenario: Scenario, call: MadeCall) -> bool:
    """Return whether a call changes a table; settings may have to change on the way."""
    tables = scenario.world.tables.items()
    many = (name for name, schema in tables if not (schema.single_row or schema.bookkeeping))
    return any(call.before[name] != call.after[name] for name in many)


def _minefields(
    key: str,
    good: Sequence[Conversation],
    bad: Sequence[Conversation],
    counts: Callable[[Scenario, MadeCall], bool],
) -> dict[str, Document]:
    patterns: dict[str, dict[str, Any]] = {}
    for conversation in bad:
        for call in conversation.calls:
            if counts(conversation.scenario, call):
                for pattern in _distinguishing(call, good):
                    of_tool = patterns.setdefault(call.call.name, {})
                    of_tool[identity_of(pattern)] = pattern
    return {
        f"wrong_{tool}": {key: calls[0] if len(calls) == 1 else {"any_of": calls}}
        for tool, of_tool in patterns.items()
        for calls in [[*of_tool.values()]]
    }


def _distinguishing(call: MadeCall, good: Sequence[Conversation]) -> Iterator[Any]:
    """Yield the call, as far as no good conversation makes it; nothing if only texts differ."""
    tool = call.call.name
    same = [
        arguments_of(other)
        for conversation in good
        for other in conversation.calls
        if other.call.name == tool
    ]
    if not same:
        yield tool
        return
    values = {name: value for name, value in arguments_of(call).items() if _is_exact(value)}
    different: Mapping[str, Any] = {
        name: value
        for name, value in values.items()
        if all(identity_of(arguments.get(name)) != identity_of(value) for arguments in same)
    }
    if different:
        yield {tool: dict(different)}


def _is_exact(value: Any) -> bool:
    """Return whether a value says what it is, and no text that may be worded otherwise."""
    return not isinstance(value, str) or len(value.split()) <= _FEW_WORDS
