"""Google's Agent Development Kit."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from google.adk.agents import BaseAgent
from google.adk.runners import InMemoryRunner
from google.adk.tools.base_tool import BaseTool
from google.genai.types import Content, FunctionDeclaration, Part

from pytest_toolsandbox.agents.toolbox import Toolbox
from pytest_toolsandbox.models.errors import AgentError

_NAME = "toolsandbox"
"""Of the application and its user."""
_SUB_AGENTS = (
    "the agent has sub-agents, which have tools of their own; write def build(toolbox), which "
    "makes all of them with toolbox.for_('google_adk')"
)


class _Tool(BaseTool):  # type: ignore[misc]  # the kit has no types here
    def __init__(self, tool: dict[str, Any], toolbox: Toolbox) -> None:
        super().__init__(name=tool["name"], description=tool.get("description", ""))
        self.parameters, self.toolbox = tool["parameters"], toolbox

    def _get_declaration(self) -> FunctionDeclaration:
        described = {"name": self.name, "description": self.description}
        return FunctionDeclaration(**described, parameters_json_schema=self.parameters)

    async def run_async(self, *, args: dict[str, Any], tool_context: object) -> Any:
        del tool_context
        return {"result": await self.toolbox.call_async(self.name, args)}


def tools(toolbox: Toolbox) -> list[BaseTool]:
    """Return the tools as the kit has them."""
    return [_Tool(schema["function"], toolbox) for schema in toolbox.schemas]


def taking_turns(
    agent: BaseAgent, tools: list[BaseTool] | None, prompt: str = ""
) -> Callable[[str, Toolbox], Awaitable[str]]:
    """Let a copy of an agent take turns. Raises :class:`AgentError` where others have tools."""
    if tools is not None and (agent.sub_agents or not hasattr(agent, "tools")):
        raise AgentError(_SUB_AGENTS)
    told = {"instruction": prompt} if prompt else {}
    own = agent if tools is None else agent.clone({"tools": tools, **told})
    runner = InMemoryRunner(own, app_name=_NAME)
    sessions: list[Any] = []

    async def run_turn(message: str, toolbox: Toolbox) -> str:
        if not sessions:
            service = runner.session_service
            sessions.append(await service.create_session(app_name=_NAME, user_id=_NAME))
        said = Content(role="user", parts=[Part(text=message)])
        place = {"user_id": _NAME, "session_id": sessions[0].id}
        events = [one async for one in runner.run_async(**place, new_message=said)]
        for event in events:
            toolbox.count_usage(event.usage_metadata)
        final = [one.content.parts for one in events if one.is_final_response() and one.content]
        return "".join(part.text or "" for part in (final[-1] if final else None) or ())

    return run_turn
