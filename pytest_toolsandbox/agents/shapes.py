"""Recognize the shape of an agent: it replies to messages, takes turns, or is a factory.

An agent of a framework has the framework's name as its shape. ``AbsentAgent`` replaces an agent
whose replies are recorded.
"""

from __future__ import annotations

import inspect
from types import FunctionType
from typing import Any, ClassVar, Final, Never
from weakref import WeakKeyDictionary

from pytest_toolsandbox.models.errors import AgentError
from pytest_toolsandbox.models.model_agent import ModelAgent
from pytest_toolsandbox.text.import_strings import accepts

from .frameworks import framework_of
from .scripted import is_scripted
from .wrapping import bare

REPLIES: Final = "replies"
"""It is called with ``(messages, tools)`` for each of its replies."""
TURNS: Final = "turns"
"""It has ``run_turn(message, toolbox)``, or is a function of these, and calls tools itself."""
FACTORY: Final = "factory"
"""It makes such an agent for each conversation, from nothing or from ``(toolbox)``."""

_function_shapes: WeakKeyDictionary[FunctionType, str] = WeakKeyDictionary()


class AbsentAgent:
    """Replaces an agent whose replies are recorded, so that it need not be installed.

    ``shape`` is the shape of the agent that it replaces.
    """

    is_recorded: ClassVar = True
    """Cassettes record its replies, as they come from no model and no script of ours."""

    def __init__(self) -> None:
        self.shape = REPLIES

    def stand_for(self, path: str, shape: str) -> None:
        """Take on the import path and the shape of an agent."""
        self.__module__, _, self.__qualname__ = path.partition(":")
        self.shape = shape

    def __call__(self, messages: list[dict[str, Any]], tools: list[dict[str, Any]]) -> Never:
        """Refuse to reply. Raises :class:`AgentError`."""
        del messages, tools
        raise AgentError("the agent is absent, and none of its replies is recorded")


def shape_of(agent: Any) -> str:
    """Return the shape of an agent, or the name of its framework.

    An agent of an unknown shape is expected to reply.
    """
    agent = bare(agent)
    if type(agent) is AbsentAgent:
        return agent.shape
    if is_scripted(agent) or type(agent) is ModelAgent:  # fast: called often in a conversation
        return REPLIES
    try:
        if type(agent) is not FunctionType:
            return _shape(agent)
        return _function_shapes.get(agent) or _function_shapes.setdefault(agent, _shape(agent))
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
    """Return whether an agent is an ``async def``; ``False`` if it raises when inspected."""
    try:
        return inspect.iscoroutinefunction(agent)
    except KeyboardInterrupt:
        raise
    except BaseException:  # noqa: BLE001  # a proxy's __getattr__ may raise anything
        return False


def takes(function: Any, name: str) -> bool:
    """Return whether a callable has a parameter of that name."""
    return name in (_parameters(function) or ())


def _parameters(function: Any) -> list[str] | None:
    """Return the names of a callable's parameters, ``None`` if Python does not know them."""
    try:
        return list(inspect.signature(function).parameters) if callable(function) else None
    except Exception:  # noqa: BLE001  # any attribute of a user's own may raise
        return None


def _needs_nothing(function: Any, names: list[str]) -> bool:
    parameters = inspect.signature(function).parameters.values()
    is_variadic = any(parameter.kind is parameter.VAR_POSITIONAL for parameter in parameters)
    return accepts(function) and not is_variadic and "messages" not in names
