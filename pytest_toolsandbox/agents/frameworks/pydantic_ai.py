"""Pydantic AI."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from pydantic_ai import Agent, Tool

from pytest_toolsandbox.agents.toolbox import Toolbox


def tools(toolbox: Toolbox) -> list[Tool[Any]]:
    """Return the tools as Pydantic AI has them."""
    return [_tool(schema["function"], toolbox) for schema in toolbox.schemas]


def _tool(tool: dict[str, Any], toolbox: Toolbox) -> Tool[Any]:
    async def call(**arguments: Any) -> str:
        return await toolbox.call_async(tool["name"], arguments)

    described = tool["name"], tool.get("description"), tool["parameters"]
    return Tool.from_schema(call, *described)


def taking_turns(
    agent: Agent[Any, Any], tools: list[Tool[Any]] | None, prompt: str = ""
) -> Callable[[str, Toolbox], Awaitable[str]]:
    """Let an agent take turns, which is left as it is."""
    replaced: dict[str, Any] = {} if tools is None else {"tools": tools, "toolsets": []}
    if prompt and replaced:
        replaced["instructions"] = prompt
    history: list[Any] = []

    async def run_turn(message: str, toolbox: Toolbox) -> str:
        with agent.override(**replaced):
            result = await agent.run(message, message_history=history)
        toolbox.count_usage(result.usage() if callable(result.usage) else result.usage)
        history[:] = result.all_messages()
        return str(result.output)

    return run_turn
