"""The adapter for Pydantic AI."""

from __future__ import annotations

from typing import Any, Final

from pytest_toolsandbox.agents.tool_functions import CallableTool
from pytest_toolsandbox.agents.toolbox import RunTurn, Toolbox

NAMES: Final = ("pydantic_ai",)
CLASSES: Final = (("pydantic_ai", "AbstractAgent"),)


def tool(tool: CallableTool) -> Any:
    """Return a tool as a ``Tool``."""
    from pydantic_ai import Tool

    return Tool.from_schema(tool.call_named, tool.name, tool.description, tool.parameters)


def bind(agent: Any, tools: list[Any] | None, prompt: str = "") -> RunTurn:
    """Let the agent take turns with its own tools and instructions overridden."""
    from pydantic_ai.usage import RunUsage

    overrides: dict[str, Any] = {} if tools is None else {"tools": tools, "toolsets": []}
    if prompt and overrides:
        overrides["instructions"] = prompt
    history: list[Any] = []

    async def run_turn(message: str, toolbox: Toolbox) -> str:
        usage = RunUsage()  # the run adds to it, also one that is cut off
        try:
            with agent.override(**overrides):
                result = await agent.run(message, message_history=history, usage=usage)
        finally:
            toolbox.count_usage(usage)
        history[:] = result.all_messages()
        return str(result.output)

    return run_turn
