"""Short names for models."""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from pytest_toolsandbox.wording.nearest_name import did_you_mean

ALIASES: Mapping[str, str] = MappingProxyType(
    {
        "claude": "anthropic/claude-sonnet-5-5",
        "gemini": "gemini/gemini-3.8-flash",
        "gpt": "openai/gpt-6.1-sol",
    }
)

NO_JUDGE: Final = "none"
"""What a judge is called where there is none, in records and as ``--sandbox-judge``."""

_MODEL = re.compile(r"[A-Za-z][\w-]*/\S+")


def model_name(agent: str, aliases: Mapping[str, str]) -> str | None:
    """Return the ``provider/model`` that ``--agent`` means by ``aliases``, if it means one."""
    if agent in aliases:
        return aliases[agent]
    return agent if _MODEL.fullmatch(agent) else None


class ModelNameError(ValueError):
    """What should be a model and is none; the text says what there is."""


def named_model(text: str, aliases: Mapping[str, str]) -> str:
    """Return the ``provider/model`` of a name that must mean one. Raises ``ModelNameError``."""
    names = {**ALIASES, **aliases}
    if model := model_name(text, names):
        return model
    allowed = f"{', '.join(names)}, provider/model"
    raise ModelNameError(f"{text} is no model{did_you_mean(text, names)} (allowed: {allowed})")
