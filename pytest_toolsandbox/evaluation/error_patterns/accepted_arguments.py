"""In which arguments a call differs from an accepted one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from pytest_toolsandbox.matchers import Matcher
from pytest_toolsandbox.wording.phrases import literal
from pytest_toolsandbox.worlds.parameter import NOT_GIVEN
from pytest_toolsandbox.worlds.state import frozen, identity, plain
from pytest_toolsandbox.worlds.tool_view import ToolView

from .attempts import Attempt, WrongArgument
from .patterns import AcceptedCall, Free


def wrong_arguments(
    attempt: Attempt, accepted: AcceptedCall, tool: ToolView | None
) -> Iterator[WrongArgument]:
    """Yield the arguments that are not as accepted, in the order of the tool's parameters."""
    given, parameters = attempt.arguments or {}, tool.tool.parameters if tool else {}
    defaults = {name: NOT_GIVEN if p.required else p.default for name, p in parameters.items()}
    for name in dict.fromkeys([*defaults, *accepted.arguments, *given]):
        usual = defaults.get(name, NOT_GIVEN)
        expected = accepted.arguments.get(name, usual)
        found = given.get(name, usual)
        if not _agrees(found, expected):
            shown = None if found is NOT_GIVEN else plain(found)
            yield WrongArgument(name, _in_words(expected), shown, name in given)


def same_values(given: Mapping[str, Any], accepted: AcceptedCall) -> bool:
    """Whether arguments have the values of an accepted call, under any names."""
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


def _agrees(found: Any, expected: Any) -> bool:
    if isinstance(expected, Free):
        return True
    if found is NOT_GIVEN or expected is NOT_GIVEN:
        return found is expected
    if isinstance(expected, Matcher):
        return expected.reached(plain(found))
    if type(found) is str and type(expected) is str:  # the usual case, and the fast way
        return found == expected
    return bool(identity(frozen(found)) == identity(frozen(expected)))


def _in_words(expected: Any) -> str:
    if expected is NOT_GIVEN:
        return "not given"
    return expected.describe() if isinstance(expected, Matcher) else literal(plain(expected))
