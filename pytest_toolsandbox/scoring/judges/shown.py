"""The text that a judge is shown: the evidence, and below it the numbered lines that it judges.

Timestamps are shown as local times and identifiers are shortened, unless the agent wrote them
itself.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from pytest_toolsandbox.conversation.messages import MadeCall, Trajectory
from pytest_toolsandbox.language.protocol import protocol_of
from pytest_toolsandbox.language.roles import Role
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.language.tasks import FINISH, Query, UserScript
from pytest_toolsandbox.scoring.queries import conclusion_of
from pytest_toolsandbox.text.formatting import truncate
from pytest_toolsandbox.text.sentences import is_quoted_in, texts_in
from pytest_toolsandbox.worlds.state import NEW_IDENTIFIER, TableSchema
from pytest_toolsandbox.worlds.tool import FreeText

_OF_TIME: Final = re.compile(
    r"time|stamp|date|moment|clock|epoch|(?:^|_)(?:at|on|when|since|until|due|now|start|end)(?:_|$)",
    re.IGNORECASE,
)
_NEAR: Final = 20 * 366 * 86_400
"""The maximum distance, in seconds, of a timestamp from the world's time."""
_MILLISECONDS: Final = 1_000


LONGEST: Final = 4_000
"""The maximum number of characters of a result or a row."""
MOST: Final = 60_000
"""The maximum number of characters of a section; the middle of longer ones is left out."""
_SHORT: Final = 200
"""The maximum number of characters that the conversation repeats of a judged line."""
JUDGED: Final = "The lines to be judged"
_LEFT_OUT: Final = "(some lines are left out here)"
_UUID: Final = re.compile(r"\b([0-9a-f]{8})-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b")
_LINE: Final = re.compile(r'"\\u0000(\d+)"')
"""The mark of a line that is judged, in JSON."""
_CODE: Final = re.compile(r"\S*[\d@_/]\S*")
"""Texts without words: an identifier, an address, a date, a telephone number."""


@dataclass(frozen=True)
class Display:
    """Formats values for a judge: timestamps as local times, identifiers shortened.

    Numbers that the agent has ``written`` are shown beside their local times, and its identifiers
    are not shortened.
    """

    now: datetime
    written: str = ""

    def as_json(self, value: Any, name: str = "") -> str:
        """Return a value as JSON; ``name`` is that of its column or argument."""
        shown = self.with_wall_times(value, name)
        return self.shortened(json.dumps(shown, ensure_ascii=False, default=str))

    def result(self, text: str, tool: str) -> str:
        """Return the result of a tool, which may be JSON."""
        try:
            return self.as_json(json.loads(text), tool)
        except (ValueError, RecursionError):
            return self.shortened(text)

    def shortened(self, text: str) -> str:
        """Return a text with identifiers of 36 characters cut to their first eight."""
        return _UUID.sub(lambda match: match[0] if match[0] in self.written else match[1], text)

    def with_wall_times(self, value: Any, name: str = "") -> Any:
        """Return a value with timestamps as local times, by the names of columns or arguments."""
        if isinstance(value, Mapping):
            return {key: self.with_wall_times(item, str(key)) for key, item in value.items()}
        if isinstance(value, (list, tuple)):
            return [self.with_wall_times(item, name) for item in value]
        if isinstance(value, datetime):
            return self._wall_time(value.timestamp())
        moment = self._moment(value) if _OF_TIME.search(name) else None
        if moment is None:
            return value
        is_written = f"{value:.0f}" in self.written
        return f"{self._wall_time(moment)} ({value})" if is_written else self._wall_time(moment)

    def _moment(self, value: Any) -> float | None:
        """Return the seconds of a number that can be a moment, in seconds or milliseconds."""
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            return None
        now = self.now.timestamp()
        units = (value, value / _MILLISECONDS) if abs(value) < now * 2 * _MILLISECONDS else ()
        return next((seconds for seconds in units if abs(seconds - now) < _NEAR), None)

    def _wall_time(self, seconds: float) -> str:
        moment = datetime.fromtimestamp(seconds, self.now.tzinfo)
        form = "%a %Y-%m-%d %H:%M:%S" if moment.second else "%a %Y-%m-%d %H:%M"
        return moment.strftime(form)


@dataclass(frozen=True)
class JudgedLine:
    """A text of the agent that is judged, and its place: a message, or an argument of a call.

    ``message`` is the index of the message, ``argument`` the name of the argument.
    """

    text: str
    message: int
    argument: str = ""


def judged_lines(scenario: Scenario, trajectory: Trajectory) -> list[JudgedLine]:
    """Return the agent's messages to its user, its answer, and its texts for others."""
    if isinstance(scenario.task, Query):
        return [*_conclusion(trajectory)]
    replies = protocol_of(scenario).judges_replies
    calls = {call.request: call for call in trajectory.calls}
    lines = []
    for place, message in enumerate(trajectory.messages):
        if (call := calls.get(place)) is not None:
            texts = _texts_for_others(scenario, call)
            lines += [JudgedLine(text, place, name) for name, text in texts]
        elif replies and (message.sender, message.recipient) == (Role.AGENT, Role.USER):
            lines.append(JudgedLine(message.content, place))
    return lines


