"""Calls of tools: those that an agent made, and the true ones of a conversation (ToolTalk)."""

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
    opaque token; ``None`` for a tool that needs none, or where nobody was logged in. ``turn`` tells
    the turns of the agent apart, in their order.
    """

    tool: str
    arguments: Mapping[str, Any] | None
    result: Any = None
    error: str | None = None
    session: str | None = None
    turn: int = 0
