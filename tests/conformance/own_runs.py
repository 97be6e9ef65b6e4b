"""Runs and totals of a test's own, in the form of the files with those of the published code."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .tooltalk_runs import Json

Counts = tuple[int, int, int, int, int, int]
NAMES = ("predictions", "ground_truths", "matches", "actions", "valid_actions", "bad_actions")


def figures(counts: Counts) -> Json:
    predictions, truths, matches, actions, valid, bad = counts
    return {
        **dict(zip(NAMES, counts, strict=True)),
        "precision": matches / predictions if predictions else 0.0,
        "recall": matches / truths,
        "action_precision": valid / actions if actions else 1.0,
        "bad_action_rate": bad / actions if actions else 0.0,
    }


def run(
    predictor: str, split: str, conversation: str, counts: Counts, turns: Mapping[int, list[Json]]
) -> Json:
    """Return a run, whose turns are the calls by their places."""
    metrics = figures(counts)
    success = metrics["recall"] == 1 and not metrics["bad_action_rate"]
    soft = metrics["recall"] * (1 - metrics["bad_action_rate"])
    return {
        "predictor": predictor,
        "split": split,
        "conversation": conversation,
        "turns": [{"position": place, "calls": calls} for place, calls in turns.items()],
        "ground_truth_match": [True] * counts[2] + [False] * (counts[1] - counts[2]),
        "metrics": {**metrics, "success": success, "soft_success": soft},
    }


def total(published_run: Json, bad_planning: int = 0, **more: Any) -> Json:
    """Return the total of a single run."""
    metrics = {**published_run["metrics"], **more}
    success, soft = metrics.pop("success"), metrics.pop("soft_success")
    return {
        published_run["split"]: {
            **metrics,
            "num_conversations": 1,
            "successes": int(success),
            "success_rate": float(success),
            "mean_soft_success": soft,
            "similarity_dependent_conversations": 0,
            "error_types": {"over-trigger": 0, "bad planning": bad_planning, "bad call": 0},
        }
    }
