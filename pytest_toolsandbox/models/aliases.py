"""Short names for models."""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType

ALIASES: Mapping[str, str] = MappingProxyType(
    {
        "claude": "anthropic/claude-sonnet-5-5",
        "gemini": "gemini/gemini-3.8-flash",
        "gpt": "openai/gpt-6.1-sol",
    }
)

_MODEL = re.compile(r"[A-Za-z][\w-]*/\S+")


def model_name(agent: str, aliases: Mapping[str, str]) -> str | None:
    """Return the ``provider/model`` that ``--agent`` means by ``aliases``, if it means one."""
    if agent in aliases:
        return aliases[agent]
    return agent if _MODEL.fullmatch(agent) else None
