"""The tool with which an agent concludes a query (SpecTool)."""

from __future__ import annotations

from pytest_toolsandbox.worlds.tool import tool


@tool("conversation")
def finish(answer: str | float | bool | list[str | float]) -> None:
    """Give the final answer, which ends the conversation.

    Args:
        answer: The answer to what was asked, and nothing else; a list where several things are.
    """
