"""Test the gate on unchanged trials: how often does it say "worse"?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from random import Random
from typing import Final, NamedTuple

from .pairing import Pairing, pair
from .permutation import Stratum
from .plan import Remedy, drop_seen, remedy
from .samples import CANDIDATE, Run, Sample, SampledScenario
from .verdict import LOOKS, Kind, judged, usual_margin

DRAWS: Final = 1000
_TWO: Final = 2


class SelfTest(NamedTuple):
    """The frequency of each verdict on random halves, and the drops that would be detected.

    ``seen`` maps numbers of trials of the candidate to the drop that is "worse" in four of five
    runs, with the sample as the baseline; ``None`` if there is none. ``remedies`` maps them to what
    would tell "no worse" at the ``margin``; ``None`` if they do.
    """

    scenarios: int
    shares: Mapping[Kind, float]
    seen: Mapping[int, float | None]
    margin: float
    remedies: Mapping[int, Remedy | None]


def self_test(sample: Sample, margin: float | None = None, draws: int = DRAWS) -> SelfTest:
    """Split the trials of each scenario at random, many times, and compare the halves.

    Scenarios with a single trial are left out. Equal samples give equal results. Raises
    ``ValueError`` if no scenario has two trials.
    """
    repeated = {n: s for n, s in sample.scenarios.items() if len(s.all_results) >= _TWO}
    if not repeated:
        raise ValueError("no scenario has two trials, so there are no halves to compare")
    random = Random(0)  # noqa: S311  # a seed that is always the same
    counts = Counter(judged(_halves(repeated, random), margin).kind for _ in range(draws))
    kinds: Sequence[Kind] = ("worse", "better", "no worse", "inconclusive")
    results = [scenario.all_results for scenario in sample.scenarios.values() if scenario.results]
    strata = [Stratum(sum(r.passed for r in some), len(some), 0, 1) for some in results]
    seen = {trials: drop_seen(strata, trials) for trials in LOOKS}
    shares = {kind: counts[kind] / draws for kind in kinds}
    wanted = usual_margin(len(strata)) if margin is None else margin
    remedies = {trials: remedy(strata, trials, wanted) for trials in LOOKS}
    return SelfTest(len(repeated), shares, seen, wanted, remedies)


def _halves(scenarios: Mapping[str, SampledScenario], random: Random) -> Pairing:
    old, new = {}, {}
    for name, scenario in scenarios.items():
        mixed = random.sample(scenario.all_results, len(scenario.all_results))
        # An odd trial goes to either half, so that no side has more trials on average.
        half = len(mixed) // 2 + random.randint(0, len(mixed) % 2)
        old[name], new[name] = (
            replace(scenario, results={CANDIDATE: tuple(results)}, lost=0)
            for results in (mixed[half:], mixed[:half])
        )
    no_runs: Sequence[Run] = ()
    return pair(Sample(old, no_runs), Sample(new, no_runs))
