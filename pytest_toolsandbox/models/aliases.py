"""Names of models: aliases such as ``claude``, and ``provider/model``; checks of their settings."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Set as AbstractSet
from types import MappingProxyType
from typing import Any, Final

from pytest_toolsandbox.concurrency.time_limit import LONGEST
from pytest_toolsandbox.text.formatting import format_value, type_name
from pytest_toolsandbox.text.nearest_name import did_you_mean

ALIASES: Mapping[str, str] = MappingProxyType(
    {
        "claude": "anthropic/claude-sonnet-5-5",
        "gemini": "gemini/gemini-3.8-flash",
        "gpt": "openai/gpt-6.1-sol",
    }
)

NO_JUDGE: Final = "none"
"""The value of ``--sandbox-judge``, and in records, for no judge."""

_MODEL = re.compile(r"[A-Za-z][\w-]*/\S+")


def model_name(agent: str, aliases: Mapping[str, str]) -> str | None:
    """Return the ``provider/model`` that a name means, ``None`` if it is not a model."""
    if agent in aliases:
        return aliases[agent]
    return agent if _MODEL.fullmatch(agent) else None


class ModelNameError(ValueError):
    """The name is not a model; the text lists what is allowed."""


def named_model(text: str, aliases: Mapping[str, str]) -> str:
    """Return the ``provider/model`` that a name means. Raises ``ModelNameError``."""
    names = {**ALIASES, **aliases}
    if model := model_name(text, names):
        return model
    allowed = f"{', '.join(names)}, provider/model"
    raise ModelNameError(f"{text} is not a model{did_you_mean(text, names)} (allowed: {allowed})")


_SETTINGS_MODEL: Final = "expected provider/model, such as 'openai/gpt-4.1'"
_SECONDS: Final = f"expected seconds above 0, such as 60, at most {LONGEST} (30 days)"
_PARAMETERS: Final = "expected names and their values, such as {'temperature': 0}; {} sets none"


def check_settings(model: Any, timeout: Any, parameters: Any) -> None:
    """Raise ``TypeError`` or ``ValueError`` for settings that no request can use, in one line."""
    if not isinstance(model, str):
        raise TypeError(f"model is {type_name(model)}; {_SETTINGS_MODEL}")
    _check_seconds("timeout", timeout)
    if not isinstance(parameters, Mapping):
        raise TypeError(f"parameters is {type_name(parameters)}; {_PARAMETERS}")
    for name, value in parameters.items():
        if not isinstance(name, str):
            raise TypeError(f"parameters has the name {format_value(name)}; {_PARAMETERS}")
        _check_json(f"parameters[{format_value(name)}]", value)
    if isinstance(seconds := parameters.get("timeout"), (str, int, float)):  # else httpx's object
        _check_seconds("parameters['timeout']", seconds)


def _check_seconds(name: str, value: Any) -> None:
    if not isinstance(value, (int, float)) or isinstance(value, bool):
        raise TypeError(f"{name} is {format_value(value)}; {_SECONDS}")
    if not 0 < value <= LONGEST:
        raise ValueError(f"{name} is {format_value(value)}; {_SECONDS}")


def _check_json(name: str, value: Any) -> None:
    try:
        json.dumps(value, default=_accept)
    except (TypeError, ValueError) as error:
        raise TypeError(f"{name} cannot be sent as JSON: {error}") from None


def _accept(value: object) -> None:
    """Accept objects that litellm itself handles, such as a class as a ``response_format``."""
    if isinstance(value, AbstractSet):
        raise TypeError(f"it has {type_name(value)}; write it as a list")
