"""Records of conversations that were judged, as far as totals of error patterns look at them."""

from __future__ import annotations

from typing import Any

from pytest_toolsandbox.language.error_patterns import PATTERNS


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
