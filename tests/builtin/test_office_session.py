from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from rows import every

from pytest_toolsandbox.builtin.office import logged_in, with_verification_code, world
from pytest_toolsandbox.builtin.office.session import TOKEN
from pytest_toolsandbox.calls.tool_call import ToolCall
from pytest_toolsandbox.conversation.environment import ExecutionEnvironment
from pytest_toolsandbox.conversation.messages import Response
from pytest_toolsandbox.worlds.context import Context
from pytest_toolsandbox.worlds.state import State, Table

NOBODY = world.start(world.now)
MARIAN = logged_in(NOBODY, "mbell")
OFFICE = ExecutionEnvironment(world, world.now, world.shown())

FREE = {
    "ResetPassword",
    "SendVerificationCode",
    "CurrentWeather",
    "ForecastWeather",
    "HistoricWeather",
}
FIRST = {"RegisterUser", "UserLogin"}
BOUND = sorted(set(world.tools) - FREE - FIRST)


def call(tool: str, state: State, /, **arguments: Any) -> Response:
    return OFFICE.run(ToolCall("", tool, json.dumps(arguments)), state, "")


def test_twenty_one_tools_need_a_session() -> None:
    assert len(BOUND) == 21


@pytest.mark.parametrize("tool", BOUND)
@pytest.mark.parametrize("arguments", [{}, {"nonsense": 1}, {"password": 1, "time": ["x"]}])
def test_without_a_session_nothing_else_is_said(tool: str, arguments: dict[str, Any]) -> None:
    response = call(tool, NOBODY, **arguments)
    assert response.error == "PermissionError: User is not logged in"
    assert response.state is NOBODY


@pytest.mark.parametrize("tool", ["GetAccountInformation", "GetReminders", "LogoutUser"])
def test_a_session_token_is_no_argument(tool: str) -> None:
    response = call(tool, MARIAN, session_token=TOKEN)
    assert response.error == "TypeError: got an unexpected keyword argument 'session_token'"


def test_a_conversation_may_start_logged_in() -> None:
    state = logged_in(NOBODY, "jtran", "98a5a87a-7714-b404")
    assert state.changes_since(NOBODY) == {
        "account": {
            "added": [
                {
                    **NOBODY["account"].where(username="jtran")[0],
                    "session_token": "98a5a87a-7714-b404",
                }
            ],
            "removed": [dict(NOBODY["account"].where(username="jtran")[0])],
        },
        "session": {
            "added": [{"username": "jtran", "token": "98a5a87a-7714-b404"}],
            "removed": [{"username": None, "token": None}],
        },
    }
    assert [row["username"] for row in state["account"]] == [
        row["username"] for row in NOBODY["account"]
    ]


def test_a_session_has_some_token_unless_one_is_given() -> None:
    assert [dict(row) for row in MARIAN["session"]] == [{"username": "mbell", "token": TOKEN}]


def test_a_conversation_may_start_with_a_code() -> None:
    state = with_verification_code(NOBODY, "jtran", "123456")
    (added,) = state.changes_since(NOBODY)["account"]["added"]
    assert added["verification_code"] == "123456"


@pytest.mark.parametrize("start", [logged_in, with_verification_code])
def test_only_who_has_an_account_can_be_there_at_the_start(start: Callable[..., State]) -> None:
    with pytest.raises(ValueError, match=r"^no account has the username 'leif'$"):
        start(NOBODY, "leif", "123456")


def test_the_world_says_how_its_users_log_in() -> None:
    sessions = world.sessions
    assert sessions is not None
    assert sessions.logged_in(NOBODY, "mbell", None) == MARIAN
    assert sessions.logged_in(NOBODY, "mbell", "token") == logged_in(NOBODY, "mbell", "token")
    assert (sessions.user(MARIAN), sessions.user(NOBODY)) == ("mbell", None)
    sent = with_verification_code(NOBODY, "mbell", "123456")
    assert sessions.sent_code(NOBODY, "mbell", "123456") == sent


@every("tool", sorted(world.tools))
def test_a_call_is_made_in_the_session_that_it_needs(tool: str) -> None:
    assert world.sessions is not None
    state = logged_in(NOBODY, "mbell", "token")
    assert world.sessions.token(state, world.tools[tool]) == ("token" if tool in BOUND else None)
    assert world.sessions.token(NOBODY, world.tools[tool]) is None


def test_the_fields_of_the_session_are_enough_to_be_logged_in() -> None:
    """So a scenario can say ``state: {session: {username: jtran}}``."""
    state = NOBODY.with_table("session", Table([{"username": "jtran", "token": None}]))
    user = json.loads(call("GetAccountInformation", state).content)["user"]
    assert user["name"] == "Jonas Tran"


def test_a_session_of_somebody_without_an_account_is_none() -> None:
    state = NOBODY.with_table("session", Table([{"username": "leif", "token": None}]))
    for tool, arguments in (("GetReminders", {}), ("AddAlarm", {"time": "07:00:00"})):
        response = call(tool, state, **arguments)
        assert response.error == "PermissionError: Invalid session_token."


def test_a_tool_that_is_run_by_itself_minds_the_session_too() -> None:
    with pytest.raises(PermissionError, match=r"^User is not logged in$"):
        world.tools["GetReminders"].run(Context(NOBODY, world.now), {})
