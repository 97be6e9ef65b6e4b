"""Reads the databases of an office: a folder of JSON files in ToolTalk's format."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from pathlib import Path
from typing import Any

from .rows import TELLING
from .times import MOMENT, TIME

_SHOWN = 40


class DatabaseError(ValueError):
    """A folder of databases has mistakes: a line for each, with file and field."""


@dataclass(frozen=True)
class FieldKind:
    """The kind of a value: its name, and a check. Optional fields may be absent."""

    expected: str
    accepts: Callable[[Any], bool]
    optional: bool = False


def _or_null(kind: FieldKind) -> FieldKind:
    return FieldKind(f"{kind.expected} or null", lambda value: value is None or kind.accepts(value))


def _among(*values: str) -> FieldKind:
    return FieldKind(" or ".join(map(repr, values)), values.__contains__)


def _written(form: str, expected: str) -> FieldKind:
    """Return the kind of texts that a tool can read as a time."""

    def accepts(value: Any) -> bool:
        try:
            datetime.strptime(value, form)  # noqa: DTZ007  # only to see whether it can be read
        except (ValueError, TypeError):
            return False
        return True

    return FieldKind(expected, accepts)


def _is_date(value: Any) -> bool:
    try:
        return date.fromisoformat(value).isoformat() == str(value)
    except (ValueError, TypeError):
        return False


def _is_number(value: Any) -> bool:
    return type(value) in (int, float) and math.isfinite(value)


TEXT = FieldKind("a text", lambda value: isinstance(value, str))
TEXTS = FieldKind(
    "a list of texts",
    lambda value: isinstance(value, list) and all(isinstance(item, str) for item in value),
)
WHOLE = FieldKind("a whole number", lambda value: type(value) is int)
NUMBER = FieldKind("a number", _is_number)
TIME_OF_DAY = _written(TIME, "a time of day like '07:30:00'")
DATE_AND_TIME = _written(MOMENT, "a date and time like '2025-09-15 09:00:00'")
DATE = FieldKind("a date like '2025-09-15'", _is_date)
ROWS = FieldKind("an object", lambda value: isinstance(value, dict))


@dataclass(frozen=True)
class Database:
    """A file: owner → key → the fields of a row. Owner and key become columns as well.

    Owners are users or places; places are looked up in lower case. Accounts have no ``key``: each
    owner has one row.
    """

    table: str
    owner: str
    key: str | None
    fields: Mapping[str, FieldKind]


DATABASES = {
    "Account.json": Database(
        "account",
        "username",
        None,
        {
            "username": TEXT,
            "email": TEXT,
            "phone": _or_null(TEXT),
            "name": _or_null(TEXT),
            "password": TEXT,
            "session_token": replace(_or_null(TEXT), optional=True),
            "verification_code": replace(_or_null(TEXT), optional=True),
        },
    ),
    "Alarm.json": Database(
        "alarm", "username", "alarm_id", {"alarm_id": TEXT, "time": TIME_OF_DAY}
    ),
    "Calendar.json": Database(
        "event",
        "username",
        "event_id",
        {
            "event_id": TEXT,
            "name": TEXT,
            "event_type": _among("meeting", "event"),
            "description": _or_null(TEXT),
            "start_time": DATE_AND_TIME,
            "end_time": DATE_AND_TIME,
            "location": _or_null(TEXT),
            "attendees": _or_null(TEXTS),
        },
    ),
    "Email.json": Database(
        "email",
        "username",
        "email_id",
        {
            "email_id": TEXT,
            "date": DATE_AND_TIME,
            "sender": TEXT,
            "receivers": TEXTS,
            "subject": TEXT,
            "body": TEXT,
        },
    ),
    "Message.json": Database(
        "message",
        "username",
        "message_id",
        {"message_id": TEXT, "timestamp": DATE_AND_TIME, "sender": TEXT, "message": TEXT},
    ),
    "Reminder.json": Database(
        "reminder",
        "username",
        "reminder_id",
        {
            "reminder_id": TEXT,
            "task": TEXT,
            "due_date": _or_null(DATE_AND_TIME),
            "status": _among("pending", "complete"),
        },
    ),
    "Weather.json": Database(
        "weather",
        "location",
        "date",
        {"date": DATE, "high": WHOLE, "low": WHOLE, "conditions": TEXT},
    ),
    "HistoricWeather.json": Database(
        "historic_weather",
        "location",
        "month",
        {
            "min_temp": WHOLE,
            "max_temp": WHOLE,
            "record_min_temp": WHOLE,
            "record_max_temp": WHOLE,
            "avg_rainfall": NUMBER,
            "snow_days": WHOLE,
        },
    ),
}
NEEDED = "Account.json"

Rows = Mapping[str, list[dict[str, Any]]]


def read_databases(folder: Path) -> Rows:
    """Return table → the rows in the files of a folder, in their order.

    If a file is missing, its table is empty; only the accounts are required. Raises
    :class:`DatabaseError`.
    """
    reader = _Reader(folder)
    reader.check_names()
    for name, database in DATABASES.items():
        reader.read(name, database)
    if reader.mistakes:
        raise DatabaseError("\n".join(reader.mistakes))
    return reader.rows


@dataclass
class _Reader:
    folder: Path
    rows: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    mistakes: list[str] = field(default_factory=list)

    def check_names(self) -> None:
        if not self.folder.is_dir():
            actual = "a file" if self.folder.exists() else "nothing"
            raise DatabaseError(f"{self.folder}: expected a folder, found {actual}")
        names = sorted(path.name for path in self.folder.iterdir() if path.suffix == ".json")
        for name in names:
            if name not in DATABASES:
                allowed = ", ".join(DATABASES)
                self.mistakes.append(f"{self.folder}: expected only {allowed}, found {name}")
        if NEEDED not in names:
            actual = ", ".join(names) or "no file"
            self.mistakes.append(f"{self.folder}: expected {NEEDED}, found {actual}")

    def read(self, name: str, database: Database) -> None:
        rows = self.rows[database.table] = []
        path = self.folder / name
        for owner, entry in self.document(path).items():
            if database.owner == "location":
                self.check_lower_case(path, owner, owner)
            entries = {None: entry} if database.key is None else entry
            if not self.accepted(path, owner, entry, ROWS):
                continue
            if database.table in TELLING and not entry:
                empty = {"table": database.table, "username": owner}
                self.rows.setdefault("empty_entry", []).append(empty)
            rows.extend(
                self.row(path, database, owner, key, value) for key, value in entries.items()
            )

    def document(self, path: Path) -> dict[str, Any]:
        """Return the object in a file; an empty one if the file is missing or has a mistake."""
        if not path.exists():
            return {}
        try:
            document = json.loads(
                path.read_text("utf-8-sig"), object_pairs_hook=lambda p: self.object(path, p)
            )
        except (UnicodeDecodeError, RecursionError):
            self.mistakes.append(f"{path}: expected JSON in UTF-8, found something else")
            return {}
        except json.JSONDecodeError as error:
            self.mistakes.append(f"{path}:{error.lineno}: expected JSON, found none: {error.msg}")
            return {}
        if not isinstance(document, dict):
            self.note(path, "the file", ROWS.expected, document)
            return {}
        return document

    def object(self, path: Path, pairs: Iterable[tuple[str, Any]]) -> dict[str, Any]:
        members: dict[str, Any] = {}
        for name, value in pairs:
            if name in members:
                self.mistakes.append(f"{path}: expected every name once, found {name!r} twice")
            members[name] = value
        return members

    def row(
        self, path: Path, database: Database, owner: str, key: str | None, fields: Any
    ) -> dict[str, Any]:
        where = owner if key is None else f"{owner}.{key}"
        if key is not None and database.key not in database.fields:
            self.check_lower_case(path, where, key)
        if not self.accepted(path, where, fields, ROWS):
            return {}
        for name in fields:
            if name not in database.fields:
                self.note(path, where, f"only {', '.join(database.fields)}", name)
        for name, kind in database.fields.items():
            self.check_field(path, where, fields, name, kind)
        repeated = {database.owner: owner} if database.key is None else {database.key: key}
        for name, value in repeated.items():
            if fields.get(name, value) != value:
                self.note(path, f"{where}.{name}", f"{value!r}, as the key says", fields[name])
        return {database.owner: owner, **repeated, **fields}

    def check_field(
        self, path: Path, where: str, fields: Mapping[str, Any], name: str, kind: FieldKind
    ) -> None:
        if name in fields:
            self.accepted(path, f"{where}.{name}", fields[name], kind)
        elif not kind.optional:
            self.mistakes.append(f"{path}: {where}.{name}: expected {kind.expected}, found nothing")

    def check_lower_case(self, path: Path, where: str, name: str) -> None:
        if name != name.lower().strip():
            self.note(path, where, "a name in lower case, without blanks around it", name)

    def accepted(self, path: Path, where: str, value: Any, kind: FieldKind) -> bool:
        if kind.accepts(value):
            return True
        self.note(path, where, kind.expected, value)
        return False

    def note(self, path: Path, where: str, expected: str, value: Any) -> None:
        text = json.dumps(value, ensure_ascii=False)
        shown = text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1]}…"
        self.mistakes.append(f"{path}: {where}: expected {expected}, found {shown}")
