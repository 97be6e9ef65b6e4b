"""Simulates whether further trials show which of the suspected scenarios broke.

``python benchmarks/gate_confirming.py`` plays suites that got worse as in ``gate_error_rates.py``:
of the scenarios some broke, and nothing else changed. ``--sandbox-trials=auto`` looks after 1, 2, 3
and 5 trials of each; where it says worse, those that pass less often get five more. Columns:

- worse: how often that is said
- broke: scenarios that broke, on the mean of these runs; told before: the share of them that is
  listed as broken without further trials; told after: with them
- false before, false after: the share of those lists that did not break, on the mean; asked for is
  at most 0.1
- asked: scenarios that are played again, on the mean; trials: what they cost, for each scenario of
  the suite
"""

from __future__ import annotations

import argparse
from statistics import fmean
from typing import Final

import numpy as np
from gate_error_rates import AUTO, Agents, Change, broken

from pytest_toolsandbox.gate.permutation import Stratum, changed
from pytest_toolsandbox.gate.verdict import CONFIRMING, to_confirm

SIZES: Final = (30, 129, 357)
BEFORE: Final = (5, 10)
DROPS: Final = (0.05, 0.10)
HEADINGS: Final = (
    *("S", "baseline", "drop", "worse", "broke", "told before", "told after"),
    *("false before", "false after", "asked", "trials"),
)


def row(size: int, before: int, drop: float, runs: int) -> list[str]:
    """Return the cells of a design."""
    change, draw = Change("broken", broken, drop), np.random.default_rng((size, before))
    told = [one for one in (_run(size, before, change, draw) for _ in range(runs)) if one]
    means = [fmean(values) for values in zip(*told, strict=True)]
    count, shares, asked = means[0], means[1:5], means[5]
    return [
        *(str(size), str(before), f"{drop:.2f}", f"{len(told) / runs:.3f}", f"{count:.1f}"),
        *(f"{share:.3f}" for share in shares),
        *(f"{asked:.1f}", f"{asked * CONFIRMING / size:.2f}"),
    ]


def _run(size: int, before: int, change: Change, draw: np.random.Generator) -> list[float] | None:
    """Return what a run that is worse tells: the columns after ``worse``."""
    agents = Agents.drawn(size, change, draw)
    verdict = agents.judge(before, AUTO)
    if verdict.kind != "worse":
        return None
    truth = {str(place) for place in np.flatnonzero(agents.new != agents.old)}
    first, asked = {*changed(verdict.pairing.strata, "worse")}, to_confirm(verdict)
    passed = {name: int(draw.binomial(CONFIRMING, agents.new[int(name)])) for name in asked}
    further = {name: _further(verdict.pairing.strata[name], passed[name]) for name in asked}
    both = first | {*changed(further, "worse")}
    lists = (first, both)
    found = [len(one & truth) / len(truth) for one in lists]
    false = [len(one - truth) / max(1, len(one)) for one in lists]
    return [len(truth), *found, *false, len(asked)]


def _further(one: Stratum, passed: int) -> Stratum:
    return one._replace(passed=passed, trials=CONFIRMING)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--runs", type=int, default=1000, help="of each row")
    runs = parser.parse_args().runs
    print(f"| {' | '.join(HEADINGS)} |", f"{'|---' * len(HEADINGS)}|", sep="\n")
    for size in SIZES:
        for before in BEFORE:
            for drop in DROPS:
                print("| " + " | ".join(row(size, before, drop, runs)) + " |", flush=True)


if __name__ == "__main__":
    main()
