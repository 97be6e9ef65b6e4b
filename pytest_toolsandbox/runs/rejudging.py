"""What an item has stored conversations of: they are judged again, and nobody plays."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.matchers.embedding import Embedder
from pytest_toolsandbox.models.requests import RequestContext, requests_in
from pytest_toolsandbox.records.reading import StoredRecord
from pytest_toolsandbox.records.record import TrialsRecord
from pytest_toolsandbox.records.writing import Trial

from .job import Job
from .judging import WordsJudge
from .output import Output, noted
from .resuming import KeptTrial
from .trial import judge_again


@dataclass(frozen=True)
class StoredJob:
    """The stored trials of one item by number. A ``judge`` is asked; without one, nobody is.

    ``of_trials`` stands for what the records say of that, if it is given.
    """

    scenario: Scenario
    records: Mapping[int, StoredRecord]
    embedder: Embedder | None = None
    judge: WordsJudge | None = None
    of_trials: TrialsRecord | None = None
    new_context: Callable[[], RequestContext] = RequestContext
    kept: Mapping[int, KeptTrial] = field(default_factory=dict)

    @property
    def asked(self) -> tuple[Any, ...]:
        """Who is waited for."""
        return (self.judge.asked,) if self.judge else ()

    def next_trials(self, started: int, finished: Sequence[Trial]) -> Sequence[int]:
        """Return the numbers of all that are left."""
        del finished
        return sorted(self.records)[started:]

    def play(self, number: int, output: Output | None = None) -> Trial:
        """Judge a trial, whatever goes wrong; what is logged and printed goes to ``output``."""
        who = self.scenario, self.records[number], self.embedder, self.judge
        with noted(output), requests_in(self.new_context()) as context:
            trial = judge_again(*who)
        context.end()
        return replace(trial, of_trials=self.of_trials) if self.of_trials else trial


AnyJob = Job | StoredJob
