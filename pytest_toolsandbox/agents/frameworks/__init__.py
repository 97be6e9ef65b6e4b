"""Adapters for agent frameworks, one module each; each module here is an :class:`Adapter`.

An adapter is found because its module is in this folder. It imports its framework inside functions,
so that recognizing an agent imports none. Agents without a framework are not here.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from typing import Any, Final, Protocol, cast

from pytest_toolsandbox.agents.tool_functions import CallableTool
from pytest_toolsandbox.models.errors import AgentError
from pytest_toolsandbox.text.nearest_name import unknown

MAX_REQUESTS: Final = 10_000
"""The limit of requests in a turn: high, as the scenario limits the whole conversation."""


class Adapter(Protocol):
    """What a module of this folder defines."""

    NAMES: tuple[str, ...]
    """The names that ``Toolbox.for_`` takes; the first one is also the shape of its agents."""
    CLASSES: tuple[tuple[str, str], ...]
    """The classes of its agents: the beginning of the module's name, and the class's name."""

    def tool(self, tool: CallableTool) -> Any:
        """Return a tool of a conversation in the framework's own form."""
        ...

    def bind(self, agent: Any, tools: Any, prompt: str = "") -> Any:
        """Return ``run_turn(message, toolbox)``, or an object that has it, for one conversation.

        The ``tools`` replace the agent's own, which would act in the real world, and a ``prompt``
        replaces its instructions. If ``tools`` is ``None``, the agent was made with those of the
        conversation, and stays as it is.
        """
        ...


@cache
def adapters() -> Mapping[str, Adapter]:
    """Return the adapters by each of their names."""
    names = (module.name for module in iter_modules(__path__, f"{__name__}."))
    modules = (cast("Adapter", import_module(name)) for name in names)
    return {name: adapter for adapter in modules for name in adapter.NAMES}


def framework_of(agent: Any) -> str | None:
    """Return the framework of an agent, if its class or a base class is of a known one."""
    classes = {key: a.NAMES[0] for a in adapters().values() for key in a.CLASSES}
    for base in type(agent).__mro__:
        for (module, name), framework in classes.items():
            if base.__name__ == name and f"{base.__module__}.".startswith(f"{module}."):
                return framework
    return None


def adapter(name: str) -> Adapter:
    """Return the adapter for a framework. Raises ``ValueError`` if there is none."""
    if name.replace("-", "_") not in adapters():
        raise ValueError(unknown("framework", name, adapters()))
    return adapters()[name.replace("-", "_")]


def needs_factory(why: str, name: str, made: str = "all of them") -> AgentError:
    """Return the error for an agent whose tools cannot be replaced from outside."""
    how = f"write def build(toolbox), which makes {made} with toolbox.for_({name!r})"
    return AgentError(f"{why}; {how}")
