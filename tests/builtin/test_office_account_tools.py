from __future__ import annotations

import json
from typing import Any

import pytest
from rows import every

from pytest_toolsandbox.builtin.office import logged_in, with_verification_code, world
from pytest_toolsandbox.calls.tool_call import ToolCall
from pytest_toolsandbox.conversation.environment import ExecutionEnvironment
from pytest_toolsandbox.conversation.messages import Response
from pytest_toolsandbox.worlds.state import Row, State, Table

NOBODY = world.start(world.now)
MARIAN = logged_in(NOBODY, "mbell")
PASSWORD = "copperkettle7"
OFFICE = ExecutionEnvironment(world, world.now, world.shown())
SUCCESS = {"status": "success"}


def call(tool: str, state: State, /, **arguments: Any) -> Response:
    return OFFICE.run(ToolCall("", tool, json.dumps(arguments)), state, "")


def result(response: Response) -> Any:
    assert response.error is None
    return json.loads(response.content)


def account(state: State, username: str = "mbell") -> Row:
    (row,) = state["account"].where(username=username)
    return row


def session(state: State) -> tuple[str | None, str | None]:
    (row,) = state["session"]
    return row["username"], row["token"]


def test_change_password() -> None:
    response = call("ChangePassword", MARIAN, old_password=PASSWORD, new_password="")
    assert result(response) == SUCCESS
    assert account(response.state) == account(MARIAN).changed(password="")
    assert response.state["account"].rows[0]["username"] == "mbell"  # in its place


def test_delete_account_leaves_what_belongs_to_the_name() -> None:
    response = call("DeleteAccount", MARIAN, password=PASSWORD)
    assert result(response) == SUCCESS
    changes = response.state.changes_since(MARIAN)
    assert set(changes) == {"account", "session"}
    assert changes["account"] == {"added": [], "removed": [dict(account(MARIAN))]}
    assert session(response.state) == (None, None)
    again = call(
        "RegisterUser", response.state, username="mbell", password="p", email="someone@else.example"
    )
    assert len(result(call("FindAlarms", again.state))["alarms"]) == 4


def test_get_account_information() -> None:
    response = call("GetAccountInformation", logged_in(NOBODY, "samruiz"))
    assert result(response) == {
        "user": {
            "username": "samruiz",
            "email": "sam.ruiz@harrowfinch.example",
            "phone": None,
            "name": "Samuel Ruiz",
        }
    }


def test_log_out_and_in_again() -> None:
    out = call("LogoutUser", MARIAN)
    assert result(out) == SUCCESS
    assert account(out.state)["session_token"] is None
    assert session(out.state) == (None, None)
    again = call("UserLogin", out.state, username="mbell", password=PASSWORD)
    assert result(again) == {"session_token": "e149636f-d9ca-0792"}
    assert account(again.state)["session_token"] == "e149636f-d9ca-0792"
    assert session(again.state) == ("mbell", "e149636f-d9ca-0792")


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        ({"username": "mbell"}, ["Marian Bell"]),
        ({"username": "MBell"}, []),
        ({"username": "mb"}, []),
        ({"username": ""}, []),
        ({"email": "marion.bellamy@harrowfinch.example"}, ["Marion Bellamy"]),
        ({"email": "Marion.Bellamy@harrowfinch.example"}, []),
        ({"username": None, "email": "ada@lowell-survey.example"}, ["Ada Lowell"]),
        # The username alone counts.
        ({"username": "mbell", "email": "ada@lowell-survey.example"}, ["Marian Bell"]),
        ({"username": "nobody", "email": "ada@lowell-survey.example"}, []),
    ],
)
def test_query_user(wanted: dict[str, Any], found: list[str]) -> None:
    users = result(call("QueryUser", MARIAN, **wanted))["users"]
    assert [user["name"] for user in users] == found
    assert all(list(user) == ["username", "email", "phone", "name"] for user in users)


def test_several_users_may_share_an_address_and_keep_their_order() -> None:
    shared = {"new_email": "marion.bellamy@harrowfinch.example"}
    state = call("UpdateAccountInformation", MARIAN, password=PASSWORD, **shared).state
    users = result(call("QueryUser", state, email=shared["new_email"]))["users"]
    assert [user["username"] for user in users] == ["mbell", "mbellamy"]


