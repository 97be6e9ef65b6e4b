"""Simulates how often the gate is wrong, with agents whose pass rates are known.

``python benchmarks/gate_error_rates.py FILE`` plays blocks of 100 runs, 2,000 of each suite and
change, adds what came of them to FILE as it goes, and prints all that the file has. Given again, it
goes on where it was stopped. The pass rates of the scenarios are mixed: 55 % nearly certain, 20 %
hard, 25 % coin flips. A row is a size of the suite and a number of trials in the baseline and of
the candidate. Pairs are a drop that is spread, and one in which a few scenarios break. Columns:

- worse: said where nothing changed; same: where the candidate plays the baseline's trials again;
  half: where half of the scenarios get better and half worse
- no worse at the margin: said where the true drop is just the margin
- drop in: how often the interval of the drop holds the truth, where nothing changed, where half got
  better, and at 5 points; rate in, others in: those of pass rates, of these scenarios and of others
- no worse: said where nothing changed
- worse at the margin, 5 points, 10 points: said at such a drop
- flips, unpaired, threshold: how often sign flips of scenarios, a z test of all trials and "more
  than two points lower" tell 5 points; in parentheses, where nothing changed
- played: trials of each scenario, on the mean, where nothing changed, and at 5 points
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pytest_toolsandbox.gate.pairing import DropModel, Pairing, pair
from pytest_toolsandbox.gate.permutation import Stratum, flipped_signs, mean_drop
from pytest_toolsandbox.gate.rates import Interval, Passes, interval_of_others, suite_interval
from pytest_toolsandbox.gate.samples import Result, Sample, SampledScenario
from pytest_toolsandbox.gate.verdict import (
    LEVEL,
    LOOKS,
    Verdict,
    judged,
    looked,
    next_look,
    usual_margin,
)
from pytest_toolsandbox.output.comparison_forms import verdict_lines

SIZES: Final = (30, 129, 357)
BEFORE: Final = (1, 5, 10)
AUTO: Final = 0
"""Stands for the sequential plan, in place of a number of trials."""
TRIALS: Final = (1, 3, 5, AUTO)
BLOCK: Final = 100
SEEN: Final = 0.05
"""The drop with which other tests are compared."""
SURE, HARD = 0.55, 0.20
"""Shares of the scenarios; the others are coin flips."""
GOOD: Final = 0.6
"""The least rate of a scenario that may break."""
Rates = NDArray[np.float64]


def suite(size: int, draw: np.random.Generator) -> Rates:
    """Return the pass rates of a suite."""
    kind = draw.random(size)
    sure, hard, coin = 1 - draw.beta(1, 25, size), draw.beta(1, 12, size), draw.beta(2, 2, size)
    rates = np.where(kind < SURE, sure, np.where(kind < SURE + HARD, hard, coin))
    return np.clip(rates, 0.005, 0.995)


def true_mean() -> float:
    """Return the mean rate of all scenarios that suites are drawn from."""
    return SURE * (25 / 26) + HARD * (1 / 13) + (1 - SURE - HARD) / 2


def shifted(rates: Rates, odds: float) -> Rates:
    """Return rates that are lower by so much in log-odds."""
    return 1 / (1 + np.exp(-np.log(rates / (1 - rates)) + odds))


def solved(of: Callable[[float], Rates], mean: float) -> Rates:
    """Return the rates that have this mean, of those that fall with their argument."""
    low, high = 0.0, 12.0
    for _ in range(30):
        middle = (low + high) / 2
        low, high = (middle, high) if of(middle).mean() > mean else (low, middle)
    return of(high)


def unchanged(rates: Rates, _: float, __: np.random.Generator) -> Rates:
    """Nothing changed."""
    return rates


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
    of: Callable[[Rates, float, np.random.Generator], Rates]
    drop: float = 0.0


NONE, SAME, HALF = Change("none", unchanged), Change("same", unchanged), Change("half", mixed)


def changes(size: int) -> list[Change]:
    """Return the changes; a drop of just the margin is one of them."""
    drops = sorted({0.05, 0.10, usual_margin(size)})
    return [
        *(NONE, SAME, HALF),
        *(Change(of.__name__, of, drop) for drop in drops for of in (spread, broken)),
    ]


@cache
def unplayed(size: int) -> Sample:
    """Return scenarios that are neither critical nor of a category."""
    names = [str(number) for number in range(size)]
    return Sample({name: SampledScenario(name, "", {}) for name in names}, ())


@dataclass(frozen=True, eq=False)
class Agents:
    """The pass rates before a change and after it, and passes in as many trials, trial by trial."""

    old: Rates
    new: Rates
    before: NDArray[np.int_]
    after: NDArray[np.int_]

    @classmethod
    def drawn(cls, size: int, change: Change, draw: np.random.Generator) -> Agents:
        """Return agents for a suite of this size."""
        old = suite(size, draw)
        new = change.of(old, change.drop, draw)
        luck = draw.random((max(BEFORE), size))
        again = luck if change is SAME else draw.random((max(LOOKS), size))
        before, after = ((one < rates).cumsum(axis=0) for one, rates in ((luck, old), (again, new)))
        return cls(old, new, before, after)

    @lru_cache(maxsize=16)  # noqa: B019  # of agents that are soon forgotten
    def pairing(self, before: int, trials: int) -> Pairing:
        """Return the samples of so many trials each, which are looked at more than once."""
        both = zip(self.before[before - 1].tolist(), self.after[trials - 1].tolist(), strict=True)
        sample = unplayed(len(self.new))
        strata = [Stratum(a, before, b, trials) for a, b in both]
        named = dict(zip(sample.scenarios, strata, strict=True))
        return Pairing(sample, sample, named, (), (), (), (), 0.0)

    def judge(self, before: int, trials: int) -> Verdict:
        """Return the gate's verdict."""
        margin = usual_margin(len(self.new))
        if trials != AUTO:
            return judged(self.pairing(before, trials), margin)
        look: int | None = LOOKS[0]
        while look is not None:
            verdict = looked(self.pairing(before, look), look, margin)
            look = next_look(verdict, look)
        return verdict


