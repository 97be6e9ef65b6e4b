"""Read records from a file, and restore their trajectories, to score them again."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import cache, reduce
from pathlib import Path
from typing import (
    TYPE_CHECKING,
    Any,
    Final,
    Generic,
    Literal,
    NamedTuple,
    NotRequired,
    TypeVar,
    cast,
)

from pytest_toolsandbox.conversation.consent import consents
from pytest_toolsandbox.conversation.messages import Agreed, Reasoning, Spent, Trajectory
from pytest_toolsandbox.conversation.play import opening_messages
from pytest_toolsandbox.language.protocol import protocol_of
from pytest_toolsandbox.language.roles import Role
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.models.usage import UNKNOWN, Usage
from pytest_toolsandbox.text.files import FileError, refuse_devices
from pytest_toolsandbox.text.formatting import pluralize
from pytest_toolsandbox.worlds.live.origin import clock_call
from pytest_toolsandbox.worlds.state import Caller, LoggedCall, Row, State, Table

from .digests import start_digests
from .parts import (
    AskerName,
    JudgeRecord,
    MessageUsageRecord,
    OpinionRecord,
    UsageRecord,
    UserNotesRecord,
    UserRecord,
)
from .record import VERSION, ConversationRecord, StartRecord, TrialRecord
from .trials import NOT_RUN

if TYPE_CHECKING:
    from pydantic import TypeAdapter, ValidationError

MOST_SHOWN: Final = 5
"""The number of unusable lines that are listed."""
Kind = TypeVar("Kind")


class StoredRecord(TrialRecord, StartRecord, ConversationRecord):
    """The part of a record, of any version, that is needed to judge its conversation again."""

    variant: NotRequired[str | None]
    feedback: NotRequired[bool]
    call_format: NotRequired[Literal["native", "text", "react"]]
    usage: NotRequired[dict[AskerName, UsageRecord]]
    finish_reasons: NotRequired[dict[AskerName, dict[str, int]]]
    opinion: NotRequired[OpinionRecord]
    judge: NotRequired[str]
    judge_settings: NotRequired[JudgeRecord]
    unjudged: NotRequired[bool]
    user_settings: NotRequired[UserRecord]
    user_notes: NotRequired[UserNotesRecord]
    other_calls: NotRequired[dict[str, int]]
    duration: NotRequired[float]


class StoredRecords(NamedTuple):
    """The records of a file by item and trial, their scenarios, and its unusable lines."""

    records: Mapping[str, Mapping[int, StoredRecord]]
    scenarios: Collection[str]
    unusable: str | None


def without_parameters(identifier: str) -> str:
    """Return the id of an item without the parameters in brackets after its name."""
    file, separator, name = identifier.partition("::")
    return f"{file}{separator}{name.partition('[')[0]}"


def without_agent(identifier: str, label: str | None) -> str:
    """Return the id or name of an item without its agent.

    If several agents play, ``label`` is the agent's name, the first one in the brackets.
    """
    start, _, parameters = identifier.partition(f"[{label}") if label else (identifier, "", "]")
    parameters = parameters.removeprefix("-")
    return start if parameters == "]" else f"{start}[{parameters}"


class StoredError(FileError):
    """A file of records cannot be read, or a record does not fit its scenario."""


def read_records(path: Path) -> StoredRecords:
    """Return the records of a file; the later one of two with the same id and trial.

    Raises :class:`StoredError`, as :func:`usable_records` does.
    """
    stored: dict[str, dict[int, StoredRecord]] = {}
    records, unusable = usable_records(path, StoredRecord)
    for record in records:
        stored.setdefault(record["id"], {})[record["trial"]] = record
    return StoredRecords(stored, {*map(without_parameters, stored)}, unusable)


def usable_records(path: Path, kind: type[Kind]) -> tuple[list[Kind], str | None]:
    """Return the fields of ``kind``, a ``TypedDict``, of each record, and the unusable lines.

    An unusable line is left out, such as the last line of a run that was killed, and so are items
    that were not run. Raises :class:`StoredError` for a file that cannot be read or has no usable
    line.
    """
    lines = UsableLines(path, kind)
    return [line.read for line in lines if line.was_run], lines.unusable


class Line(NamedTuple, Generic[Kind]):
    """A line of a file of records: where it is, and the fields that were read.

    The rest of the record stays in the file, since a file may have a gigabyte of records.
    """

    path: Path
    number: int
    start: int
    size: int
    read: Kind

    @property
    def was_run(self) -> bool:
        """Whether the item was run, and so has a conversation or an error."""
        return cast("TrialRecord", self.read)["outcome"] != NOT_RUN

    @property
    def record(self) -> dict[str, Any]:
        """The whole record, as JSON values, read from the file again."""
        with self.path.open("rb") as file:
            file.seek(self.start)
            record: dict[str, Any] = json.loads(file.read(self.size))
        return record


class UsableLines(Generic[Kind]):
    """The usable lines of a file, read one by one; :func:`usable_records` says which are usable.

    They must also fit the type ``whole``, in which they are not kept. ``unusable`` describes the
    lines that were left out, after the last one was read.
    """

    def __init__(self, path: Path, kind: type[Kind], *, whole: type | None = None) -> None:
        self.path = path
        self.unusable: str | None = None
        kinds = (whole, kind) if whole else (kind,)
        self._adapters: list[Any] = [_adapter(each) for each in kinds]

    def __iter__(self) -> Iterator[Line[Kind]]:
        """Yield the lines. Raises :class:`StoredError`, at the end for a file without records."""
        from pydantic import ValidationError

        count = start = usable = 0
        unusable: list[str] = []
        for number, text in enumerate(self._texts(), 1):
            if text.strip():
                count += 1
                try:
                    for adapter in self._adapters:
                        read = adapter.validate_json(text, strict=True)
                except ValidationError as error:
                    if len(unusable) < MOST_SHOWN:
                        why_not = _why_not(error, is_last=not text.endswith(b"\n"))
                        unusable.append(f"{self.path}:{number}: {why_not}")
                else:
                    usable += 1
                    yield Line(self.path, number, start, len(text), read)
            start += len(text)
        if not usable:
            nothing = f"{self.path}: it has no records; was the run that should write them stopped?"
            raise StoredError(_nothing_usable(unusable[0]) if unusable else nothing)
        if unusable:
            self.unusable = _unusable_words(unusable, count - usable)

    def _texts(self) -> Iterator[bytes]:
        """Yield the lines of the file with their ends."""
        try:
            refuse_devices(self.path)
            with self.path.open("rb") as file:
                yield from file
        except IsADirectoryError:
            text = "it is a folder; name a file in it that --sandbox-results wrote"
            raise StoredError(f"{self.path}: {text}") from None
        except OSError as error:
            raise StoredError(f"{self.path}: cannot be read: {error.strerror}") from None


def _unusable_words(shown: Sequence[str], count: int) -> str:
    omitted = count - len(shown)
    texts = "; ".join([*shown, *([f"and {omitted} more"] * (omitted > 0))])
    return f"{pluralize(count, 'stored record')} cannot be used: {texts}"


_NO_JSON: Final = "no JSON"


_NO_RECORD: Final = "this is no record of a scenario"


def _nothing_usable(first: str) -> str:
    """Return why the first line of a file is unusable, and what to name if it holds no records."""
    is_another = first.endswith((_NO_JSON, _NO_RECORD))
    return f"{first}; name a file that --sandbox-results wrote" if is_another else first


@cache
def _adapter(kind: type[Kind]) -> TypeAdapter[Kind]:
    from pydantic import TypeAdapter

    return TypeAdapter(kind)


def _why_not(error: ValidationError, *, is_last: bool) -> str:
    """Return why a line is unusable; the last one is incomplete if the run was killed."""
    first = error.errors(include_url=False, include_context=False)[0]
    if first["type"] == "json_invalid":
        return "torn: the run was stopped while it was written" if is_last else _NO_JSON
    place = ".".join(map(str, first["loc"]))
    match place, first["type"], first["input"]:
        case "record", "literal_error", int(version):
            read = f"this program reads versions 1 to {VERSION}: play the scenarios again"
            return f"a record of version {version}; {read}"
        case "" | "record", _, _:
            return _NO_RECORD
        case _, "missing", _:
            return f"the record is not complete: it lacks {place}"
    return f"its {place} has another type than that of a record"


def stored_trajectory(record: StoredRecord, scenario: Scenario) -> Trajectory:
    """Return a record's trajectory. Raises :class:`StoredError` if the scenario has changed."""
    if record["outcome"] in ("error", "inconclusive") and not record.get("unjudged"):
        raise StoredError(f"the stored conversation was not finished: {record['reason']}")
    if changes := list(_changes(record, scenario)):
        raise StoredError(f"the scenario is another one now: {'; '.join(changes)}; play it again")
    try:
        states = tuple(_states(record, scenario))
    except (KeyError, ValueError) as error:
        text = f"the stored conversation does not fit the world: {error}"
        raise StoredError(f"{text}; play it again") from None
    untried = tuple(record.get("untried_orders", ()))
    spent = tuple(map(_spent, record.get("message_usage", ())))
    reasoning = tuple(
        Reasoning(place["message"], place.get("text", "")) for place in record.get("reasoning", ())
    )
    agreements = tuple(Agreed(**agreed) for agreed in record.get("agreements", ()))
    messages = tuple(record["messages"])
    return Trajectory(messages, states, scenario.start, untried, spent, reasoning, agreements)


