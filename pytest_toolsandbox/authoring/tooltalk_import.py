"""Import ToolTalk's published data (Farn & Shin 2023): its conversations become scenarios.

Every field is checked, and all damage is reported at once, with file and field.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, Final, NamedTuple

from pytest_toolsandbox.builtin.office import office_world, world as office
from pytest_toolsandbox.builtin.office.database_files import DatabaseError
from pytest_toolsandbox.builtin.office.session import session_needed
from pytest_toolsandbox.language.mistakes import Path as Place, ScenarioError, dotted
from pytest_toolsandbox.language.readers.base_reader import argument_problems
from pytest_toolsandbox.language.yaml12 import write_yaml
from pytest_toolsandbox.text.formatting import describe_value, join_words
from pytest_toolsandbox.text.nearest_name import CLOSE, nearest_name
from pytest_toolsandbox.worlds.json_values import read_json
from pytest_toolsandbox.worlds.tool import Tool
from pytest_toolsandbox.worlds.world import World, register_world

WORLD = "tooltalk_office"
"""The name of the world of imported scenarios."""

CATEGORY_OF_FOLDER: Final[Mapping[str, str]] = {"easy": "easy", "tooltalk": "hard"}
"""Folder of published conversations → the category of their scenarios."""

DATABASES: Final = "databases"
_CONFTEST: Final = f'''"""Registers the office in which ToolTalk's published conversations play."""

from pathlib import Path

from pytest_toolsandbox import register_world
from pytest_toolsandbox.builtin.office import office_world

DATABASES = Path(__file__).with_name("{DATABASES}")

