"""A verdict in words: a sentence, and below it what it was told from."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from pytest_toolsandbox.gate.permutation import Stratum
from pytest_toolsandbox.gate.verdict import Verdict
from pytest_toolsandbox.text.formatting import join_words, pluralize

from .comparison import Part, chance, changed_groups, changed_scenarios
from .tables import DIGITS, aligned

MOST_SHOWN: Final = 10
"""Scenarios of a kind that the summary lists."""
MOST_LUCKY: Final = 5
"""Scenarios that it lists where it may be luck."""


def verdict_sentence(verdict: Verdict) -> str:
    """Return the verdict, why, and for an inconclusive one what would decide."""
    parts = [f"{verdict.kind}: {verdict.why}"]
    if verdict.broken_critical:
        parts = [f"{verdict.kind}: critical and broken: {', '.join(verdict.broken_critical)}"]
    elif verdict.kind == "inconclusive" and verdict.strata and verdict.why.endswith("to tell"):
        parts.append(_needed(verdict))
    return "; ".join(parts)


def verdict_lines(verdict: Verdict) -> list[str]:
    """Return the sentence, the figures, the scenarios that changed, and what was not compared."""
    lines = [verdict_sentence(verdict)]
    if verdict.strata:
        parts = (*changed_scenarios(verdict), *changed_groups(verdict))
        lines += [
            *figures(verdict),
            *(line for part in parts for line in part_lines(part, _most(part))),
        ]
    return [lines[0], *(f"  {line}" for line in (*lines[1:], *left_out(verdict)))]


def verdict_facts(verdict: Verdict) -> list[str]:
    """Return the sentence, the figures, and what was not compared: all that is no table."""
    told = figures(verdict) if verdict.strata else ()
    return [verdict_sentence(verdict), *told, *left_out(verdict)]


def _most(part: Part) -> int:
    return MOST_LUCKY if part.is_luck else MOST_SHOWN


def part_lines(part: Part, most: int = MOST_SHOWN) -> list[str]:
    """Return a table as text below its title, with how many rows are left out."""
    rows = part.rows[: most + 1]
    if part.words:
        lines = aligned(rows, part.words)
    else:
        figures = aligned([row[:-1] for row in rows], 0)
        width = max(map(len, figures))  # of a row whose last figure is empty, too
        lines = [f"{line:{width}}  {row[-1]}" for line, row in zip(figures, rows, strict=True)]
    more = len(part.rows) - len(rows)
    return [
        part.title,
        *(f"  {line}" for line in (*lines, *([f"and {more} more"] if more else []))),
    ]


def pass_rates(strata: Sequence[Stratum]) -> tuple[float, float]:
    """Return the mean pass rates before and now, in which each scenario counts the same."""
    before = sum(one.passed_before / one.trials_before for one in strata)
    now = sum(one.passed / one.trials for one in strata)
    return before / len(strata), now / len(strata)


def _needed(verdict: Verdict) -> str:
    needed = verdict.needed
    if needed is None:
        return "even 50 trials of each scenario would not decide; widen the margin or the suite"
    cost = "" if needed.cost is None else f", which cost about {needed.cost:.2f} US dollars more"
    return f"{pluralize(needed.trials, 'trial')} of each scenario would probably decide{cost}"


def figures(verdict: Verdict) -> Iterator[str]:
    """Yield the rates, the drop with its interval, its chances, and what was compared."""
    before, now = pass_rates(verdict.strata)
    low, high = verdict.interval
    found = verdict.model.found
    what = "drop" if found >= 0 else "rise"
    bounds = sorted((low, high) if found >= 0 else (-low, -high))
    yield (
        f"pass rate {now:.3f}, baseline {before:.3f}: {what} {abs(found):.3f}, "
        f"95% interval {bounds[0]:.3f} to {bounds[1]:.3f}, margin {verdict.margin:g}"
    )
    side = "worse" if found >= 0 else "better"
    here = chance(getattr(verdict.tails, side))
    there = chance(getattr(verdict.tails_of_others, side))
    yield f"chance of it without a change: {here} on this suite, {there} on scenarios like these"
    if (scores := verdict.scores) is not None:
        luck = chance(scores.tails.worse if scores.now <= scores.before else scores.tails.better)
        yield f"mean score {scores.now:.3f}, baseline {scores.before:.3f}: chance {luck}"
    numbers = " and ".join(map(_trial_numbers, _both_numbers(verdict.strata)))
    yield f"{pluralize(len(verdict.strata), 'scenario')} compared; trials of each: {numbers}"


def _both_numbers(strata: Sequence[Stratum]) -> tuple[list[int], list[int]]:
    return [one.trials_before for one in strata], [one.trials for one in strata]


def _trial_numbers(numbers: Sequence[int]) -> str:
    least, most = min(numbers), max(numbers)
    return str(least) if least == most else f"{least} to {most}"


def left_out(verdict: Verdict) -> Iterator[str]:
    """Yield what was not compared, and why."""
    pairing = verdict.pairing
    for names, why in (
        (pairing.changed, "another task or world than in the baseline"),
        (pairing.new, "not in the baseline"),
        (pairing.quarantined, "in quarantine"),
    ):
        if names:
            shown = [*names[:3], *([f"{len(names) - 3} more"] if len(names) > 3 else [])]  # noqa: PLR2004
            yield f"not compared, since {why}: {join_words(shown, 'and')}"
    if pairing.missing:
        yield f"{pairing.missing:.1%} of the trials are missing"
    if pairing.absent:
        yield f"{pluralize(len(pairing.absent), 'scenario')} of the baseline not in this run"


def verdict_properties(verdict: Verdict) -> dict[str, object]:
    """Return the verdict as properties of a suite."""
    known: dict[str, object] = {
        "toolsandbox.verdict": verdict.kind,
        "toolsandbox.verdict.why": verdict_sentence(verdict),
    }
    if not verdict.strata:
        return known
    figures = {
        "drop": verdict.model.found,
        "drop.low": verdict.interval.low,
        "drop.high": verdict.interval.high,
        "margin": verdict.margin,
        "p": verdict.tails.worse,
    }
    rounded = {f"toolsandbox.verdict.{name}": round(v, DIGITS) for name, v in figures.items()}
    return known | rounded
