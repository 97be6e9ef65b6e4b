"""Who speaks in a conversation (ToolSandbox, appendix A.3), and how a simulated user does.

What an agent does in a solution or a counterexample, step by step.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType
from typing import Any, Literal

from .values import FromResult

Manner = Literal["plain", "terse", "impatient", "tangential", "incomplete"]
"""How a user talks that a model plays; never what it wants."""


class Role(StrEnum):
    """A sender or recipient of messages."""

    SYSTEM = "system"
    USER = "user"
    AGENT = "agent"
    EXECUTION_ENVIRONMENT = "execution_environment"


@dataclass(frozen=True)
class ToolStep:
    """A tool call; arguments may hold values from the result of an earlier call.

    ``others`` maps arguments to the further values with which the call is as right; ``None`` stands
    for an argument that is left out.
    """

    tool: str
    arguments: Mapping[str, Any]
    others: Mapping[str, tuple[Any, ...]] = field(default_factory=lambda: MappingProxyType({}))


@dataclass(frozen=True)
class ParallelStep:
    """Tool calls that are made at once."""

    steps: tuple[ToolStep, ...]


@dataclass(frozen=True)
class SayStep:
    """What the agent says to the user."""

    text: str | FromResult


Step = ToolStep | ParallelStep | SayStep


def calls_of(step: Step) -> tuple[ToolStep, ...]:
    """Return the tool calls of a step."""
    if isinstance(step, ParallelStep):
        return step.steps
    return (step,) if isinstance(step, ToolStep) else ()
