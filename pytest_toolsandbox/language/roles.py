"""Who speaks in a conversation (ToolSandbox, appendix A.3), and how a simulated user does."""

from __future__ import annotations

from enum import StrEnum
from typing import Literal

Manner = Literal["plain", "terse", "impatient", "tangential", "incomplete"]
"""How a user talks that a model plays; never what it wants."""


class Role(StrEnum):
    """A sender or recipient of messages."""

    SYSTEM = "system"
    USER = "user"
    AGENT = "agent"
    EXECUTION_ENVIRONMENT = "execution_environment"
