"""The shapes that agents have: they reply to messages, or take whole turns with a toolbox.

An agent of which no more is needed than what was recorded of it.
"""

from __future__ import annotations

import inspect
from types import FunctionType
from typing import Any, ClassVar, Final, Never
from weakref import WeakKeyDictionary

from pytest_toolsandbox.models.errors import AgentError
from pytest_toolsandbox.text.import_strings import accepts

from .frameworks import framework_of


class AbsentAgent:
    """Stands for an agent whose replies are recorded: nothing of it has to be installed.

    ``shape`` is the shape of the agent that it stands for.
    """

    is_recorded: ClassVar = True
    """Cassettes record what it says: no model and no script of ours says it."""

    def __init__(self) -> None:
        self.shape = "replies"

    def stand_for(self, path: str, shape: str) -> None:
        """Take on the import path and the shape of an agent."""
        self.__module__, _, self.__qualname__ = path.partition(":")
        self.shape = shape

    def __call__(self, messages: list[dict[str, Any]], tools: list[dict[str, Any]]) -> Never:
        """Refuse to reply. Raises :class:`AgentError`."""
        del messages, tools
        raise AgentError("the agent is not there, and nothing that it said")


REPLIES: Final = "replies"
"""It is called with ``(messages, tools)`` for each of its replies."""
TURNS: Final = "turns"
"""It has ``run_turn(message, toolbox)``, or is a function of these, and calls tools itself."""
FACTORY: Final = "factory"
"""It makes such an agent for each conversation, of nothing or of ``(toolbox)``."""


_REPLYING: Final = frozenset(
    f"{__name__.partition('.')[0]}.{module}"
    for module in ("agents.scripted", "agents.resolving", "models.litellm_agent")
)
"""The modules of our own agents that reply to messages."""
_of_functions: WeakKeyDictionary[FunctionType, str] = WeakKeyDictionary()


_WRITTEN: Final = frozenset(
    f"{__name__.partition('.')[0]}.agents.{module}" for module in ("scripted", "resolving")
)
"""The modules of agents that play what is written down: they ask nobody and take no time."""


def is_written(agent: Any) -> bool:
    """Whether an agent is the oracle or one of its kin, which play the same at any time."""
    module = type(agent).__module__
    module = agent.__module__ if module == "builtins" and inspect.isfunction(agent) else module
    return module in _WRITTEN


def shape_of(agent: Any) -> str:
    """Return the shape of an agent, or the name of its framework.

    Whatever is of no other shape is expected to reply.
    """
    if type(agent) is AbsentAgent:
        return agent.shape
    if type(agent).__module__ in _REPLYING:  # asked several times for every conversation
        return REPLIES
    try:
        if type(agent) is not FunctionType:
            return _shape(agent)
        return _of_functions.get(agent) or _of_functions.setdefault(agent, _shape(agent))
    except KeyboardInterrupt:
        raise
    except BaseException:  # noqa: BLE001  # any attribute of a user's own may raise, __class__ too
        return REPLIES


def _shape(agent: Any) -> str:
    has_turns = inspect.getattr_static(agent, "run_turn", None) is not None
    if inspect.isclass(agent):
        return FACTORY if has_turns else REPLIES
    if has_turns:
        return TURNS
    if framework := framework_of(agent):
        return framework
    if (names := _parameters(agent)) is None:
        return REPLIES
    if names[1:2] == ["toolbox"]:
        return TURNS
    return FACTORY if names[:1] == ["toolbox"] or _needs_nothing(agent, names) else REPLIES


def is_async(agent: Any) -> bool:
    """Whether an agent is an ``async def``; one that raises when it is asked is none."""
    try:
        return inspect.iscoroutinefunction(agent)
    except KeyboardInterrupt:
        raise
    except BaseException:  # noqa: BLE001  # a proxy's __getattr__ may raise anything
        return False


def takes(function: Any, name: str) -> bool:
    """Whether a callable has a parameter of that name."""
    return name in (_parameters(function) or ())


def _parameters(function: Any) -> list[str] | None:
    """Return the names of what a callable takes, ``None`` where Python does not tell."""
    try:
        return list(inspect.signature(function).parameters) if callable(function) else None
    except Exception:  # noqa: BLE001  # any attribute of a user's own may raise
        return None


def _needs_nothing(function: Any, names: list[str]) -> bool:
    variadic = any(
        one.kind is one.VAR_POSITIONAL for one in inspect.signature(function).parameters.values()
    )
    return accepts(function) and not variadic and "messages" not in names
