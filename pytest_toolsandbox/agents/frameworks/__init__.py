"""Frameworks of agents, a module each: their agents are recognised, and given the tools to call.

A module has ``tool(one)``, a tool in the framework's own form, and ``taking_turns(agent, tools,
prompt)``, which returns what takes the turns of a conversation: a function ``(message, toolbox)``,
or an object with ``run_turn``. It is imported, and the framework with it, when that is needed.

The ``tools`` stand for the agent's own, which would act in the real world, and a ``prompt`` for its
instructions; without ``tools`` the agent is left as it is, since it was made with those of the
conversation.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any, Final, Protocol, cast

from pytest_toolsandbox.agents.tool_functions import CallableTool
from pytest_toolsandbox.models.errors import AgentError
from pytest_toolsandbox.text.nearest_name import unknown

_CLASSES: Final = {
    ("agents.agent", "AgentBase"): "openai_agents",
    ("pydantic_ai", "AbstractAgent"): "pydantic_ai",
    ("langgraph.pregel", "Pregel"): "langchain",
    ("langchain_core.language_models", "BaseChatModel"): "langchain",
    ("strands.agent", "Agent"): "strands",
    ("google.adk.agents", "BaseAgent"): "google_adk",
    ("agent_framework", "BaseAgent"): "agent_framework",
    ("claude_agent_sdk", "ClaudeAgentOptions"): "claude_agent_sdk",
}
"""What the module of a class begins with and its name → framework."""
FRAMEWORKS: Final = tuple(dict.fromkeys(_CLASSES.values()))
ENOUGH: Final = 10_000
"""Requests in a turn: the scenario says when a conversation is too long."""


class Framework(Protocol):
    """What a module here has."""

    def tool(self, one: CallableTool) -> Any:
        """Return a tool of a conversation in the framework's own form."""
        ...

    def taking_turns(self, agent: Any, tools: Any, prompt: str = "") -> Any:
        """Return what takes the turns of an agent in a conversation."""
        ...


def framework_of(agent: Any) -> str | None:
    """Return the framework that an agent is of, which its class tells, if it is of a known one."""
    for each in type(agent).__mro__:
        for (module, name), framework in _CLASSES.items():
            if each.__name__ == name and f"{each.__module__}.".startswith(f"{module}."):
                return framework
    return None


def to_be_built(why: str, name: str, made: str = "all of them") -> AgentError:
    """Return the error for an agent whose tools cannot be replaced from outside."""
    how = f"write def build(toolbox), which makes {made} with toolbox.for_({name!r})"
    return AgentError(f"{why}; {how}")


def framework(name: str) -> Framework:
    """Return the module of a framework. Raises ``ValueError``, and ``ImportError`` without it."""
    module = {"langgraph": "langchain"}.get(name, name.replace("-", "_"))
    if module not in FRAMEWORKS:
        raise ValueError(unknown("framework", name, (*FRAMEWORKS, "langgraph")))
    return cast("Framework", import_module(f"{__name__}.{module}"))
