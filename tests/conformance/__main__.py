"""Where the results of ToolSandbox's cases differ from what is expected of them.

``python -m tests.conformance FILE`` prints a line for each case that differs, and how many agree.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path

from pytest_toolsandbox.scoring.milestones.evaluate import evaluate

from .cells import Json
from .reading import read_case

SCORES = ("milestone_similarity", "minefield_similarity", "similarity", "turn_count")
TOLERANCE = 1e-6


def read_file(path: Path) -> list[Json]:
    """Return the cases of a file."""
    cases: list[Json] = json.loads(path.read_text(encoding="utf-8"))["cases"]
    return cases


def differences(case: Json) -> Iterator[str]:
    """Yield every field in which this project's result is not the expected one."""
    expected = {**case["expected"], **case.get("expected_here", {})}
    actual = results(case)
    for field in SCORES:
        if not _agree(expected[field], actual[field]):
            yield f"{field}: expected {expected[field]!r}, found {actual[field]!r}"
    if expected["milestone_mapping_unique"]:
        yield from _mapping_differences(expected["milestone_mapping"], actual["milestone_mapping"])


def results(case: Json) -> Json:
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


def _mapping_differences(expected: Json, actual: Json) -> Iterator[str]:
    """Compare two mappings: event → its snapshot and its similarity."""
    for name in sorted({*expected, *actual}, key=int):
        pair, other = expected.get(name, []), actual.get(name, [])
        if len(pair) != len(other) or not all(map(_agree, pair, other)):
            yield f"milestone_mapping[{name}]: expected {pair}, found {other}"


def _agree(number: float, other: float) -> bool:
    return abs(number - other) <= TOLERANCE


def main(arguments: list[str]) -> int:
    """Compare every case of a file; 0 if all of them agree."""
    if len(arguments) != 1:
        sys.stderr.write("usage: python -m tests.conformance FILE\n")
        return 2
    cases = read_file(Path(arguments[0]))
    agreeing = 0
    for case in cases:
        lines = list(differences(case))
        if lines:
            sys.stdout.write(f"case {case['id']}: {'; '.join(lines)}\n")
        agreeing += not lines
    sys.stdout.write(f"agree {agreeing} of {len(cases)}\n")
    return 0 if agreeing == len(cases) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