def _spent(record: MessageUsageRecord) -> Spent:
    reasons = record.get("finish_reasons", ())
    return Spent(record["message"], record["asker"], usage_of_message(record), reasons)


def usage_of_message(record: Mapping[str, Any]) -> Usage:
    """Return the usage of the requests for a message."""
    no_figures = ("message", "asker", "finish_reasons")
    figures = {name: value for name, value in record.items() if name not in no_figures}
    return replace(UNKNOWN, **{"cached_tokens": 0, **figures})


def _changes(record: StoredRecord, scenario: Scenario) -> Iterator[str]:
    """Yield the differences between the start of the record and that of the scenario."""
    if record["world"] != scenario.world.name:
        yield f"its world was {record['world']}, and is {scenario.world.name}"
        return
    if record["now"] != scenario.now.isoformat():
        yield f"its clock said {record['now']}, and says {scenario.now.isoformat()}"
    had, has = set(record.get("user_tools", ())), set(scenario.task.user_tools)
    for what, names in (
        ("no longer offered", set(record["tools"]) - set(scenario.tools)),
        ("newly offered", set(scenario.tools) - set(record["tools"])),
        ("no longer tools of the user", had - has),
        ("newly tools of the user", has - had),
    ):
        if names:
            yield f"{what}: {', '.join(sorted(names))}"
    today = start_digests(scenario.start)
    tables = sorted(name for name in today if record["start"].get(name) != today[name])
    if tables:
        yield f"it starts with other rows in {', '.join(tables)}"
    words, messages = protocol_of(scenario).user_words(scenario), record["messages"]
    if words is None:
        if "imported" in record:  # its scenario was named, whatever the user's words are
            return
        expected = [(m.sender, m.content) for m in opening_messages(scenario)[1:]]
        # The user may have called tools before it said the first words.
        spoken = [
            m for m in messages[1:] if Role.EXECUTION_ENVIRONMENT not in (m.sender, m.recipient)
        ]
        opening = [(m.sender, m.content) for m in spoken[: len(expected)]]
        if opening != expected:
            yield "the user opens it with other words"
        return
    consenting = set(consents(messages, words))
    by_user = ((at, m.content) for at, m in enumerate(messages) if m.sender is Role.USER)
    if words != [content for at, content in by_user if at not in consenting]:
        yield "the user says other words"


