from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pytest_toolsandbox.builtin.office import logged_in, office_world
from pytest_toolsandbox.builtin.office.database_files import DATABASES, DatabaseError
from pytest_toolsandbox.calls.tool_call import ToolCall
from pytest_toolsandbox.conversation.environment import ExecutionEnvironment

ADA = dict.fromkeys(("username", "email", "phone", "name", "password", "session_token"))
ADA |= {"username": "ada", "email": "ada@bay.example", "name": "Ada", "password": "p"}
EVENT: dict[str, Any] = {"event_id": "e1", "name": "Swim", "event_type": "event"}
EVENT |= {"start_time": "2025-09-16 10:00:00", "end_time": "2025-09-16 11:00:00"}
EVENT |= dict.fromkeys(("location", "description", "attendees"))
MAIL: dict[str, Any] = {"email_id": "m1", "date": "2025-09-14 10:00:00", "sender": "bo@bay.example"}
MAIL |= {"receivers": ["ada@bay.example"], "subject": "Hello", "body": "Hello Ada"}
MESSAGE = {"message_id": "t1", "timestamp": "2025-9-14 10:0:0", "sender": "bo", "message": "Hello"}
REMINDER = {"reminder_id": "r1", "task": "Swim", "due_date": None, "status": "pending"}
DAY = {"date": "2025-09-15", "high": 9, "low": 1, "conditions": "Dry"}
MONTH = {"min_temp": 1, "max_temp": 2, "record_min_temp": -9, "record_max_temp": 20}
MONTH |= {"avg_rainfall": 3, "snow_days": 0}
WHOLE: dict[str, Any] = {
    "Account": {"ada": ADA},
    "Alarm": {"ada": {"a1": {"alarm_id": "a1", "time": "7:30:0"}}, "bo": {}},
    "Calendar": {"ada": {"e1": EVENT}, "bo": {}},
    "Email": {"ada": {"m1": MAIL}, "bo": {}},
    "Message": {"bo": {}, "ada": {"t1": MESSAGE}},
    "Reminder": {"ada": {"r1": REMINDER}, "bo": {}},
    "Weather": {"oslo": {"2025-09-15": DAY}},
    "HistoricWeather": {"oslo": {"may": MONTH}},
}


def written(folder: Path, files: dict[str, Any]) -> Path:
    for name, content in files.items():
        text = content if isinstance(content, str) else json.dumps(content)
        folder.joinpath(f"{name}.json").write_text(text, encoding="utf-8")
    return folder


def mistakes(folder: Path, files: dict[str, Any]) -> list[str]:
    with pytest.raises(DatabaseError) as caught:
        office_world(written(folder, files))
    return [line.removeprefix(f"{folder}/") for line in str(caught.value).splitlines()]


def test_a_folder_is_an_office(tmp_path: Path) -> None:
    office = office_world(str(written(tmp_path, WHOLE)), name="bay")
    assert office.name == "bay"
    state = office.start(office.now)
    rows = {table: [dict(row) for row in rows] for table, rows in state.items() if len(rows)}
    assert rows == {
        "account": [ADA | {"verification_code": None}],
        "alarm": [{"username": "ada", "alarm_id": "a1", "time": "7:30:0"}],
        "event": [{"username": "ada", **EVENT}],
        "email": [{"username": "ada", **MAIL, "receivers": ("ada@bay.example",)}],
        "message": [{"username": "ada", **MESSAGE}],
        "reminder": [{"username": "ada", **REMINDER}],
        "weather": [{"location": "oslo", **DAY}],
        "historic_weather": [{"location": "oslo", "month": "may", **MONTH}],
        "session": [{"username": None, "token": None}],
        "empty_entry": [
            {"table": "alarm", "username": "bo"},
            {"table": "event", "username": "bo"},
            {"table": "message", "username": "bo"},
        ],
    }


def test_only_accounts_are_needed_and_other_files_do_not_matter(tmp_path: Path) -> None:
    tmp_path.joinpath("LICENSE").write_text("Do as you like.")
    office = office_world(written(tmp_path, {"Account": {"ada": ADA}}))
    state = office.start(office.now)
    assert {table for table, rows in state.items() if len(rows)} == {"account", "session"}


def test_a_user_with_an_empty_entry_is_told_from_one_without(tmp_path: Path) -> None:
    people = {"ada": ADA, "bo": ADA | {"username": "bo"}}
    office = office_world(written(tmp_path, {"Account": people, "Calendar": {"bo": {}}}))
    environment = ExecutionEnvironment(office, office.now, office.shown())
    span = '{"start_time": "2025-09-15 00:00:00", "end_time": "2025-09-16 00:00:00"}'
    answers = [
        environment.run(
            ToolCall("", "QueryCalendar", span), logged_in(office.start(office.now), user), ""
        ).content
        for user in people
    ]
    assert answers == ["NoDataError: User ada has no events.", '{"events": []}']


def changed(path: str, value: Any) -> dict[str, Any]:
    """Return the whole files, with another value at a path such as ``Alarm.ada.a1``."""
    files: dict[str, Any] = json.loads(json.dumps(WHOLE))
    *keys, last = path.split(".")
    row = files
    for key in keys:
        row = row[key]
    row[last] = value
    return files


MOMENT = "a date and time like '2025-09-15 09:00:00'"
LOWER = "a name in lower case, without blanks around it"
LONG = ["a very long subject, of which nobody reads all"]


