"""Who speaks in a conversation (ToolSandbox, appendix A.3)."""

from __future__ import annotations

from enum import StrEnum


class Role(StrEnum):
    """A sender or recipient of messages."""

    SYSTEM = "system"
    USER = "user"
    AGENT = "agent"
    EXECUTION_ENVIRONMENT = "execution_environment"
