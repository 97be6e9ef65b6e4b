"""Samples of trials, from one run, several runs or a baseline, and estimates from them.

An estimate has pass rates with their intervals, pass^k, pass@k and mean costs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from math import comb
from statistics import fmean
from typing import Any, NamedTuple

from pytest_toolsandbox.language.failure_modes import kind_of

from .played import COSTS, Conditions, Cost, PlayedTrial, Setup
from .rates import Interval, Passes, interval_of_others, suite_interval

CANDIDATE = ""
"""The key of a run that is not in a baseline."""


class Result(NamedTuple):
    """The outcome and the score of a trial."""

    passed: bool
    score: float


@dataclass(frozen=True)
class Run:
    """A run of the suite: its settings and its mean costs.

    ``costs`` are means over its trials. ``findings`` maps short labels of wrong and missing calls
    to their frequencies, ``failure_modes`` those of other mistakes; ``None`` if records lack them.
    """

    key: str
    date: str
    agents: tuple[str, ...]
    settings: tuple[str, ...]
    conditions: tuple[Conditions, ...]
    trials: int
    costs: Cost
    findings: Mapping[str, int] = field(default_factory=dict)
    failure_modes: Mapping[str, int] | None = None


@dataclass(frozen=True)
class SampledScenario:
    """A scenario's trials: run → results. ``lost`` counts trials without a result.

    ``prompt`` and ``tools`` are digests from its newest trial. ``path`` is that of a passed trial,
    or else of any trial. ``costs`` are means, and ``patterns`` maps codes of error patterns, and
    failure modes, to the number of trials with them, if records have them. ``further`` are the
    results of trials that confirm whether the scenario broke; no figure includes them.
    """

    id: str
    digest: str
    results: Mapping[str, tuple[Result, ...]]
    lost: int = 0
    prompt: str = ""
    tools: str = ""
    path: str = ""
    critical: bool = False
    quarantined: bool = False
    groups: tuple[str, ...] = ()
    costs: Cost = field(default_factory=Cost)
    patterns: Mapping[str, float] = field(default_factory=dict)
    further: tuple[Result, ...] = ()

    @property
    def all_results(self) -> list[Result]:
        """The results of all runs."""
        return list(chain.from_iterable(self.results.values()))


@dataclass(frozen=True)
class Sample:
    """The scenarios of one side of a comparison, by id, and their runs.

    ``prompts`` maps digests to system prompts, if conversations are known. ``rounds`` is the number
    of trials per scenario after which a sequential run ended. ``is_part`` says that only some
    scenarios of each world were to be played.
    """

    scenarios: Mapping[str, SampledScenario]
    runs: Sequence[Run]
    prompts: Mapping[str, str] = field(default_factory=dict)
    rounds: int = 0
    is_part: bool = False


def without_runs(sample: Sample, keys: Collection[str]) -> Sample:
    """Return a sample without some of its runs, or all of it if nothing would remain."""
    runs = [run for run in sample.runs if run.key not in keys]
    if not runs:
        return sample
    scenarios = {
        name: replace(
            scenario, results={k: v for k, v in scenario.results.items() if k not in keys}
        )
        for name, scenario in sample.scenarios.items()
    }
    return replace(sample, scenarios={n: s for n, s in scenarios.items() if s.results}, runs=runs)


def sample_of(trials: Iterable[PlayedTrial], key: str = CANDIDATE, date: str = "") -> Sample:
    """Return the sample of the trials of a run, in any order."""
    by_id: dict[str, list[PlayedTrial]] = {}
    for trial in sorted(trials, key=lambda trial: trial.id):
        by_id.setdefault(trial.id, []).append(trial)
    goes_on = any(trial.is_added for group in by_id.values() for trial in group)
    further = {
        name: _results(trial for trial in group if trial.confirms) for name, group in by_id.items()
    }
    by_id = {
        name: [trial for trial in group if not trial.confirms] for name, group in by_id.items()
    }
    played = list(chain.from_iterable(by_id.values()))
    prompts = {trial.setup.prompt: trial.system_prompt for trial in played if trial.system_prompt}
    scenarios = {
        name: _scenario(group, key, further[name]) for name, group in by_id.items() if group
    }
    rounds = max(map(len, by_id.values())) if goes_on else 0
    is_part = any(trial.of_sample for trial in played)
    return Sample(scenarios, [_run(played, key, date)], prompts, rounds, is_part)


def _results(trials: Iterable[PlayedTrial]) -> tuple[Result, ...]:
    """Return the results of the trials that were not lost, the best first."""
    results = (
        Result(trial.passed, trial.score or 0.0) for trial in trials if trial.passed is not None
    )
    return tuple(sorted(results, reverse=True))


def _scenario(
    trials: Sequence[PlayedTrial], key: str, further: tuple[Result, ...]
) -> SampledScenario:
    first = trials[0]
    results = _results(trials)
    variant = [first.variant] if first.variant else []
    passing = [trial.path for trial in trials if trial.passed] or [trial.path for trial in trials]
    return SampledScenario(
        id=first.id,
        digest=next((trial.digest for trial in trials if trial.digest), ""),
        results={key: results} if results else {},
        lost=len(trials) - len(results),
        prompt=first.setup.prompt,
        tools=first.setup.tools,
        path=min(passing),
        critical=first.critical,
        quarantined=first.quarantined,
        groups=(*first.categories, *variant, f"world {first.world}", *first.arms),
        costs=mean_costs(trial.cost for trial in trials),
        patterns=_patterns(trials),
        further=further,
    )


def _patterns(trials: Sequence[PlayedTrial]) -> dict[str, float]:
    words = chain.from_iterable((*trial.findings, *(trial.failure_modes or ())) for trial in trials)
    codes = map(kind_of, words)
    return {code: count / len(trials) for code, count in sorted(Counter(codes).items())}


def mean_costs(costs: Iterable[Cost]) -> Cost:
    """Return the mean of each cost over the trials in which it is known."""
    all_costs = list(costs)
    known = {name: [cost[name] for cost in all_costs if name in cost] for name in COSTS}
    means: Any = {name: round(fmean(values), 6) for name, values in known.items() if values}
    mean: Cost = means
    return mean


def _run(trials: Sequence[PlayedTrial], key: str, date: str) -> Run:
    setups: list[Setup] = [trial.setup for trial in trials]
    failure_modes = [trial.failure_modes for trial in trials if trial.failure_modes is not None]
    return Run(
        key,
        date,
        tuple(sorted({setup.agent for setup in setups})),
        tuple(sorted({setup.settings for setup in setups})),
        tuple(sorted({trial.conditions for trial in trials})),
        len(trials),
        mean_costs(trial.cost for trial in trials),
        dict(Counter(chain.from_iterable(trial.findings for trial in trials)).most_common()),
        dict(Counter(chain.from_iterable(failure_modes)).most_common()) if failure_modes else None,
    )


ALL = "all scenarios"


class Estimate(NamedTuple):
    """The figures of some scenarios; all but counts are from 0 to 1.

    ``suite`` is the interval of the pass rate of exactly these scenarios, ``similar`` that of
    similar scenarios. ``always`` is the probability that all of ``trials`` pass (pass^k), ``ever``
    that at least one passes (pass@k). ``flips`` counts scenarios that both passed and failed.
    ``costs`` are means per trial, and ``patterns`` the numbers of mistakes per error pattern, if
    records have them.
    """

    name: str
    scenarios: int
    trials: int
    rate: float
    suite: Interval | None
    similar: Interval | None
    score: float
    always: float
    ever: float
    flips: int
    costs: Cost
    patterns: Mapping[str, float]


def pass_hat(counts: Passes, k: int) -> float:
    """Return the probability that ``k`` of the trials, drawn at random, all passed (pass^k)."""
    return comb(counts.passed, k) / comb(counts.trials, k)


def pass_at(counts: Passes, k: int) -> float:
    """Return the probability that at least one of ``k`` drawn trials passed (pass@k)."""
    return 1 - comb(counts.trials - counts.passed, k) / comb(counts.trials, k)


def estimates(sample: Sample) -> list[Estimate]:
    """Return the figures of each category, augmentation and world, and finally of all."""
    groups: dict[str, list[SampledScenario]] = {}
    played = [
        scenario
        for scenario in sample.scenarios.values()
        if scenario.results and not scenario.quarantined
    ]
    for scenario in played:
        for name in scenario.groups:
            groups.setdefault(name, []).append(scenario)
    parts = [(name, groups[name]) for name in sorted(groups) if len(groups[name]) < len(played)]
    return [estimate(name, group) for name, group in (*parts, (ALL, played)) if group]


def estimate(name: str, scenarios: Sequence[SampledScenario]) -> Estimate:
    """Return the figures of scenarios, each of which has results."""
    results = [scenario.all_results for scenario in scenarios]
    passes = [Passes(sum(result.passed for result in group), len(group)) for group in results]
    k = min(counts.trials for counts in passes)
    return Estimate(
        name,
        scenarios=len(scenarios),
        trials=k,
        rate=fmean(counts.passed / counts.trials for counts in passes),
        suite=suite_interval(passes),
        similar=interval_of_others(passes),
        score=fmean(fmean(result.score for result in group) for group in results),
        always=fmean(pass_hat(counts, k) for counts in passes),
        ever=fmean(pass_at(counts, k) for counts in passes),
        flips=sum(0 < counts.passed < counts.trials for counts in passes),
        costs=mean_costs(scenario.costs for scenario in scenarios),
        patterns=_mean_patterns([scenario.patterns for scenario in scenarios]),
    )


def _mean_patterns(patterns: Sequence[Mapping[str, float]]) -> dict[str, float]:
    codes = sorted({code for shares in patterns for code in shares})
    return {code: fmean(shares.get(code, 0.0) for shares in patterns) for code in codes}
