"""The adapter for Google's Agent Development Kit."""

from __future__ import annotations

from typing import Any, Final

from pytest_toolsandbox.agents.tool_functions import CallableTool
from pytest_toolsandbox.agents.toolbox import RunTurn, Toolbox

from . import needs_factory

NAMES: Final = ("google_adk",)
CLASSES: Final = (("google.adk.agents", "BaseAgent"),)
_APP: Final = "toolsandbox"
"""The name of the application and of its user."""


def tool(tool: CallableTool) -> Any:
    """Return a tool as a subclass of ``BaseTool``."""
    from google.adk.tools.base_tool import BaseTool
    from google.genai.types import FunctionDeclaration

    described = {"name": tool.name, "description": tool.description}

    class SandboxTool(BaseTool):  # type: ignore[misc]  # the kit has no types here
        def _get_declaration(self) -> FunctionDeclaration:
            return FunctionDeclaration(**described, parameters_json_schema=tool.parameters)

        async def run_async(self, *, args: dict[str, Any], **_: object) -> Any:
            return {"result": await tool.call(args)}

    return SandboxTool(**described)


def bind(agent: Any, tools: list[Any] | None, prompt: str = "") -> RunTurn:
    """Let a copy of the agent take turns. Raises :class:`AgentError` if it has sub-agents."""
    from google.adk.runners import InMemoryRunner
    from google.genai.types import Content, Part

    if tools is not None and (agent.sub_agents or not hasattr(agent, "tools")):
        raise needs_factory("the agent has sub-agents, which have tools of their own", NAMES[0])
    instruction = {"instruction": prompt} if prompt else {}
    bound_agent = agent if tools is None else agent.clone({"tools": tools, **instruction})
    runner = InMemoryRunner(bound_agent, app_name=_APP)
    sessions: list[Any] = []

    async def run_turn(message: str, toolbox: Toolbox) -> str:
        if not sessions:
            service = runner.session_service
            sessions.append(await service.create_session(app_name=_APP, user_id=_APP))
        content = Content(role="user", parts=[Part(text=message)])
        session = {"user_id": _APP, "session_id": sessions[0].id}
        events = []
        async for event in runner.run_async(**session, new_message=content):
            toolbox.count_usage(event.usage_metadata)
            events.append(event)
        final = [e.content.parts for e in events if e.is_final_response() and e.content]
        return "".join(part.text or "" for part in (final[-1] if final else None) or ())

    return run_turn
