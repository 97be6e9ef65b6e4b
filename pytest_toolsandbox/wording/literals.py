"""How expected values are written in reports: short, on one line, much as in YAML."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from typing import Any

from .cutting import cut


def literal(value: Any) -> str:
    """Write a value the way a scenario might: ``'blue pot'``, ``null``, ``{name: 'Ada'}``."""
    if isinstance(value, str):
        return _quoted(cut(value))
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_key(k)}: {literal(v)}" for k, v in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(map(literal, value)) + "]"
    if isinstance(value, float) and not math.isfinite(value):
        return {"nan": ".nan", "inf": ".inf", "-inf": "-.inf"}[str(value)]
    return json.dumps(value) if value is None or isinstance(value, bool) else str(value)


def graded(text: str, threshold: float, usual: float) -> str:
    """Add a threshold to a description where it is not the usual one."""
    return text if threshold == usual else f"{text} (at least {threshold:g})"


def with_tolerance(to: float, tolerance: float) -> str:
    """Write a number with its tolerance, if it has any."""
    return f"{literal(to)} ± {literal(tolerance)}" if tolerance else literal(to)


def _quoted(text: str) -> str:
    if "'" in text or not text.isprintable():
        return json.dumps(text, ensure_ascii=False)
    return f"'{text}'"


def _key(key: Any) -> str:
    return key if isinstance(key, str) and re.fullmatch(r"[^\W\d]\w*", key) else literal(key)
