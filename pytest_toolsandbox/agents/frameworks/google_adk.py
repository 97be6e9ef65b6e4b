"""Google's Agent Development Kit."""

from __future__ import annotations

from typing import Any

from google.adk.agents import BaseAgent
from google.adk.runners import InMemoryRunner
from google.adk.tools.base_tool import BaseTool
from google.genai.types import Content, FunctionDeclaration, Part

from pytest_toolsandbox.agents.tool_functions import CallableTool
from pytest_toolsandbox.agents.toolbox import RunTurn, Toolbox

from . import to_be_built

_NAME = "toolsandbox"
"""Of the application and its user."""


def tool(one: CallableTool) -> BaseTool:
    """Return a tool as the kit has it."""
    described = {"name": one.name, "description": one.description}

    class Own(BaseTool):  # type: ignore[misc]  # the kit has no types here
        def _get_declaration(self) -> FunctionDeclaration:
            return FunctionDeclaration(**described, parameters_json_schema=one.parameters)

        async def run_async(self, *, args: dict[str, Any], **_: object) -> Any:
            return {"result": await one.call(args)}

    return Own(**described)


def taking_turns(agent: BaseAgent, tools: list[BaseTool] | None, prompt: str = "") -> RunTurn:
    """Let a copy of an agent take turns. Raises :class:`AgentError` where others have tools."""
    if tools is not None and (agent.sub_agents or not hasattr(agent, "tools")):
        raise to_be_built("the agent has sub-agents, which have tools of their own", "google_adk")
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
