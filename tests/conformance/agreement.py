"""Where the result of a case differs from what is expected of it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pytest_toolsandbox.evaluation.milestones import evaluate

from .reading import read_case

TOLERANCE = 1e-6

Mapping = dict[str, list[float]]
"""Event → its snapshot and its similarity."""


def differences(case: dict[str, Any]) -> Iterator[str]:
    """Yield every field in which this project's result is not the expected one."""
    expected = {**case["expected"], **case.get("expected_here", {})}
    found = results(case)
    for field in ("milestone_similarity", "minefield_similarity", "similarity", "turn_count"):
        if abs(found[field] - expected[field]) > TOLERANCE:
            yield f"{field}: expected {expected[field]!r}, found {found[field]!r}"
    if expected["milestone_mapping_unique"]:
        yield from _mapping_differences(expected["milestone_mapping"], found["milestone_mapping"])


def results(case: dict[str, Any]) -> dict[str, Any]:
    """Return the result of a case, under the names that the cases have for it."""
    scenario, trajectory = read_case(case)
    evaluation = evaluate(scenario, trajectory)
    return {
        "milestone_similarity": evaluation.milestone_score,
        "minefield_similarity": evaluation.minefield_score,
        "similarity": evaluation.score,
        "turn_count": trajectory.turn_count,
        "milestone_mapping": {
            event.name: [event.snapshot, event.similarity] for event in evaluation.milestones
        },
    }


def read_file(path: Path) -> list[dict[str, Any]]:
    """Return the cases of a file."""
    import json

    cases: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))["cases"]
    return cases


def _mapping_differences(expected: Mapping, found: Mapping) -> Iterator[str]:
    for name in sorted({*expected, *found}, key=int):
        one, other = expected.get(name), found.get(name)
        if one is None or other is None or one[0] != other[0] or abs(one[1] - other[1]) > TOLERANCE:
            yield f"milestone_mapping[{name}]: expected {one}, found {other}"
