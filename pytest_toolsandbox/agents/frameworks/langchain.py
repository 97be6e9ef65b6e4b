"""LangChain and LangGraph."""

from __future__ import annotations

from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.tools import StructuredTool

from pytest_toolsandbox.agents.tool_functions import CallableTool
from pytest_toolsandbox.agents.toolbox import RunTurn, Toolbox

from . import ENOUGH, to_be_built


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

    That one is told what the toolbox has as a prompt, whether or not it is the usual one.
    Raises :class:`AgentError` for a graph whose tools are other ones: they are part of it.
    """
    del prompt
    is_model = isinstance(agent, BaseChatModel)
    if is_model:
        from langchain.agents import create_agent

        agent = create_agent(agent, tools)
    elif tools is not None:
        raise to_be_built("the tools of a graph are part of it", "langchain", "the graph")
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
