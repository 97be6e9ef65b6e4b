"""How often the gate is wrong: agents are simulated whose pass rates are known.

``python benchmarks/gate_error_rates.py --runs=2000`` prints a row for each size of the suite,
number of trials in the baseline and in the candidate, and change of the agent. The pass rates of
the scenarios are mixed: 55 % nearly certain, 20 % hard, 25 % coin flips. What the columns say:

- worse, no worse, better: how often the gate says so; the rest is inconclusive
- like these: how often sign flips of scenarios say worse, at the same level of 5 %
- unpaired, 2 points: what a z test of all trials and a plain threshold say
- drop in, rate in, others in: how often the interval of the drop, of the candidate's pass rate, and
  of the pass rate of scenarios like these holds the truth
- trials: played of each scenario, on the mean
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pytest_toolsandbox.gate.comparing import Pairing, pair
from pytest_toolsandbox.gate.permutation import flipped_signs
from pytest_toolsandbox.gate.plan import LOOKS, looked, next_look
from pytest_toolsandbox.gate.rates import Interval, Passes, interval_of_others, suite_interval
from pytest_toolsandbox.gate.samples import Result, Sample, SampledScenario
from pytest_toolsandbox.gate.strata import Stratum, mean_drop
from pytest_toolsandbox.gate.verdict import LEVEL, Verdict, judged, usual_margin
from pytest_toolsandbox.reporting.verdict_lines import verdict_lines

SURE, HARD = 0.55, 0.20
"""Shares of the scenarios; the others are coin flips."""
GOOD: Final = 0.6
"""The least rate of a scenario that may break."""
Rates = NDArray[np.float64]
AUTO: Final = 0
"""Stands for the sequential plan, in place of a number of trials."""


def suite(size: int, draw: np.random.Generator) -> Rates:
    """Return the pass rates of a suite."""
    kind = draw.random(size)
    sure, hard, coin = 1 - draw.beta(1, 25, size), draw.beta(1, 12, size), draw.beta(2, 2, size)
    rates = np.where(kind < SURE, sure, np.where(kind < SURE + HARD, hard, coin))
    return np.clip(rates, 0.005, 0.995)


def shifted(rates: Rates, odds: float) -> Rates:
    """Return rates that are lower by so much in log-odds."""
    return 1 / (1 + np.exp(-np.log(rates / (1 - rates)) + odds))


def solved(of: Callable[[float], Rates], mean: float) -> Rates:
    """Return the rates that have this mean, of those that fall with their argument."""
    low, high = 0.0, 12.0
    for _ in range(50):
        middle = (low + high) / 2
        low, high = (middle, high) if of(middle).mean() > mean else (low, middle)
    return of(high)


def spread(rates: Rates, drop: float, _: np.random.Generator) -> Rates:
    """Every scenario gets a little worse."""
    return solved(lambda odds: shifted(rates, odds), rates.mean() - drop)


def broken(rates: Rates, drop: float, draw: np.random.Generator) -> Rates:
    """A few scenarios that passed break."""
    after = rates.copy()
    for place in draw.permutation(np.where(rates > GOOD)[0]):
        if rates.mean() - after.mean() >= drop:
            break
        after[place] = 0.05
    return after


def mixed(rates: Rates, _: float, draw: np.random.Generator) -> Rates:
    """Half of the scenarios get much better, half worse; the mean stays."""
    better = draw.permutation(len(rates)) < len(rates) // 2
    return solved(
        lambda odds: np.where(better, shifted(rates, -2), shifted(rates, odds)), rates.mean()
    )


class Change(NamedTuple):
    """What happened to the agent."""

    name: str
    drop: float
    of: Callable[[Rates, float, np.random.Generator], Rates]


CHANGES: Final = (
    Change("none", 0.0, lambda rates, _, __: rates),
    Change("half better, half worse", 0.0, mixed),
    Change("spread", 0.05, spread),
    Change("few break", 0.05, broken),
    Change("spread", 0.10, spread),
    Change("few break", 0.10, broken),
)


def changes(size: int) -> Iterator[Change]:
    """Yield the changes, and a drop of just the margin where that is another one."""
    yield from CHANGES
    margin = usual_margin(size)
    if margin not in {change.drop for change in CHANGES}:
        yield Change("spread", margin, spread)
        yield Change("few break", margin, broken)


def pairing(strata: Sequence[Stratum]) -> Pairing:
    """Return what a verdict is made of."""
    sample = unplayed(len(strata))
    named = dict(zip(sample.scenarios, strata, strict=True))
    return Pairing(sample, sample, named, (), (), (), (), 0.0)


@cache
def unplayed(size: int) -> Sample:
    """Return scenarios that are neither critical nor of a category."""
    names = [str(number) for number in range(size)]
    return Sample({name: SampledScenario(name, "", {}) for name in names}, ())


class Design(NamedTuple):
    """Trials of each scenario in the baseline, and of the candidate."""

    before: int
    trials: int

    def judge(self, old: Rates, new: Rates, draw: np.random.Generator) -> tuple[Verdict, int]:
        """Return the verdict of a run, and how many trials it took."""
        passed_before = draw.binomial(self.before, old)
        passed = (draw.random((max(LOOKS), len(new))) < new).cumsum(axis=0)
        margin = usual_margin(len(new))

        def at(trials: int) -> Pairing:
            both = zip(passed_before.tolist(), passed[trials - 1].tolist(), strict=True)
            return pairing([Stratum(a, self.before, b, trials) for a, b in both])

        if self.trials != AUTO:
            return judged(at(self.trials), margin), self.trials
        trials: int | None = LOOKS[0]
        while trials is not None:
            last, verdict = trials, looked(at(trials), trials, margin)
            trials = next_look(verdict, last)
        return verdict, last


def unpaired(strata: Sequence[Stratum]) -> bool:
    """Whether a z test says worse that takes all trials for one heap."""
    old, new = sum(s.trials_before for s in strata), sum(s.trials for s in strata)
    rates = sum(s.passed_before for s in strata) / old, sum(s.passed for s in strata) / new
    pooled = sum(s.passes for s in strata) / (old + new)
    error = (pooled * (1 - pooled) * (1 / old + 1 / new)) ** 0.5
    return bool(error) and (rates[0] - rates[1]) / error >= 1.6449  # noqa: PLR2004  # the quantile of 0.95


def holds(interval: Interval | None, truth: float) -> float:
    """Return 1 where an interval holds the truth, 0 where not; none is no number."""
    return float("nan") if interval is None else float(interval.low <= truth <= interval.high)


HEADINGS: Final = (
    *("worse", "no worse", "better", "like these", "unpaired", "2 points"),
    *("drop in", "rate in", "others in", "trials"),
)


def run(design: Design, size: int, change: Change, draw: np.random.Generator) -> list[float]:
    """Return the figures of one run, in the order of the headings."""
    old = suite(size, draw)
    new = change.of(old, change.drop, draw)
    verdict, trials = design.judge(old, new, draw)
    strata = verdict.strata
    passes = [Passes(one.passed, one.trials) for one in strata]
    is_same = change.name == "none"
    return [
        *(float(verdict.kind == kind) for kind in ("worse", "no worse", "better")),
        float(flipped_signs(strata).worse <= LEVEL),
        float(unpaired(strata)),
        float(mean_drop(strata) > 0.02),  # noqa: PLR2004  # two points
        holds(verdict.interval, float(old.mean() - new.mean())),
        holds(suite_interval(passes), float(new.mean())),
        holds(interval_of_others(passes), true_mean()) if is_same else float("nan"),
        float(trials),
    ]


def true_mean() -> float:
    """Return the mean rate of all scenarios that suites are drawn from."""
    return SURE * (25 / 26) + HARD * (1 / 13) + (1 - SURE - HARD) / 2


def heaviest() -> float:
    """Return the seconds of CPU that a verdict over 357 scenarios with 10 trials each takes."""
    draw = np.random.default_rng(1)
    rates = suite(357, draw)
    before, now = (played(rates, count, draw) for count in (10, 9))
    start = time.process_time()
    verdict_lines(judged(pair(before, now)))
    return time.process_time() - start


def played(rates: Rates, trials: int, draw: np.random.Generator) -> Sample:
    """Return a sample with graded scores, as records have them."""
    scenarios = {}
    for number, rate in enumerate(rates.tolist()):
        passed = (draw.random(trials) < rate).tolist()
        scores = np.where(passed, 1.0, draw.integers(0, 9, trials) / 10).tolist()
        results = tuple(Result(*one) for one in zip(passed, scores, strict=True))
        scenarios[str(number)] = SampledScenario(str(number), "", {"run": results})
    return Sample(scenarios, ())


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=2000)
    parser.add_argument("--sizes", type=int, nargs="+", default=[30, 129, 357])
    parser.add_argument("--before", type=int, nargs="+", default=[1, 5, 10])
    parser.add_argument("--trials", type=int, nargs="+", default=[1, 3, 5, AUTO])
    given = parser.parse_args()
    print(f"a verdict over 357 scenarios with 10 and 9 trials: {heaviest():.2f} s of CPU")
    print("scenarios  trials  change                    drop ", *(f"{h:>10}" for h in HEADINGS))
    for size in given.sizes:
        for before in given.before:
            for trials in given.trials:
                for change in changes(size):
                    seed = [size, before, trials, round(change.drop * 100), len(change.name)]
                    draw = np.random.default_rng(seed)
                    design = Design(before, trials)
                    rows = np.array([run(design, size, change, draw) for _ in range(given.runs)])
                    means = [
                        float("nan") if np.isnan(c).all() else float(np.nanmean(c)) for c in rows.T
                    ]
                    named = f"{size:9}  {before:2}x{trials or 'auto':<4} {change.name:25}"
                    print(named, f"{change.drop:.2f}", *(f"{m:10.3f}" for m in means), flush=True)


if __name__ == "__main__":
    main()
