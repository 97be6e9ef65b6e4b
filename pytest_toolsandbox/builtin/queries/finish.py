"""The tool with which an agent concludes a query (SpecTool)."""

from __future__ import annotations

from functools import cache
from typing import Any, Final

from typing_extensions import TypedDict

from pytest_toolsandbox.worlds.tool import Tool, tool

TYPES: Final = {"string": str, "integer": int, "number": float, "boolean": bool}
"""Name of a type in JSON Schema → Python type of a column."""


@tool("conversation")
def finish(answer: str | float | bool | list[str | float]) -> None:
    """Give the final answer, which ends the conversation.

    Args:
        answer: The answer to what was asked, and nothing else; a list where several things are.
    """


@cache
def finish_with(columns: tuple[tuple[str, str], ...]) -> Tool:
    """Return the tool for an answer that is a list of rows: ``columns`` are names and types."""
    row: Any = TypedDict("Row", {name: TYPES[kind] for name, kind in columns})  # type: ignore[misc]

    def finish(answer: Any) -> None:
        """Give the final answer, which ends the conversation.

        Args:
            answer: The rows of the answer, and nothing else.
        """

    finish.__annotations__ = {"answer": list[row], "return": None}
    return tool("conversation")(finish)
