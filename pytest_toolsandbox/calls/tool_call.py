"""A tool call as it was asked for, and as it was executed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class ToolCall:
    """A call as it was asked for: ``arguments`` is the text that should be a JSON object.

    Name and arguments are in the world's terms. Where the agent knows others, since they were
    scrambled for it, ``written_name`` and ``written_arguments`` are what it wrote.
    """

    identifier: str
    name: str
    arguments: str
    written_name: str | None = None
    written_arguments: str | None = None

    @property
    def written(self) -> tuple[str, str]:
        """Name and arguments in the terms of whoever made the call."""
        if self.written_name is None or self.written_arguments is None:
            return self.name, self.arguments
        return self.written_name, self.written_arguments


@dataclass(frozen=True)
class ToolTrace:
    """A call that was executed without error, with its defaults and its result."""

    tool_name: str
    arguments: Mapping[str, Any]
    result: Any
