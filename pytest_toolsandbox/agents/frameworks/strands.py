"""Strands Agents."""

from __future__ import annotations

from typing import Any

from strands import Agent
from strands.tools.tools import PythonAgentTool

from pytest_toolsandbox.agents.tool_functions import CallableTool
from pytest_toolsandbox.agents.toolbox import RunTurn, Toolbox
from pytest_toolsandbox.models.usage import Usage


def tool(one: CallableTool) -> PythonAgentTool:
    """Return a tool as Strands has it."""

    async def call(use: Any, **_: object) -> Any:
        text = await one.call(use["input"])
        return {"toolUseId": use["toolUseId"], "status": "success", "content": [{"text": text}]}

    schema = {"json": one.parameters}
    described = {"name": one.name, "description": one.description, "inputSchema": schema}
    return PythonAgentTool(one.name, described, call)


def taking_turns(agent: Agent, tools: list[PythonAgentTool] | None, prompt: str = "") -> RunTurn:
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
