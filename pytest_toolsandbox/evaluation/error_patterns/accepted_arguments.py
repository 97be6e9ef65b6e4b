"""In which arguments a call differs from an accepted one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from pytest_toolsandbox.matchers import Matcher
from pytest_toolsandbox.wording.literals import literal
from pytest_toolsandbox.worlds.parameter import NOT_GIVEN
from pytest_toolsandbox.worlds.state import frozen, identity, plain
from pytest_toolsandbox.worlds.tool_view import ToolView

from .attempts import Attempt
from .patterns import AcceptedCall, Free

_ABSENT: Final = NOT_GIVEN
"""Stands for the value of an argument that is not given and has no default."""


@dataclass(frozen=True)
class WrongArgument:
    """An argument, by its own name, with what was expected, in words, and what was found."""

    name: str
    expected: str
    found: Any
    given: bool


def wrong_arguments(
    attempt: Attempt, accepted: AcceptedCall, tool: ToolView | None
) -> tuple[WrongArgument, ...]:
    """Return the arguments that are not as accepted, in the order of the tool's parameters."""
    return tuple(_wrong(attempt, accepted, _defaults(tool)))


def same_values(given: Mapping[str, Any], accepted: AcceptedCall) -> bool:
    """Whether arguments have the values of an accepted call, under whatever names; none is free."""
    left = list(given.values())
    for expected in accepted.arguments.values():
        place = next((i for i, found in enumerate(left) if _agrees(found, expected)), None)
        if place is None:
            return False
        del left[place]
    return not left


def written_call(accepted: AcceptedCall, tool: ToolView | None) -> str:
    """Write an accepted call in the terms of the agent, without its free arguments."""
    names = tool.argument_names if tool else {}
    arguments = ", ".join(
        f"{names.get(name, name)}={_in_words(value)}"
        for name, value in accepted.arguments.items()
        if not isinstance(value, Free)
    )
    return f"{tool.name if tool else accepted.tool}({arguments})"


def _defaults(tool: ToolView | None) -> Mapping[str, Any]:
    if tool is None:
        return {}
    parameters = tool.tool.parameters.items()
    return {name: _ABSENT if one.required else one.default for name, one in parameters}


def _wrong(
    attempt: Attempt, accepted: AcceptedCall, defaults: Mapping[str, Any]
) -> Iterator[WrongArgument]:
    given = attempt.given or {}
    for name in dict.fromkeys([*defaults, *accepted.arguments, *given]):
        usual = defaults.get(name, _ABSENT)
        expected = accepted.arguments.get(name, usual)
        found = given.get(name, usual)
        if not _agrees(found, expected):
            shown = None if found is _ABSENT else plain(found)
            yield WrongArgument(name, _in_words(expected), shown, name in given)


def _agrees(found: Any, expected: Any) -> bool:
    if isinstance(expected, Free):
        return True
    if found is _ABSENT or expected is _ABSENT:
        return found is expected
    if isinstance(expected, Matcher):
        return expected.reached(plain(found))
    if type(found) is str and type(expected) is str:  # mostly, and there are many of them
        return found == expected
    return bool(identity(frozen(found)) == identity(frozen(expected)))


def _in_words(expected: Any) -> str:
    if expected is _ABSENT:
        return "not given"
    return expected.describe() if isinstance(expected, Matcher) else literal(plain(expected))
