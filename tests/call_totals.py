"""The figures of several conversations: of a suite, of a split, of a whole run."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import fsum

from pytest_toolsandbox.scoring.tooltalk.evaluate_calls import (
    CallCounts,
    CallErrors,
    CallEvaluation,
    share,
)


@dataclass(frozen=True)
class CallTotals:
    """The figures of several conversations: counts are added up before they are divided.

    ``soft_success`` is the mean over the conversations with ground-truth calls, ``None`` without
    one.
    """

    conversations: int
    successes: int
    counts: CallCounts
    plugins: Mapping[str, CallCounts]
    errors: CallErrors
    soft_success: float | None

    @property
    def success_rate(self) -> float | None:
        """The share of the conversations that succeeded."""
        return share(self.successes, self.conversations)


def total_calls(evaluations: Iterable[CallEvaluation]) -> CallTotals:
    """Add up conversations."""
    evaluations = tuple(evaluations)
    soft = [e.soft_success for e in evaluations if e.soft_success is not None]
    plugins = sorted({plugin for evaluation in evaluations for plugin in evaluation.plugins})
    return CallTotals(
        len(evaluations),
        sum(evaluation.passed for evaluation in evaluations),
        sum((evaluation.counts for evaluation in evaluations), CallCounts()),
        {
            plugin: sum((e.plugins.get(plugin, CallCounts()) for e in evaluations), CallCounts())
            for plugin in plugins
        },
        sum((evaluation.errors for evaluation in evaluations), CallErrors()),
        fsum(soft) / len(soft) if soft else None,
    )
