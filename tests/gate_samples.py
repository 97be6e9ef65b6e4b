"""Samples to be compared, in a line each."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pytest_toolsandbox.gate.played import Conditions, PlayedTrial, Setup
from pytest_toolsandbox.gate.samples import Sample, sample_of

SCRIPTED = Conditions("scripted", "native", "feedback off")


def trial(name: str, passed: bool | None, **facts: Any) -> PlayedTrial:
    """Return a trial of a scenario."""
    usual: dict[str, Any] = {
        "digest": "d1",
        "score": None if passed is None else float(passed),
        "setup": Setup("agent", "{}", "p1", "t1"),
        "conditions": SCRIPTED,
        "world": "desk",
    }
    return PlayedTrial(id=name, passed=passed, **{**usual, **facts})


def sample(passes: Mapping[str, str], key: str = "", date: str = "", **facts: Any) -> Sample:
    """Return a sample: scenario → its trials, such as ``++-`` (``?`` was lost)."""
    outcome_of_mark = {"+": True, "-": False, "?": None}
    trials = [
        trial(name, outcome_of_mark[mark], **facts)
        for name, marks in passes.items()
        for mark in marks
    ]
    return sample_of(trials, key, date)
