"""An agent of which no more is needed than what was recorded of it."""

from __future__ import annotations

from typing import Any, Never

from pytest_toolsandbox.models.errors import AgentError


class AbsentAgent:
    """Stands for an agent whose replies are recorded: nothing of it has to be installed.

    ``shape`` is the shape of the agent that it stands for.
    """

    def __init__(self) -> None:
        self.shape = "replies"

    def stand_for(self, path: str, shape: str) -> None:
        """Take on the import path and the shape of an agent."""
        self.__module__, _, self.__qualname__ = path.partition(":")
        self.shape = shape

    def __call__(self, messages: list[dict[str, Any]], tools: list[dict[str, Any]]) -> Never:
        """Refuse to reply. Raises :class:`AgentError`."""
        del messages, tools
        raise AgentError("the agent is not there, and nothing that it said")
