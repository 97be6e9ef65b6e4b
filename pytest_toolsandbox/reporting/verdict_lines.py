"""A verdict in words: a sentence, and below it what it was told from."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from pytest_toolsandbox.gate.single import FALSE_SHARE
from pytest_toolsandbox.gate.strata import Stratum
from pytest_toolsandbox.gate.verdict import Change, Verdict
from pytest_toolsandbox.wording.phrases import counted, listed

from .tables import DIGITS, aligned

MOST_SHOWN: Final = 10
"""Scenarios of a kind that the summary lists."""


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
        lines += [*_figures(verdict), *_changes(verdict), *_groups(verdict)]
    return lines + [f"  {line}" for line in left_out(verdict)]


def rate(passed: int, trials: int) -> str:
    """Write how many trials passed, such as ``2/3``."""
    return f"{passed}/{trials}"


def pass_rates(strata: Sequence[Stratum]) -> tuple[float, float]:
    """Return the mean pass rates before and now, in which each scenario counts the same."""
    before = sum(one.passed_before / one.trials_before for one in strata)
    now = sum(one.passed / one.trials for one in strata)
    return before / len(strata), now / len(strata)


def chance(value: float) -> str:
    """Write a chance so that a small one is not 0."""
    return f"{value:.3f}" if value >= 0.0005 else "<0.001"  # noqa: PLR2004  # where .3f says 0.000


def _needed(verdict: Verdict) -> str:
    needed = verdict.needed
    if needed is None:
        return "even 50 trials of each scenario would not decide; widen the margin or the suite"
    cost = "" if needed.cost is None else f", which cost about {needed.cost:.2f} US dollars more"
    return f"{counted(needed.trials, 'trial')} of each scenario would probably decide{cost}"


def _figures(verdict: Verdict) -> Iterator[str]:
    before, now = pass_rates(verdict.strata)
    low, high = verdict.interval
    found = verdict.model.found
    what = "drop" if found >= 0 else "rise"
    bounds = sorted((low, high) if found >= 0 else (-low, -high))
    yield (
        f"  pass rate {now:.3f}, baseline {before:.3f}: {what} {abs(found):.3f}, "
        f"95% interval {bounds[0]:.3f} to {bounds[1]:.3f}, margin {verdict.margin:g}"
    )
    side = "worse" if found >= 0 else "better"
    here = chance(getattr(verdict.tails, side))
    there = chance(getattr(verdict.tails_of_others, side))
    yield f"  chance of it without a change: {here} on this suite, {there} on scenarios like these"
    numbers = " and ".join(map(_trial_numbers, _both_numbers(verdict.strata)))
    yield f"  {counted(len(verdict.strata), 'scenario')} compared; trials of each: {numbers}"


def _both_numbers(strata: Sequence[Stratum]) -> tuple[list[int], list[int]]:
    return [one.trials_before for one in strata], [one.trials for one in strata]


def _trial_numbers(numbers: Sequence[int]) -> str:
    least, most = min(numbers), max(numbers)
    return str(least) if least == most else f"{least} to {most}"


def _changes(verdict: Verdict) -> Iterator[str]:
    for heading, changes in (("broke", verdict.broken), ("mended", verdict.mended)):
        sure = [one for one in changes if one.is_sure]
        if sure:
            yield f"  {heading} ({FALSE_SHARE:.0%} of such a list may be luck)"
            yield from _listed(sure)
        if len(sure) < len(changes):
            way = "less" if heading == "broke" else "more"
            yield f"  passed {way} often; each alone may be luck"
            yield from _listed(changes[len(sure) :])


def _listed(changes: Sequence[Change]) -> Iterator[str]:
    rows = [_row(one) for one in changes[:MOST_SHOWN]]
    figures = aligned([row[:-1] for row in rows], words=5)
    yield from (f"    {line}  {row[-1]}" for line, row in zip(figures, rows, strict=True))
    if len(changes) > MOST_SHOWN:
        yield f"    and {len(changes) - MOST_SHOWN} more"


def _row(one: Change) -> tuple[str, ...]:
    before = rate(one.stratum.passed_before, one.stratum.trials_before)
    now = rate(one.stratum.passed, one.stratum.trials)
    critical = ", critical" if one.is_critical else ""
    apart = "" if one.parts_at is None else f", parts at [{one.parts_at}]"
    return before, "->", now, f"p {chance(one.chance)}", f"{one.id}{critical}{apart}"


def _groups(verdict: Verdict) -> Iterator[str]:
    rows = [
        (one.name, f"{one.scenarios}", f"{one.drop:+.3f}", chance(one.chance))
        for one in verdict.groups
        if one.drop > 0
    ]
    if rows:
        headings = ("passes less often", "scenarios", "drop", "p (Holm)")
        yield from (f"  {line}" for line in aligned([headings, *rows]))


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
            yield f"not compared, since {why}: {listed(shown, 'and')}"
    if pairing.missing:
        yield f"{pairing.missing:.1%} of the trials are missing"
    if pairing.absent:
        yield f"{counted(len(pairing.absent), 'scenario')} of the baseline not in this run"


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
