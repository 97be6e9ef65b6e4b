"""The session of the user who is logged in; there is at most one."""

from __future__ import annotations

from pytest_toolsandbox.worlds.context import Context
from pytest_toolsandbox.worlds.sessions import Sessions
from pytest_toolsandbox.worlds.state import Row, State, Table
from pytest_toolsandbox.worlds.tool import Tool

from .rows import change, replaced

TOKEN = "00000000-0000-0000"  # noqa: S105  # nobody is let in by it: it is no argument of any tool
"""The default token of a session at the start of a conversation."""


def logged_in(state: State, username: str, token: str = TOKEN) -> State:
    """Return the state in which a user has logged in, for the start of a conversation.

    Raises ``ValueError`` if there is no such user.
    """
    state = replaced(state, "account", _account(state, username), session_token=token)
    return state.with_table("session", Table([{"username": username, "token": token}]))


def with_verification_code(state: State, username: str, code: str) -> State:
    """Return the state in which a user was sent a code, for the start of a conversation.

    Raises ``ValueError`` if there is no such user.
    """
    return replaced(state, "account", _account(state, username), verification_code=code)


def session_needed(context: Context) -> None:
    """Raise ``PermissionError`` if no user is logged in."""
    if context.row("session")["username"] is None:
        raise PermissionError("User is not logged in")


def no_session_allowed(context: Context) -> None:
    """Raise ``PermissionError`` if a user is logged in."""
    username = context.row("session")["username"]
    if username is not None:
        raise PermissionError(
            f"Only one user can be logged in at a time. Current user is {username}."
        )


def current_account(context: Context) -> Row:
    """Return the account of the user who is logged in. Raises ``PermissionError``."""
    session_needed(context)
    accounts = context.state["account"].where(username=context.row("session")["username"])
    if not accounts:
        raise PermissionError("Invalid session_token.")
    return accounts[0]


def current_username(context: Context) -> str:
    """Return the name of the user who is logged in. Raises ``PermissionError``."""
    username: str = current_account(context)["username"]
    return username


def begin(context: Context, username: str, token: str) -> None:
    """Log a user in."""
    context.state = logged_in(context.state, username, token)


def end(context: Context) -> None:
    """Log out the user who is logged in."""
    change(context, "session", context.row("session"), username=None, token=None)


def _account(state: State, username: str) -> Row:
    accounts = state["account"].where(username=username)
    if not accounts:
        raise ValueError(f"no account has the username {username!r}")
    return accounts[0]


def _with_session(state: State, username: str, token: str | None) -> State:
    return logged_in(state, username, token or TOKEN)


def _token(state: State, tool: Tool) -> str | None:
    if tool.precondition is not session_needed:
        return None
    (session,) = state["session"]
    token: str | None = session["token"]
    return token


def _user(state: State) -> str | None:
    username: str | None = state["session"].rows[0]["username"]
    return username


SESSIONS = Sessions(_with_session, with_verification_code, _token, _user)
"""How the state of an office says who is logged in."""
