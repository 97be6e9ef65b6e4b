"""How many conversations an agent holds at a time, where nobody says how many."""

from __future__ import annotations

import inspect
from typing import Any, Final

from pytest_toolsandbox.models.litellm_agent import LitellmModel

from .frameworks import FRAMEWORKS
from .per_conversation import PerConversation
from .shapes import REPLIES, is_async, is_written, shape_of

WAITING: Final = 64
"""For agents that wait for others: litellm, the slowest way to a model, answers about 100 requests
a second in a process, so that of requests that take a second it keeps up with so many."""
PROGRAMS: Final = 4
"""For programs on this machine, each a process with some hundred MB."""
_PACKAGE: Final = __name__.rpartition(".")[0]


def at_a_time(agent: Any) -> int:
    """Return how many conversations an agent holds at once; 1 where nothing is known of it.

    A plain function may keep things that two conversations must not share. Models and services
    wait, objects of frameworks ask models, and what is ``async`` is written for this.
    """
    if type(agent) is PerConversation:
        agent = agent.example
    kind = type(agent)
    if is_timeless(agent) or is_written(agent):
        return 1
    if issubclass(kind, LitellmModel) or kind.__module__ == f"{_PACKAGE}.programs.service":
        return WAITING
    if kind.__module__.startswith(f"{_PACKAGE}.programs."):
        return PROGRAMS
    if _is_async(agent) or (shape_of(agent) != REPLIES and shape_of(agent) in FRAMEWORKS):
        return WAITING
    return 1


def is_timeless(agent: Any) -> bool:
    """Whether somebody at a terminal plays, who can follow one conversation."""
    return getattr(type(agent), "timeless", None) is True


def _is_async(agent: Any) -> bool:
    parts = (inspect.getattr_static(agent, name, None) for name in ("run_turn", "__call__"))
    return is_async(agent) or any(map(is_async, parts))
