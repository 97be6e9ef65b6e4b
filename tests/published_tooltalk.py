"""A data set in the form of ToolTalk's published one, small and of our own."""

from __future__ import annotations

import copy
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

Json = dict[str, Any]

TOKEN = "11aa-22bb-33cc"
FIRST_TOKEN = "e149636f-d9ca-0792"
"""The first one that a login or a registration draws."""

ADA = {
    "username": "ada",
    "email": "ada@desk.org",
    "phone": "218-555-0100",
    "name": "Ada Okafor",
    "password": "fern",
}
NEW = {**ADA, "username": "newcomer", "email": "new@desk.org", "name": None, "phone": None}
DATABASES: Mapping[str, Json] = {
    "Account": {
        "ada": {**ADA, "session_token": None},
        "jun": {**ADA, "username": "jun", "email": "jun@desk.org", "session_token": None},
    },
    "Alarm": {
        "ada": {
            "1a-1": {"alarm_id": "1a-1", "time": "06:30:00"},
            "2b-2": {"alarm_id": "2b-2", "time": "18:30:00"},
        }
    },
}


def user(text: str) -> Json:
    return {"role": "user", "text": text}


def assistant(text: str, *calls: Json) -> Json:
    return {"role": "assistant", "text": text, **({"apis": list(calls)} if calls else {})}


def call(name: str, parameters: Json, response: Json | None, exception: str | None = None) -> Json:
    request = {"api_name": name, "parameters": parameters}
    return {"request": request, "response": response, "exception": exception}


def in_session(name: str, parameters: Json, response: Json, token: str = TOKEN) -> Json:
    return call(name, {"session_token": token, **parameters}, response)


def logged_in(*turns: Json, **more: Any) -> Json:
    """Return a conversation with Ada, who is logged in."""
    metadata = {"location": "Lagos", "timestamp": "2023-09-11 09:00:00"}
    return {
        "name": "any",
        "scenario": "Ada and her alarms",
        "user": {**ADA, "session_token": TOKEN},
        "metadata": {**metadata, "session_token": TOKEN, "username": "ada"},
        "conversation": numbered(turns),
        **more,
    }


def logged_out(who: Json, *turns: Json, **more: Any) -> Json:
    """Return a conversation whose user has no session; without what may be missing."""
    metadata = {"location": "Lagos", "timestamp": "2023-09-11 09:00:00"}
    return {"user": {**who, **more}, "metadata": metadata, "conversation": list(turns)}


def numbered(turns: tuple[Json, ...]) -> list[Json]:
    return [{"index": index, **turn} for index, turn in enumerate(turns)]


SUCCESS = {"status": "success"}
SET_ALARM = in_session("AddAlarm", {"time": "07:00:00"}, {"alarm_id": "5bff-dd80"})
ALARM = logged_in(user("Wake me at 7."), assistant("I will.", SET_ALARM), user("Thanks!"))

EASY: Mapping[str, Json] = {
    "AddAlarm-easy": ALARM,
    "ResetPassword-easy": logged_out(
        ADA,
        user("My code is 007123. Make the password 'yes'."),
        assistant(
            "Done.",
            call(
                "ResetPassword",
                {"username": "ada", "verification_code": "007123", "new_password": "yes"},
                SUCCESS,
            ),
        ),
        verification_code="007123",
    ),
}
HARD: Mapping[str, Json] = {
    # two turns of the user in a row; a user who registers on the way and acts then; a refused call
    "Account-Alarm-0": logged_out(
        NEW,
        user("Hello."),
        user("I want an account."),
        assistant(
            "Here you are.",
            call(
                "RegisterUser",
                {"username": "newcomer", "password": "null", "email": "new@desk.org"},
                {
                    "session_token": FIRST_TOKEN,
                    "user": {key: NEW[key] for key in ("username", "email", "phone", "name")},
                },
            ),
        ),
        user("Wake me at 7, then log me out and in again."),
        assistant(
            "That password is not yours.",
            in_session("AddAlarm", {"time": "07:00:00"}, {"alarm_id": "5bff-dd80"}, FIRST_TOKEN),
            in_session("LogoutUser", {}, SUCCESS, FIRST_TOKEN),
            call(
                "UserLogin",
                {"username": "newcomer", "password": "wrong"},
                None,
                "The password is incorrect.",
            ),
        ),
        user("It is null."),
        assistant(
            "Welcome back.",
            call(
                "UserLogin",
                {"username": "newcomer", "password": "null"},
                {"session_token": FIRST_TOKEN},
            ),
        ),
    ),
    # recorded results that are not what comes of the calls; texts that YAML could take for more
    "golden_conversation_1": logged_in(
        user("Which alarms do I have?"),
        assistant("One.", in_session("FindAlarms", {}, {"alarms": [{"alarm_id": "2b-2"}]})),
        user("Remind me of: Überweisung 你好."),
        assistant(
            "Yes",
            in_session(
                "AddReminder",
                {"task": "- Überweisung: 你好\n\n  # 1e5", "due_date": "2023-09-12 10:00:00"},
                {"alarm_id": "none of ours"},
            ),
        ),
        user("Mail it to Jun."),
        assistant(
            "~",
            in_session(
                "SendEmail",
                {"to": ["jun@desk.org", "ada@desk.org"], "subject": "", "body": "yes\n"},
                {"email_id": "5b-dd80-9f8a27ab"},
            ),
        ),
        user("Thanks."),
        user("Bye."),
    ),
}


def write_data(
    folder: Path,
    easy: Mapping[str, Json] | None = EASY,
    hard: Mapping[str, Json] | None = HARD,
    databases: Mapping[str, Json] | None = DATABASES,
) -> Path:
    """Write a data set, without the folders that are ``None``, and return its folder."""
    parts = {"easy": easy, "tooltalk": hard, "databases": databases}
    for name, files in parts.items():
        if files is None:
            continue
        (folder / name).mkdir(parents=True)
        for stem, document in files.items():
            (folder / name / f"{stem}.json").write_text(json.dumps(document), encoding="utf-8")
    return folder


NOTHING = object()


def keys(path: str) -> list[Any]:
    """Return the keys of ``runs.0.metrics``, of which numbers are places in a list."""
    return [int(key) if key.isdigit() else key for key in path.split(".")]


def changed(document: Json, path: list[Any], value: Any) -> Json:
    """Return a document with another value somewhere; ``NOTHING`` takes the field away."""
    document = copy.deepcopy(document)
    place: Any = document
    for key in path[:-1]:
        place = place[key]
    if value is NOTHING:
        del place[path[-1]]
    else:
        place[path[-1]] = value
    return document
