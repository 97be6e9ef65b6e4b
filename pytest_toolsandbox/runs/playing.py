"""Play the trials of a job: one after the other, or in parallel on the threads of a pool.

``StoredJob`` judges stored conversations again instead of playing them.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.matchers.embedding import Embedder
from pytest_toolsandbox.models.requests import RequestContext, requests_in
from pytest_toolsandbox.records.parts import TrialsRecord
from pytest_toolsandbox.records.reading import StoredRecord
from pytest_toolsandbox.records.writing import Trial

from .captured_output import Output, noted
from .job import Job
from .judging import WordsJudge
from .pool import LocklessFuture, Pool
from .resuming import KeptTrial
from .trial import judge_again
from .unjudged import Unjudged, completed


@dataclass(frozen=True)
class StoredJob:
    """The stored trials of one item, by number, which a ``judge`` or rules judge again.

    ``of_trials``, if given, replaces the plan in the records.
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
        """The judge, which determines the default concurrency."""
        return (self.judge.asked,) if self.judge else ()

    def next_trials(self, started: int, finished: Sequence[Trial]) -> Sequence[int]:
        """Return the numbers of all remaining trials."""
        del finished
        return sorted(self.records)[started:]

    def play(self, number: int, output: Output | None = None) -> Trial:
        """Judge a trial, and return even errors as a trial; logs and output go to ``output``."""
        who = self.scenario, self.records[number], self.embedder, self.judge
        with noted(output), requests_in(self.new_context()) as context:
            trial = completed(partial(judge_again, *who), self._in_run)
        context.end()
        return trial

    def _in_run(self, trial: Trial) -> Trial:
        return replace(trial, of_trials=self.of_trials) if self.of_trials else trial


AnyJob = Job | StoredJob


def played_in_turn(
    job: AnyJob,
    started: list[Played],
    meanwhile: Callable[[], AbstractContextManager[object]] = nullcontext,
) -> Iterator[Trial]:
    """Play the trials of a job on this thread, each inside a block of ``meanwhile``.

    Each is added to those that are ``started``.
    """
    finished: list[Trial] = []
    while numbers := job.next_trials(len(finished), finished):
        played = Played(numbers[0])
        started.append(played)
        with meanwhile(), played.unjudged.watching():
            played.trial = job.play(played.number)
        finished.append(played.trial)
        yield played.trial


@dataclass
class Played:
    """A trial that is played, or the error that stops the run, with the output of its thread."""

    number: int
    output: Output = field(default_factory=Output)
    trial: Trial | None = None
    error: BaseException | None = None
    seconds: float = 0.0
    unjudged: Unjudged = field(default_factory=Unjudged)

    @property
    def over(self) -> Trial | None:
        """The trial, judged or unjudged as yet; ``None`` while its conversation goes on."""
        return self.trial or self.unjudged.trial


class Playing:
    """The trials of a job in a pool. The future ``over`` is done after the last one."""

    def __init__(self, job: AnyJob, pool: Pool, rank: float = 0.0) -> None:
        self.job = job
        self.over: LocklessFuture[list[Played]] = LocklessFuture()
        self._pool, self._rank = pool, rank
        self._has_begun = False
        self._played: list[Played] = []
        self.started: list[Played] = []
        self._lock = threading.Lock()

    def begin(self) -> None:
        """Start the first trials, unless an earlier call did; an exception may have ended it."""
        self._pool.submit(self._begin, self._rank)

    @property
    def finished(self) -> list[Trial]:
        """The trials that are finished so far."""
        trials = [played.trial for played in [*self._played] if played.trial]
        return sorted(trials, key=lambda trial: trial.number)

    def _begin(self) -> None:
        with self._lock:
            is_first, self._has_begun = not self._has_begun, True
        if is_first:
            self._go_on_or_fail()

    def _go_on_or_fail(self, last: Played | None = None) -> None:
        try:
            self._go_on(last)
        except BaseException as error:  # noqa: BLE001  # else the item would wait forever
            self.over.set_exception(error)

    def _go_on(self, last: Played | None = None) -> None:
        """Start the trials that may be played now; if there are none, the job may be over."""
        with self._lock:
            self._played += [last] if last else []
            trials = [played.trial for played in self._played if played.trial]
            is_stopped = len(trials) < len(self._played)
            numbers = () if is_stopped else self.job.next_trials(len(self.started), trials)
            started = [*map(Played, numbers)]
            self.started += started
            is_over = len(self._played) == len(self.started)
        for played in started:
            self._pool.submit(partial(self._play, played), self._rank)
        if is_over:
            self.over.set_result(sorted(self._played, key=lambda played: played.number))

    def _play(self, played: Played) -> None:
        began = time.perf_counter()
        try:
            with played.unjudged.watching():
                played.trial = self.job.play(played.number, played.output)
        except BaseException as error:  # noqa: BLE001  # Ctrl-C of an agent's own: the run's end
            played.error = error
        played.seconds = time.perf_counter() - began
        self._go_on_or_fail(played)