def unpaired(strata: Sequence[Stratum]) -> bool:
    """Whether a z test says worse that takes all trials for one heap."""
    old, new = sum(s.trials_before for s in strata), sum(s.trials for s in strata)
    rates = sum(s.passed_before for s in strata) / old, sum(s.passed for s in strata) / new
    pooled = sum(s.passes for s in strata) / (old + new)
    error = (pooled * (1 - pooled) * (1 / old + 1 / new)) ** 0.5
    return bool(error) and (rates[0] - rates[1]) / error >= 1.6449  # noqa: PLR2004  # the quantile of 0.95


def holds(interval: Interval | None, truth: float) -> float | None:
    """Return 1 where an interval holds the truth, 0 where not."""
    return None if interval is None else float(interval.low <= truth <= interval.high)


def figures(agents: Agents, change: Change, verdict: Verdict) -> dict[str, float | None]:
    """Return what came of a run; what costs time and is in no table is left out."""
    strata = verdict.strata
    told: dict[str, float | None] = {
        **{kind: float(verdict.kind == kind) for kind in ("worse", "no worse", "better")},
        "trials": float(strata[0].trials),
    }
    if change in (NONE, HALF) or change.drop == SEEN:
        drop = float(agents.old.mean() - agents.new.mean())
        told["drop in"] = holds(verdict.interval, drop)
    if change is NONE or change.drop == SEEN:
        told["flips"] = float(flips(tuple(strata)))
        told["unpaired"] = float(unpaired(strata))
        told["threshold"] = float(mean_drop(strata) > 0.02)  # noqa: PLR2004  # two points
    if change is NONE:
        rate, others = intervals(tuple(Passes(one.passed, one.trials) for one in strata))
        told["rate in"] = holds(rate, float(agents.new.mean()))
        told["others in"] = holds(others, true_mean())
    return told


@lru_cache(maxsize=16)
def flips(strata: tuple[Stratum, ...]) -> bool:
    """Whether sign flips of scenarios say worse."""
    return flipped_signs(strata).worse <= LEVEL


@lru_cache(maxsize=16)
def intervals(passes: tuple[Passes, ...]) -> tuple[Interval | None, Interval | None]:
    """Return those of pass rates: the candidate's trials are the same beside every baseline."""
    return suite_interval(passes), interval_of_others(passes)


Row = dict[str, tuple[float, int]]
"""Figure → its sum, and over how many runs."""


def block(size: int, change: Change, seed: Sequence[int], runs: int) -> dict[str, Row]:
    """Return design, such as ``10x3`` → what came of so many runs."""
    draw = np.random.default_rng(seed)
    rows: dict[str, Row] = {}
    for _ in range(runs):
        agents = Agents.drawn(size, change, draw)
        for before in BEFORE:
            for trials in TRIALS:
                row = rows.setdefault(f"{before}x{trials or 'auto'}", {})
                add(row, figures(agents, change, agents.judge(before, trials)))
    return rows


def add(row: Row, run: Mapping[str, float | None]) -> None:
    """Count a run."""
    for name, value in run.items():
        total, count = row.get(name, (0.0, 0))
        if value is not None:
            row[name] = (total + value, count + 1)


