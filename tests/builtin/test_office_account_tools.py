from __future__ import annotations

import json
from typing import Any

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


def test_a_code_may_be_there_from_the_start() -> None:
    state = with_verification_code(NOBODY, "mbell", "123456")
    code = {"username": "mbell", "verification_code": "123456"}
    assert result(call("ResetPassword", state, **code, new_password="p")) == SUCCESS


def test_a_user_of_a_session_may_be_logged_out_elsewhere() -> None:
    state = MARIAN.with_table("session", Table([{"username": None, "token": None}]))
    response = call("UserLogin", state, username="mbell", password=PASSWORD)
    assert response.error == "PermissionError: The user is already logged in."
    assert response.state is state
