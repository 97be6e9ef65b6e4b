"""The verdict of a session: its trials beside those of the baseline."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest

from pytest_toolsandbox.plugin.collection.unchanged import WHY, keep_verdict, kept_verdict
from pytest_toolsandbox.plugin.payload import Payload
from pytest_toolsandbox.plugin.settings import settings_of
from pytest_toolsandbox.text.formatting import join_words

from .observer import YELLOW, Line, Observer, PlayedItem, SessionResult, VerdictTexts

if TYPE_CHECKING:
    from pytest_toolsandbox.gate.played import PlayedTrial
    from pytest_toolsandbox.gate.verdict import Verdict


_NOTHING: Final = "no scenario can be compared with the baseline"


class SessionVerdict(Observer):
    """Whether a run is worse than ``--sandbox-baseline``; raises ``pytest.UsageError``.

    If the option ``is_typed``, a run in which nothing is compared fails; what the ini file says
    need not concern every run.
    """

    def __init__(self, config: pytest.Config, baseline: Path, *, is_typed: bool) -> None:
        from pytest_toolsandbox.gate.baseline import BaselineError, read_baseline

        self._config = config
        self.settings = settings = settings_of(config)
        self._is_typed = is_typed
        self.expected: set[str] = set()
        self.impact = ""
        self._reused: dict[str, str] | None = None
        self._played: dict[str, list[PlayedTrial]] = {}
        self.trials = 1 if settings.trials.is_auto and not settings.rejudge else None
        """How many of each scenario were played, if the verdict decides how many are."""
        try:
            self.baseline = read_baseline(baseline)
        except BaselineError as error:
            raise pytest.UsageError(f"--sandbox-baseline: {error}") from None
        self._refuse_other_user()

    def _refuse_other_user(self) -> None:
        """End the run before it costs anything, if the baseline was played with another user."""
        known = {played.user_name for run in self.baseline.sample.runs for played in run.conditions}
        if self.settings.user not in {"scripted", *known}:  # a fixture may stand for the script
            text = f"it was played with the user {join_words(sorted(known), 'and')}"
            remedy = f"a run with {self.settings.user} needs a baseline of its own"
            raise pytest.UsageError(f"--sandbox-baseline: {text}; {remedy}")

    def on_report(self, report: pytest.TestReport, payload: Payload) -> None:
        """Expect no trials of an item that is skipped."""
        self.impact = payload.impact or self.impact
        if report.skipped:
            self.expected.discard(report.nodeid)

    def on_records(self, item: PlayedItem) -> None:
        """Note the trials of an item; those of its last run, where it is run again."""
        from pytest_toolsandbox.gate.played import played_trial

        trials = {record["trial"]: played_trial(record) for record in item.records}
        if self.trials is None or 1 in trials:
            self._played[item.id] = []
        self._played[item.id] += trials.values()
        self.__dict__.pop("found", None)

    def at_end(self, result: SessionResult) -> None:
        """Keep a good verdict for runs in which nothing changes that it depends on."""
        if not (result.has_scores and self.impact) or self._reused is not None:
            return
        if not isinstance(self.found, str) and self.found.kind in ("no worse", "better"):
            verdict = {"kind": self.found.kind, "why": self.lines()[0]}
            keep_verdict(self._config, self.impact, verdict)

    @cached_property
    def found(self) -> Verdict | str:
        """The verdict, or why these runs cannot be compared."""
        from pytest_toolsandbox.gate.pairing import IncomparableError, pair
        from pytest_toolsandbox.gate.samples import sample_of
        from pytest_toolsandbox.gate.verdict import concluded, looked

        candidate = sample_of(chain.from_iterable(self._played.values()))
        try:
            pairing = pair(self.baseline.sample, candidate, sorted(self.expected))
        except IncomparableError as error:
            return f"not comparable with the baseline, which was played otherwise: {error}"
        if self.trials is not None:
            return looked(pairing, self.trials, self.settings.margin)
        return concluded(pairing, self.settings.margin)

    def next_look(self, trials: int) -> int | None:
        """Return how many trials of each scenario decide more than these, if any do."""
        from pytest_toolsandbox.gate.verdict import next_look

        self.trials = trials
        self.__dict__.pop("found", None)
        return None if isinstance(self.found, str) else next_look(self.found, trials)

    def to_confirm(self) -> list[str]:
        """Return the scenarios of which further trials tell whether they broke."""
        from pytest_toolsandbox.gate.verdict import to_confirm

        return [] if isinstance(self.found, str) else to_confirm(self.found)

    @property
    def fault(self) -> str:
        """Why the session is to fail; empty where it is not."""
        if self._reused is not None:
            return ""
        if isinstance(self.found, str):
            return "it cannot be compared with the baseline"
        if not self.found.strata and self._is_typed:
            return _NOTHING
        is_open = self.found.kind == "inconclusive" and self.settings.inconclusive == "fail"
        return f"it is {self.found.kind}" if self.found.kind == "worse" or is_open else ""

    def is_needed(self, skipped: Mapping[str, int]) -> bool:
        """Whether there is a verdict if nothing was played; an earlier one may still be valid."""
        if skipped.get("unchanged"):
            self._reused = kept_verdict(self._config, self.impact)
            return True
        is_asked = bool(self.expected or skipped) and self.settings.inconclusive == "fail"
        return self._is_typed or is_asked

    def undecided(self, records: Iterable[Mapping[str, Any]]) -> str:
        """Return why failed scenarios are not the verdict's to decide; empty where they are."""
        if self._reused is not None or isinstance(self.found, str):
            return ""
        if not self.found.strata:
            return _NOTHING
        compared = self.found.pairing.strata
        failed = {
            record["id"]
            for record in records
            if record["outcome"] == "failed"
            and record.get("critical")
            and record["id"] not in compared
        }
        if not failed:
            return ""
        which = join_words(sorted(failed), "and")
        return f"what is critical and in no baseline as it is now failed: {which}"

    def lines(self) -> list[str]:
        """Return what the summary says."""
        from pytest_toolsandbox.output.comparison_forms import verdict_lines

        if self._reused is not None:
            return [f"{self._reused['why']} (as before: {WHY})"]
        if isinstance(self.found, str):
            return [f"baseline: {self.found}"]
        first, *rest = verdict_lines(self.found)
        return [f"baseline: {first}", *rest]

    def texts(self) -> VerdictTexts:
        """Return what outputs show."""
        from pytest_toolsandbox.output.comparison_forms import (
            changed_sections,
            verdict_facts,
            verdict_properties,
        )

        lines, properties = self.lines(), {"toolsandbox.verdict": "not comparable"}
        if self._reused is not None:
            kind = self._reused["kind"]
            why = f"{kind}, as before: {WHY}"
            properties = {"toolsandbox.verdict": kind, "toolsandbox.verdict.why": why}
        if self._reused is not None or isinstance(self.found, str):
            return VerdictTexts(lines, lines, [], [], properties)
        first, *rest = verdict_facts(self.found)
        return VerdictTexts(
            lines,
            facts=[f"baseline: {first}", *rest],
            sections=changed_sections(self.found),
            broken=[stratum.id for stratum in self.found.broken] if self.found.strata else [],
            properties=verdict_properties(self.found),
        )

    def conclusions(self) -> list[Line]:
        """Return what the terminal shows."""
        colour: Mapping[str, bool] = {}
        if self.fault:
            colour = {"red": True}
        elif self._reused is None and not isinstance(self.found, str):
            is_open = self.found.kind == "inconclusive"
            colour = YELLOW if is_open and self.settings.inconclusive == "warn" else {}
        return [(line, colour) for line in self.lines()]
