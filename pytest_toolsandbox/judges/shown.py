"""What a judge is shown: the wish, what would be right, the conversation and what it changed."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from pytest_toolsandbox.conversation.messages import Trajectory
from pytest_toolsandbox.language.protocol import protocol_of
from pytest_toolsandbox.language.roles import Role
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.wording.phrases import cut
from pytest_toolsandbox.wording.quoting import stands_in, texts_in

LONGEST: Final = 4_000
"""Characters of a result, or of a row, that are shown."""
MOST: Final = 60_000
"""Characters of a section that are shown; of a longer one the middle is left out."""
_LEFT_OUT: Final = "(some lines are left out here)"
_SPEAKERS: Final = {Role.USER: "User", Role.AGENT: "Assistant"}


def shown(scenario: Scenario, trajectory: Trajectory) -> str:
    """Return all that a judge needs, in sections."""
    protocol = protocol_of(scenario)
    sections = (
        ("When it is", [f"{scenario.now:%A, %Y-%m-%d %H:%M}"]),
        ("What the user wants", _wish(scenario)),
        *protocol.right_words(scenario, trajectory),
        ("The conversation", [*_talk(trajectory, replies=protocol.judges_replies)]),
        ("What the calls changed", [*_changes(scenario, trajectory)] or ["Nothing."]),
    )
    return "\n\n".join(
        "\n".join((f"# {title}", *_in_part([*map(_indented, lines)], MOST)))
        for title, lines in sections
        if lines
    )


def _indented(line: str) -> str:
    """Return a text whose further lines cannot be taken for lines of ours."""
    return "\n    ".join(line.splitlines())


def is_said(quote: str, scenario: Scenario, trajectory: Trajectory) -> bool:
    """Whether the agent said a text to be judged, or wrote it into a call."""
    replies = protocol_of(scenario).judges_replies
    return any(stands_in(quote, text) for text in _written(trajectory, replies=replies))


def _wish(scenario: Scenario) -> list[str]:
    script = scenario.task.user_script
    return [line for line in (script.opening, script.wants) if line]


def _talk(trajectory: Trajectory, *, replies: bool) -> Iterator[str]:
    """Yield a line for each message that the agent sees; calls and their results are numbered."""
    calls = {one.request: number for number, one in enumerate(trajectory.calls, 1)}
    results = {one.answer: number for number, one in enumerate(trajectory.calls, 1)}
    for place, message in enumerate(trajectory.messages):
        if Role.AGENT not in message.visible_to:
            continue
        if place in calls and message.call:
            yield f"Assistant calls [{calls[place]}] {message.call.name}({message.call.arguments})"
        elif place in results:
            yield f"Result [{results[place]}]: {cut(message.content, LONGEST)}"
        elif message.sender is Role.USER or (message.sender is Role.AGENT and replies):
            yield f"{_SPEAKERS[message.sender]}: {message.content}"


def _in_part(lines: Sequence[str], room: int) -> list[str]:
    """Return lines up to a length: of too many the first ones and the last ones."""
    if sum(map(len, lines)) <= room:
        return [*lines]
    first, last = _fitting(lines, room // 2), _fitting(lines[::-1], room // 2)[::-1]
    return [*first, _LEFT_OUT, *last]


def _fitting(lines: Sequence[str], room: int) -> list[str]:
    """Return as many of the first lines as there is room for, or the beginning of the first."""
    taken: list[str] = []
    for line in lines:
        if sum(map(len, taken)) + len(line) > room:
            return taken or [cut(line, room)]
        taken.append(line)
    return taken


def _changes(scenario: Scenario, trajectory: Trajectory) -> Iterator[str]:
    """Yield a line for each row that came or went; not of what the world notes for itself."""
    if not trajectory.states:
        return
    known = scenario.world.tables
    changes = trajectory.states[-1].changes_since(trajectory.start)
    for table, rows in changes.items():
        if known[table].bookkeeping:
            continue
        for row in rows["removed"]:
            yield f"- {table}, row before: {_row(row)}"
        for row in rows["added"]:
            yield f"- {table}, row now: {_row(row)}"


def _row(row: Mapping[str, Any]) -> str:
    return cut(json.dumps(row, ensure_ascii=False, default=str), LONGEST)


def _written(trajectory: Trajectory, *, replies: bool) -> Iterator[str]:
    for message in trajectory.messages:
        if message.sender is Role.AGENT and message.call:
            yield from texts_in(message.call.arguments)
        elif message.sender is Role.AGENT and replies:
            yield message.content
