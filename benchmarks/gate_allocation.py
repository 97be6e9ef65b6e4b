"""Simulates whether more trials should go to doubtful scenarios, or the same number to all.

``python benchmarks/gate_allocation.py`` plays 129 scenarios, the rates of which are mixed as in
``gate_error_rates.py``, beside a baseline of ten trials. Every rule plays about three trials of a
scenario on the mean:

- all: three of each
- baseline: one of a scenario whose trials in the baseline were all alike, five of the others
- pooled: the same, where those of the baseline and the first one now were all alike
- pooled, unbiased: the drop is told from the first trial alone where those of the baseline were all
  alike, since only a first one that differs brings more

Pairs are a drop of 5 points that is spread, and one in which a few scenarios break. Columns:

- played: trials of each scenario, on the mean, where nothing changed
- worse: how often the exchange test says it where nothing changed; 5 points: at such a drop; as
  often false: the same, with a level at which every rule is wrong in 5 of 100 runs
- too small by: how much of the drop is not found where nothing changed, with its standard error
- no worse, no worse at the margin: said where nothing changed, and at a drop of 5 points

Below stands what is to be gained: the share of the trials that somebody would save who knew the
rates and played each scenario in proportion to its spread.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping
from statistics import fmean, stdev
from typing import Final

import numpy as np
from gate_error_rates import NONE, Agents, Change, broken, spread, suite
from numpy.typing import NDArray

from pytest_toolsandbox.gate.pairing import DropModel
from pytest_toolsandbox.gate.permutation import Stratum, exchanged_labels, mean_drop
from pytest_toolsandbox.gate.verdict import LEVEL, usual_margin

SIZE: Final = 129
BEFORE: Final = 10
Counts = NDArray[np.int_]


def of_all(old: Counts, _: Counts) -> Counts:
    """Return three for each scenario."""
    return np.full(len(old), 3)


def by_baseline(old: Counts, _: Counts) -> Counts:
    """Return more for those that both passed and failed in the baseline."""
    return np.where((old == 0) | (old == BEFORE), 1, 5)


def by_pooled(old: Counts, first: Counts) -> Counts:
    """Return more for those that both passed and failed, the first trial now included."""
    pooled = old + first
    return np.where((pooled == 0) | (pooled == BEFORE + 1), 1, 5)


def by_pooled_told_apart(old: Counts, first: Counts) -> Counts:
    """Return how many of these tell the rate without a bias: one, where one more was asked for."""
    return np.where((old == 0) | (old == BEFORE), 1, by_pooled(old, first))


Rule = Callable[[Counts, Counts], Counts]
RULES: Final[Mapping[str, tuple[Rule, Rule]]] = {
    "all": (of_all, of_all),
    "baseline": (by_baseline, by_baseline),
    "pooled": (by_pooled, by_pooled),
    "pooled, unbiased": (by_pooled, by_pooled_told_apart),
}
"""Rule → what it plays, and the trials from which the drop is told."""
CHANGES: Final = (NONE, Change("spread", spread, 0.05), Change("broken", broken, 0.05))


def strata(agents: Agents, rule: Rule) -> list[Stratum]:
    """Return what is played by a rule."""
    old, first = agents.before[BEFORE - 1], agents.after[0]
    trials = rule(old, first)
    passed = agents.after[trials - 1, np.arange(SIZE)]
    rows = zip(old.tolist(), passed.tolist(), trials.tolist(), strict=True)
    return [Stratum(a, BEFORE, b, count) for a, b, count in rows]


class Told:
    """What came of the runs of a change."""

    def __init__(self, name: str, change: Change, runs: int) -> None:
        draw, (played, told_from) = np.random.default_rng(1), RULES[name]
        self.chances, self.errors, self.trials, self.no_worse = [], [], [], 0
        for _ in range(runs):
            agents = Agents.drawn(SIZE, change, draw)
            ones, telling = strata(agents, played), strata(agents, told_from)
            self.chances.append(exchanged_labels(ones).worse)
            self.errors.append(float(agents.old.mean() - agents.new.mean()) - mean_drop(telling))
            self.trials.append(fmean(one.trials for one in ones))
            self.no_worse += DropModel(telling).excludes(usual_margin(SIZE), LEVEL)

    def worse(self, level: float) -> str:
        """Return how often the exchange test says worse at a level."""
        return f"{np.mean(np.array(self.chances) <= level):.3f}"


def row(name: str, runs: int) -> list[str]:
    """Return the cells of a rule."""
    none, *drops = (Told(name, change, runs) for change in CHANGES)
    fair = float(np.quantile(none.chances, LEVEL))
    return [
        name,
        f"{fmean(none.trials):.2f}",
        none.worse(LEVEL),
        *(" / ".join(one.worse(level) for one in drops) for level in (LEVEL, fair)),
        f"{fmean(none.errors):+.4f} ({stdev(none.errors) / runs**0.5:.4f})",
        f"{none.no_worse / runs:.3f}",
        " / ".join(f"{one.no_worse / runs:.3f}" for one in drops),
    ]


def saved(runs: int) -> float:
    """Return the share of trials that the best allocation saves, were the rates known."""
    draw = np.random.default_rng(2)
    spreads = [np.sqrt(rates * (1 - rates)) for rates in (suite(SIZE, draw) for _ in range(runs))]
    return fmean(float(1 - one.mean() ** 2 / (one**2).mean()) for one in spreads)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--runs", type=int, default=2000, help="of each rule and change")
    runs = parser.parse_args().runs
    headings = (
        *("trials for", "played", "worse", "5 points", "as often false", "too small by"),
        *("no worse", "no worse at the margin"),
    )
    print(f"| {' | '.join(headings)} |", f"{'|---' * len(headings)}|", sep="\n")
    for name in RULES:
        print("| " + " | ".join(row(name, runs)) + " |", flush=True)
    print(f"\nthe best allocation, were the rates known, would save {saved(runs):.0%} of them")


if __name__ == "__main__":
    main()
