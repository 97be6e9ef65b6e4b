"""What may be shown of a text from outside: one line, and no keys."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from typing import Any

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


def one_line(text: str, limit: int = 200) -> str:
    """Return ``text`` on one line of at most ``limit`` characters."""
    line = " ".join(text.split())
    return line if len(line) <= limit else f"{line[: limit - 1]}…"


def _secrets(named: Mapping[str, Any]) -> set[str]:
    values = (
        value.strip()
        for name, value in named.items()
        if name.upper().endswith(_NAMES) and isinstance(value, str)
    )
    return {value for value in values if len(value) >= _SHORTEST}
