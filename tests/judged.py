"""Records of conversations that were judged, as far as totals of error patterns look at them."""

from __future__ import annotations

from typing import Any

from pytest_toolsandbox.language.error_patterns import PATTERNS
from pytest_toolsandbox.output.error_table import BY_COLUMN, LOWEST

PATTERN_HEAD = "error patterns  items  success" + "".join(f"{name:>6}" for name in BY_COLUMN)
NO_ERRORS = dict.fromkeys([*BY_COLUMN, *(f"{name}.lowest" for name in LOWEST)], "1.0")
"""The properties of an item without errors in JUnit XML."""


def record(name: str, *words: str, passed: bool = True, **more: Any) -> Any:
    """Return a record of a query on a desk; ``IAC=0.5`` is a score, ``words`` are findings."""
    scores = {pattern: more.pop(pattern, 1.0) for pattern in PATTERNS}
    return {
        "id": f"a.yaml::{name}",
        "world": "desk",
        "variant": None,
        "feedback": True,
        "outcome": "passed" if passed else "failed",
        "error_patterns": {
            "scores": scores,
            "lowest_scores": {**scores, **more.pop("lowest", {})},
            "words": list(words),
        },
        **more,
    }


def pattern_row(name: str, items: int, success: float, **scores: float) -> str:
    """Return a row of the table of error patterns; a score that is not given is 1."""
    cells = "".join(f"{scores.get(pattern, 1.0):6.2f}" for pattern in BY_COLUMN)
    return f"{name:14}  {items:>5}  {success:7.2f}{cells}"
