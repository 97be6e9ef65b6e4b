"""The verdict of a session beside its baseline, and its reuse while nothing changes.

With ``sandbox_agent_files``, a run of which the agent's files, the scenarios and the settings are
those of an earlier run plays nothing, and has the verdict of that run.
"""

from __future__ import annotations

import glob
import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields, replace
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest

import pytest_toolsandbox
from pytest_toolsandbox.gate.played import PlayedTrial, played_trial
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.plugin.settings import settings_of
from pytest_toolsandbox.plugin.stash import IMPACT, UNCHANGED
from pytest_toolsandbox.records.digests import scenario_digests
from pytest_toolsandbox.text.formatting import join_words, pluralize

from .observer import YELLOW, Line, Observer, Payload, PlayedItem, SessionResult, VerdictTexts

if TYPE_CHECKING:
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
        known = {played.user_name for run in self.baseline.sample.runs for played in run.conditions}
        if settings.user not in {"scripted", *known}:  # a fixture may stand for the script
            text = f"it was played with the user {join_words(sorted(known), 'and')}"
            remedy = f"a run with {settings.user} needs a baseline of its own"
            raise pytest.UsageError(f"--sandbox-baseline: {text}; {remedy}")

    def on_report(self, report: pytest.TestReport, payload: Payload) -> None:
        """Expect no trials of an item that is skipped."""
        self.impact = payload.impact or self.impact
        if report.skipped:
            self.expected.discard(report.nodeid)

    def on_records(self, item: PlayedItem) -> None:
        """Note the trials of an item; those of its last run, if it is run again."""
        trials = {record["trial"]: played_trial(record) for record in item.records}
        if self.trials is None or 1 in trials:
            self._played[item.id] = []
        self._played[item.id] += trials.values()
        self.__dict__.pop("comparison", None)

    def at_end(self, result: SessionResult) -> None:
        if not (result.has_scores and self.impact) or self._reused is not None:
            return
        if not isinstance(self.comparison, str) and self.comparison.kind in ("no worse", "better"):
            verdict = {"kind": self.comparison.kind, "why": self.lines()[0]}
            _keep_verdict(self._config, self.impact, verdict)

    @cached_property
    def comparison(self) -> Verdict | str:
        """The verdict, or why these runs cannot be compared."""
        from pytest_toolsandbox.gate.pairing import IncomparableError, pair
        from pytest_toolsandbox.gate.samples import sample_of
        from pytest_toolsandbox.gate.verdict import concluded, looked

        candidate = sample_of(chain.from_iterable(self._played.values()))
        candidate = replace(candidate, is_part=self.settings.sample is not None)
        try:
            pairing = pair(self.baseline.sample, candidate, sorted(self.expected))
        except IncomparableError as error:
            return f"not comparable with the baseline, which was played otherwise: {error}"
        if self.trials is not None:
            return looked(pairing, self.trials, self.settings.margin)
        return concluded(pairing, self.settings.margin)

    def forecast(self) -> str:
        """Return what would decide if no round can; empty if one can, or nothing is known."""
        from pytest_toolsandbox.gate.permutation import Stratum
        from pytest_toolsandbox.gate.plan import remedy
        from pytest_toolsandbox.gate.verdict import LOOKS, usual_margin
        from pytest_toolsandbox.output.verdict_words import remedy_words

        known = self.baseline.sample.scenarios
        results = [known[name].all_results for name in sorted(self.expected & known.keys())]
        strata = [Stratum(sum(r.passed for r in some), len(some), 0, 1) for some in results if some]
        if not strata or self.trials is None or UNCHANGED in self._config.stash:
            return ""
        margin = self.settings.margin
        margin = usual_margin(len(strata)) if margin is None else margin
        lacks = remedy(strata, LOOKS[-1], margin)
        if lacks is None:
            return ""
        size = f"{LOOKS[-1]} trials of {pluralize(len(strata), 'scenario')}"
        text = f"if nothing is worse, {size} are too few to tell so in 4 of 5 runs"
        return f"{text} (margin {margin:g}); {remedy_words(lacks, LOOKS[-1])}"

    def next_look(self, trials: int) -> int | None:
        """Return how many trials of each scenario decide more than these, if any do."""
        from pytest_toolsandbox.gate.verdict import next_look

        self.trials = trials
        self.__dict__.pop("comparison", None)
        return None if isinstance(self.comparison, str) else next_look(self.comparison, trials)

    def to_confirm(self) -> list[str]:
        """Return the scenarios that further trials must confirm as broken."""
        from pytest_toolsandbox.gate.verdict import to_confirm

        return [] if isinstance(self.comparison, str) else to_confirm(self.comparison)

    @property
    def fault(self) -> str:
        """Why the session must fail; empty if it need not."""
        if self._reused is not None:
            return ""
        if isinstance(self.comparison, str):
            return "it cannot be compared with the baseline"
        if not self.comparison.strata and self._is_typed:
            return _NOTHING
        is_open = self.comparison.kind == "inconclusive" and self.settings.inconclusive == "fail"
        return f"it is {self.comparison.kind}" if self.comparison.kind == "worse" or is_open else ""

    def is_needed(self, skipped: Mapping[str, int]) -> bool:
        """Whether there is a verdict if nothing was played; an earlier one may still be valid."""
        if skipped.get("unchanged"):
            self._reused = _kept_verdicts(self._config).get(self.impact)
            return True
        is_asked = bool(self.expected or skipped) and self.settings.inconclusive == "fail"
        return self._is_typed or is_asked

    def undecided(self, records: Iterable[Mapping[str, Any]]) -> str:
        """Return why the verdict cannot excuse failed scenarios; empty if it can."""
        if self._reused is not None or isinstance(self.comparison, str):
            return ""
        if not self.comparison.strata:
            return _NOTHING
        compared = self.comparison.pairing.strata
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
        """Return the verdict and its figures."""
        if self._reused is not None:
            return [f"{self._reused['why']} (as before: {WHY})"]
        return [*self.texts().lines]

    def texts(self) -> VerdictTexts:
        if self._reused is None:
            return verdict_texts(self.comparison, "baseline: ", VERDICT)
        lines, kind = self.lines(), self._reused["kind"]
        properties = {VERDICT: kind, f"{VERDICT}.why": f"{kind}, as before: {WHY}"}
        return VerdictTexts(lines, [], lines, [], [], [], properties)

    def conclusions(self) -> list[Line]:
        """Return what changed beside the baseline."""
        changes = self.texts().changes
        titled = ["changes beside the baseline", *changes] if changes else []
        return [(line, {}) for line in titled]

    def verdicts(self) -> list[Line]:
        colour: Mapping[str, bool] = {}
        if self.fault:
            colour = {"red": True}
        elif self._reused is None and not isinstance(self.comparison, str):
            is_open = self.comparison.kind == "inconclusive"
            colour = YELLOW if is_open and self.settings.inconclusive == "warn" else {}
        return [(line, colour) for line in self.lines()]


