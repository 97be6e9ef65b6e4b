"""``--agent=unhelpful``: the baseline of ToolSandbox that calls nothing and helps nobody."""

from __future__ import annotations

from typing import Any, Final

SORRY: Final = "I'm sorry, but I can't help you with that."


def unhelpful(messages: list[dict[str, Any]], tools: list[dict[str, Any]]) -> str:
    """Return the same words to whatever was said."""
    del messages, tools
    return SORRY
