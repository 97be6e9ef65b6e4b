"""Resolve ``--sandbox-user`` to a user: scripted, human, a model or an import path."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final, TypedDict, Unpack, cast

from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.models.aliases import ALIASES, model_name
from pytest_toolsandbox.models.model_agent import load_client
from pytest_toolsandbox.text.import_strings import (
    ExpectedCallable,
    import_callable,
    import_object,
    made_of,
)
from pytest_toolsandbox.text.nearest_name import did_you_mean

from .user import AbsentUser, User, UserError, UserFactory

if TYPE_CHECKING:
    from pytest_toolsandbox.users.simulated.model_user import Reviewer, Style
    from pytest_toolsandbox.users.simulated.toolsandbox_prompt import Prompt

SCRIPTED: Final = "scripted"
_HUMAN: Final = "human"


class ModelUserOptions(TypedDict):
    """Fields of ``ModelUser``."""

    style: Style | None
    prompt: Prompt
    retries: int
    reviewer: Reviewer | None


_EXPECTED: Final = ExpectedCallable(
    ("messages",),
    "a user takes (messages), and a factory, which makes one, nothing",
    "an async factory; a factory cannot be async",
    "names no user; write module:attribute",
    UserError,
)


def _resolve_user(
    text: str,
    aliases: Mapping[str, str],
    *,
    is_asked: bool = True,
    **options: Unpack[ModelUserOptions],
) -> User | UserFactory | None:
    """Return the user that ``text`` names, ``None`` for the script of each scenario.

    ``aliases`` are the user's own names of models, ``options`` those of a model. If the user is not
    asked, since its answers are recorded, it need not be installed. Raises ``UserError``.
    """
    if text == SCRIPTED:
        return None
    names = {**ALIASES, **aliases}
    if model := model_name(text, names):
        from pytest_toolsandbox.users.simulated.model_user import ModelUser

        if is_asked:
            load_client(model)
        return ModelUser(model, **options)
    if not is_asked:
        return AbsentUser()
    if text == _HUMAN:
        return _human()
    if ":" in text:
        return cast("User", import_callable(text, _EXPECTED))
    known = (SCRIPTED, _HUMAN, *names)
    allowed = f"{', '.join(known)}, provider/model, module:attribute"
    raise UserError(f"there is no such user{did_you_mean(text, known)} (allowed: {allowed})")


def session_user(
    text: str,
    aliases: Mapping[str, str],
    *,
    is_asked: bool = True,
    **options: Unpack[ModelUserOptions],
) -> User | UserFactory | None:
    """Return the user that ``text`` names, for all conversations; a factory makes one for each.

    Raises ``UserError``.
    """
    user = _resolve_user(text, aliases, is_asked=is_asked, **options)
    if not is_asked or ":" not in text or model_name(text, {**ALIASES, **aliases}):
        return user
    named = import_object(text, _EXPECTED)
    return user if named is user else _FactoryUsers(lambda: made_of(named, text, _EXPECTED), user)


class _FactoryUsers:
    """Makes the user of each conversation by a custom factory, which has made the first one."""

    retries: Final = 0

    def __init__(self, make: Callable[[], User], first: Any) -> None:
        self._make, self._unused = make, [first]
        source = first if hasattr(first, "__qualname__") else type(first)
        self.__module__, self.__qualname__ = source.__module__, source.__qualname__

    def begin(self, scenario: Scenario, attempt: int = 0) -> User:
        """Return the user of one conversation. Raises ``UserError``."""
        del scenario, attempt
        try:
            return cast("User", self._unused.pop())
        except IndexError:
            return self._make()


def _human() -> UserFactory:
    from .human import HumanUser, NoTerminalError

    try:
        return HumanUser()
    except NoTerminalError as error:
        raise UserError(f"{_HUMAN} {error}") from None
