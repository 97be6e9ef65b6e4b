"""The calls of a folder, and the harness that compares them, on calls of its own."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from .tooltalk_calls import EXECUTED, PARTIAL, PYTHON, REFUSED, UNKNOWN, judge_calls, main

CASES = "TOOLSANDBOX_CONFORMANCE"
DATA = "TOOLSANDBOX_TOOLTALK"


def test_every_call_of_the_folder_agrees() -> None:
    for variable, what in ((CASES, "a tooltalk_calls.json"), (DATA, "ToolTalk's databases")):
        if not os.environ.get(variable):
            pytest.skip(f"no calls: {variable} names no folder with {what}")
    file = Path(os.environ[CASES]) / "tooltalk_calls.json"
    judged = judge_calls(json.loads(file.read_text(encoding="utf-8")), Path(os.environ[DATA]))
    assert judged
    assert {
        judged_call.name: judged_call.differences
        for judged_call in judged
        if judged_call.differences
    } == {}


# calls of our own

TOKEN = "11111111-2222-3333"
ADA: dict[str, Any] = {
    "username": "ada",
    "email": "ada@bay.example",
    "phone": None,
    "name": "Ada",
    "password": "p",
    "session_token": None,
}
ALARM = {"alarm_id": "5bff-dd80", "time": "07:00:00"}


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A folder with the databases of one user."""
    folder = tmp_path / "databases"
    folder.mkdir()
    (folder / "Account.json").write_text(json.dumps({"ada": ADA}), encoding="utf-8")
    return tmp_path


def call(name: str, /, *changes: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {
        "api_name": name,
        "parameters": {},
        "response": None,
        "exception": None,
        "changes": list(changes),
        "users_added_to": [],
        "session_token_after": TOKEN,
        **more,
    }


def change(database: str, identifier: str | None, before: Any, after: Any) -> dict[str, Any]:
    places = {"database": database, "user": "ada", "id": identifier}
    return {**places, "before": before, "after": after}


ADDED = call(
    "AddAlarm",
    change("Alarm", "5bff-dd80", None, ALARM),
    parameters={"time": "07:00:00", "session_token": "any"},
    response={"alarm_id": "5bff-dd80"},
    users_added_to=[["Alarm", "ada"]],
)
TASK = {"reminder_id": "5b-dd80", "task": 7, "due_date": None, "status": "pending"}
LOGGED_IN = ADA | {"session_token": TOKEN}
EXEMPT = [
    (
        EXECUTED,
        call(
            "AddReminder",
            change("Reminder", "5b-dd80", None, TASK),
            parameters={"task": 7},
            response={"reminder_id": "5b-dd80"},
            users_added_to=[["Reminder", "ada"]],
        ),
    ),
    (PYTHON, call("AddAlarm", exception="AddAlarm.call() missing 1 required argument: 'time'")),
    (PYTHON, call("DeleteReminder", parameters={"reminder_id": "x"}, exception="'ada'")),
    (REFUSED, call("DeleteAlarm", parameters={"alarm_id": 7}, exception="Alarm 7 not found.")),
    (
        PARTIAL,
        call(
            "UpdateAccountInformation",
            change("Account", None, LOGGED_IN, LOGGED_IN | {"email": "a@b"}),
            parameters={"password": "p", "new_email": "a@b", "new_phone_number": "1"},
            exception="The phone number is invalid.",
        ),
    ),
    (UNKNOWN, call("OpenDoor", exception="API OpenDoor not found")),
]


def document(*calls: dict[str, Any]) -> dict[str, Any]:
    start = {
        "user": {"username": "ada", "session_token": TOKEN},
        "timestamp": "2023-09-11 09:00:00",
    }
    return {"vectors": [{"title": "one", "start": start, "calls": list(calls)}]}


@pytest.mark.parametrize(
    ("field", "value", "differences"),
    [
        ("api_name", "AddAlarm", ()),
        (
            *("response", {"alarm_id": "x"}),
            ("response: expected {'alarm_id': 'x'}, found {'alarm_id': '5bff-dd80'}",),
        ),
        (
            *("changes", []),
            (f"changes: expected {{}}, found {{('Alarm', 'ada', '5bff-dd80'): (None, {ALARM})}}",),
        ),
        ("users_added_to", [], ("entries: expected set(), found {('Alarm', 'ada')}",)),
        ("session_token_after", None, (f"session: expected None, found '{TOKEN}'",)),
    ],
)
def test_everything_is_compared(
    field: str, value: Any, differences: tuple[str, ...], data: Path
) -> None:
    (judged,) = judge_calls(document(ADDED | {field: value}), data)
    assert (judged.name, judged.exempt, judged.differences) == ("one, call 0", None, differences)


@pytest.mark.parametrize(
    ("error", "differences"),
    [
        ("Alarm  x not\nfound.", ()),  # as an agent reads it
        ("Alarm y.", ("error: expected 'Alarm y.', found 'Alarm x not found.'",)),
    ],
)
def test_errors_are_compared(error: str, differences: tuple[str, ...], data: Path) -> None:
    failed = call("DeleteAlarm", parameters={"alarm_id": "x"}, exception=error)
    (judged,) = judge_calls(document(failed), data)
    assert (judged.exempt, judged.differences) == (None, differences)


@pytest.mark.parametrize(("kind", "made"), EXEMPT)
def test_an_exempt_call_fails_and_the_next_ones_follow_the_published_code(
    kind: str, made: dict[str, Any], data: Path
) -> None:
    listed = call("GetReminders", response={"reminders": [TASK] if kind == EXECUTED else []})
    drawn = "20-d9ca" if kind == EXECUTED else "5b-dd80"
    row = {"reminder_id": drawn, "task": "t", "due_date": None, "status": "pending"}
    added = call(
        "AddReminder",
        change("Reminder", drawn, None, row),
        parameters={"task": "t"},
        response={"reminder_id": drawn},
    )
    email = "a@b" if kind == PARTIAL else "ada@bay.example"
    public = {"username": "ada", "email": email, "phone": None, "name": "Ada"}
    known = call("GetAccountInformation", response={"user": public})
    judged = judge_calls(document(made, listed, added, known), data)
    assert [judged_call.exempt for judged_call in judged] == [kind, None, None, None]
    assert [judged_call.differences for judged_call in judged] == [()] * 4


def test_a_call_that_is_exempt_must_not_come_through_here(data: Path) -> None:
    python = call("GetReminders", exception="unhashable type: 'list'")
    (judged,) = judge_calls(document(python), data)
    assert judged.exempt == PYTHON
    assert judged.differences == (
        "failed: expected True, found False",
        "response: expected None, found {'reminders': []}",
    )


def test_the_command_counts_what_is_exempt_apart(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "calls.json"
    wrong = ADDED | {"response": {"alarm_id": "x"}}
    exempt = "".join(f"exempt   0: {kind}\n" for kind in (REFUSED, PARTIAL, UNKNOWN))
    file.write_text(json.dumps(document(EXEMPT[0][1], EXEMPT[1][1], wrong)), encoding="utf-8")
    assert main([str(file), "--data", str(data)]) == 1
    assert capsys.readouterr().out == (
        "one, call 2: response: expected {'alarm_id': 'x'}, found {'alarm_id': '5bff-dd80'}\n"
        f"exempt   1: {EXECUTED}\nexempt   1: {PYTHON}\n{exempt}agree 0 of 1\n"
    )
    file.write_text(json.dumps(document(ADDED)), encoding="utf-8")
    assert main([str(file), "--data", str(data)]) == 0
    assert capsys.readouterr().out.endswith("agree 1 of 1\n")