def _states(record: StoredRecord, scenario: Scenario) -> Iterator[State]:
    changes = {snapshot["message"]: snapshot["changes"] for snapshot in record["snapshots"]}
    state, logged = scenario.start, set(record.get("logged", ()))
    clock = {
        move["message"]: datetime.fromisoformat(move["now"]).astimezone(scenario.now.tzinfo)
        for move in record.get("clock", ())
    }
    by: Caller
    for index in range(len(record["messages"])):
        for name, change in changes.get(index, {}).items():
            removed = [_row(scenario, name, row) for row in change["removed"]]
            added = [_row(scenario, name, row) for row in change["added"]]
            table = reduce(Table.with_row, added, state[name].without(*removed))
            state = state.with_table(name, table)
        if index in clock:
            state = state.at(clock[index])
            if index in logged:
                state = state.with_call(clock_call(clock[index]))
        elif index in logged and (call := record["messages"][index].call) is not None:
            by = "user" if record["messages"][index].recipient is Role.USER else "agent"
            state = state.with_call(LoggedCall(call.name, call.arguments, by))
        yield state


def _row(scenario: Scenario, table: str, stored: Mapping[str, Any]) -> Row:
    """Return a row with the world's types: dates and times are text in a record."""
    schema = scenario.world.tables[table]
    columns = schema.columns
    if stored.keys() != columns.keys() and not schema.takes_any:
        raise ValueError(f"a row of {table!r} with {', '.join(stored) or 'no columns'}")
    values = dict(stored)
    for name, column in columns.items():
        if isinstance(values.get(name), str) and hasattr(column.type, "fromisoformat"):
            values[name] = column.type.fromisoformat(values[name])
    return Row(values)