register_world(office_world(DATABASES, name="{WORLD}"))
'''

_MAX_MESSAGES: Final = 200
"""The maximum number of messages of a turn; the published code has no limit."""

_TOKEN = "session_token"  # noqa: S105  # the name of a field
_ABSENT: Final = object()
"""Marks a field that a file does not have."""


class DamagedFileError(Exception):
    """The file is not a published conversation; the text has a line per field."""

    def __init__(self, lines: Iterable[str]) -> None:
        self.lines = tuple(lines)
        super().__init__("\n".join(self.lines))


class _Kind(NamedTuple):
    """The expectation of a field: in words, and as a check."""

    expected: str
    accepts: Callable[[Any], bool]


def _is_moment(value: Any) -> bool:
    try:
        _moment(value)
    except (ValueError, TypeError):
        return False
    return True


def _moment(text: str) -> datetime:
    return datetime.strptime(text, "%Y-%m-%d %H:%M:%S")  # noqa: DTZ007  # there are no time zones


_TEXT = _Kind("text", lambda value: isinstance(value, str))
_MAPPING = _Kind("a mapping", lambda value: isinstance(value, dict))
_LIST = _Kind("a list", lambda value: isinstance(value, list))
_ROLE = _Kind("'user' or 'assistant'", ("user", "assistant").__contains__)
_MOMENT = _Kind("a date and time like '2023-09-11 09:00:00'", _is_moment)


@dataclass
class Imported:
    """The files to write (path below the folder → content), or the ``damage`` that prevents it."""

    files: dict[str, bytes] = field(default_factory=dict)
    damage: list[str] = field(default_factory=list)
    read: int = 0
    damaged: int = 0


Load = Callable[[bytes, str, str], object]
"""Reads a scenario file, given its content, the scenario's name, and the file's name."""


def read_published(data: Path, load: Load) -> Imported:
    """Return the files for a published data set, or all of its damage.

    Each scenario is read with ``load``, which raises its mistakes.
    """
    imported = Imported()
    world = _read_world(data / DATABASES, imported)
    folders = {data / name: category for name, category in CATEGORY_OF_FOLDER.items()}
    existing = {folder: category for folder, category in folders.items() if folder.is_dir()}
    if not existing:
        expected = join_words([f"{name}/" for name in CATEGORY_OF_FOLDER])
        imported.damage.append(f"{data}: expected a folder {expected}, found neither")
    for folder, category in existing.items():
        for file in sorted(folder.glob("*.json")):
            imported.read += 1
            try:
                content = scenario_text(file, category, world, load)
                imported.files[f"{category}/{file.stem}.scenario.yaml"] = content
            except DamagedFileError as error:
                imported.damaged += 1
                imported.damage += error.lines
    if existing and not imported.read:
        imported.damage.append(f"{data}: expected conversations, found no *.json in its folders")
    return imported


def _read_world(folder: Path, imported: Imported) -> World | None:
    """Register the world of the databases, and add the files that its scenarios need."""
    try:
        world = register_world(office_world(folder, WORLD))
        files = {f"{DATABASES}/{file.name}": file.read_bytes() for file in folder.glob("*.json")}
    except (DatabaseError, OSError) as error:
        imported.damage += str(error).splitlines()
        return None
    imported.files = {"conftest.py": _CONFTEST.encode(), **files}
    return world


def scenario_text(file: Path, category: str, world: World | None, load: Load) -> bytes:
    """Return the scenario of a conversation, loaded once in ``world``, if given.

    Fields that an evaluation added are left out. Raises :class:`DamagedFileError`.
    """
    accounts = None
    if world is not None:
        accounts = {row["username"] for row in world.start(world.now)["account"]}
    reader = _Reader(str(file), accounts)
    try:
        document = reader.scenario(_document(file), category)
        if reader.damage:
            raise DamagedFileError(reader.damage)
        content = write_yaml(document).encode()
        if world is not None:
            load(content, file.stem, str(file))
    except ScenarioError as error:
        start = f"{file}: expected what a scenario can be made of"
        fields = [
            (f": {mistake.field}" if mistake.field else "", mistake.text)
            for mistake in error.mistakes
        ]
        raise DamagedFileError(f"{start}{where}: {text}" for where, text in fields) from None
    except RecursionError:
        raise DamagedFileError([f"{file}: expected JSON: nested too deeply"]) from None
    return content


@dataclass
class _Reader:
    """Reads one file, and notes every invalid field."""

    file: str
    accounts: Collection[str] | None
    damage: list[str] = field(default_factory=list)

    def scenario(self, document: Mapping[str, Any], category: str) -> dict[str, Any]:
        summary = self.optional(document, (), "scenario", _TEXT)
        session = self.session(document)
        now, location = self.moment_and_place(document)
        turns = self.field(document, (), "conversation", _LIST)
        return {
            **({"summary": summary} if summary else {}),
            "categories": [category],
            "world": WORLD,
            "now": now,
            "session": {**session, "location": location},
            "protocol": "published_code",
            "compare_receiver": False,
            "max_messages": _MAX_MESSAGES,
            "conversation": [] if turns is None else self.turns(turns, ("conversation",)),
        }

    def session(self, document: Mapping[str, Any]) -> dict[str, Any]:
        user, path = self.field(document, (), "user", _MAPPING), ("user",)
        if user is None:
            return {}
        name = self.field(user, path, "username", _TEXT)
        token = self.optional(user, path, _TOKEN, _TEXT)
        code = self.optional(user, path, "verification_code", _TEXT)
        of_account = {"token": token, "verification_code": code}
        values = {key: value for key, value in of_account.items() if value is not None}
        known = name is None or self.accounts is None or name in self.accounts
        if values and not known:
            self.note((*path, "username"), "a user of databases/Account.json", name)
        return {"user": name, "logged_in": token is not None, **values}

    def moment_and_place(self, document: Mapping[str, Any]) -> tuple[str | None, str | None]:
        """Return the time of the conversation, with leading zeros, and the place of its user."""
        metadata, path = self.field(document, (), "metadata", _MAPPING), ("metadata",)
        if metadata is None:
            return None, None
        moment = self.field(metadata, path, "timestamp", _MOMENT)
        location = self.field(metadata, path, "location", _TEXT)
        return moment and _moment(moment).isoformat(" "), location

    def turns(self, turns: Sequence[Any], path: Place) -> list[dict[str, Any]]:
        read = []
        previous = "assistant"
        for index, turn in enumerate(turns):
            here = (*path, index)
            if not _MAPPING.accepts(turn):
                self.note(here, _MAPPING.expected, turn)
                continue
            role = self.field(turn, here, "role", _ROLE)
            if role == previous == "assistant":
                self.note((*here, "role"), "'user'", role)
            previous = role or "user"
            read.append(self.turn(turn, here, role))
        if not any("assistant" in turn for turn in read) and not self.damage:
            self.note(path, "a turn of the assistant", turns)
        return read

    def turn(self, turn: Mapping[str, Any], path: Place, role: str | None) -> dict[str, Any]:
        text = self.field(turn, path, "text", _TEXT)
        apis = self.optional(turn, path, "apis", _LIST) or []
        if role == "user" and apis:
            self.note((*path, "apis"), "nothing in a turn of the user", apis)
        calls = [self.call(call, (*path, "apis", index)) for index, call in enumerate(apis)]
        return {**({"calls": calls} if calls else {}), role or "user": text}

    def call(self, call: Any, path: Place) -> dict[str, Any]:
        if not _MAPPING.accepts(call):
            self.note(path, _MAPPING.expected, call)
            return {}
        request = self.field(call, path, "request", _MAPPING)
        outcome = self.outcome(call, path)
        if request is None:
            return {}
        here = (*path, "request")
        name = self.field(request, here, "api_name", _TEXT)
        parameters = self.field(request, here, "parameters", _MAPPING)
        if name is None or parameters is None:
            return {}
        if name in office.tools:
            arguments = self.arguments(parameters, (*here, "parameters"), office.tools[name])
            return {name: arguments, **outcome}
        close = nearest_name(name, office.tools, CLOSE)
        self.note((*here, "api_name"), f"a tool ({close}?)" if close else "a tool", name)
        return {}

    def arguments(self, recorded: Mapping[str, Any], path: Place, tool: Tool) -> dict[str, Any]:
        """Return the arguments of a call, without the token, which the tools here do not take."""
        arguments = dict(recorded)
        if tool.precondition is session_needed:
            self.optional(arguments, path, _TOKEN, _TEXT)
            arguments.pop(_TOKEN, None)
        for name, value in arguments.items():
            if name not in tool.parameters:
                allowed = ", ".join(tool.parameters) or "none"
                self.note((*path, name), f"an argument of {tool.name} ({allowed})", value)
                continue
            for wrong in argument_problems(value, tool, name):
                where = dotted((*path, name, *wrong.path))
                self.damage.append(f"{self.file}: {where}: {wrong.text}")
        for name, parameter in tool.parameters.items():
            if parameter.required and name not in arguments:
                self.note((*path, name), f"an argument of {tool.name}", _ABSENT)
        return arguments

    def outcome(self, call: Mapping[str, Any], path: Place) -> dict[str, Any]:
        """Return the recorded result of a call, or its error."""
        error = self.optional(call, path, "exception", _TEXT)
        if error is None:
            return {"result": self.field(call, path, "response", _MAPPING)}
        if call.get("response") is not None:
            self.note((*path, "response"), "null beside an exception", call["response"])
        return {"error": error}

    def field(self, around: Mapping[str, Any], path: Place, name: str, kind: _Kind) -> Any:
        """Return a field, ``None`` if it is invalid."""
        value = around.get(name, _ABSENT)
        if kind.accepts(value):
            return value
        self.note((*path, name), kind.expected, value)
        return None

    def optional(self, around: Mapping[str, Any], path: Place, name: str, kind: _Kind) -> Any:
        """Return a field that may be null or missing."""
        return None if around.get(name) is None else self.field(around, path, name, kind)

    def note(self, path: Place, expected: str, value: Any) -> None:
        what = "nothing" if value is _ABSENT else describe_value(value)
        self.damage.append(f"{self.file}: {dotted(path)}: expected {expected}, found {what}")


def _document(file: Path) -> dict[str, Any]:
    """Return the object in a file."""
    try:
        text = file.read_bytes().decode("utf-8-sig")
        document = read_json(text, _object)
        json.dumps(document, ensure_ascii=False).encode()
        if isinstance(document, dict):
            return document
        problem = f": expected {_MAPPING.expected}, found {describe_value(document)}"
    except OSError as error:
        problem = f": expected a file to read: {error.strerror}"
    except UnicodeEncodeError:
        problem = ": expected whole characters, found a \\u escape that is half of one"
    except json.JSONDecodeError as error:
        problem = f":{error.lineno}:{error.colno}: expected JSON: {error.msg}"
    except UnicodeDecodeError:
        problem = ": expected JSON in UTF-8, found other bytes"
    except ValueError as error:
        problem = f": expected JSON: {error}"
    raise DamagedFileError([f"{file}{problem}"])


def _object(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    document: dict[str, Any] = {}
    for name, value in pairs:
        if name in document:
            raise ValueError(f"the name {name!r} stands twice in one object")
        document[name] = value
    return document
