"""Reads the arguments of a call, which are JSON as a model wrote it."""

from __future__ import annotations

import json
import math
from typing import Any

MAX_DEPTH = 50
"""How deep arguments may be nested; far deeper ones would exhaust Python's stack somewhere."""


def read_arguments(text: str) -> dict[str, Any]:
    """Return the arguments of a call; no text means that there are none.

    Raises ``ValueError`` or ``TypeError``, with one line for the model, for what is no JSON, no
    object, no finite number or no Unicode, and for what is nested too deeply.
    """
    try:
        arguments = json.loads(
            text or "{}", parse_constant=_refuse, parse_float=_finite, parse_int=_whole
        )
    except RecursionError:
        raise ValueError("the arguments are no JSON: nested too deeply") from None
    except ValueError as error:
        raise ValueError(f"the arguments are no JSON: {error}") from None
    if not isinstance(arguments, dict):
        raise TypeError("the arguments are no JSON object")
    if _is_deeper(arguments, MAX_DEPTH):
        raise ValueError(f"the arguments are no JSON: nested deeper than {MAX_DEPTH} levels")
    try:  # a surrogate alone cannot be written to a file
        json.dumps(arguments, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        text = "the arguments are no JSON: a \\u escape is half of a character"
        raise ValueError(text) from None
    return arguments


def readable_arguments(text: str) -> dict[str, Any] | None:
    """Return the arguments of a call, ``None`` where they cannot be read."""
    try:
        return read_arguments(text)
    except (ValueError, TypeError):
        return None


def _refuse(constant: str) -> Any:
    raise ValueError(f"{constant} is not allowed")


def _finite(text: str) -> float:
    number = float(text)
    if math.isinf(number):
        raise ValueError(f"{text[:40]} is out of range")
    return number


def _whole(text: str) -> int:
    _finite(text)  # larger ones are refused by what writes numbers and by many tools
    return int(text)


def _is_deeper(value: Any, levels: int) -> bool:
    if not isinstance(value, (dict, list)):
        return False
    inner = value.values() if isinstance(value, dict) else value
    return levels == 0 or any(_is_deeper(item, levels - 1) for item in inner)
