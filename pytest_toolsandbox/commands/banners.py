"""The verdicts at the top of a report of files: beside a baseline, the first file or agent."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from pytest_toolsandbox.gate.arms import verdict_beside
from pytest_toolsandbox.gate.pairing import IncomparableError
from pytest_toolsandbox.gate.samples import Sample
from pytest_toolsandbox.output.comparison_forms import verdict_facts, verdict_properties
from pytest_toolsandbox.output.comparison_tables import telling_tables
from pytest_toolsandbox.output.html.gate_banner import GateBanner, gate_banner
from pytest_toolsandbox.output.verdict_words import where_it_fell

from .record_files import StoredRun, arms_in, consistent_records, stored_sample

_PREFIX: Final = "verdict"


class _Side(NamedTuple):
    """A sample, its name, the run in the report that has its items, and id → that of its item."""

    name: str
    sample: Sample
    run: str
    items: Mapping[str, str]


def banners(
    runs: Sequence[StoredRun], baseline: Path | None, margin: float | None
) -> Iterator[GateBanner]:
    """Yield a banner for each run beside the baseline, or for each but the first beside that one.

    Of a single run without a baseline these are its agents or prompts. Runs without a common
    scenario have no banner, unless a baseline was named.
    """
    if baseline is not None:
        first = _Side(baseline.stem, stored_sample(baseline), "", {})
        other_sides = [_side_of(run) for run in runs]
    elif len(runs) > 1:
        first, *other_sides = map(_side_of, runs)
    else:
        arms = arms_in(runs[0].path, is_silent=True)
        sides = [_Side(name, arm.sample, runs[0].name, arm.items) for name, arm in arms.items()]
        if not sides:
            return
        first, *other_sides = sides
    with consistent_records(*(run.path for run in runs)):
        for other in other_sides:
            is_common = not first.sample.scenarios.keys().isdisjoint(other.sample.scenarios)
            if is_common or baseline is not None:
                yield _banner(first, other, margin)


def _side_of(run: StoredRun) -> _Side:
    return _Side(run.name, stored_sample(run.path, is_silent=True), run.name, {})


def _banner(first: _Side, other: _Side, margin: float | None) -> GateBanner:
    try:
        verdict = verdict_beside(first.sample, other.sample, margin)
    except IncomparableError as error:
        text = f"{first.name} was played otherwise: {error}"
        banner = gate_banner({_PREFIX: "not comparable"}, [text], [])
    else:
        properties, facts = verdict_properties(verdict, _PREFIX), [*verdict_facts(verdict)]
        banner = gate_banner(properties, facts, telling_tables(verdict))
        broken = [change.id for change in verdict.broken] if verdict.strata else []
        banner = banner._replace(where=where_it_fell(verdict), broken=broken)
    title = f"{other.name} beside {first.name}"
    return banner._replace(title=title, run=other.run, items=other.items)
