"""Roles in a conversation (ToolSandbox, appendix A.3), and the steps of solutions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType
from typing import Any, Literal

from .values import FromResult

Manner = Literal["plain", "terse", "impatient", "tangential", "incomplete"]
"""The style of a simulated user; it does not change what the user wants."""


Party = Literal["agent", "user", "any"]
"""Whose calls, or whose changes of tables, count."""


class Role(StrEnum):
    """A sender or recipient of messages."""

    SYSTEM = "system"
    USER = "user"
    AGENT = "agent"
    EXECUTION_ENVIRONMENT = "execution_environment"


@dataclass(frozen=True)
class ToolStep:
    """A tool call; arguments may contain results of earlier calls.

    ``alternatives`` maps arguments to other accepted values; ``None`` means that the argument is
    left out.
    """

    tool: str
    arguments: Mapping[str, Any]
    alternatives: Mapping[str, tuple[Any, ...]] = field(
        default_factory=lambda: MappingProxyType({})
    )


@dataclass(frozen=True)
class ParallelStep:
    """Parallel tool calls."""

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
