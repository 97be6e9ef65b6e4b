"""What comes of one call."""

from __future__ import annotations

from dataclasses import dataclass

from pytest_toolsandbox.calls.tool_call import ToolTrace
from pytest_toolsandbox.worlds.state import State


@dataclass(frozen=True)
class Response:
    """The text that answers the call, and the state that the call left."""

    content: str
    state: State
    trace: ToolTrace | None = None
    error: str | None = None

    @property
    def failed(self) -> bool:
        """Whether the call did not come through. It has then changed nothing."""
        return self.error is not None
