"""The adapter for Strands Agents."""

from __future__ import annotations

from typing import Any, Final

from pytest_toolsandbox.agents.tool_functions import CallableTool
from pytest_toolsandbox.agents.toolbox import RunTurn, Toolbox
from pytest_toolsandbox.models.usage import Usage

NAMES: Final = ("strands",)
CLASSES: Final = (("strands.agent", "Agent"),)


def tool(tool: CallableTool) -> Any:
    """Return a tool as a ``PythonAgentTool``."""
    from strands.tools.tools import PythonAgentTool

    async def call(use: Any, **_: object) -> Any:
        text = await tool.call(use["input"])
        return {"toolUseId": use["toolUseId"], "status": "success", "content": [{"text": text}]}

    schema = {"json": tool.parameters}
    described = {"name": tool.name, "description": tool.description, "inputSchema": schema}
    return PythonAgentTool(tool.name, described, call)


def bind(agent: Any, tools: list[Any] | None, prompt: str = "") -> RunTurn:
    """Let a new agent with the same model and prompt take turns, as an agent keeps messages."""
    from strands import Agent

    bound_agent = agent
    if tools is not None:
        bound_agent = Agent(
            model=agent.model,
            system_prompt=prompt or agent.system_prompt,
            tools=tools,
            callback_handler=None,
        )
    used = Usage()

    async def run_turn(message: str, toolbox: Toolbox) -> str:
        nonlocal used
        try:
            result = await bound_agent.invoke_async(message)
        finally:  # also if the turn is cut off
            metrics = bound_agent.event_loop_metrics
            figures = {**metrics.accumulated_usage, "requests": metrics.cycle_count}
            used = toolbox.count_total(used, figures)
        return str(result).strip()

    return run_turn
