"""A user of whom no more is needed than what was recorded."""

from __future__ import annotations

from typing import Any, Never

from .user import UserError


class AbsentUser:
    """Stands for a user whose answers are recorded: nobody has to be there."""

    def stand_for(self, path: str) -> None:
        """Take on the import path of a user."""
        self.__module__, _, self.__qualname__ = path.partition(":")

    def __call__(self, messages: list[dict[str, Any]]) -> Never:
        """Refuse to answer. Raises :class:`UserError`."""
        del messages
        raise UserError("the user is not there, and nothing that it said")
