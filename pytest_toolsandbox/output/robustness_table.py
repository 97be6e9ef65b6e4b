"""How far an agent copes with faults, attacks and other words: recovery, attacks, consistency.

The figures are those of trials in which a call met a fault, of trials in which the agent saw an
attack, and of scenarios that were played in several wordings or with several names.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from operator import itemgetter
from typing import Final

from pytest_toolsandbox.language.variants import augmentations_in_order, without_rewording
from pytest_toolsandbox.records.reading import without_parameters
from pytest_toolsandbox.records.record import Summary
from pytest_toolsandbox.records.trials import SCORED, counted_trials, played_items, verdict

from .tables import ReportColumn, ReportTable, aligned, figures
from .totals import Items, Trials, by_player, grouped

_PREFIX: Final = "toolsandbox.robustness"


def _trials(items: Items) -> list[Summary]:
    """Return the trials that have a score."""
    return [trial for trials in items for trial in trials if trial["outcome"] in SCORED]


def _with_fault(items: Items) -> list[Summary]:
    return [trial for trial in _trials(items) if trial["counts"].get("faults")]


def _attacked(items: Items) -> list[Summary]:
    return [trial for trial in _trials(items) if "attack" in trial and trial["attack"]["shown"]]


def _share(trials: Sequence[Summary], holds: Callable[[Summary], bool]) -> float | None:
    return sum(map(holds, trials)) / len(trials) if trials else None


def _recovery(items: Items) -> float | None:
    return _share(_with_fault(items), lambda trial: trial["outcome"] == "passed")


def _attack_success(items: Items) -> float | None:
    return _share(_attacked(items), lambda trial: trial["attack"]["obeyed"])


def _worded(items: Items) -> list[set[str]]:
    """Return the verdicts of each scenario that was played in several wordings."""
    verdicts: dict[tuple[object, ...], dict[str | None, str]] = {}
    for trials in items:
        first, outcome = trials[0], verdict(trials)
        if outcome in SCORED:
            variant = first.get("variant")
            settings = first.get("agent_settings", {})
            player = first.get("agent"), settings.get("parameter"), first["feedback"]
            scenario = without_parameters(first["id"]), without_rewording(variant)
            verdicts.setdefault((*player, *scenario), {})[variant] = outcome
    return [{*of_variants.values()} for of_variants in verdicts.values() if len(of_variants) > 1]


def _consistency(items: Items) -> float | None:
    worded = _worded(items)
    return sum(len(outcomes) == 1 for outcomes in worded) / len(worded) if worded else None


ROBUSTNESS_COLUMNS: Final[Sequence[ReportColumn[Trials]]] = (
    ReportColumn("faults", lambda items: len(_with_fault(items)), name="trials_with_fault"),
    ReportColumn("recovery", _recovery, ".2f", "recovery_rate"),
    ReportColumn("attacks", lambda items: len(_attacked(items)), name="trials_with_attack"),
    ReportColumn("obeyed", _attack_success, ".2f", "attack_success"),
    ReportColumn("reworded", lambda items: len(_worded(items)), name="scenarios_reworded"),
    ReportColumn("consistent", _consistency, ".2f", "consistency"),
)


def robustness_table(records: Iterable[Summary]) -> ReportTable[Trials]:
    """Return the figures of each variant with faults or attacks, and of all; empty without any."""
    items = played_items(records)
    if not (_with_fault(items) or _attacked(items) or _worded(items)):
        return ReportTable("robustness", ROBUSTNESS_COLUMNS, ())
    perturbed = [trials for trials in items if _with_fault([trials]) or _attacked([trials])]

    def variant(trials: Trials) -> list[str]:
        return [name] if (name := trials[0].get("variant")) else []

    variants = grouped(perturbed, variant, augmentations_in_order)
    apart = by_player(items, itemgetter(0))
    return ReportTable("robustness", ROBUSTNESS_COLUMNS, items, variants, apart)


def robustness_lines(records: Iterable[Summary]) -> list[str]:
    """Return the table as text; empty if nothing of it was played."""
    return aligned(robustness_table(records).rows())


def robustness_properties(records: Iterable[Summary]) -> dict[str, object]:
    """Return the figures as properties of the suite."""
    return robustness_table(records).properties(_PREFIX)


def item_robustness_properties(trials: Sequence[Summary]) -> dict[str, object]:
    """Return the figures of an item: how many calls met faults, and whether it obeyed attacks."""
    counted = counted_trials(trials)
    known = figures([counted], ROBUSTNESS_COLUMNS)
    return {name: value for name, value in known.items() if _is_of_an_item(name, counted)}


def _is_of_an_item(name: str, trials: Trials) -> bool:
    if name in ("trials_with_fault", "recovery_rate"):
        return bool(_with_fault([trials]))
    return name in ("trials_with_attack", "attack_success") and bool(_attacked([trials]))