def _conclusion(trajectory: Trajectory) -> Iterator[JudgedLine]:
    if (conclusion := conclusion_of(trajectory)) is not None:
        call = next((call for call in trajectory.calls if call.answer == conclusion.message), None)
        place = (conclusion.message, "") if call is None else (call.request, "answer")
        yield JudgedLine(conclusion.answer, *place)


def _wishes(script: UserScript) -> dict[str, None]:
    """Return what the user asks first and wants, and how it is played, each once."""
    return dict.fromkeys(filter(None, (script.opening, script.wants, script.instructions)))


def evidence(scenario: Scenario, trajectory: Trajectory, lines: Sequence[JudgedLine]) -> str:
    """Return the evidence in sections; the middle of long sections is left out."""
    protocol = protocol_of(scenario)
    display = Display(scenario.now, "\n".join(line.text for line in lines))
    tools = [name for name in scenario.tool_views if name != FINISH.name]
    script = scenario.task.user_script
    sections = (
        ("When it is", [_moment(scenario, trajectory)]),
        ("What the assistant's tools are", [", ".join(tools)] if protocol.judges_replies else []),
        ("The policy that the assistant must follow", [scenario.policy or ""]),
        ("What the user wants", [*_wishes(script)]),
        *protocol.right_words(scenario, trajectory),
        ("The conversation", [*_talk(scenario, trajectory, lines, display)]),
        ("What the calls changed", [*_changes(scenario, trajectory, display)] or ["Nothing."]),
    )
    return "\n\n".join(
        "\n".join((f"# {title}", *_in_part([*map(_indented, texts)], MOST)))
        for title, texts in sections
        if any(texts)
    )


def numbered(trajectory: Trajectory, lines: Sequence[JudgedLine]) -> str:
    """Return the complete lines that are judged, each with its number and place."""
    calls = {call.request: number for number, call in enumerate(trajectory.calls, 1)}
    shown = []
    for number, line in enumerate(lines, 1):
        where = f"in call [{calls[line.message]}], {line.argument}" if line.argument else "says"
        shown.append(f"{number}. {where}: {_indented(line.text)}")
    return "\n".join((f"# {JUDGED}", *(shown or ["(none)"])))


def is_said(quote: str, scenario: Scenario, trajectory: Trajectory) -> bool:
    """Return whether the agent said a text that is judged, or wrote it into a call."""
    replies = protocol_of(scenario).judges_replies
    return any(is_quoted_in(quote, text) for text in _written(trajectory, replies=replies))


def _indented(text: str) -> str:
    """Return a text with indented lines, which cannot be mistaken for lines of the question."""
    return "\n    ".join(text.splitlines())


def _moment(scenario: Scenario, trajectory: Trajectory) -> str:
    """Return the world's time, and whether the assistant knows it."""
    now = scenario.now
    dates = (f"{now:%Y-%m-%d}", f"{now.timestamp():.0f}")
    seen = (message.content for message in trajectory.messages if Role.AGENT in message.visible_to)
    known = any(text in content for content in seen for text in dates)
    zone = f", {now.tzinfo}" if now.tzinfo else ""
    unknown = "" if known else " (the assistant was not told)"
    return f"{now:%A, %Y-%m-%d %H:%M}{zone}{unknown}"


def _talk(
    scenario: Scenario, trajectory: Trajectory, lines: Sequence[JudgedLine], display: Display
) -> Iterator[str]:
    """Yield a line for each message that the agent sees, with calls and results numbered.

    What the user did with tools of its own is there too, as what the agent does not see.
    """
    calls = {call.request: number for number, call in enumerate(trajectory.calls, 1)}
    results = {call.answer: number for number, call in enumerate(trajectory.calls, 1)}
    numbers = {(line.message, line.argument): number for number, line in enumerate(lines, 1)}
    replies = protocol_of(scenario).judges_replies
    by_user = {call.request: call for call in trajectory.user_calls}
    for place, message in enumerate(trajectory.messages):
        if (now := trajectory.clock_moves.get(place)) is not None:
            yield f"Time passes: it is {now:%A, %Y-%m-%d %H:%M}"
        if Role.AGENT not in message.visible_to:
            if place in by_user:
                yield _user_call(by_user[place], trajectory, display)
            continue
        if place in calls and message.call:
            inside = {argument: n for (at, argument), n in numbers.items() if at == place}
            arguments = _arguments(message.call.arguments, inside, display)
            yield f"Assistant calls [{calls[place]}] {message.call.name}({arguments})"
        elif place in results:
            tool = message.call.name if message.call else ""
            result = display.result(message.content, tool)
            yield f"Result [{results[place]}]: {truncate(result, LONGEST)}"
        elif message.sender is Role.USER:
            yield f"User: {message.content}"
        elif message.sender is Role.AGENT and replies:
            yield _reply(message.content, numbers.get((place, "")), len(lines))


