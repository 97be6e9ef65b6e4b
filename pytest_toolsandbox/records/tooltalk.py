"""What a record says of calls that were compared with true ones, as plain values."""

from __future__ import annotations

import dataclasses
from typing import Any

from pytest_toolsandbox.evaluation.tooltalk.evaluate_calls import CallEvaluation
from pytest_toolsandbox.evaluation.tooltalk.metrics import CallCounts

OUTLINE = ("protocol", "similarity", "success", "soft_success", "counts", "plugins", "errors")
"""What totals are made of."""


def calls_record(result: CallEvaluation) -> dict[str, Any]:
    """Return all marks and figures of a replayed conversation."""
    return {
        **calls_outline(result),
        "rates": rates(result.counts),
        "predictions": [dataclasses.asdict(prediction) for prediction in result.predictions],
        "truths": [dataclasses.asdict(truth) for truth in result.truths],
    }


def calls_outline(result: CallEvaluation) -> dict[str, Any]:
    """Return what totals need of a replayed conversation."""
    return {
        "protocol": result.protocol.name,
        "similarity": result.similarity,
        "success": result.passed,
        "soft_success": result.soft_success,
        "counts": dataclasses.asdict(result.counts),
        "plugins": {name: dataclasses.asdict(c) for name, c in result.plugins.items()},
        "errors": dataclasses.asdict(result.errors),
    }


def outline_of(calls: dict[str, Any]) -> dict[str, Any]:
    """Return the part of the marks and figures that totals are made of."""
    return {name: calls[name] for name in OUTLINE}


def rates(counts: CallCounts) -> dict[str, float | None]:
    """Return the shares of calls, each from 0 to 1; ``None`` where there is nothing to share."""
    return {
        "precision": counts.precision,
        "recall": counts.recall,
        "action_precision": counts.action_precision,
        "bad_action_rate": counts.bad_action_rate,
    }
