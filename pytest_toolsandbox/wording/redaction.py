"""What may be shown of a text from outside: one line, and no keys."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from typing import Any

from .cutting import one_line

HIDDEN = "***"

_NAMES = ("_KEY", "_TOKEN", "_SECRET")
_SHORTEST = 8  # a shorter value is a switch or a number, and would blank out ordinary words
_SHAPES = re.compile(r"\bsk-[\w*-]{3,}|\b(?:gsk_|hf_|xai-|AIza)[\w*-]{8,}|(?<=Bearer )\S+")


def redacted(text: str, named: Mapping[str, Any] | None = None) -> str:
    """Return ``text`` without keys: the environment's, those in ``named``, and what looks like one.

    A variable holds a key when its name ends in ``_KEY``, ``_TOKEN`` or ``_SECRET``. ``named`` are
    further values with such names, in any case: ``{"api_key": …}``.
    """
    for secret in sorted(_secrets({**os.environ, **(named or {})}), key=len, reverse=True):
        text = text.replace(secret, HIDDEN)
    return _SHAPES.sub(HIDDEN, text)


def shown(
    text: str, limit: int = 200, mark: str = "…", named: Mapping[str, Any] | None = None
) -> str:
    """Return a text from outside as it may be shown: without keys, in one line, cut, escaped.

    It is redacted before it is cut: half a key would not be found.
    """
    return one_line(redacted(text, named), limit, mark)


def _secrets(named: Mapping[str, Any]) -> set[str]:
    values = (
        value.strip()
        for name, value in named.items()
        if name.upper().endswith(_NAMES) and isinstance(value, str)
    )
    return {value for value in values if len(value) >= _SHORTEST}
