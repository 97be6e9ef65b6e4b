"""The verdicts between several agents or prompts of one run; the first one named is the reference.

They say what ``toolsandbox compare`` says of files, and decide nothing: which of two agents is
better is no fault of the run.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, Any, Final

from pytest_toolsandbox.gate.played import PlayedTrial, SharedValues, played_trial
from pytest_toolsandbox.plugin.option_readers import labels
from pytest_toolsandbox.plugin.settings import Settings
from pytest_toolsandbox.records.trials import fair_sample

from .observer import Line, Observer, PlayedItem, VerdictTexts
from .verdict import verdict_texts

if TYPE_CHECKING:
    from pytest_toolsandbox.gate.arms import ArmNames
    from pytest_toolsandbox.gate.verdict import Verdict


_OF_PLAN: Final = ("trial", "of_trials", "confirms")


class ComparedArms(Observer):
    """Keeps the trials of each arm, and compares them once nothing more is played."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self._shared = SharedValues()
        self._played: dict[str, dict[int, tuple[dict[str, Any], PlayedTrial]]] = {}

    def on_records(self, item: PlayedItem) -> None:
        """Note the trials of an item; those of its last run, if it is run again."""
        trials = {}
        for record in item.records:
            plan = {name: record[name] for name in _OF_PLAN if name in record}
            trials[record["trial"]] = plan, self._shared.of(played_trial(record))
        if 1 in trials:
            self._played[item.id] = {}
        self._played.setdefault(item.id, {}).update(trials)
        self.__dict__.pop("_compared", None)

    @cached_property
    def _names(self) -> ArmNames:
        from pytest_toolsandbox.gate.arms import ArmNames

        agents, prompts = labels(self.settings.agent), [*self.settings.prompt.texts]
        several = (names if len(names) > 1 else [] for names in (agents, prompts))
        return ArmNames(*several)

    @cached_property
    def _compared(self) -> tuple[str, dict[str, Verdict | str]]:
        from pytest_toolsandbox.gate.arms import compared_arms, samples_of_arms

        planned = [
            {"id": name, "played": trial, **plan}
            for name, trials in self._played.items()
            for plan, trial in trials.values()
        ]
        fair = (trial["played"] for trial in fair_sample(planned))
        samples = samples_of_arms(fair, self._names)
        return compared_arms(samples, self.settings.margin) if samples else ("", {})

    def texts(self) -> dict[str, VerdictTexts]:
        """Return what is compared → what outputs show of it, in the order of the arms."""
        reference, verdicts = self._compared
        shown = {}
        for name, verdict in verdicts.items():
            texts = verdict_texts(verdict, "", f"toolsandbox.compared.{name.replace(' ', '_')}")
            shown[f"{name} beside {reference}"] = replace(texts, items=self._items_of(name))
        return shown

    def _items_of(self, arm: str) -> dict[str, str]:
        """Return the ids of scenarios → the items of an arm."""
        parts = {item: self._names.split(item) for item in self._played}
        return {part[1]: item for item, part in parts.items() if part and part[0] == arm}

    def conclusions(self) -> list[Line]:
        """Return what differs between the arms."""
        changes = [(title, texts.changes) for title, texts in self.texts().items()]
        titled = ([f"changes of {title}", *lines] for title, lines in changes if lines)
        return [(line, {}) for line in chain.from_iterable(titled)]

    def verdicts(self) -> list[Line]:
        lines: list[str] = []
        for title, texts in self.texts().items():
            lines += [title, *texts.lines]
        return [(line, {}) for line in lines]