def play(file: Path, runs: int, sizes: Sequence[int]) -> None:
    """Play what the file has not, a block of every suite and change after the other."""
    known = {tuple(json.loads(line)["seed"]) for line in lines(file)}
    for number in range(runs // BLOCK):
        for size in sizes:
            for place, change in enumerate(changes(size)):
                seed = (size, place, number)
                if seed in known:
                    continue
                told = {"seed": seed, "size": size, "change": change.name, "drop": change.drop}
                told["rows"] = block(size, change, seed, BLOCK)
                with file.open("a") as stream:
                    stream.write(f"{json.dumps(told)}\n")


def lines(file: Path) -> Sequence[str]:
    """Return the whole lines of a file: the last may have been stopped in the middle."""
    text = file.read_text() if file.exists() else ""
    whole = text[: text.rfind("\n") + 1]
    if whole != text:
        file.write_text(whole)
    return whole.splitlines()


class Found:
    """What the file has: means over all blocks."""

    def __init__(self, file: Path) -> None:
        self.sums: dict[tuple[int, str, float, str, str], tuple[float, int]] = {}
        for one in map(json.loads, lines(file)):
            for design, row in one["rows"].items():
                for name, (total, count) in row.items():
                    key = (one["size"], one["change"], one["drop"], design, name)
                    known = self.sums.get(key, (0.0, 0))
                    self.sums[key] = (known[0] + total, known[1] + count)

    def mean(self, size: int, design: str, change: str, drop: float, name: str) -> str:
        """Return a mean, ``-`` where there is none."""
        total, count = self.sums.get((size, change, drop, design, name), (0.0, 0))
        if not count:
            return "-"
        mean = total / count
        return f"{mean:.2f}" if name == "trials" or mean == 1 else f"{mean:.3f}".removeprefix("0")

    def row(self, size: int, design: str) -> dict[str, str]:
        """Return heading → cell of a row of the tables."""

        def none(name: str) -> str:
            return self.mean(size, design, "none", 0.0, name)

        def half(name: str) -> str:
            return self.mean(size, design, "half", 0.0, name)

        def both(drop: float, name: str) -> str:
            pair = (self.mean(size, design, one, drop, name) for one in ("spread", "broken"))
            return " / ".join(pair)

        margin = usual_margin(size)
        held = (none("drop in"), half("drop in"), both(SEEN, "drop in"))
        return {
            "S": str(size),
            "trials": design,
            "worse": none("worse"),
            "same": self.mean(size, design, "same", 0.0, "worse"),
            "half": half("worse"),
            "no worse at the margin": both(margin, "no worse"),
            "drop in": " / ".join(held),
            "rate in": none("rate in"),
            "others in": none("others in"),
            "no worse": none("no worse"),
            "worse at the margin": both(margin, "worse"),
            "5 points": both(SEEN, "worse"),
            "10 points": both(0.10, "worse"),
            **{one: f"{both(SEEN, one)} ({none(one)})" for one in OTHERS},
            "played": none("trials"),
            "played, 5 points": both(SEEN, "trials"),
        }

    def table(self, headings: Sequence[str], sizes: Sequence[int]) -> Iterator[str]:
        """Yield the lines of a table in Markdown."""
        yield "| " + " | ".join(headings) + " |"
        yield "|" + "---|" * len(headings)
        designs = [f"{before}x{trials or 'auto'}" for before in BEFORE for trials in TRIALS]
        for size in sizes:
            for design in designs:
                row = self.row(size, design)
                yield "| " + " | ".join(row[name] for name in headings) + " |"


OTHERS: Final = ("flips", "unpaired", "threshold")
ERRORS: Final = (
    *("S", "trials", "worse", "same", "half", "no worse at the margin", "drop in", "rate in"),
    "others in",
)
POWER: Final = (
    *("S", "trials", "no worse", "worse at the margin", "5 points", "10 points"),
    *(*OTHERS, "played", "played, 5 points"),
)


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


def held_by_chance(runs: int = 1000, size: int = 129, share: float = 0.085) -> str:
    """Return how often intervals hold two truths, where every scenario may break by itself.

    With one trial on each side the interval is that of the drop of scenarios like these.
    """
    draw = np.random.default_rng(9)

    def breaks(rates: Rates) -> Rates:
        return np.where((rates > GOOD) & (draw.random(len(rates)) < share), 0.05, rates)

    large = suite(1_000_000, draw)
    of_all, held = share * float(np.where(large > GOOD, large - 0.05, 0).mean()), np.zeros(2)
    for _ in range(runs):
        old = suite(size, draw)
        new = breaks(old)
        pairs = zip(draw.random(size) < old, draw.random(size) < new, strict=True)
        low, high = DropModel([Stratum(int(a), 1, int(b), 1) for a, b in pairs]).interval()
        held += [low <= truth <= high for truth in (old.mean() - new.mean(), of_all)]
    these, others = held / runs
    return f"of these scenarios {these:.3f}, of scenarios like these {others:.3f}"


def main() -> None:
    """Play what is not there yet, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("file", type=Path, help="keeps what came of the runs, a line a block")
    parser.add_argument("--runs", type=int, default=2000, help="of each suite and change")
    parser.add_argument("--sizes", type=int, nargs="+", default=[*SIZES], help="of the suite")
    given = parser.parse_args()
    play(given.file, given.runs, given.sizes)
    print(f"a verdict over 357 scenarios with 10 and 9 trials: {heaviest():.2f} s of CPU")
    print(f"1x1, 129 scenarios of which each may break: the drop {held_by_chance()}")
    found = Found(given.file)
    for headings in (ERRORS, POWER):
        print(*found.table(headings, given.sizes), "", sep="\n")


if __name__ == "__main__":
    main()
