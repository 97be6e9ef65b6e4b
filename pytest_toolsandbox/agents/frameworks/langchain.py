"""LangChain and LangGraph."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.tools import StructuredTool

from pytest_toolsandbox.agents.toolbox import Toolbox
from pytest_toolsandbox.models.errors import AgentError

_ENOUGH = {"recursion_limit": 10_000}
"""Steps in a turn: the scenario says when a conversation is too long."""
_BUILT_IN = (
    "the tools of a graph are part of it; write def build(toolbox), which makes the graph with "
    "toolbox.for_('langchain')"
)


def tools(toolbox: Toolbox) -> list[StructuredTool]:
    """Return the tools as LangChain has them."""
    return [_tool(schema["function"], toolbox) for schema in toolbox.schemas]


def _tool(tool: dict[str, Any], toolbox: Toolbox) -> StructuredTool:
    def call(**arguments: Any) -> str:
        return toolbox.call(tool["name"], arguments)

    async def call_async(**arguments: Any) -> str:
        return await toolbox.call_async(tool["name"], arguments)

    return StructuredTool(
        name=tool["name"],
        description=tool.get("description", ""),
        args_schema=tool["parameters"],
        func=call,
        coroutine=call_async,
    )


def taking_turns(
    agent: Any, tools: list[StructuredTool] | None, prompt: str = ""
) -> Callable[[str, Toolbox], Awaitable[str]]:
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
        raise AgentError(_BUILT_IN)
    messages: list[Any] = []

    async def run_turn(message: str, toolbox: Toolbox) -> str:
        if is_model and not messages:
            messages.append({"role": "system", "content": toolbox.prompt})
        said = [*messages, {"role": "user", "content": message}]
        messages[:] = (await agent.ainvoke({"messages": said}, _ENOUGH))["messages"]
        for one in messages[len(said) :]:
            toolbox.count_usage(getattr(one, "usage_metadata", None))
        return str(messages[-1].text)

    return run_turn
