from __future__ import annotations

import json
from typing import Any

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


def test_several_users_may_share_an_address_and_keep_their_order() -> None:
    shared = {"new_email": "marion.bellamy@harrowfinch.example"}
    state = call("UpdateAccountInformation", MARIAN, password=PASSWORD, **shared).state
    users = result(call("QueryUser", state, email=shared["new_email"]))["users"]
    assert [user["username"] for user in users] == ["mbell", "mbellamy"]


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
