"""What cannot be a setting of a model: it is told where it is written, before anybody is asked."""

from __future__ import annotations

import json
from collections.abc import Mapping, Set as AbstractSet
from typing import Any, Final

from pytest_toolsandbox.wording.phrases import literal, type_of

_MODEL: Final = "expected provider/model, such as 'openai/gpt-4.1'"
_SECONDS: Final = "expected seconds above 0, such as 60"
_PARAMETERS: Final = "expected names and their values, such as {'temperature': 0}; {} is none"


def check_settings(model: Any, timeout: Any, parameters: Any) -> None:
    """Raise ``TypeError`` or ``ValueError`` for what no model can be asked with, in one line."""
    if not isinstance(model, str):
        raise TypeError(f"model is {type_of(model)}; {_MODEL}")
    _check_seconds("timeout", timeout)
    if not isinstance(parameters, Mapping):
        raise TypeError(f"parameters is {type_of(parameters)}; {_PARAMETERS}")
    for name, value in parameters.items():
        if not isinstance(name, str):
            raise TypeError(f"parameters has the name {literal(name)}; {_PARAMETERS}")
        _check_json(f"parameters[{literal(name)}]", value)
    if isinstance(given := parameters.get("timeout"), (str, int, float)):  # else one of httpx's
        _check_seconds("parameters['timeout']", given)


def _check_seconds(name: str, given: Any) -> None:
    is_number = isinstance(given, (int, float)) and not isinstance(given, bool)
    if not is_number:
        raise TypeError(f"{name} is {literal(given)}; {_SECONDS}")
    if not given > 0:
        raise ValueError(f"{name} is {literal(given)}; {_SECONDS}")


def _check_json(name: str, value: Any) -> None:
    try:
        json.dumps(value, default=_of_litellm)
    except (TypeError, ValueError) as error:
        raise TypeError(f"{name} cannot be sent as JSON: {error}") from None


def _of_litellm(value: object) -> None:
    """Let objects pass that litellm itself knows, such as a class as a ``response_format``."""
    if isinstance(value, AbstractSet):
        raise TypeError(f"it has {type_of(value)}; write it as a list")
