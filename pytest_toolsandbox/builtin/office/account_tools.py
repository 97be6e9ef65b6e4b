"""Accounts and sessions: registering, passwords, logging in and out."""
# ruff: noqa: N802  # tools have the names that ToolTalk gave them

from typing import Any

from pytest_toolsandbox.worlds.context import Context, DuplicateError, NoDataError
from pytest_toolsandbox.worlds.state import Row
from pytest_toolsandbox.worlds.tool import CallComparison, tool

from .formats import is_email, is_phone_number
from .identifiers import draw
from .rows import change
from .session import begin, current_account, end, no_session_allowed, session_needed

PLUGIN = "AccountTools"
PUBLIC = ("username", "email", "phone", "name")
"""The columns of an account that every user may see."""


@tool(PLUGIN, action=True, precondition=session_needed)
def ChangePassword(context: Context, old_password: str, new_password: str) -> dict[str, str]:
    """Change the password of the user who is logged in.

    Args:
        old_password: The password that is valid now.
        new_password: The password that is to be valid from now on.

    Returns:
        The status, which is success.

    Raises:
        PermissionError: If nobody is logged in or the old password is wrong.
    """
    account = current_account(context)
    _check_password(account, old_password, "The old password is incorrect.")
    change(context, "account", account, password=new_password)
    return {"status": "success"}


@tool(PLUGIN, action=True, precondition=session_needed)
def DeleteAccount(context: Context, password: str) -> dict[str, str]:
    """Delete the account of the user who is logged in, who is then logged out.

    Args:
        password: The user's password.

    Returns:
        The status, which is success.

    Raises:
        PermissionError: If nobody is logged in or the password is wrong.
    """
    account = current_account(context)
    _check_password(account, password)
    context.remove("account", account)
    end(context)
    return {"status": "success"}


@tool(PLUGIN, precondition=session_needed)
def GetAccountInformation(context: Context) -> dict[str, Any]:
    """Look up the account of the user who is logged in.

    Returns:
        The user, with username, email, phone and name.

    Raises:
        PermissionError: If nobody is logged in.
    """
    return {"user": _public(current_account(context))}


@tool(PLUGIN, action=True, precondition=session_needed)
def LogoutUser(context: Context) -> dict[str, str]:
    """Log out the user who is logged in.

    Returns:
        The status, which is success.

    Raises:
        PermissionError: If nobody is logged in.
    """
    change(context, "account", current_account(context), session_token=None)
    end(context)
    return {"status": "success"}


@tool(PLUGIN, precondition=session_needed)
def QueryUser(
    context: Context, username: str | None = None, email: str | None = None
) -> dict[str, Any]:
    """Find users by their username or by their e-mail address.

    One of the two is needed. If both are given, only the username counts.

    Args:
        username: The user's username, exactly as it is written.
        email: The user's e-mail address, exactly as it is written.

    Returns:
        The users, each with username, email, phone and name; an empty list if there are none.

    Raises:
        PermissionError: If nobody is logged in.
        ValueError: If neither is given.
    """
    current_account(context)
    if username is None and email is None:
        raise ValueError("You need to provide at least one of username and email.")
    wanted = {"email": email} if username is None else {"username": username}
    return {"users": [_public(account) for account in context.state["account"].where(**wanted)]}


@tool(PLUGIN, action=True, precondition=no_session_allowed)
def RegisterUser(
    context: Context,
    username: str,
    password: str,
    email: str,
    name: str | None = None,
    phone: str | None = None,
) -> dict[str, Any]:
    """Open an account for a new user, who is then logged in.

    Args:
        username: The username, which nobody else has.
        password: The password.
        email: The user's e-mail address.
        name: The user's full name.
        phone: The user's phone number, in the form 218-555-0100.

    Returns:
        The session_token, and the user with username, email, phone and name.

    Raises:
        PermissionError: If somebody is logged in.
        DuplicateError: If the username is taken.
        ValueError: If email or phone does not have the right form.
    """
    if context.state["account"].where(username=username):
        raise DuplicateError("The username already exists.")
    if not is_email(email):
        raise ValueError("The email format is invalid.")
    if phone is not None and not is_phone_number(phone):
        raise ValueError("The phone number format is invalid.")
    token = draw(context, "RegisterUser")
    context.add(
        "account",
        {
            "username": username,
            "email": email,
            "phone": phone,
            "name": name,
            "password": password,
            "session_token": None,
            "verification_code": None,
        },
    )
    begin(context, username, token)
    return {"session_token": token, "user": _public(current_account(context))}


