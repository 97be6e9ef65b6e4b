"""``toolsandbox gate --self-test``: what the gate would say where nothing changed."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from pytest_toolsandbox.gate.baseline import merged
from pytest_toolsandbox.gate.self_test import DRAWS, SelfTest, self_test
from pytest_toolsandbox.reporting.tables import aligned
from pytest_toolsandbox.wording.phrases import counted

from . import CommandError
from .baseline import read_sample


def print_self_test(files: Sequence[Path], margin: float | None) -> int:
    """Print how often the gate is wrong on these trials, and which drop it would see."""
    sample = merged(read_sample(file) for file in dict.fromkeys(files))
    try:
        found = self_test(sample, margin)
    except ValueError as error:
        remedy = "play with more trials, or name several runs or a baseline"
        raise CommandError(f"{', '.join(map(str, files))}: {error}; {remedy}") from None
    print(*_lines(found), sep="\n")
    return 0


def _lines(found: SelfTest) -> list[str]:
    scenarios = counted(found.scenarios, "scenario")
    said = ", ".join(f"{kind} {share:.1%}" for kind, share in found.shares.items())
    seen = {trials: "n/a" if d is None else f"{d:.3f}" for trials, d in found.seen.items()}
    rows = [("trials of each scenario", *map(str, seen)), ("drop", *seen.values())]
    return [
        f"{DRAWS} times the trials of {scenarios} in two random halves; nothing changed",
        f"  {said}",
        "the drop that is told worse in 4 of 5 runs, with these trials as the baseline",
        *(f"  {line}" for line in aligned(rows)),
    ]
