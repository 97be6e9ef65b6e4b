"""What a judge is shown: the wish, what would be right, the conversation and what it changed."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from pytest_toolsandbox.conversation.messages import Message, Trajectory
from pytest_toolsandbox.language.protocol import protocol_of
from pytest_toolsandbox.language.roles import Role
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.wording.phrases import cut

LONGEST: Final = 4_000
"""Characters of a result, or of a row, that are shown."""
MOST: Final = 60_000
"""Characters of a conversation that are shown; of a longer one the middle is left out."""
_LEFT_OUT: Final = "(some of the conversation is left out here)"
_SPEAKERS: Final = {Role.USER: "User", Role.AGENT: "Assistant"}


def shown(scenario: Scenario, trajectory: Trajectory) -> str:
    """Return all that a judge needs, in sections."""
    protocol = protocol_of(scenario)
    talk = _in_part([*_talk(trajectory, replies=protocol.judges_replies)])
    sections = (
        ("When it is", [f"{scenario.now:%A, %Y-%m-%d %H:%M}"]),
        ("What the user wants", _wish(scenario)),
        *protocol.right_words(scenario),
        ("The conversation", talk),
        ("What the calls changed", [*_changes(trajectory)] or ["Nothing."]),
    )
    return "\n\n".join("\n".join((f"# {title}", *lines)) for title, lines in sections if lines)


def is_said(quote: str, scenario: Scenario, trajectory: Trajectory) -> bool:
    """Whether the agent said a text, or wrote it into a call, whatever stands between its words."""
    words, replies = f" {' '.join(_words(quote))} ", protocol_of(scenario).judges_replies
    written = (f" {' '.join(_words(text))} " for text in _written(trajectory, replies=replies))
    return bool(words.strip()) and any(words in one for one in written)


def _wish(scenario: Scenario) -> list[str]:
    script = scenario.task.user_script
    return [line for line in (script.opening, script.wants) if line]


def _talk(trajectory: Trajectory, *, replies: bool) -> Iterator[str]:
    for message in trajectory.messages:
        match message:
            case _ if Role.AGENT not in message.visible_to:
                continue
            case Message(sender=Role.AGENT, call=call) if call is not None:
                yield f"Assistant calls {call.name}({call.arguments})"
            case Message(recipient=Role.AGENT, sender=Role.EXECUTION_ENVIRONMENT):
                yield f"Result: {cut(message.content, LONGEST)}"
            case Message(sender=Role.AGENT) if not replies:
                continue
            case Message(sender=sender, call=None) if sender in _SPEAKERS:
                yield f"{_SPEAKERS[sender]}: {message.content}"
            case _:  # what the system says, and what the user calls
                continue


def _in_part(lines: Sequence[str]) -> list[str]:
    """Return lines up to a length: the first ones, which say what is wanted, and the last ones."""
    if sum(map(len, lines)) <= MOST:
        return [*lines]
    first, last = _fitting(lines), _fitting(lines[::-1])[::-1]
    return [*first, _LEFT_OUT, *last]


def _fitting(lines: Sequence[str]) -> list[str]:
    """Return as many of the first lines as have half of the room."""
    room = MOST // 2
    taken: list[str] = []
    for line in lines:
        room -= len(line)
        if room < 0:
            return taken or [cut(line, MOST // 2)]
        taken.append(line)
    return taken


def _changes(trajectory: Trajectory) -> Iterator[str]:
    if not trajectory.states:
        return
    changes = trajectory.states[-1].changes_since(trajectory.start)
    for table, rows in changes.items():
        for row in rows["removed"]:
            yield f"- {table}, row before: {_row(row)}"
        for row in rows["added"]:
            yield f"- {table}, row now: {_row(row)}"


def _row(row: Mapping[str, Any]) -> str:
    return cut(json.dumps(row, ensure_ascii=False, default=str), LONGEST)


def _written(trajectory: Trajectory, *, replies: bool) -> Iterator[str]:
    for message in trajectory.messages:
        if message.sender is Role.AGENT and message.call:
            yield from _texts(message.call.arguments)
        elif message.sender is Role.AGENT and replies:
            yield message.content


def _texts(arguments: str) -> Iterator[str]:
    """Yield the texts in the arguments of a call, at any depth."""
    try:
        left = [json.loads(arguments)]
    except (ValueError, RecursionError):
        left = [arguments]
    while left:
        value = left.pop()
        if isinstance(value, str):
            yield value
        elif isinstance(value, (list, dict)):
            left += value.values() if isinstance(value, dict) else value


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text.casefold())
