"""What an item plays: a scenario, by whom and how often. Knows nothing of pytest and of threads.

The seed of a trial: another one for each, and the same whenever it is played.

How often a scenario is played, how many of its trials must pass, and when that is decided.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

from pytest_toolsandbox.agents.agent import PerConversation
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

if TYPE_CHECKING:
    from pytest_toolsandbox.runs.cassettes.recording import Recording


_SEED: Final[ContextVar[int]] = ContextVar("trial_seed", default=0)


def trial_seed() -> int:
    """Return a number from 0 to 2**32 - 1 that belongs to the trial that is being played.

    An agent or a tool of your own that draws takes ``random.Random(trial_seed())``: trials differ,
    and another run of the same scenarios is the same again. Outside of a trial it is 0.
    """
    return _SEED.get()


@contextmanager
def seeded(identifier: str, number: int) -> Iterator[None]:
    """Give the trial of an item its seed."""
    digest = hashlib.sha256(f"{identifier}\n{number}".encode()).digest()
    token = _SEED.set(int.from_bytes(digest[:4]))
    try:
        yield
    finally:
        _SEED.reset(token)


MOST_REPEATS: Final = 2
"""How often a trial of several is played again that an outage took."""
PassRule = Literal["all", "any", "majority"] | int


class TrialPlan(NamedTuple):
    """So many trials, of which so many must pass.

    One that ``stops_early`` plays no more of them once the verdict cannot change. A later round of
    an item has the ``first`` of its trials in another number than 1; one that ``confirms`` asks
    only whether the item broke.
    """

    trials: int
    needed: int
    stops_early: bool = False
    first: int = 1
    confirms: bool = False

    @classmethod
    def by(cls, rule: PassRule, trials: int, *, stops_early: bool = False) -> TrialPlan:
        """Return the plan of so many trials and a rule."""
        words = {"all": trials, "any": 1, "majority": trials // 2 + 1}
        needed = rule if isinstance(rule, int) else words[rule]
        return cls(trials, needed, stops_early)

    @property
    def repeats(self) -> int:
        """How often a trial is played again that was lost; a single one is an error at once."""
        return MOST_REPEATS if self.trials > 1 else 0

    @property
    def record(self) -> TrialsRecord | None:
        """What records say of it; nothing of one trial, and of those that go on in rounds."""
        if self.trials == 1 or self.first > 1:
            return None
        return {"planned": self.trials, "needed": self.needed}

    @property
    def numbers(self) -> Sequence[int]:
        """The numbers of its trials."""
        return range(self.first, self.trials + 1)

    def next_trials(self, outcomes: Sequence[Outcome], left: Sequence[int]) -> Sequence[int]:
        """Return which of the trials that are ``left`` are to be played, at the same time.

        They are as many as must be played in any case, whatever becomes of them, so that none is
        played that one after the other would have spared. ``outcomes`` are those of the others.
        """
        if not self.stops_early:
            return left
        missing = self.needed - outcomes.count("passed")
        spare = self.trials - self.needed + 1 - outcomes.count("failed")
        steps = min(missing, spare)
        return left[:steps] if 0 < steps <= len(left) else ()


ONCE: Final = TrialPlan(1, 1)


@dataclass(frozen=True)
class Job:
    """The trials of one item, each of which is a conversation.

    ``agent_name`` and ``user_name`` are what ``--agent`` and ``--sandbox-user`` say, ``parameter``
    is the id of the parameters of fixtures, ``label`` what stands for one of several agents in ids.
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
    """Returns what one conversation wants of its requests to models."""
    plan: TrialPlan = ONCE
    recording: Recording | None = None
    kept: Mapping[int, KeptTrial] = field(default_factory=dict)
    """The trials that are told from the records of an earlier run, by number."""
    stored: Mapping[int, StoredRecord] = field(default_factory=dict)
    """The trials whose conversations an earlier run has held, and which are judged now."""

    @property
    def asked(self) -> tuple[Any, ...]:
        """Who is waited for."""
        return self.agent, self.user

    def next_trials(self, started: int, finished: Sequence[Trial]) -> Sequence[int]:
        """Return the numbers of trials that may be played now, all of them at the same time.

        It is asked at the beginning, and after each trial; of what it returns, those that play one
        after the other take the first, and ask again. Nothing is to come where it returns nothing
        and all that was ``started`` is ``finished``.
        """
        if self.plan.stops_early and started > len(finished):
            return ()
        kept = [trial.outcome for trial in self.kept.values()]
        outcomes = [*kept, *(trial.outcome for trial in finished)]
        all_left = [number for number in self.plan.numbers if number not in self.kept]
        return self.plan.next_trials(outcomes, all_left[started:])

    def before(self) -> Trial:
        """Return what is known of the trials before any is played."""
        agent = self.agent.of(self.scenario) if self._is_made() else self.agent
        if self.recording:
            from pytest_toolsandbox.runs.cassettes.recording import take_recorded_places

            take_recorded_places(self.recording, (agent, self.user))
        scenario = as_it_plays(self.scenario, agent)
        nothing = Trajectory((), (), scenario.start)
        about = agent_record(self.agent_name)
        return self._told(Trial(self.identifier, 1, about, scenario, nothing), agent)

    def play(self, number: int, output: Output | None = None) -> Trial:
        """Play a trial, whatever goes wrong in it; what it logs and prints goes to ``output``."""
        with self._context(number, output):
            return until_it_counts(partial(self._played, number), self.plan.repeats)

    def _played(self, number: int) -> Trial:
        agent = self.agent.of(self.scenario) if self._is_made() else self.agent
        if number in self.stored:
            stored = self.stored[number]
            return self._told(judge_again(self.scenario, stored, self.embedder, self.judge), agent)
        who = agent, self.user, number, self.embedder
        play = partial(play_trial, self.scenario, *who, judge=self.judge)
        if self.recording:
            from pytest_toolsandbox.runs.cassettes.recording import play_recorded

            play = partial(play_recorded, self.recording, number, (agent, self.user), play)
        return self._told(play(), agent)

    def _is_made(self) -> bool:
        """Whether an agent is made for each conversation."""
        return type(self.agent) is PerConversation

    def _told(self, trial: Trial, agent: Any) -> Trial:
        """Return a trial that says whose it is."""
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
        """Set what a conversation finds in its context: one place for all of it."""
        seed = seeded(self.identifier, number)
        with noted(output), requests_in(self.new_context()) as context, seed:
            yield
        context.end()