@pytest.mark.parametrize(
    ("path", "value", "expected", "shown"),
    [
        ("Alarm.ada.a1.time", "7:30", "a time of day like '07:30:00'", None),
        ("Calendar.ada.e1.start_time", "Monday", MOMENT, None),
        ("Calendar.ada.e1.event_type", "party", "'meeting' or 'event'", None),
        ("Calendar.ada.e1.attendees", "ada", "a list of texts or null", None),
        ("Calendar.ada.e1.location", ["pool"], "a text or null", None),
        ("Email.ada.m1.receivers", [1], "a list of texts", None),
        ("Email.ada.m1.date", None, MOMENT, None),
        ("Email.ada.m1.subject", LONG, "a text", '["a very long subject, of which nobody …'),
        ("Message.ada.t1.message_id", "t2", "'t1', as the key says", None),
        ("Account.ada.username", "Ada", "'ada', as the key says", None),
        ("Account.ada.password", 7, "a text", None),
        ("Reminder.ada.r1.status", "completed", "'pending' or 'complete'", None),
        ("Weather.oslo.2025-09-15.high", 9.5, "a whole number", None),
        ("Weather.oslo.2025-09-15.low", True, "a whole number", None),
        ("HistoricWeather.oslo.may.avg_rainfall", "3", "a number", None),
        ("HistoricWeather.oslo.May", MONTH, LOWER, '"May"'),
        ("Weather.Oslo", {}, LOWER, '"Oslo"'),
        ("Alarm.ada.a2", 7, "an object", None),
        ("Alarm.cy", [], "an object", None),
        ("Account.cy", "x", "an object", None),
    ],
)
def test_a_value_that_does_not_fit(
    path: str, value: Any, expected: str, shown: str | None, tmp_path: Path
) -> None:
    file, _, place = path.partition(".")
    problem = f"{file}.json: {place}: expected {expected}, found {shown or json.dumps(value)}"
    assert mistakes(tmp_path, changed(path, value)) == [problem]


@pytest.mark.parametrize(
    ("files", "problem"),
    [
        (
            changed("Reminder.ada.r1.priority", 1),
            (
                "Reminder.json: ada.r1: expected only reminder_id, task, due_date, status, "
                'found "priority"'
            ),
        ),
        (
            changed("Weather.oslo.2025-9-16", DAY | {"date": "2025-9-16"}),
            (
                "Weather.json: oslo.2025-9-16.date: expected a date like '2025-09-15', "
                'found "2025-9-16"'
            ),
        ),
        (changed("Alarm", []), "Alarm.json: the file: expected an object, found []"),
        (
            changed("Alarm", '{\n"ada": }'),
            "Alarm.json:2: expected JSON, found none: Expecting value",
        ),
        (
            changed("Alarm", '{"ada": {}, "ada": {}}'),
            "Alarm.json: expected every name once, found 'ada' twice",
        ),
    ],
)
def test_a_mistake_is_named(files: dict[str, Any], problem: str, tmp_path: Path) -> None:
    assert mistakes(tmp_path, files) == [problem]


@pytest.mark.parametrize("file", DATABASES)
def test_a_field_that_is_not_there_is_a_mistake(file: str, tmp_path: Path) -> None:
    name, database = file.removesuffix(".json"), DATABASES[file]
    files = json.loads(json.dumps(WHOLE))
    (owner,) = [key for key, rows in files[name].items() if rows]
    row, where = files[name][owner], owner
    if database.key is not None:
        ((key, row),) = row.items()
        where = f"{owner}.{key}"
    needed = [field for field, kind in database.fields.items() if not kind.optional]
    row.clear()
    assert mistakes(tmp_path, files) == [
        f"{file}: {where}.{field}: expected {database.fields[field].expected}, found nothing"
        for field in needed
    ]


def test_all_mistakes_are_named_at_once(tmp_path: Path) -> None:
    files = changed("Alarm.ada.a1.time", "7") | {"Account": {"ada": ADA | {"email": 1}}}
    assert len(mistakes(tmp_path, files)) == 2


def test_files_have_the_names_that_they_have(tmp_path: Path) -> None:
    allowed = (
        "Account.json, Alarm.json, Calendar.json, Email.json, Message.json, Reminder.json, "
        "Weather.json, HistoricWeather.json"
    )
    assert mistakes(tmp_path, {"Alarms": {}}) == [
        f"{tmp_path}: expected only {allowed}, found Alarms.json",
        f"{tmp_path}: expected Account.json, found Alarms.json",
    ]


def test_a_folder_is_needed_with_something_in_it(tmp_path: Path) -> None:
    assert mistakes(tmp_path, {}) == [f"{tmp_path}: expected Account.json, found no file"]
    file = tmp_path / "file"
    file.touch()
    for path, actual in ((file, "a file"), (tmp_path / "gone", "nothing")):
        with pytest.raises(DatabaseError) as caught:
            office_world(path)
        assert str(caught.value) == f"{path}: expected a folder, found {actual}"


def test_a_file_that_is_no_text_is_a_mistake(tmp_path: Path) -> None:
    tmp_path.joinpath("Alarm.json").write_bytes(b"\xff\xfe")
    files = {"Account": {"ada": ADA}}
    assert mistakes(tmp_path, files) == ["Alarm.json: expected JSON in UTF-8, found something else"]
