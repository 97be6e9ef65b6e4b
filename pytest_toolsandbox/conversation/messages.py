"""Messages between the roles, and what comes of a whole conversation."""

from __future__ import annotations

from dataclasses import dataclass

from pytest_toolsandbox.calls.tool_call import ToolCall, ToolTrace
from pytest_toolsandbox.language.roles import Role
from pytest_toolsandbox.worlds.state import State


@dataclass(frozen=True)
class Message:
    """One message.

    A request to the execution environment and the answer to it carry the ``call``; the answer
    also its ``trace``, or the ``error`` in one line. Parallel calls are a message each. A request
    without a call is a text in which a call should have been.
    """

    sender: Role
    recipient: Role
    content: str
    visible_to: tuple[Role, ...]
    call: ToolCall | None = None
    trace: ToolTrace | None = None
    error: str | None = None

    @property
    def counts_as_turn(self) -> bool:
        """Whether it is one of the turns that ToolSandbox counts (appendix D.3)."""
        between = {self.sender, self.recipient}
        return (
            self.sender is not Role.SYSTEM
            and between != {Role.USER, Role.EXECUTION_ENVIRONMENT}
            and set(self.visible_to) != {Role.USER}
        )


def message_to(
    sender: Role, recipient: Role, content: str, call: ToolCall | None = None
) -> Message:
    """Return a message that nobody but sender and recipient sees."""
    return Message(sender, recipient, content, (sender, recipient), call)


@dataclass(frozen=True)
class Trajectory:
    """A whole conversation: its messages and the state of the world after each of them.

    ``start`` is the state before the first message. Evaluation looks at the snapshots from
    ``first`` on: the first message of the user that not only the user sees.
    """

    messages: tuple[Message, ...]
    states: tuple[State, ...]
    start: State

    @property
    def first(self) -> int:
        """The index of the first snapshot that milestones may match."""
        for index, message in enumerate(self.messages):
            if message.sender is Role.USER and set(message.visible_to) != {Role.USER}:
                return index
        return 0

    @property
    def turn_count(self) -> int:
        """How many messages count as turns."""
        return sum(message.counts_as_turn for message in self.messages)

    @property
    def tool_call_count(self) -> int:
        """How many tool calls the agent made, whatever came of them."""
        return sum(
            message.sender is Role.AGENT and message.call is not None for message in self.messages
        )
