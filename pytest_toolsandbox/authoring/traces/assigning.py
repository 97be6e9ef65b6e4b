"""Find the scenario that a conversation of another program belongs to."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from pytest_toolsandbox.conversation.play import opening_messages
from pytest_toolsandbox.language.roles import Role
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.text.formatting import VALUE_LIMIT, format_value, one_line
from pytest_toolsandbox.text.nearest_name import did_you_mean

from .trace import Trace, TraceError

_HOW: Final = 'name it with --scenario, or in a field "scenario" of the trace'
_SPEAKER: Final = {Role.USER: "user", Role.AGENT: "assistant", Role.SYSTEM: "system"}


class Item(NamedTuple):
    """A scenario, and the id that pytest gives it."""

    identifier: str
    scenario: Scenario


def assigned(trace: Trace, items: Sequence[Item], name: str | None = None) -> Item:
    """Return the item of a conversation.

    It is the one with the ``name``; else the one that the conversation names; else the only one
    that begins with the same words. Raises :class:`TraceError` if there is none, or if several are
    meant.
    """
    if not any(message.speaker == "user" for message in trace.messages):
        raise TraceError("the user says nothing in it")
    for stated in filter(None, (name, trace.scenario)):
        return _named(stated, items)
    named = [item for item in items if trace.name in (item.identifier, item.scenario.name)]
    same = named or [item for item in items if _begins_alike(trace, item.scenario)]
    if len(same) == 1:
        return same[0]
    opening = next(m.text for m in trace.messages if m.speaker == "user")
    shown = one_line(format_value(opening), VALUE_LIMIT)
    if not same:
        raise TraceError(f"no scenario begins with {shown}; {_HOW}")
    several = ", ".join(item.identifier for item in same)
    raise TraceError(f"several scenarios begin with {shown}: {several}; {_HOW}")


def _named(name: str, items: Sequence[Item]) -> Item:
    same = [item for item in items if name in (item.identifier, item.scenario.name)]
    if len(same) == 1:
        return same[0]
    if same:
        several = ", ".join(item.identifier for item in same)
        raise TraceError(f"several scenarios are named {name!r}: {several}; name one of these ids")
    names = [item.scenario.name for item in items]
    raise TraceError(f"there is no scenario {name!r}{did_you_mean(name, names)}")


def _begins_alike(trace: Trace, scenario: Scenario) -> bool:
    """Return whether the agent sees the same words before its first reply."""
    expected = [
        (_SPEAKER.get(message.sender), message.content)
        for message in opening_messages(scenario)[1:]
        if Role.AGENT in message.visible_to
    ]
    heard = [(m.speaker, m.text) for m in trace.messages if m.speaker != "system"]
    return bool(expected) and heard[: len(expected)] == [e for e in expected if e[0] != "system"]
