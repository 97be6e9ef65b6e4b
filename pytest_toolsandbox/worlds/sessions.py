"""How a world's state says which user is logged in."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from .state import State
from .tool import Tool


@dataclass(frozen=True)
class Sessions:
    """How a world's state says which user is logged in, for replayed conversations.

    ``logged_in(state, user, token)`` is the state in which the user has a session, with any token
    if ``token`` is ``None``; ``sent_code(state, user, code)`` is the state in which the user has
    received a verification code. Both raise ``ValueError`` for an unknown user. ``token(state,
    tool)`` is the token of the session in which a tool is called, ``None`` if no user is logged in
    or the tool needs no session. ``user(state)`` is the name of the user who is logged in.
    """

    logged_in: Callable[[State, str, str | None], State]
    sent_code: Callable[[State, str, str], State]
    token: Callable[[State, Tool], str | None]
    user: Callable[[State], str | None] = lambda _: None


def session_facts(now: datetime, user: str | None) -> str:
    """Return what an agent is told at the start: the time, and the name of the user logged in."""
    facts = f"It is {now:%Y-%m-%d %H:%M:%S}."
    return facts if user is None else f"{facts} The user's name is {user}."