def _user_call(call: MadeCall, trajectory: Trajectory, display: Display) -> str:
    arguments = _arguments(call.call.arguments, {}, display)
    content = "" if call.answer is None else trajectory.messages[call.answer].content
    result = truncate(display.result(content, call.call.name), LONGEST)
    made = f"{call.call.name}({arguments}) and sees {result or 'nothing'}"
    return f"User, unseen by the assistant, calls {made}"


def _reply(text: str, number: int | None, last: int) -> str:
    """Return a reply of the agent; the last line is not repeated, since it follows at once."""
    if number is None:
        return f"Assistant: {truncate(text, LONGEST)}"
    return f"Assistant says line {number}" + (
        f": {truncate(text, _SHORT)}" if number < last else ""
    )


def _arguments(arguments: str, inside: Mapping[str, int], display: Display) -> str:
    """Return the arguments of a call with the numbers of the judged lines inside."""
    try:
        values = json.loads(arguments)
    except (ValueError, RecursionError):
        values = None
    if not isinstance(values, dict):
        return truncate(display.shortened(arguments), LONGEST)
    shown = _with_lines(values, inside)
    text = ", ".join(f"{name}={display.as_json(value, name)}" for name, value in shown.items())
    return truncate(_LINE.sub(r"<line \1>", text), LONGEST)


def _with_lines(value: Any, inside: Mapping[str, int], path: str = "") -> Any:
    """Return arguments with a mark instead of each line that is judged."""
    if path in inside:
        return f"\0{inside[path]}"
    if isinstance(value, dict):
        return {name: _with_lines(item, inside, _below(path, name)) for name, item in value.items()}
    if isinstance(value, list):
        return [_with_lines(item, inside, _below(path, n)) for n, item in enumerate(value)]
    return value


def _below(path: str, name: str | int) -> str:
    return f"{path}.{name}" if path else str(name)


def _in_part(lines: Sequence[str], room: int) -> list[str]:
    """Return at most ``room`` characters of lines: the first ones and the last ones."""
    if sum(map(len, lines)) <= room:
        return [*lines]
    first, last = _fitting(lines, room // 2), _fitting(lines[::-1], room // 2)[::-1]
    return [*first, _LEFT_OUT, *last]


def _fitting(lines: Sequence[str], room: int) -> list[str]:
    """Return the first lines that fit into ``room``, or the beginning of the first line."""
    taken: list[str] = []
    for line in lines:
        if sum(map(len, taken)) + len(line) > room:
            return taken or [truncate(line, room)]
        taken.append(line)
    return taken


def _changes(scenario: Scenario, trajectory: Trajectory, display: Display) -> Iterator[str]:
    """Yield a line for each added, removed or changed row, except bookkeeping."""
    if not trajectory.states:
        return
    known = scenario.world.tables
    changes = trajectory.states[-1].changes_since(trajectory.start)
    for table, rows in changes.items():
        if known[table].bookkeeping:
            continue
        before = {_identity(known[table], row): row for row in rows["removed"]}
        for row in rows["added"]:
            then = before.pop(_identity(known[table], row), None)
            shown = truncate(display.as_json(row), LONGEST)
            if then is None:
                yield f"- {table}, new: {shown}"
                continue
            changed = {name: then.get(name) for name in row if then.get(name) != row[name]}
            old = truncate(display.as_json(changed), LONGEST)
            yield f"- {table}, changed: {shown}; before: {old}"
        for row in before.values():
            yield f"- {table}, removed: {truncate(display.as_json(row), LONGEST)}"


def _identity(schema: TableSchema, row: Mapping[str, Any]) -> str:
    """Return the columns that identify a row before and after a change, or the whole row."""
    columns = [name for name, column in schema.columns.items() if column.default is NEW_IDENTIFIER]
    names = [] if schema.single_row else columns or [*row]
    return json.dumps([row.get(name) for name in names], default=str)


def _texts_for_others(scenario: Scenario, call: MadeCall) -> Iterator[tuple[str, str]]:
    """Yield the arguments of a successful call that are texts in words.

    If the tool declares free texts, only these.
    """
    tool = scenario.world.tools.get(call.trace.tool_name) if call.trace else None
    if call.failed or not (call.changed_the_world or (tool and tool.action)):
        return
    try:
        arguments = json.loads(call.call.arguments)
    except (ValueError, RecursionError):
        return
    measures = tool.comparison.arguments if tool else {}
    free = {name for name, measure in measures.items() if isinstance(measure, FreeText)}
    if isinstance(arguments, dict):
        yield from _texts(
            {name: value for name, value in arguments.items() if not free or name in free}
        )


def _texts(value: Any, path: str = "") -> Iterator[tuple[str, str]]:
    """Yield the texts in words inside a value, each with its path."""
    if isinstance(value, (dict, list)):
        items = value.items() if isinstance(value, dict) else enumerate(value)
        for name, item in items:
            yield from _texts(item, _below(path, name))
    elif isinstance(value, str) and any(map(str.isalpha, value)) and not _CODE.fullmatch(value):
        yield path, value


def _written(trajectory: Trajectory, *, replies: bool) -> Iterator[str]:
    for message in trajectory.messages:
        if message.sender is Role.AGENT and message.call:
            yield from texts_in(message.call.arguments)
        elif message.sender is Role.AGENT and replies:
            yield message.content
