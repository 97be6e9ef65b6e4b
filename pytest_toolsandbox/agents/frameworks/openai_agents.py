"""The adapter for the OpenAI Agents SDK."""

from __future__ import annotations

from typing import Any, Final

from pytest_toolsandbox.agents.tool_functions import CallableTool
from pytest_toolsandbox.agents.toolbox import RunTurn, Toolbox

from . import MAX_REQUESTS, needs_factory

NAMES: Final = ("openai_agents",)
CLASSES: Final = (("agents.agent", "AgentBase"),)


def tool(tool: CallableTool) -> Any:
    """Return a tool as a ``FunctionTool``."""
    from agents import FunctionTool  # type: ignore[attr-defined]  # mypy finds tests/agents

    async def invoke(_: object, arguments: str) -> str:
        return await tool.call(arguments)

    described = tool.name, tool.description, tool.parameters
    return FunctionTool(*described, invoke, strict_json_schema=False)


def bind(agent: Any, tools: list[Any] | None, prompt: str = "") -> RunTurn:
    """Let a copy of the agent take turns. Raises :class:`AgentError` if it hands off."""
    from agents import RunHooks, Runner  # type: ignore[attr-defined]  # mypy finds tests/agents

    if tools is not None and agent.handoffs:
        reason = "the agent hands off to others, which have tools of their own"
        raise needs_factory(reason, NAMES[0])
    bound_agent = agent
    if tools is not None:
        bound_agent = agent.clone(
            tools=tools, mcp_servers=[], instructions=prompt or agent.instructions
        )
    history: list[Any] = []

    class Counting(RunHooks):  # type: ignore[misc]  # as above
        def __init__(self, toolbox: Toolbox) -> None:
            self.toolbox = toolbox

        async def on_llm_end(self, _: object, __: object, response: Any) -> None:
            self.toolbox.count_usage(response.usage)

    async def run_turn(message: str, toolbox: Toolbox) -> str:
        history.append({"role": "user", "content": message})
        hooks = Counting(toolbox)
        result = await Runner.run(bound_agent, history, max_turns=MAX_REQUESTS, hooks=hooks)
        history[:] = result.to_input_list()
        return str(result.final_output)

    return run_turn
