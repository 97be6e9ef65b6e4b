"""The settings of a run: the values of all options, checked against each other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, combinations
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal

import pytest

from pytest_toolsandbox.text.files import is_same_file

from .option_readers import ONCE, Feedback, Prompts, Trials, read
from .options import OPTIONS, given_names

if TYPE_CHECKING:
    from pytest_toolsandbox.language.scenario import Scenario
    from pytest_toolsandbox.models.usage import Price
    from pytest_toolsandbox.output.players import Players
    from pytest_toolsandbox.output.totals import MinimumScore
    from pytest_toolsandbox.runs.job import PassRule, TrialPlan
    from pytest_toolsandbox.runs.sharding import Shard
    from pytest_toolsandbox.users.simulated.model_user import Style
    from pytest_toolsandbox.users.simulated.toolsandbox_prompt import Prompt


_SETTINGS = pytest.StashKey["Settings"]()


@dataclass(frozen=True)
class Settings:
    """A value for each option; ``Option.field`` is the name of its field."""

    agent: tuple[str, ...] = ()
    user: str = "scripted"
    user_style: Style | None = None
    user_prompt: Prompt = "full"
    user_retries: int = 2
    user_review: str | None = None
    max_user_faults: float = 0.05
    judge: str | None = None
    words: Literal["any", "judged"] = "any"
    judge_votes: int | None = None
    judge_criteria: tuple[str, ...] = ()
    retries: int = 4
    max_cost: float | None = None
    max_tokens: int | None = None
    max_time: float | None = None
    augment: tuple[str, ...] = ()
    feedback: Feedback = field(default_factory=Feedback)
    call_format: Literal["native", "text", "react"] | None = None
    prompt: Prompts = Prompts()  # noqa: RUF009  # it does not change
    trials: Trials = ONCE
    pass_: PassRule | None = None
    concurrency: int | None = None
    results: Path | None = None
    keep_reasoning: bool = False
    overwrite: bool = False
    html: Path | None = None
    rejudge: Path | None = None
    resume: Path | None = None
    sample: int | None = None
    shard: Shard | None = None
    durations: Path | None = None
    dry_run: bool = False
    record: Literal["none", "new", "all", "replay"] = "none"
    cassettes: Path | None = None
    min_score: tuple[MinimumScore, ...] = ()
    gate: Literal["items", "means", "baseline"] | None = None
    baseline: Path | None = None
    margin: float | None = None
    brief: Path | None = None
    agent_files: tuple[str, ...] = ()
    inconclusive: Literal["fail", "warn", "pass"] = "warn"
    embedder: str | None = None
    aliases: Mapping[str, str] = field(default_factory=dict)
    prices: Mapping[str, Price] = field(default_factory=dict)
    thresholds: Mapping[str, float] = field(default_factory=dict)
    secrets: tuple[str, ...] = ()
    scenario_files: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()

    @property
    def needs_details(self) -> bool:
        """Whether whole records are wanted, or only what tables need of them."""
        wanted = (self.results, self.html, self.baseline, self.brief)
        return any(path is not None for path in wanted)

    def plan(self, scenario: Scenario) -> TrialPlan:
        """Return how often a scenario is played, and how many of its trials must pass.

        All are played, also those that change no verdict, unless a rule was asked for, and where
        means or a baseline want to know how often it passes.
        """
        from pytest_toolsandbox.runs.job import TrialPlan

        trials = self.trials.of(scenario.trials)
        wants_all = self.pass_ is None or bool(self.min_score) or self.baseline is not None
        return TrialPlan.by(self.pass_ or "all", trials, stops_early=not wants_all)

    @property
    def players(self) -> Players:
        """Who plays, as the options say."""
        from pytest_toolsandbox.output.players import Players

        prompts = tuple(self.prompt.texts)
        return Players(self.agent, prompts, self.user, self.judge, self.aliases, self.sample)

    @property
    def continues(self) -> bool:
        """Whether records are appended to the file of the run that is resumed."""
        resume, results = self.resume, self.results
        return bool(resume and results and is_same_file(results, resume))


def settings_of(config: pytest.Config) -> Settings:
    """Return what the user asked for. Raises ``pytest.UsageError`` for what cannot be meant."""
    if _SETTINGS not in config.stash:
        values = {option.field: read(option, config) for option in OPTIONS}
        settings = Settings(**{name: value for name, value in values.items() if value is not None})
        settings = replace(settings, results=settings.results or settings.resume)
        names = given_names(config)
        contradictions = _contradictions(settings, config.invocation_params.args, names)
        for text in chain(contradictions, _same_files(settings, names)):
            raise pytest.UsageError(text)
        config.stash[_SETTINGS] = settings
    return config.stash[_SETTINGS]


def _contradictions(
    settings: Settings, typed: Sequence[object], names: Mapping[str, str]
) -> Iterator[str]:
    """Yield what is wrong with options that contradict or lack another, or are not ``typed``."""
    if settings.resume and settings.rejudge:
        yield f"{names['resume']}: {names['rejudge']} plays nothing; give one"
    if settings.continues and settings.overwrite:
        yield f"{names['resume']}: {names['overwrite']} would replace the file; leave it out"
    if settings.trials.is_auto and settings.baseline is None:
        text = "it plays until a baseline decides; give --sandbox-baseline=FILE"
        yield f"{names['trials']}=auto: {text}"
    if settings.trials.is_auto and settings.shard:
        text = "a shard sees no scenarios but its own; give a number of trials to all shards, "
        text += "and hold what they played against the baseline: toolsandbox merge, compare"
        yield f"{names['trials']}=auto: {text}"
    if settings.gate == "means" and not settings.min_score:
        text = "there is no minimum for the means; give --sandbox-min-score=SCORE too"
        yield f"{names['gate']}=means: {text}"
    if settings.gate == "baseline" and not settings.baseline:
        text = "there is no baseline to be compared with; give --sandbox-baseline=FILE too"
        yield f"{names['gate']}=baseline: {text}"
    if settings.dry_run and "--sandbox-dry-run" not in typed:
        text = "every run would pass, and play nothing; take it out of the ini file, of addopts "
        text += "and PYTEST_ADDOPTS, and type --sandbox-dry-run where you want it"
        yield f"sandbox_dry_run: {text}"
    if settings.dry_run and settings.rejudge:
        yield f"{names['dry_run']}: {names['rejudge']} plays nothing; give one"
    results, rejudge = settings.results, settings.rejudge
    if results and rejudge and results.exists() and results.samefile(rejudge):
        text = "records cannot be written to the file that they are read from; take another one"
        yield f"{names['results']}: {text}"


_FILES: Final = ("html", "brief", "results", "resume", "rejudge", "baseline")
"""Files of a run; of two that are the same, the message asks to change the first of these."""
_OF_RECORDS: Final = {"results", "resume", "rejudge"}
"""Two of these may be the same; ``_contradictions`` says which."""


def _same_files(settings: Settings, names: Mapping[str, str]) -> Iterator[str]:
    """Yield what is wrong with options of the same file; field → name, as the user gives it."""
    for first, second in combinations([name for name in _FILES if name in names], 2):
        files: list[Path] = [getattr(settings, name) for name in (first, second)]
        if not {first, second} <= _OF_RECORDS and is_same_file(*files):
            yield f"{names[first]}: it is the file of {names[second]} too; name another one"
