"""The adapter for Microsoft's Agent Framework."""

from __future__ import annotations

import copy
from typing import Any, Final

from pytest_toolsandbox.agents.tool_functions import CallableTool
from pytest_toolsandbox.agents.toolbox import RunTurn, Toolbox

NAMES: Final = ("agent_framework",)
CLASSES: Final = (("agent_framework", "BaseAgent"),)


def tool(tool: CallableTool) -> Any:
    """Return a tool as a ``FunctionTool``."""
    from agent_framework import FunctionTool

    return FunctionTool(
        name=tool.name,
        description=tool.description,
        input_model=tool.parameters,
        func=tool.call_named,
    )


def bind(agent: Any, tools: list[Any] | None, prompt: str = "") -> RunTurn:
    """Let a copy of the agent take turns."""
    from agent_framework import chat_middleware

    bound_agent = copy.copy(agent)
    if tools is not None:
        instructions = {"instructions": prompt} if prompt else {}
        bound_agent.default_options = {**agent.default_options, "tools": tools, **instructions}
        bound_agent.mcp_tools = []
    session = bound_agent.create_session()

    async def run_turn(message: str, toolbox: Toolbox) -> str:
        before = toolbox.counted

        @chat_middleware  # type: ignore[untyped-decorator]
        async def count(context: Any, call_next: Any) -> None:
            await call_next()
            toolbox.count_usage(getattr(context.result, "usage_details", None))

        bound_agent.middleware = [*(agent.middleware or ()), count]
        response = await bound_agent.run(message, session=session)
        if toolbox.counted == before:  # an agent of another class may ignore middleware
            toolbox.count_usage(response.usage_details)
        return str(response.text)

    return run_turn
