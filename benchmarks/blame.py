"""Counts how often blame names the step at which a fault was planted, and names none if spread.

Agents play the bundled scenarios as the first solution does, with one fault at a known step: a
wrong argument, a call that is left out, a further change of the world, a wrong report, two calls in
the wrong order. Others are wrong at several steps, each of which is fatal. Half of the scenarios
were for tuning, the other half is held out; which is which, a digest of the name says.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Final

from planted_faults import KINDS, Planted, digest, planted, spread

from pytest_toolsandbox.language.files import find_files
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.output.tables import aligned
from pytest_toolsandbox.protocols import load_file
from pytest_toolsandbox.records.writing import Trial
from pytest_toolsandbox.runs.blaming import Failure, Search
from pytest_toolsandbox.runs.forking import Fork
from pytest_toolsandbox.runs.trial import play_trial
from pytest_toolsandbox.scoring.deviations.steps import wrong_steps
from pytest_toolsandbox.suites import suites

LIMIT: Final = 12
"""Continuations of a conversation."""
NEEDED: Final = 0.9
"""The share of planted steps that must be named."""
PLANTED: Final = {"frontier": 20, "office": 50, "phone": 90, "queries": 40}
"""How many faults are planted in each suite."""
SPREAD: Final = {"frontier": 10, "office": 20, "phone": 40, "queries": 20}


@dataclass(frozen=True)
class Outcome:
    """What blame said of a planted fault."""

    suite: str
    kind: str
    fault: Planted
    named: int | None
    continuations: int

    @property
    def half(self) -> str:
        """The half that its scenario belongs to."""
        return _half(self.fault.scenario)

    @property
    def is_right(self) -> bool:
        """Whether the planted step was named, or none of several."""
        return self.named == (None if self.kind == "spread" else self.fault.step)


def main() -> int:
    """Plant faults, blame, and print the tables; return 1 if too few steps are named."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--half", choices=("tuning", "held out"), help="only this half")
    parser.add_argument("--show", action="store_true", help="print what was named wrongly")
    parser.add_argument("--part", type=int, default=1, help="only each so many-th fault")
    arguments = parser.parse_args()
    outcomes = [*_outcomes(arguments.half, arguments.part)]
    for outcome in outcomes if arguments.show else ():
        if not outcome.is_right:
            f = outcome.fault
            print(outcome.suite, outcome.kind, f.scenario.name, f.step, outcome.named)
    print(*aligned([*_rows(outcomes)]), sep="\n")
    one_step = [outcome.is_right for outcome in outcomes if outcome.kind in KINDS]
    return 0 if sum(one_step) >= NEEDED * len(one_step) else 1


def _outcomes(half: str | None, part: int) -> Iterator[Outcome]:
    for suite, folder in suites().items():
        if suite not in PLANTED:
            continue
        scenarios = [s for file in find_files([folder]) for s in load_file(file) if s.has_solution]
        scenarios.sort(key=lambda scenario: digest(scenario.name))
        for kind, fault in islice(_planted(suite, scenarios), None, None, part):
            if half in (None, _half(fault.scenario)):
                yield blamed(suite, kind, fault)


def _half(scenario: Scenario) -> str:
    return ("tuning", "held out")[int(digest("half", scenario.name), 16) % 2]


def _planted(suite: str, scenarios: Sequence[Scenario]) -> Iterator[tuple[str, Planted]]:
    """Yield the faults of a suite: of each kind in turn, as many as there are."""
    queues = {kind: iter(scenarios) for kind in KINDS}
    left = PLANTED[suite]
    while left and queues:
        for kind, queue in [*queues.items()]:
            fault = next(filter(None, (planted(scenario, kind) for scenario in queue)), None)
            if fault is None:
                del queues[kind]
            elif left:
                left -= 1
                yield kind, fault
    several = filter(None, map(spread, scenarios))
    yield from (("spread", fault) for fault in islice(several, SPREAD[suite]))


def blamed(suite: str, kind: str, fault: Planted) -> Outcome:
    """Return what blame says of a planted fault."""
    scenario, recorded = fault.scenario, fault.trial.trajectory

    def play(fork: Fork) -> Trial:
        return fork.played(scenario, lambda: play_trial(scenario, fault.agent))

    steps = wrong_steps(scenario, recorded)
    search = Search(Failure(recorded, scenario), steps, play, limit=LIMIT)
    decisive = search.decisive()
    named = decisive.step.message if decisive else None
    return Outcome(suite, kind, fault, named, len(search.trials))


def _rows(outcomes: Sequence[Outcome]) -> Iterator[tuple[str, ...]]:
    yield "half", "suite", "fault", "planted", "right", "share", "continuations", "most"
    keys = [(o.half, o.suite, o.kind) for o in outcomes]
    for key in sorted(set(keys)):
        yield (*key, *_figures([o for o, k in zip(outcomes, keys, strict=True) if k == key]))
    for half in ("tuning", "held out"):
        for name, kinds in (("one step", KINDS), ("spread", ("spread",))):
            chosen = [o for o in outcomes if o.half == half and o.kind in kinds]
            if chosen:
                yield half, "all", name, *_figures(chosen)


def _figures(outcomes: Sequence[Outcome]) -> tuple[str, ...]:
    right = sum(outcome.is_right for outcome in outcomes)
    played = [outcome.continuations for outcome in outcomes]
    count = len(outcomes)
    mean = f"{sum(played) / count:.1f}"
    return str(count), str(right), f"{right / count:.0%}", mean, str(max(played))


if __name__ == "__main__":
    sys.exit(main())
