"""Tries drafts: the model drafts, plays, and what it did is proposed, proven and compared.

A round asks for a few drafts, so that what is written is kept if a later round meets an outage.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from random import Random
from typing import Final, Literal, NamedTuple, get_args

from pytest_toolsandbox.authoring.proposing.proposal import Proposal
from pytest_toolsandbox.models.errors import ProviderError
from pytest_toolsandbox.models.usage import Usage
from pytest_toolsandbox.records.writing import Trial
from pytest_toolsandbox.runs.cassettes.cassette import CassetteError
from pytest_toolsandbox.runs.job import Job
from pytest_toolsandbox.runs.pool import LocklessFuture, Pool
from pytest_toolsandbox.text.error_text import describe_exception
from pytest_toolsandbox.text.formatting import format_value, one_line, pluralize
from pytest_toolsandbox.worlds.world import World

from .assignments import Assignment
from .draft import Draft, DraftError, read_draft
from .duplicates import Task, near_duplicate, task_of
from .proving import proposed, unproven
from .question import drafts_in
from .sample import description
from .solving import conversations_of, why_unsolved

AT_ONCE: Final = 5
"""The drafts of a round, which a model writes in one reply."""
Stage = Literal["drafted", "solved", "proposed", "proven", "new"]
STAGES: Final[tuple[Stage, ...]] = get_args(Stage)
"""What a draft passes, in this order."""


class Attempt(NamedTuple):
    """A draft and the last stage that it passed; ``why`` says why it did not pass the next one.

    ``stage`` is ``None`` if the model's reply has no such draft. The ``proposal`` is there from the
    stage ``proposed`` on.
    """

    name: str
    stage: Stage | None
    why: str = ""
    proposal: Proposal | None = None


class StoppedError(Exception):
    """A model was unavailable, or the budget is spent: no further draft is tried.

    ``unplayed`` are the drafts of which nothing is known therefore.
    """

    def __init__(self, why: str, unplayed: Sequence[str] = ()) -> None:
        super().__init__(why)
        self.unplayed = unplayed


class Play(NamedTuple):
    """A trial of a draft: its job, and the number of the trial."""

    job: Job
    number: int


@dataclass
class Drafting:
    """Tries drafts in a world, and knows the tasks that are there already.

    ``ask`` returns what the model replies to a description of the world, assignments and openings;
    it raises ``ProviderError``. ``plays`` returns the trials of the draft of a number, and
    ``stop`` why nothing more may be asked, if so. Trials are played on the threads of the ``pool``.
    ``mutation_score`` is the share of mutants that must die.
    """

    world: World
    seed: int
    ask: Callable[[int, str, Sequence[Assignment], Sequence[str]], str]
    plays: Callable[[int, Draft], Sequence[Play]]
    stop: Callable[[], str | None]
    pool: Pool
    mutation_score: float
    tasks: list[Task] = field(default_factory=list)
    names: set[str] = field(default_factory=set)
    has_script: bool = True
    openings: list[str] = field(default_factory=list)
    used: list[Usage] = field(default_factory=list)
    """What all trials so far used, in the order in which they ended."""
    _outage: str = ""
    """Why no further trial is played, if so."""

    def round(self, number: int, assigned: Sequence[Assignment]) -> Iterator[Attempt]:
        """Try a draft for each assignment, and yield what became of each, in their order.

        Raises :class:`StoppedError`, at the end: drafts that were played before an outage count.
        """
        reply = self._asked(number, assigned)
        contents = drafts_in(reply)[: len(assigned)]
        drafts: list[tuple[int, Draft]] = []
        for place, content in enumerate(contents, 1):
            try:
                draft = read_draft(content, self.world, self.names, with_script=self.has_script)
            except DraftError as error:
                name = content.get("name")
                label = one_line(name, 60) if isinstance(name, str) else f"draft {place}"
                yield Attempt(label, "drafted", f"it does not fit the world: {error}")
                continue
            self.names.add(draft.name)
            self.openings.append(draft.opening)
            drafts.append(((number - 1) * AT_ONCE + place, draft))
        if len(contents) < len(assigned):
            yield Attempt(f"round {number}", None, _missing(reply, len(contents), len(assigned)))
        playing = [self._played(*numbered) for numbered in drafts]
        unplayed = []
        for (_, draft), futures in zip(drafts, playing, strict=True):
            trials = [trial for future in futures if (trial := future.result()) is not None]
            if len(trials) < len(futures) or any(map(_has_outage, trials)):
                unplayed.append(draft.name)
            else:
                yield self._attempt(draft, trials)
        if unplayed:
            raise StoppedError(self._outage or self.stop() or "", unplayed)

    def _asked(self, number: int, assigned: Sequence[Assignment]) -> str:
        if why := self.stop():
            raise StoppedError(why)
        focus = dict.fromkeys(name for each in assigned for name in each.tools)
        random = Random(f"{self.seed}/{number}")  # noqa: S311  # no secret
        world = description(self.world, focus, random)
        openings = [*(task.opening for task in self.tasks), *self.openings]
        try:
            return self.ask(number, world, assigned, [*dict.fromkeys(openings)])
        except (ProviderError, CassetteError) as error:
            raise StoppedError(str(error)) from error

    def _played(self, number: int, draft: Draft) -> list[LocklessFuture[Trial | None]]:
        """Play a draft in the pool; a trial is ``None`` if it was not played."""
        futures = []
        for play in self.plays(number, draft):
            future: LocklessFuture[Trial | None] = LocklessFuture()
            self.pool.submit(partial(self._play, play, future))
            futures.append(future)
        return futures

    def _play(self, play: Play, future: LocklessFuture[Trial | None]) -> None:
        try:
            trial = None if self._outage or self.stop() else play.job.play(play.number)
            if trial is not None:
                self.used += trial.usage.values()
                self._outage = self._outage or (_has_outage(trial) and trial.reason) or ""
            future.set_result(trial)
        except BaseException as error:  # noqa: BLE001  # else the main thread would wait forever
            future.set_exception(error)

    def _attempt(self, draft: Draft, trials: Sequence[Trial]) -> Attempt:
        if why := why_unsolved(trials):
            return Attempt(draft.name, "drafted", f"not solved: {why}")
        try:
            proposal = proposed(
                draft.document, draft.name, conversations_of(trials), self.mutation_score
            )
        except Exception as error:  # noqa: BLE001  # a tool or matcher of a user's own world
            why = f"it cannot be proposed: {describe_exception(error)}"
            return Attempt(draft.name, "solved", one_line(why))
        if why := unproven(proposal, self.mutation_score):
            return Attempt(draft.name, "proposed", f"not proven: {why}", proposal)
        task = task_of(proposal.scenario, draft.name)
        if why := near_duplicate(task, self.tasks):
            return Attempt(draft.name, "proven", f"near-duplicate: {why}", proposal)
        self.tasks.append(task)
        return Attempt(draft.name, "new", proposal=proposal)


def _has_outage(trial: Trial) -> bool:
    return trial.cause in ("provider", "cassette")


def _missing(reply: str, read: int, wanted: int) -> str:
    begins = "" if read else f"; it begins {format_value(one_line(reply, 80))}"
    return f"{read} of {pluralize(wanted, 'draft')} can be read in the reply{begins}"
