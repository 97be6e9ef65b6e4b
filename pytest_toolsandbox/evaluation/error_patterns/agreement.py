"""Whether the arguments of a call are as an accepted one has them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from pytest_toolsandbox.matchers import Matcher
from pytest_toolsandbox.wording.phrases import listed, literal
from pytest_toolsandbox.worlds.parameter import NOT_GIVEN
from pytest_toolsandbox.worlds.state import plain
from pytest_toolsandbox.worlds.tool_view import ToolView

from .attempts import Attempt, WrongArgument, value_of, whole_value
from .patterns import FREE, AcceptedCall, OneOf

_SIMPLE = (str, bool, int, type(None))
"""Types whose values are themselves; NaN is not, and 1 is 1.0."""


def wrong_arguments(
    attempt: Attempt, accepted: AcceptedCall, tool: ToolView | None
) -> Iterator[WrongArgument]:
    """Yield the arguments that are not as accepted, in the order of the tool's parameters."""
    given, defaults = attempt.arguments or {}, tool.defaults if tool else {}
    for name in dict.fromkeys((*defaults, *accepted.arguments, *given)):
        usual = defaults.get(name, NOT_GIVEN)
        expected = accepted.arguments.get(name, usual)
        found = given.get(name, usual)
        if not _agrees(found, expected, name, tool):
            shown = None if found is NOT_GIVEN else plain(found)
            yield WrongArgument(name, _in_words(expected), shown, name in given)


def same_values(given: Mapping[str, Any], accepted: AcceptedCall) -> bool:
    """Whether arguments have the values of an accepted call, under any names."""
    left = list(given.values())
    for expected in accepted.arguments.values():
        place = next((i for i, found in enumerate(left) if _agrees(found, expected)), None)
        if place is not None:
            del left[place]
        elif not may_be_left_out(expected):
            return False
    return not left


def may_be_left_out(expected: Any) -> bool:
    """Whether an accepted argument need not be given."""
    return expected is FREE or isinstance(expected, OneOf)


def written_call(accepted: AcceptedCall, tool: ToolView | None) -> str:
    """Write an accepted call in the terms of the agent, without its free arguments."""
    names = tool.argument_names if tool else {}
    arguments = ", ".join(
        f"{names.get(name, name)}={_in_words(value)}"
        for name, value in accepted.arguments.items()
        if value is not FREE
    )
    return f"{tool.name if tool else accepted.tool}({arguments})"


def _agrees(found: Any, expected: Any, name: str = "", tool: ToolView | None = None) -> bool:
    if expected is FREE:
        return True
    if type(found) is type(expected) and type(found) in _SIMPLE:  # as most are: the fast way
        return bool(found == expected)
    if isinstance(expected, OneOf):
        return any(_agrees(found, one, name, tool) for one in expected.values)
    if found is NOT_GIVEN or expected is NOT_GIVEN:
        return found is expected
    of_tool = name, tool.tool if tool else None
    if isinstance(expected, Matcher):
        return expected.reached(plain(whole_value(found, *of_tool)))
    return value_of(found, *of_tool) == value_of(expected, *of_tool)


def _in_words(expected: Any) -> str:
    if expected is NOT_GIVEN:
        return "not given"
    if isinstance(expected, OneOf):
        return listed(list(map(_in_words, expected.values)))
    return expected.describe() if isinstance(expected, Matcher) else literal(plain(expected))
