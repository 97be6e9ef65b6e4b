"""Calls of tools: predicted ones, which an agent made, and those of the ground truth (ToolTalk)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Call:
    """A call and what came of it.

    ``arguments`` are without the session's token, and ``None`` where they could not be read.
    ``result`` is a JSON value. ``error`` is the text of what went wrong, with no type in front of
    it, and ``None`` where nothing did. ``session`` is whose session the call was made in, as an
    opaque token; ``None`` for a tool that needs no session, or where nobody was logged in. ``turn``
    numbers the turns of the agent, in their order.
    """

    tool: str
    arguments: Mapping[str, Any] | None
    result: Any = None
    error: str | None = None
    session: str | None = None
    turn: int = 0