@pytest.mark.parametrize(
    ("more", "user"),
    [
        ({}, {"phone": None, "name": None}),
        ({"name": None, "phone": None}, {"phone": None, "name": None}),
        (
            {"name": "Leif Strand", "phone": "218-555-0199"},
            {"phone": "218-555-0199", "name": "Leif Strand"},
        ),
    ],
)
def test_register_user(more: dict[str, Any], user: dict[str, Any]) -> None:
    given = {"username": "leif", "password": "p", "email": "leif@strand.example"}
    response = call("RegisterUser", NOBODY, **given, **more)
    token = "e149636f-d9ca-0792"
    assert result(response) == {
        "session_token": token,
        "user": {"username": "leif", "email": "leif@strand.example", **user},
    }
    added = given | user | {"session_token": token, "verification_code": None}
    changes = response.state.changes_since(NOBODY)
    assert changes["account"] == {"added": [added], "removed": []}
    assert session(response.state) == ("leif", token)
    assert response.state["account"].rows[-1]["username"] == "leif"


def test_a_password_is_reset_with_the_code_that_was_sent_as_often_as_one_likes() -> None:
    address = "marian.bell@harrowfinch.example"
    state = NOBODY
    for code in ("984520", "968507", "188408"):
        response = call("SendVerificationCode", state, username="mbell", email=address)
        assert result(response) == SUCCESS
        assert account(response.state)["verification_code"] == code
        state = response.state
    for password in ("first", "second"):
        response = call(
            "ResetPassword",
            state,
            username="mbell",
            verification_code="188408",
            new_password=password,
        )
        assert result(response) == SUCCESS
        assert account(response.state)["password"] == password
        assert session(response.state) == (None, None)
        state = response.state


def test_a_code_may_be_there_from_the_start() -> None:
    state = with_verification_code(NOBODY, "mbell", "123456")
    code = {"username": "mbell", "verification_code": "123456"}
    assert result(call("ResetPassword", state, **code, new_password="p")) == SUCCESS


def test_codes_and_passwords_need_no_session_and_mind_none() -> None:
    other = {"username": "jtran", "email": "jonas.tran@harrowfinch.example"}
    state = call("SendVerificationCode", MARIAN, **other).state
    code = account(state, "jtran")["verification_code"]
    reset = call("ResetPassword", state, username="jtran", verification_code=code, new_password="p")
    assert account(reset.state, "jtran")["password"] == "p"
    assert session(reset.state) == session(MARIAN)


@pytest.mark.parametrize(
    ("new", "changed"),
    [
        ({"new_email": "m@b"}, {"email": "m@b"}),
        ({"new_phone_number": "218-555-0177"}, {"phone": "218-555-0177"}),
        ({"new_email": "m@b", "new_name": ""}, {"email": "m@b", "name": ""}),
        ({"new_email": "m@b", "new_phone_number": None, "new_name": None}, {"email": "m@b"}),
        (
            {"new_email": "m@b", "new_phone_number": "218-555-0177", "new_name": "M"},
            {"email": "m@b", "phone": "218-555-0177", "name": "M"},
        ),
    ],
)
def test_update_account_information(new: dict[str, Any], changed: dict[str, Any]) -> None:
    response = call("UpdateAccountInformation", MARIAN, password=PASSWORD, **new)
    assert result(response) == SUCCESS
    assert account(response.state) == account(MARIAN).changed(**changed)


@every(
    ("address", "valid"),
    [
        ("a@b", True),
        ("a.b-c_d@e-f.g", True),
        ("é@b.c", True),
        ("a@b\n", True),
        ("a@b\n\n", False),
        ("a b@c", False),
        ("a@@b", False),
        ("a+b@c.d", False),
        ("@b", False),
        ("a@", False),
        ("", False),
    ],
)
def test_what_an_address_is(address: str, valid: bool) -> None:
    response = call("UpdateAccountInformation", MARIAN, password=PASSWORD, new_email=address)
    assert response.error == (None if valid else "ValueError: The email is invalid.")
    if valid:
        assert account(response.state)["email"] == address


