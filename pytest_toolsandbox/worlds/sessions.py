"""Users who log in to a world: what replayed conversations need to know of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from .state import State
from .tool import Tool


@dataclass(frozen=True)
class Sessions:
    """How a world's state says who is logged in.

    ``logged_in(state, user, token)`` is the state in which the user's session is open, with any
    token where that is ``None``; ``sent_code(state, user, code)`` the one in which the user has
    been sent a verification code. Both raise ``ValueError`` for a user who does not exist.
    ``token(state, tool)`` says in whose session a call of the tool is made; ``None`` where nobody
    is logged in, or the tool needs no session.
    """

    logged_in: Callable[[State, str, str | None], State]
    sent_code: Callable[[State, str, str], State]
    token: Callable[[State, Tool], str | None]