@tool(PLUGIN, action=True)
def ResetPassword(
    context: Context, username: str, verification_code: str, new_password: str
) -> dict[str, str]:
    """Set a new password for a user who has been sent a verification code.

    Args:
        username: The user's username.
        verification_code: The code that the user was sent.
        new_password: The password that is to be valid from now on.

    Returns:
        The status, which is success.

    Raises:
        NoDataError: If there is no such user.
        PermissionError: If the user was sent no code, or another one.
    """
    account = _account(context, username)
    if account["verification_code"] != verification_code:
        raise PermissionError("The verification code is incorrect.")
    change(context, "account", account, password=new_password)
    return {"status": "success"}


@tool(PLUGIN, action=True)
def SendVerificationCode(context: Context, username: str, email: str) -> dict[str, str]:
    """Send a user a verification code by e-mail, with which to reset the password.

    Args:
        username: The user's username.
        email: The user's e-mail address, as it is in the account.

    Returns:
        The status, which is success.

    Raises:
        NoDataError: If there is no such user.
        PermissionError: If the user has another e-mail address.
    """
    account = _account(context, username)
    if account["email"] != email:
        raise PermissionError("The email is incorrect.")
    code = draw(context, "SendVerificationCode")
    change(context, "account", account, verification_code=code)
    return {"status": "success"}


@tool(
    PLUGIN,
    action=True,
    precondition=session_needed,
    comparison=CallComparison(merged_by="password"),
)
def UpdateAccountInformation(
    context: Context,
    password: str,
    new_email: str | None = None,
    new_phone_number: str | None = None,
    new_name: str | None = None,
) -> dict[str, str]:
    """Change the e-mail address, phone number or name of the user who is logged in.

    A new name alone is not enough: an e-mail address or a phone number is needed.

    Args:
        password: The user's password.
        new_email: The new e-mail address.
        new_phone_number: The new phone number, in the form 218-555-0100.
        new_name: The new full name.

    Returns:
        The status, which is success.

    Raises:
        PermissionError: If nobody is logged in or the password is wrong.
        ValueError: If neither new_email nor new_phone_number is given, or one of them does not
            have the right form.
    """
    account = current_account(context)
    _check_password(account, password)
    if new_email is None and new_phone_number is None:
        raise ValueError("You need to provide at least one of new_email and new_phone_number.")
    if new_email is not None and not is_email(new_email):
        raise ValueError("The email is invalid.")
    if new_phone_number is not None and not is_phone_number(new_phone_number):
        raise ValueError("The phone number is invalid.")
    fields = {"email": new_email, "phone": new_phone_number, "name": new_name}
    changes = {column: value for column, value in fields.items() if value is not None}
    change(context, "account", account, **changes)
    return {"status": "success"}


@tool(PLUGIN, action=True, precondition=no_session_allowed)
def UserLogin(context: Context, username: str, password: str) -> dict[str, str]:
    """Log a user in.

    Args:
        username: The user's username.
        password: The user's password.

    Returns:
        The session_token.

    Raises:
        PermissionError: If somebody is logged in or the password is wrong.
        NoDataError: If there is no such user.
    """
    account = _account(context, username)
    _check_password(account, password)
    if account["session_token"] is not None:
        raise PermissionError("The user is already logged in.")
    token = draw(context, "UserLogin")
    begin(context, username, token)
    return {"session_token": token}


def _account(context: Context, username: str) -> Row:
    accounts = context.state["account"].where(username=username)
    if not accounts:
        raise NoDataError("The username does not exist.")
    return accounts[0]


def _check_password(
    account: Row, password: str, otherwise: str = "The password is incorrect."
) -> None:
    if account["password"] != password:
        raise PermissionError(otherwise)


def _public(account: Row) -> dict[str, Any]:
    return {column: account[column] for column in PUBLIC}


TOOLS = (
    ChangePassword,
    DeleteAccount,
    GetAccountInformation,
    LogoutUser,
    QueryUser,
    RegisterUser,
    ResetPassword,
    SendVerificationCode,
    UpdateAccountInformation,
    UserLogin,
)
