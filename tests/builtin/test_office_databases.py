from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pytest_toolsandbox.builtin.office import logged_in, office_world
from pytest_toolsandbox.builtin.office.database_files import DATABASES, DatabaseError
from pytest_toolsandbox.calls.tool_call import ToolCall
from pytest_toolsandbox.conversation.environment import ExecutionEnvironment

ADA = {
    "username": "ada",
    "email": "ada@bay.example",
    "phone": None,
    "name": "Ada",
    "password": "p",
    "session_token": None,
}
EVENT = {
    "event_id": "e1",
    "name": "Swim",
    "event_type": "event",
    "start_time": "2025-09-16 10:00:00",
    "end_time": "2025-09-16 11:00:00",
    "location": None,
    "description": None,
    "attendees": None,
}
MAIL = {
    "email_id": "m1",
    "date": "2025-09-14 10:00:00",
    "sender": "bo@bay.example",
    "receivers": ["ada@bay.example"],
    "subject": "Hello",
    "body": "Hello Ada",
}
MESSAGE = {
    "message_id": "t1",
    "timestamp": "2025-9-14 10:0:0",
    "sender": "bo",
    "message": "Hello",
}
REMINDER = {"reminder_id": "r1", "task": "Swim", "due_date": None, "status": "pending"}
DAY = {"date": "2025-09-15", "high": 9, "low": 1, "conditions": "Dry"}
MONTH = {
    "min_temp": 1,
    "max_temp": 2,
    "record_min_temp": -9,
    "record_max_temp": 20,
    "avg_rainfall": 3,
    "snow_days": 0,
}
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


def changed(name: str, *path: str, **fields: Any) -> dict[str, Any]:
    """Return the whole files, with other fields in one row."""
    files: dict[str, Any] = json.loads(json.dumps(WHOLE))
    row = files[name]
    for key in path:
        row = row[key]
    row |= fields
    return files


MOMENT = "expected a date and time like '2025-09-15 09:00:00'"


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        (
            changed("Alarm", "ada", "a1", time="7:30"),
            "Alarm.json: ada.a1.time: expected a time of day like '07:30:00', found \"7:30\"",
        ),
        (
            changed("Calendar", "ada", "e1", start_time="Monday"),
            f'Calendar.json: ada.e1.start_time: {MOMENT}, found "Monday"',
        ),
        (
            changed("Calendar", "ada", "e1", event_type="party"),
            "Calendar.json: ada.e1.event_type: expected 'meeting' or 'event', found \"party\"",
        ),
        (
            changed("Calendar", "ada", "e1", attendees="ada"),
            'Calendar.json: ada.e1.attendees: expected a list of texts or null, found "ada"',
        ),
        (
            changed("Calendar", "ada", "e1", location=["pool"]),
            'Calendar.json: ada.e1.location: expected a text or null, found ["pool"]',
        ),
        (
            changed("Email", "ada", "m1", receivers=[1]),
            "Email.json: ada.m1.receivers: expected a list of texts, found [1]",
        ),
        (
            changed("Email", "ada", "m1", date=None),
            f"Email.json: ada.m1.date: {MOMENT}, found null",
        ),
        (
            changed("Message", "ada", "t1", message_id="t2"),
            "Message.json: ada.t1.message_id: expected 't1', as the key says, found \"t2\"",
        ),
        (
            changed("Account", "ada", username="Ada"),
            "Account.json: ada.username: expected 'ada', as the key says, found \"Ada\"",
        ),
        (
            changed("Account", "ada", password=7),
            "Account.json: ada.password: expected a text, found 7",
        ),
        (
            changed("Reminder", "ada", "r1", status="completed"),
            "Reminder.json: ada.r1.status: expected 'pending' or 'complete', found \"completed\"",
        ),
        (
            changed("Reminder", "ada", "r1", priority=1),
            (
                "Reminder.json: ada.r1: expected only reminder_id, task, due_date, status, "
                'found "priority"'
            ),
        ),
        (
            changed("Weather", "oslo", "2025-09-15", high=9.5),
            "Weather.json: oslo.2025-09-15.high: expected a whole number, found 9.5",
        ),
        (
            changed("Weather", "oslo", "2025-09-15", low=True),
            "Weather.json: oslo.2025-09-15.low: expected a whole number, found true",
        ),
        (
            changed("HistoricWeather", "oslo", "may", avg_rainfall="3"),
            'HistoricWeather.json: oslo.may.avg_rainfall: expected a number, found "3"',
        ),
        (
            changed("HistoricWeather", "oslo", May=MONTH),
            (
                "HistoricWeather.json: oslo.May: expected a name in lower case, without blanks "
                'around it, found "May"'
            ),
        ),
        (
            changed("Weather", Oslo={}),
            (
                "Weather.json: Oslo: expected a name in lower case, without blanks around it, "
                'found "Oslo"'
            ),
        ),
        (
            changed("Weather", "oslo", **{"2025-9-16": DAY | {"date": "2025-9-16"}}),
            (
                "Weather.json: oslo.2025-9-16.date: expected a date like '2025-09-15', "
                'found "2025-9-16"'
            ),
        ),
        (changed("Alarm", "ada", a2=7), "Alarm.json: ada.a2: expected an object, found 7"),
        (changed("Alarm", cy=[]), "Alarm.json: cy: expected an object, found []"),
        (changed("Account", cy="x"), 'Account.json: cy: expected an object, found "x"'),
        (WHOLE | {"Alarm": []}, "Alarm.json: the file: expected an object, found []"),
        (
            WHOLE | {"Alarm": '{\n"ada": }'},
            "Alarm.json:2: expected JSON, found none: Expecting value",
        ),
        (
            WHOLE | {"Alarm": '{"ada": {}, "ada": {}}'},
            "Alarm.json: expected every name once, found 'ada' twice",
        ),
        (
            changed(
                "Email", "ada", "m1", subject=["a very long subject, of which nobody reads all"]
            ),
            (
                "Email.json: ada.m1.subject: expected a text, found "
                '["a very long subject, of which nobody …'
            ),
        ),
    ],
)
def test_a_mistake_is_named(files: dict[str, Any], expected: str, tmp_path: Path) -> None:
    assert mistakes(tmp_path, files) == [expected]


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
    files = changed("Alarm", "ada", "a1", time="7") | {"Account": {"ada": ADA | {"email": 1}}}
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
    for path, found in ((file, "a file"), (tmp_path / "gone", "nothing")):
        with pytest.raises(DatabaseError) as caught:
            office_world(path)
        assert str(caught.value) == f"{path}: expected a folder, found {found}"


def test_a_file_that_is_no_text_is_a_mistake(tmp_path: Path) -> None:
    tmp_path.joinpath("Alarm.json").write_bytes(b"\xff\xfe")
    files = {"Account": {"ada": ADA}}
    assert mistakes(tmp_path, files) == ["Alarm.json: expected JSON in UTF-8, found something else"]
