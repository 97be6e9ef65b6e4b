"""Strands Agents."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from strands import Agent
from strands.tools.tools import PythonAgentTool

from pytest_toolsandbox.agents.toolbox import Toolbox
from pytest_toolsandbox.models.usage import Usage


def tools(toolbox: Toolbox) -> list[PythonAgentTool]:
    """Return the tools as Strands has them."""
    return [_tool(schema["function"], toolbox) for schema in toolbox.schemas]


def _tool(tool: dict[str, Any], toolbox: Toolbox) -> PythonAgentTool:
    async def call(use: Any, **_: object) -> Any:
        text = await toolbox.call_async(tool["name"], use["input"])
        return {"toolUseId": use["toolUseId"], "status": "success", "content": [{"text": text}]}

    described = {
        "name": tool["name"],
        "description": tool.get("description", ""),
        "inputSchema": {"json": tool["parameters"]},
    }
    return PythonAgentTool(tool["name"], described, call)


def taking_turns(
    agent: Agent, tools: list[PythonAgentTool] | None, prompt: str = ""
) -> Callable[[str, Toolbox], Awaitable[str]]:
    """Let an agent take turns: a new one with the same model and prompt, as it keeps messages."""
    own = agent
    if tools is not None:
        own = Agent(
            model=agent.model,
            system_prompt=prompt or agent.system_prompt,
            tools=tools,
            callback_handler=None,
        )

    used = Usage()

    async def run_turn(message: str, toolbox: Toolbox) -> str:
        nonlocal used
        result = await own.invoke_async(message)
        used = toolbox.count_total(used, result.metrics.accumulated_usage)
        return str(result).strip()

    return run_turn