@pytest.mark.parametrize(
    ("number", "valid"),
    [
        ("218-555-0100", True),
        ("218-555-0100\n", True),
        ("٢١٨-٥٥٥-٠١٠٠", True),  # noqa: RUF001  # digits of another script
        ("2185550100", False),
        ("218-555-01000", False),
        ("+1 218-555-0100", False),
        ("", False),
    ],
)
def test_what_a_phone_number_is(number: str, valid: bool) -> None:
    response = call("UpdateAccountInformation", MARIAN, password=PASSWORD, new_phone_number=number)
    assert response.error == (None if valid else "ValueError: The phone number is invalid.")
    if valid:
        assert account(response.state)["phone"] == number


@every(
    ("state", "tool", "arguments", "error"),
    [
        (
            MARIAN,
            "ChangePassword",
            {"old_password": "", "new_password": "p"},
            "PermissionError: The old password is incorrect.",
        ),
        (
            MARIAN,
            "DeleteAccount",
            {"password": "Copperkettle7"},
            "PermissionError: The password is incorrect.",
        ),
        (
            MARIAN,
            "QueryUser",
            {},
            "ValueError: You need to provide at least one of username and email.",
        ),
        (
            MARIAN,
            "QueryUser",
            {"username": None, "email": None},
            "ValueError: You need to provide at least one of username and email.",
        ),
        (
            NOBODY,
            "RegisterUser",
            {"username": "mbell", "password": "p", "email": "bad", "phone": "bad"},
            "DuplicateError: The username already exists.",
        ),
        (
            NOBODY,
            "RegisterUser",
            {"username": "leif", "password": "p", "email": "bad", "phone": "bad"},
            "ValueError: The email format is invalid.",
        ),
        (
            NOBODY,
            "RegisterUser",
            {"username": "leif", "password": "p", "email": "a@b", "phone": ""},
            "ValueError: The phone number format is invalid.",
        ),
        (
            NOBODY,
            "ResetPassword",
            {"username": "leif", "verification_code": "1", "new_password": "p"},
            "NoDataError: The username does not exist.",
        ),
        (
            NOBODY,
            "ResetPassword",
            {"username": "mbell", "verification_code": "", "new_password": "p"},
            "PermissionError: The verification code is incorrect.",
        ),
        (
            with_verification_code(NOBODY, "mbell", "123456"),
            "ResetPassword",
            {"username": "mbell", "verification_code": "123457", "new_password": "p"},
            "PermissionError: The verification code is incorrect.",
        ),
        (
            NOBODY,
            "SendVerificationCode",
            {"username": "leif", "email": "a@b"},
            "NoDataError: The username does not exist.",
        ),
        (
            NOBODY,
            "SendVerificationCode",
            {"username": "mbell", "email": "marion.bellamy@harrowfinch.example"},
            "PermissionError: The email is incorrect.",
        ),
        (
            MARIAN,
            "UpdateAccountInformation",
            {"password": "no", "new_email": "bad"},
            "PermissionError: The password is incorrect.",
        ),
        (
            MARIAN,
            "UpdateAccountInformation",
            {"password": PASSWORD, "new_name": "Mary Bell"},
            "ValueError: You need to provide at least one of new_email and new_phone_number.",
        ),
        (
            MARIAN,
            "UpdateAccountInformation",
            {"password": PASSWORD, "new_email": "a@b", "new_phone_number": "1"},
            "ValueError: The phone number is invalid.",
        ),
        (
            NOBODY,
            "UserLogin",
            {"username": "leif", "password": "p"},
            "NoDataError: The username does not exist.",
        ),
        (
            NOBODY,
            "UserLogin",
            {"username": "mbell", "password": "p"},
            "PermissionError: The password is incorrect.",
        ),
        (
            MARIAN.with_table("session", Table([{"username": None, "token": None}])),
            "UserLogin",
            {"username": "mbell", "password": PASSWORD},
            "PermissionError: The user is already logged in.",
        ),
    ],
)
def test_what_is_refused_changes_nothing(
    state: State, tool: str, arguments: dict[str, Any], error: str
) -> None:
    response = call(tool, state, **arguments)
    assert response.error == error
    assert response.state is state
