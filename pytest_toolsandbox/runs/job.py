"""A job: the trials of one item, which scenario, agent, user and judge they have, and their order.

``TrialPlan`` says how many trials are played and how many must pass. ``trial_seed`` is the seed of
a trial: different for each trial, and the same in every run. Nothing here knows pytest or threads.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

from pytest_toolsandbox.agents.agent import agent_for
from pytest_toolsandbox.conversation.messages import Trajectory
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.matchers.embedding import Embedder
from pytest_toolsandbox.models.requests import RequestContext, requests_in
from pytest_toolsandbox.records.configuration import agent_record, user_record
from pytest_toolsandbox.records.parts import ShardRecord, TrialsRecord
from pytest_toolsandbox.records.reading import StoredRecord
from pytest_toolsandbox.records.record import Outcome
from pytest_toolsandbox.records.writing import Trial
from pytest_toolsandbox.users.user import User, UserFactory

from .captured_output import Output, noted
from .judging import WordsJudge, with_judge
from .resuming import KeptTrial
from .trial import as_it_plays, judge_again, play_trial, until_it_counts
from .unjudged import completed

if TYPE_CHECKING:
    from pytest_toolsandbox.runs.cassettes.recording import Recording
    from pytest_toolsandbox.runs.forking import Fork


_SEED: Final[ContextVar[int]] = ContextVar("trial_seed", default=0)


def trial_seed() -> int:
    """Return the seed of the current trial, a number from 0 to 2**32 - 1.

    Use ``random.Random(trial_seed())`` in an agent or tool: trials differ, but another run of the
    same scenarios is identical. Outside of a trial, the seed is 0.
    """
    return _SEED.get()


@contextmanager
def seeded(identifier: str, number: int) -> Iterator[None]:
    """Set the seed of a trial inside the block."""
    # A hash of item and number: the seed does not depend on which other items run.
    digest = hashlib.sha256(f"{identifier}\n{number}".encode()).digest()
    token = _SEED.set(int.from_bytes(digest[:4]))
    try:
        yield
    finally:
        _SEED.reset(token)


MOST_REPEATS: Final = 2
"""The maximum number of repetitions of a trial after an outage, if an item has several."""
PassRule = Literal["all", "any", "majority"] | int


class TrialPlan(NamedTuple):
    """The number of trials, and how many of them must pass.

    With ``stops_early``, no further trials are played once the verdict is decided. In later rounds,
    the number of the ``first`` trial is greater than 1. Trials that ``confirms`` only check whether
    the item broke.
    """

    trials: int
    needed: int
    stops_early: bool = False
    first: int = 1
    confirms: bool = False

    @classmethod
    def by(cls, rule: PassRule, trials: int, *, stops_early: bool = False) -> TrialPlan:
        """Return the plan for a number of trials and a rule."""
        words = {"all": trials, "any": 1, "majority": trials // 2 + 1}
        needed = rule if isinstance(rule, int) else words[rule]
        return cls(trials, needed, stops_early)

    @property
    def repeats(self) -> int:
        """The number of repetitions after an outage; 0 for a single trial."""
        return MOST_REPEATS if self.trials > 1 else 0

    @property
    def record(self) -> TrialsRecord | None:
        """The plan in records; ``None`` for a single trial, and for later rounds."""
        if self.trials == 1 or self.first > 1:
            return None
        return {"planned": self.trials, "needed": self.needed}

    @property
    def numbers(self) -> Sequence[int]:
        """The numbers of the trials."""
        return range(self.first, self.trials + 1)

    def next_trials(self, outcomes: Sequence[Outcome], remaining: Sequence[int]) -> Sequence[int]:
        """Return those of the ``remaining`` trials that may be played at the same time.

        These must be played whatever their outcomes are, so no more are played than one after the
        other would need. ``outcomes`` are those of the other trials.
        """
        if not self.stops_early:
            return remaining
        missing = self.needed - outcomes.count("passed")
        spare = self.trials - self.needed + 1 - outcomes.count("failed")
        # The verdict is decided after ``missing`` passes or ``spare`` failures, not earlier.
        steps = min(missing, spare)
        return remaining[:steps] if 0 < steps <= len(remaining) else ()


ONCE: Final = TrialPlan(1, 1)


@dataclass(frozen=True)
class Job:
    """The trials of one item; each of them is a conversation.

    ``agent_name`` and ``user_name`` are the values of ``--agent`` and ``--sandbox-user``.
    ``parameter`` is the id of the fixtures' parameters, ``label`` the name of one of several agents
    in ids.
    """

    identifier: str
    scenario: Scenario
    agent: Any
    agent_name: str
    parameter: str | None = None
    label: str | None = None
    user: User | UserFactory | None = None
    user_name: str = "scripted"
    embedder: Embedder | None = None
    judge: WordsJudge | None = None
    shard: ShardRecord | None = None
    new_context: Callable[[], RequestContext] = RequestContext
    """Returns the context of one conversation's requests to models."""
    plan: TrialPlan = ONCE
    recording: Recording | None = None
    kept: Mapping[int, KeptTrial] = field(default_factory=dict)
    """The finished trials of an earlier run, by number."""
    stored: Mapping[int, StoredRecord] = field(default_factory=dict)
    """The trials whose conversations were played in an earlier run, and are judged now."""
    fork: Fork | None = None
    """Where the conversations go on from, if not from the beginning."""

    @property
    def asked(self) -> tuple[Any, ...]:
        """The agent and the user, which determine the default concurrency."""
        return self.agent, self.user

    def next_trials(self, started: int, finished: Sequence[Trial]) -> Sequence[int]:
        """Return the numbers of trials that may be played now, all at the same time.

        Call it at the beginning, and after each trial. To play one after the other, play the first
        one and call it again. The job is over if nothing is returned and all ``started`` trials are
        ``finished``.
        """
        if self.plan.stops_early and started > len(finished):
            return ()
        kept = [trial.outcome for trial in self.kept.values()]
        outcomes = [*kept, *(trial.outcome for trial in finished)]
        all_left = [number for number in self.plan.numbers if number not in self.kept]
        return self.plan.next_trials(outcomes, all_left[started:])

    def before(self) -> Trial:
        """Return the facts about the trials that are known before any is played."""
        agent = agent_for(self.agent, self.scenario)
        if self.recording:
            from pytest_toolsandbox.runs.cassettes.recording import take_recorded_places

            take_recorded_places(self.recording, (agent, self.user))
        scenario = as_it_plays(self.scenario, agent)
        nothing = Trajectory((), (), scenario.start)
        about = agent_record(self.agent_name)
        return self._with_facts(Trial(self.identifier, 1, about, scenario, nothing), agent)

    def play(self, number: int, output: Output | None = None) -> Trial:
        """Play a trial, and return even errors as a trial; logs and output go to ``output``."""
        with self._context(number, output):
            return until_it_counts(partial(self._played, number), self.plan.repeats)

    def _played(self, number: int) -> Trial:
        agent = agent_for(self.agent, self.scenario)
        who = agent, self.user, number, self.embedder
        play = partial(play_trial, self.scenario, *who, judge=self.judge)
        if number in self.stored:
            stored = self.stored[number]
            play = partial(judge_again, self.scenario, stored, self.embedder, self.judge)
        if self.fork:
            play = partial(self.fork.played, as_it_plays(self.scenario, agent), play)
        if self.recording and number not in self.stored:
            from pytest_toolsandbox.runs.cassettes.recording import play_recorded

            play = partial(play_recorded, self.recording, number, (agent, self.user), play)
        return completed(play, lambda trial: self._with_facts(trial, agent))

    def _with_facts(self, trial: Trial, agent: Any) -> Trial:
        """Return a trial with the facts about its item, agent, user and judge."""
        return replace(
            with_judge(trial, self.judge),
            identifier=self.identifier,
            agent=agent_record(self.agent_name, agent, self.parameter, self.label),
            user=user_record(self.user_name, self.user) if self.user is not None else None,
            shard=self.shard,
            of_trials=self.plan.record,
            confirms=self.plan.confirms,
        )

    @contextmanager
    def _context(self, number: int, output: Output | None) -> Iterator[None]:
        """Set the context variables of a conversation."""
        seed = seeded(self.identifier, number)
        with noted(output), requests_in(self.new_context()) as context, seed:
            yield
        context.end()
