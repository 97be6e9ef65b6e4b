"""Statistics of the difficulty of a suite's scenarios, and what its trials can show."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from statistics import fmean, pstdev

from pytest_toolsandbox.gate.plan import TRIALS, reaches
from pytest_toolsandbox.language.scenario import Difficulty, Scenario
from pytest_toolsandbox.output.tables import ALL_SCENARIOS, Total, aligned
from pytest_toolsandbox.output.totals import categories_in_order, grouped
from pytest_toolsandbox.text.formatting import pluralize

_HALF = 0.5
_HEADINGS = ("scenarios", "trials", "passed", "never", "rarely", "mostly", "always", "spread")


def difficulty_lines(scenarios: Sequence[Scenario]) -> Iterator[list[str]]:
    """Yield a table of pass rates by category, and one of what trials show; none without data.

    ``rarely`` are scenarios that passed in less than half of their trials, ``mostly`` the others
    that passed and failed. The ``spread`` is the standard deviation of their pass rates.
    """
    known = [scenario for scenario in scenarios if scenario.difficulty is not None]
    if not known:
        return
    groups = grouped(known, lambda scenario: scenario.categories, categories_in_order)
    rows = [_row(total) for total in (*groups, Total(ALL_SCENARIOS, known))]
    title = "Difficulty (passed and played trials of real agents)"
    yield [title, *aligned([("category", *_HEADINGS), *rows])]
    rates = [difficulty.rate for difficulty in _difficulties(known)]
    plan = reaches(rates)
    drops = ("n/a" if reach.drop is None else f"{reach.drop:.3f}" for reach in plan)
    yield [
        f"The smallest drop that trials show in 4 of 5 runs of {pluralize(len(known), 'scenario')}",
        *aligned([("trials of each", *map(str, TRIALS)), ("drop of the pass rate", *drops)]),
    ]


def _row(total: Total[Scenario]) -> tuple[str, ...]:
    data = _difficulties(total.items)
    rates = [difficulty.rate for difficulty in data]
    shares = (
        sum(rate == 0 for rate in rates),
        sum(0 < rate < _HALF for rate in rates),
        sum(_HALF <= rate < 1 for rate in rates),
        sum(rate == 1 for rate in rates),
    )
    trials = sum(difficulty.played for difficulty in data)
    means = f"{fmean(rates):.3f}", f"{pstdev(rates):.3f}"
    return total.name, str(len(data)), str(trials), means[0], *map(str, shares), means[1]


def _difficulties(scenarios: Sequence[Scenario]) -> list[Difficulty]:
    return [scenario.difficulty for scenario in scenarios if scenario.difficulty is not None]
