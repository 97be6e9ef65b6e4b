"""Mistakes of scenarios that a proof would miss: guessed values, fallback answers, impure tools.

A solution may use a value that no message and no result has, ask a question to which the scripted
user has no reply, or call a tool that does something else when it is called again. Such a solution
scores 1, and no honest agent can do the same.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from pytest_toolsandbox.conversation.environment import ExecutionEnvironment
from pytest_toolsandbox.conversation.messages import MadeCall, Trajectory
from pytest_toolsandbox.conversation.solutions import played_solutions, solved
from pytest_toolsandbox.language.roles import Role
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.language.tasks import FINISH
from pytest_toolsandbox.language.values import results_in
from pytest_toolsandbox.text.formatting import format_value

_FEW: Final = 4
"""Digits from which on a value is a number to call or an identifier, and not a count."""
_MOMENT: Final = re.compile(r"[\d\s:./+TZ-]*(?:\d{4}-\d\d-\d\d|\d\d:\d\d)[\d\s:./+TZ-]*")
"""A date or a time, which may be worked out."""
_TO_CALL: Final = re.compile(r"[+\d\s().-]+")
_DIGITS: Final = {
    **{
        word: str(digit)
        for digit, word in enumerate(
            ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
        )
    },
    "oh": "0",
}
_DIGIT: Final = re.compile(rf"\b(?:{'|'.join(_DIGITS)})\b")
_END_OF_NUMBER: Final = 7
"""Digits at the end of a number to call that tell it; those before them may be left out."""


def ungrounded(scenario: Scenario) -> Iterator[str]:
    """Yield what no honest agent can repeat of the solutions that can be played."""
    found: dict[str, None] = {}
    for trajectory, calls in zip(solved(scenario), played_solutions(scenario), strict=True):
        for one in calls:
            if one.step.tool == FINISH.name:  # an answer may be worked out
                continue
            written = {key: one.arguments[key] for key in _literals(one.step.arguments)}
            found.update(dict.fromkeys(_guessed(scenario, trajectory, one.made, written)))
        found.update(dict.fromkeys(_fallback_answers(scenario, trajectory)))
        for made in trajectory.calls:
            found.update(dict.fromkeys(_impure(scenario, made)))
    yield from found


def _literals(arguments: Mapping[str, Any]) -> list[str]:
    """Return the arguments that are written out, and take nothing from a result."""
    return [name for name, value in arguments.items() if not results_in(value)]


def _guessed(
    scenario: Scenario, trajectory: Trajectory, made: MadeCall, arguments: Mapping[str, Any]
) -> Iterator[str]:
    """Yield the addresses and identifiers of a call that the agent cannot know yet."""
    sure = {name: value for name, value in arguments.items() if _is_sure(value)}
    if not sure:
        return
    heard = [one.content for one in trajectory.messages[: made.request]]
    offered = [tool.schema_as_json for tool in scenario.tool_views.values()]
    known = _letters("\n".join((*heard, *offered)))
    for name, value in sure.items():
        digits = re.sub(r"\D", "", value)
        tail = digits[-_END_OF_NUMBER:] if len(digits) >= _END_OF_NUMBER else _letters(value)
        if _letters(value) not in known and tail not in known:
            yield (
                f"a solution calls {made.call.name} with {name}={format_value(value)}, which "
                "nobody has said and no result contains"
            )


def _is_sure(value: Any) -> bool:
    """Whether a value cannot be made of anything else: an address, a number to call, an id."""
    if not isinstance(value, str) or _MOMENT.fullmatch(value):
        return False
    is_token = len(value.split()) == 1 or _TO_CALL.fullmatch(value) is not None
    return is_token and ("@" in value or sum(map(str.isdigit, value)) >= _FEW)


def _letters(text: str) -> str:
    """Return the letters and digits of a text; digits may be written as words."""
    digits = _DIGIT.sub(lambda match: _DIGITS[match[0]], text.casefold())
    return "".join(filter(str.isalnum, digits))


def _fallback_answers(scenario: Scenario, trajectory: Trajectory) -> Iterator[str]:
    """Yield the questions that are answered with ``otherwise`` although the agent goes on."""
    otherwise = scenario.task.user_script.otherwise
    messages = trajectory.messages
    last = max((made.request for made in trajectory.calls), default=0)
    for place in range(1, last):
        before, now = messages[place - 1], messages[place]
        is_answer = (before.sender, now.sender) == (Role.AGENT, Role.USER) and "?" in before.content
        if is_answer and before.recipient is Role.USER and now.content in otherwise:
            yield (
                f"the user answers the question {format_value(before.content)} of a solution with "
                f"otherwise: {format_value(now.content)}; write a reply to it"
            )


def _impure(scenario: Scenario, made: MadeCall) -> Iterator[str]:
    """Yield that a tool does something else when it is called again in the same world."""
    if made.trace is None:
        return
    environment = ExecutionEnvironment(scenario.world, scenario.now, scenario.world.shown())
    first, second = (environment.run(made.call, made.before, "again") for _ in range(2))
    if (first.content, first.error) != (second.content, second.error):
        what = f"returns {format_value(first.content)}, and then {format_value(second.content)}"
    elif first.state != second.state:
        changed = [name for name in first.state if first.state[name] != second.state[name]]
        what = f"leaves another {', '.join(changed)}"
    else:
        return
    yield f"{made.call.name} {what} when it is called twice in the same world: it is not pure"
