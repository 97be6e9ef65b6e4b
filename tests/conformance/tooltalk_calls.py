"""Calls of ToolTalk's published tools, held against the same calls in the world ``office``.

``python -m tests.conformance.tooltalk_calls FILE --data DIR`` prints a line for each call that
differs, how many calls are exempt and why, and how many of the others agree. ``FILE`` has the
calls, what came of them and what they changed; ``DIR`` has the ``databases`` with which they start.

What a call gives, its error and what it changes are compared. An error is compared without its
type, and with single blanks, as an agent reads it. Exempt calls (:data:`KINDS`) must fail here and
change nothing; after one, the office is brought to where the published code was.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from pytest_toolsandbox.builtin.office import logged_in, office_world, with_verification_code
from pytest_toolsandbox.builtin.office.database_files import DATABASES, Database
from pytest_toolsandbox.builtin.office.identifiers import CODES, SHAPES, draw
from pytest_toolsandbox.builtin.office.rows import replaced
from pytest_toolsandbox.builtin.office.session import session_needed
from pytest_toolsandbox.calls.tool_call import ToolCall
from pytest_toolsandbox.conversation.environment import ExecutionEnvironment
from pytest_toolsandbox.conversation.messages import Response
from pytest_toolsandbox.worlds.context import Context
from pytest_toolsandbox.worlds.state import Row, State, Table, plain
from pytest_toolsandbox.worlds.world import World

Json = dict[str, Any]
Place = tuple[str, str, str | None]
"""Where a row is: database, user and, for all but accounts, identifier."""

EXECUTED = "arguments of wrong types, executed there"
PYTHON = "errors in the words of Python there"
REFUSED = "arguments of wrong types, refused there by a check of something else"
PARTIAL = "errors after a part was done there"
UNKNOWN = "unknown tools, which the execution environment refuses"
KINDS = (EXECUTED, PYTHON, REFUSED, PARTIAL, UNKNOWN)
"""Why a call is exempt."""

WORDS_OF_PYTHON = re.compile(
    r"\w+\.call\(\) (missing|got an unexpected)"  # the arguments do not fit the function
    r"|time data .* does not match format|second must be in|strptime\(\) argument"
    r"|datetime\.date\(|'[^']*'$"  # a key that is not there
    r"|'\w+' object (has no attribute|is not iterable)|argument of type '\w+' is not iterable"
    r"|unhashable type|expected string or bytes-like|can only concatenate|unsupported operand",
    re.DOTALL,
)
TOKEN = "session_token"
TOLD = {"Account", "Alarm", "Calendar", "Message"}
"""The databases in which a tool tells a user without an entry from one whose entry is empty."""
NOT_ALWAYS_THERE = {"verification_code"}
"""The fields that a row there does not have, and here has as null."""


@dataclass(frozen=True)
class Judged:
    """A call: which one it is, why it is exempt, if it is, and all in which it differs."""

    name: str
    exempt: str | None
    differences: Sequence[str]


def judge_calls(document: Json, data: Path) -> list[Judged]:
    """Make all calls of a file, and say of each how it agrees."""
    world = office_world(data / "databases")
    return [judged for vector in document["vectors"] for judged in _judged(world, vector)]


def _judged(world: World, vector: Json) -> Iterator[Judged]:
    now = datetime.fromisoformat(vector["start"]["timestamp"]).replace(tzinfo=UTC)
    state = _start(world, now, vector["start"]["user"])
    environment = ExecutionEnvironment(world, now, world.shown())
    for index, call in enumerate(vector["calls"]):
        made = ToolCall("", call["api_name"], json.dumps(_arguments(world, call)))
        response = environment.run(made, state, "")
        exempt = _exempt(world, call)
        expected = _of_published(call) if exempt is None else _of_exempt(call, exempt, state)
        actual = _of_response(response, state)
        differences = tuple(_differing(expected, actual))
        yield Judged(f"{vector['title']}, call {index}", exempt, differences)
        state = response.state if exempt is None else _followed(state, call)


def _start(world: World, now: datetime, user: Json) -> State:
    state = world.start(now)
    if TOKEN in user:
        state = logged_in(state, user["username"], user[TOKEN])
    if "verification_code" in user:
        state = with_verification_code(state, user["username"], user["verification_code"])
    return state


def _arguments(world: World, call: Json) -> Json:
    """Return the arguments of a call, without the token that its tool has no argument for here."""
    tool = world.tools.get(call["api_name"])
    has_token = tool is not None and tool.precondition is session_needed
    return {k: v for k, v in call["parameters"].items() if k != TOKEN or not has_token}


def _exempt(world: World, call: Json) -> str | None:
    """Return why a call is exempt, if it is."""
    error = call["exception"]
    if call["api_name"] not in world.tools:
        return UNKNOWN
    if error == "User is not logged in":
        return None
    if error is None:
        return None if _has_right_types(world, call) else EXECUTED
    if WORDS_OF_PYTHON.match(error):
        return PYTHON
    if not _has_right_types(world, call):
        return REFUSED
    return PARTIAL if call["changes"] or call["users_added_to"] else None


def _has_right_types(world: World, call: Json) -> bool:
    tool = world.tools[call["api_name"]]
    return not any(
        tool.problem(name, value)
        for name, value in call["parameters"].items()
        if name in tool.parameters
    )


def _of_published(call: Json) -> Json:
    """Return what the published code says came of a call."""
    error = call["exception"]
    return {
        "response": call["response"],
        "error": None if error is None else " ".join(error.split()),
        "changes": {_place(change): (change["before"], change["after"]) for change in _all(call)},
        "entries": {tuple(entry) for entry in call["users_added_to"] if entry[0] in TOLD},
        "session": call["session_token_after"],
    }


def _of_exempt(call: Json, exempt: str, state: State) -> Json:
    """Return what is to come of an exempt call: whatever else, nothing changes."""
    nothing: Json = {"response": None, "changes": {}, "entries": set(), "session": _token(state)}
    if exempt == PARTIAL:
        return {"error": _of_published(call)["error"], **nothing}
    types = {EXECUTED: "TypeError", REFUSED: "TypeError", UNKNOWN: "NameError"}
    return {"type": types[exempt], **nothing} if exempt in types else {"failed": True, **nothing}


def _of_response(response: Response, state: State) -> Json:
    """Return what came of a call here, under the same names."""
    kind, _, message = (response.error or "").partition(": ")
    trace = response.trace
    return {
        "response": None if trace is None else trace.result,
        "type": kind or None,
        "failed": response.failed,
        "error": message if response.failed else None,
        "changes": _changes(state, response.state),
        "entries": _entries(response.state) - _entries(state),
        "session": _token(response.state),
    }


def _differing(expected: Json, actual: Json) -> Iterator[str]:
    for name, value in expected.items():
        if actual[name] != value:
            yield f"{name}: expected {value!r}, found {actual[name]!r}"


def _token(state: State) -> str | None:
    (session,) = state["session"]
    token: str | None = session["token"]
    return token


def _all(call: Json) -> Sequence[Json]:
    changes: Sequence[Json] = call["changes"]
    return changes


def _place(change: Json) -> Place:
    return change["database"], change["user"], change["id"]


def _changes(before: State, after: State) -> dict[Place, tuple[Json | None, Json | None]]:
    """Return place → the row as it was and as it is, for the rows that differ."""
    then, now = _published_rows(before), _published_rows(after)
    places = {**then, **now}
    return {
        place: (then.get(place), now.get(place))
        for place in places
        if then.get(place) != now.get(place)
    }


def _published_rows(state: State) -> dict[Place, Json]:
    return {
        (file.removesuffix(".json"), row[database.owner], _key(database, row)): {
            name: plain(row[name])
            for name in database.fields
            if row[name] is not None or name not in NOT_ALWAYS_THERE
        }
        for file, database in DATABASES.items()
        for row in state[database.table]
    }


def _key(database: Database, row: Row) -> str | None:
    key: str | None = None if database.key is None else row[database.key]
    return key


def _entries(state: State) -> set[tuple[str, str]]:
    """Return the users with an entry in a database, for those databases where that is told."""
    names = {database.table: file.removesuffix(".json") for file, database in DATABASES.items()}
    with_rows = {
        (names[table], row["username"])
        for table in ("account", "alarm", "event", "message")
        for row in state[table]
    }
    return with_rows | {(names[row["table"]], row["username"]) for row in state["empty_entry"]}


def _followed(state: State, call: Json) -> State:
    """Return the state to which a call led in the published code."""
    for change in _all(call):
        state = _with_change(state, change)
    if call["exception"] is None and call["api_name"] in {*SHAPES, CODES}:
        context = Context(state, datetime(2023, 9, 11, tzinfo=UTC))
        draw(context, call["api_name"])
        state = context.state
    return state


def _with_change(state: State, change: Json) -> State:
    database = DATABASES[f"{change['database']}.json"]
    key = {} if database.key is None else {database.key: change["id"]}
    places = {database.owner: change["user"], **key}
    table = state[database.table]
    rows = table.where(**places)
    if change["after"] is None:
        return state.with_table(database.table, table.without(*rows))
    if rows:
        return replaced(state, database.table, rows[0], **change["after"])
    code = {"verification_code": None} if database.key is None else {}
    row: Mapping[str, Any] = {**code, **places, **change["after"]}
    return state.with_table(database.table, Table((*table.rows, row)))


def main(arguments: Sequence[str]) -> int:
    """Make all calls of a file; 0 if all that are not exempt agree."""
    parser = argparse.ArgumentParser("python -m tests.conformance.tooltalk_calls")
    parser.add_argument("file", type=Path, metavar="FILE")
    parser.add_argument("--data", type=Path, metavar="DIR", required=True)
    options = parser.parse_args(arguments)
    document = json.loads(options.file.read_text(encoding="utf-8"))
    judged = judge_calls(document, options.data)
    for judged_call in judged:
        if judged_call.differences:
            sys.stdout.write(f"{judged_call.name}: {'; '.join(judged_call.differences)}\n")
    exempt = Counter(judged_call.exempt for judged_call in judged)
    for kind in KINDS:
        sys.stdout.write(f"exempt {exempt[kind]:3}: {kind}\n")
    compared = [judged_call for judged_call in judged if judged_call.exempt is None]
    agreeing = sum(not judged_call.differences for judged_call in compared)
    sys.stdout.write(f"agree {agreeing} of {len(compared)}\n")
    return 1 if any(judged_call.differences for judged_call in judged) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
