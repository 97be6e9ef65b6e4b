"""The adapter for LangChain and LangGraph."""

from __future__ import annotations

import inspect
from typing import Any, Final

from pytest_toolsandbox.agents.tool_functions import CallableTool
from pytest_toolsandbox.agents.toolbox import RunTurn, Toolbox

from . import MAX_REQUESTS, needs_factory

NAMES: Final = ("langchain", "langgraph")
CLASSES: Final = (
    ("langgraph.pregel", "Pregel"),
    ("langchain_core.language_models", "BaseChatModel"),
)
_NODES: Final = frozenset(("__start__", "model", "tools"))
"""The nodes of an agent without middleware."""


def tool(tool: CallableTool) -> Any:
    """Return a tool as a ``StructuredTool``."""
    from langchain_core.tools import StructuredTool

    return StructuredTool(
        name=tool.name,
        description=tool.description,
        args_schema=tool.parameters,
        func=tool.wait,
        coroutine=tool.call_named,
    )


def bind(agent: Any, tools: list[Any] | None, prompt: str = "") -> RunTurn:
    """Let a graph take turns, or the agent that LangChain makes of a chat model.

    A chat model always gets the prompt of the toolbox. An agent that ``create_agent`` made of a
    model and a prompt is made again with the ``tools``. Tools are part of a graph: other graphs
    that were not made with the ``tools`` raise :class:`AgentError`.
    """
    from langchain_core.language_models import BaseChatModel

    is_model = isinstance(agent, BaseChatModel)
    if is_model or tools is not None:
        from langchain.agents import create_agent

        model, agent_prompt = (agent, None) if is_model else _model_and_prompt(agent)
        agent = create_agent(
            model, tools, system_prompt=None if is_model else prompt or agent_prompt
        )
    messages: list[Any] = []
    limit = {"recursion_limit": MAX_REQUESTS}

    async def run_turn(message: str, toolbox: Toolbox) -> str:
        if is_model and not messages:
            messages.append({"role": "system", "content": toolbox.prompt})
        sent = [*messages, {"role": "user", "content": message}]
        count = len(sent)
        async for state in agent.astream({"messages": sent}, limit, stream_mode="values"):
            messages[:] = state["messages"]
            for reply in messages[count:]:
                toolbox.count_usage(getattr(reply, "usage_metadata", None))
            count = max(count, len(messages))
        return str(messages[-1].text)

    return run_turn


def _model_and_prompt(graph: Any) -> tuple[Any, Any]:
    """Return the model and the prompt of an agent that ``create_agent`` made.

    They are only in the closure of a node's function. Raises :class:`AgentError` if there is no
    such node, or if the agent also has middleware or a schema.
    """
    function = getattr(getattr(graph.nodes.get("model"), "bound", None), "func", None)
    closure = inspect.getclosurevars(function).nonlocals if inspect.isfunction(function) else {}
    is_simple = not closure.get("wrap_model_call_handler") and _NODES.issuperset(graph.nodes)
    if "model" not in closure or closure.get("initial_response_format") or not is_simple:
        raise needs_factory("the tools of a graph are part of it", NAMES[0], "the graph")
    return closure["model"], closure.get("system_message")