def verdict_texts(verdict: Verdict | str, intro: str, prefix: str) -> VerdictTexts:
    """Return what outputs show of a verdict, or of why there is none.

    ``intro`` is put before the sentence, ``prefix`` before the names of properties.
    """
    from pytest_toolsandbox.output.comparison_forms import (
        change_lines,
        changed_sections,
        verdict_facts,
        verdict_lines,
        verdict_properties,
    )
    from pytest_toolsandbox.output.comparison_tables import telling_tables
    from pytest_toolsandbox.output.verdict_words import where_it_fell

    if isinstance(verdict, str):
        lines = [f"{intro}{verdict}"]
        return VerdictTexts(lines, [], lines, [], [], [], {prefix: "not comparable"})
    (first, *rest), (fact, *facts) = verdict_lines(verdict), verdict_facts(verdict)
    return VerdictTexts(
        lines=[f"{intro}{first}", *rest],
        changes=change_lines(verdict),
        facts=[f"{intro}{fact}", *facts],
        sections=changed_sections(verdict),
        tables=telling_tables(verdict),
        where=where_it_fell(verdict),
        broken=[change.id for change in verdict.broken] if verdict.strata else [],
        properties=verdict_properties(verdict, prefix),
    )


VERDICT: Final = "toolsandbox.verdict"
"""The property of the verdict in JUnit XML; those of its figures begin with it."""
WHY: Final = "nothing changed that the verdict depends on"
_KEY: Final = "toolsandbox/verdicts"
_MOST: Final = 20
"""Verdicts that are kept: enough for switching between branches."""
_BESIDE: Final = {
    *("results", "overwrite", "brief", "resume", "secrets", "inconclusive", "baseline"),
    *("durations", "dry_run"),
}
"""Settings that change no conversation and no verdict; of the baseline, the text counts."""


def look_for_changes(config: pytest.Config, played: Sequence[tuple[str, Scenario]]) -> None:
    """Note the digest of all that the verdict depends on, and an earlier verdict of the same.

    Only the user can say which files an agent is made of: without ``sandbox_agent_files`` every
    run is played.
    """
    settings = settings_of(config)
    if not (settings.baseline and settings.agent_files and played):
        return
    names = {field.name for field in fields(settings)} - _BESIDE
    facts = {
        "version": pytest_toolsandbox.__version__,
        "settings": {name: repr(getattr(settings, name)) for name in names},
        "scenarios": sorted(
            [name, scenario.digest, *scenario_digests(scenario).values()]
            for name, scenario in played
        ),
    }
    digest = hashlib.sha256(json.dumps(facts, sort_keys=True, default=str).encode())
    root = config.rootpath
    for path in [settings.baseline, *_named_files(settings.agent_files, root)]:
        text = path.read_bytes()
        name = path.relative_to(root).as_posix() if path.is_relative_to(root) else str(path)
        digest.update(json.dumps([name, len(text)]).encode() + text)
    config.stash[IMPACT] = digest.hexdigest()
    if (verdict := _kept_verdicts(config).get(config.stash[IMPACT])) is not None:
        config.stash[UNCHANGED] = verdict


def _named_files(patterns: Iterable[str], folder: Path) -> list[Path]:
    """Return the files below a folder that match patterns, in order."""
    files: set[Path] = set()
    for pattern in patterns:
        names = glob.glob(pattern, root_dir=folder, recursive=True, include_hidden=True)  # noqa: PTH207  # Path.glob takes no absolute pattern
        matches = {folder / name for name in names if (folder / name).is_file()}
        if not matches:
            raise pytest.UsageError(f"sandbox_agent_files: no file is named {pattern}")
        files |= matches
    return sorted(files)


def _keep_verdict(config: pytest.Config, digest: str, verdict: dict[str, str]) -> None:
    """Keep a verdict in pytest's cache, with the newest of the others."""
    if (cache := getattr(config, "cache", None)) is not None:
        verdicts = _kept_verdicts(config)
        verdicts.pop(digest, None)
        cache.set(_KEY, dict([*verdicts.items(), (digest, verdict)][-_MOST:]))


def _kept_verdicts(config: pytest.Config) -> dict[str, dict[str, str]]:
    """Return the digest of earlier runs → their verdict; empty with ``-p no:cacheprovider``."""
    cache = getattr(config, "cache", None)
    verdicts: Any = cache.get(_KEY, None) if cache is not None else None
    return verdicts if isinstance(verdicts, dict) else {}
