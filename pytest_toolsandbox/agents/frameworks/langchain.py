"""LangChain and LangGraph."""

from __future__ import annotations

import inspect
from typing import Any, Final

from langchain_core.language_models import BaseChatModel
from langchain_core.tools import StructuredTool

from pytest_toolsandbox.agents.tool_functions import CallableTool
from pytest_toolsandbox.agents.toolbox import RunTurn, Toolbox

from . import ENOUGH, to_be_built

_NODES: Final = frozenset(("__start__", "model", "tools"))
"""Of an agent without middleware."""


def tool(one: CallableTool) -> StructuredTool:
    """Return a tool as LangChain has it."""
    return StructuredTool(
        name=one.name,
        description=one.description,
        args_schema=one.parameters,
        func=one.wait,
        coroutine=one.call_named,
    )


def taking_turns(agent: Any, tools: list[StructuredTool] | None, prompt: str = "") -> RunTurn:
    """Let a graph take turns, or the agent that LangChain makes of a chat model.

    That one is told what the toolbox has as a prompt, whether or not it is the usual one. An agent
    that ``create_agent`` made of a model and a prompt is made anew with the ``tools``. Raises
    :class:`AgentError` for other graphs that were not made with them: tools are part of a graph.
    """
    is_model = isinstance(agent, BaseChatModel)
    if is_model or tools is not None:
        from langchain.agents import create_agent

        model, own = (agent, None) if is_model else _made_of(agent)
        agent = create_agent(model, tools, system_prompt=None if is_model else prompt or own)
    messages: list[Any] = []
    limit = {"recursion_limit": ENOUGH}

    async def run_turn(message: str, toolbox: Toolbox) -> str:
        if is_model and not messages:
            messages.append({"role": "system", "content": toolbox.prompt})
        said = [*messages, {"role": "user", "content": message}]
        messages[:] = (await agent.ainvoke({"messages": said}, limit))["messages"]
        for one in messages[len(said) :]:
            toolbox.count_usage(getattr(one, "usage_metadata", None))
        return str(messages[-1].text)

    return run_turn


def _made_of(graph: Any) -> tuple[Any, Any]:
    """Return the model and the prompt of an agent that has no more of its own than tools.

    ``create_agent`` leaves them to the function of a node, and nowhere else. Raises
    :class:`AgentError` where there is no such node, or where it has middleware or a schema.
    """
    function = getattr(getattr(graph.nodes.get("model"), "bound", None), "func", None)
    own = inspect.getclosurevars(function).nonlocals if inspect.isfunction(function) else {}
    has_more = own.get("wrap_model_call_handler") or own.get("initial_response_format")
    if "model" not in own or has_more or not _NODES.issuperset(graph.nodes):
        raise to_be_built("the tools of a graph are part of it", "langchain", "the graph")
    return own["model"], own.get("system_message")
