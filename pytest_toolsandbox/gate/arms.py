"""The arms of a run: several agents or prompts that play the same scenarios, to be compared.

An arm's name is a part of the ids of its items. Without it, items of two arms have the same id, and
are paired as those of two runs.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from pytest_toolsandbox.records.reading import without_parameters

from .pairing import IncomparableError, pair
from .played import PlayedTrial
from .samples import CANDIDATE, Sample, sample_of, without_runs
from .verdict import Verdict, concluded


class ArmNames(NamedTuple):
    """What distinguishes arms in the ids of items: labels of agents, and names of prompts.

    Each is empty unless there are several. The first arm is the reference.
    """

    agents: Sequence[str] = ()
    prompts: Sequence[str] = ()

    @property
    def arms(self) -> list[str]:
        """The names of all arms: each agent with each prompt, the agent first."""
        agents = self.agents or [""]
        prompts = [f"[{name}]" for name in self.prompts] or [""]
        return [f"{agent} {prompt}".strip() for agent in agents for prompt in prompts]

    def split(self, identifier: str) -> tuple[str, str] | None:
        """Return the arm of an item, and its id without the arm.

        ``None`` if it has none, as a scenario with a prompt of its own in a run of several prompts.
        """
        file, separator, name = identifier.partition("::")
        name, _, parameters = name.partition("[")
        parts = f"-{parameters.removesuffix(']')}-"
        shown = []
        if self.agents:
            label = _longest(label for label in self.agents if parts.startswith(f"-{label}-"))
            if label is None:
                return None
            shown, parts = [label], parts.removeprefix(f"-{label}")
        if self.prompts:
            prompt = _longest(prompt for prompt in self.prompts if f"-{prompt}-" in parts)
            if prompt is None:
                return None
            before, _, after = parts.rpartition(f"-{prompt}-")
            shown, parts = [*shown, f"[{prompt}]"], f"{before}-{after}"
        left = parts.strip("-")
        return " ".join(shown), f"{file}{separator}{name}{f'[{left}]' if left else ''}"


def _longest(names: Iterable[str]) -> str | None:
    return max(names, key=len, default=None)


def samples_of_arms(trials: Iterable[PlayedTrial], names: ArmNames) -> dict[str, Sample]:
    """Return arm → its sample, in the order of the names; an arm without trials is left out."""
    by_arm: dict[str, list[PlayedTrial]] = {name: [] for name in names.arms}
    for trial in trials:
        if (parts := names.split(trial.id)) is not None:
            arm, identifier = parts
            by_arm[arm].append(replace(trial, id=identifier, arms=()))
    return {arm: sample_of(of_arm) for arm, of_arm in by_arm.items() if of_arm}


class RecordedArm(NamedTuple):
    """An arm of a file of records: its sample, without the arm in its ids, and id → the item's."""

    sample: Sample
    items: Mapping[str, str]


def recorded_arms(trials: Sequence[PlayedTrial]) -> dict[str, RecordedArm]:
    """Return the arms by name, in the order of the trials; empty if all are of one arm.

    Records tell prompts and parameters of fixtures apart from nothing, so each is an arm. Trials
    with fewer parts, as of a scenario with a prompt of its own, are left out.
    """
    by_arm: dict[tuple[str, ...], list[PlayedTrial]] = {}
    most = max((len(trial.arms) for trial in trials), default=0)
    for trial in trials:
        if len(trial.arms) == most:
            by_arm.setdefault(trial.arms, []).append(trial)
    several = by_arm if len(by_arm) > 1 else {}
    return {" ".join(arm): _recorded_arm(of_arm) for arm, of_arm in several.items()}


def _recorded_arm(trials: Sequence[PlayedTrial]) -> RecordedArm:
    renamed = [replace(trial, id=_id_without_arm(trial), arms=()) for trial in trials]
    items = {new.id: old.id for new, old in zip(renamed, trials, strict=True)}
    return RecordedArm(sample_of(renamed), items)


def _id_without_arm(trial: PlayedTrial) -> str:
    """Return the id of a trial with its variant and its feedback, if these are parts of it."""
    scenario = without_parameters(trial.id)
    parts = f"-{trial.id.removeprefix(scenario).strip('[]')}-"
    names = (trial.variant or "", trial.conditions.feedback.replace(" ", "_"))
    left = "-".join(name for name in names if name and f"-{name}-" in parts)
    return f"{scenario}[{left}]" if left else scenario


def compared_arms(
    samples: Mapping[str, Sample], margin: float | None
) -> tuple[str, dict[str, Verdict | str]]:
    """Return the reference, and other arm → its verdict beside it, or why there is none.

    The first sample is the reference. What it has and another one lacks is missing there, as in a
    comparison of files.
    """
    (reference, first), *later_samples = samples.items()
    verdicts: dict[str, Verdict | str] = {}
    for name, sample in later_samples:
        try:
            verdicts[name] = verdict_beside(first, sample, margin)
        except IncomparableError as error:
            verdicts[name] = f"not comparable with {reference}, which was played otherwise: {error}"
    return reference, verdicts


def verdict_beside(
    first: Sample, other: Sample, margin: float | None, *, common: bool = False
) -> Verdict:
    """Return the verdict on a sample beside another one; raises ``IncomparableError``.

    Scenarios that it lacks are missing, unless only ``common`` ones are compared.
    """
    # A run that has joined the baseline since would be compared with itself.
    before = without_runs(first, {run.key for run in other.runs} - {CANDIDATE})
    expected = [] if common or other.is_part else sorted(before.scenarios)
    return concluded(pair(before, other, expected), margin)
