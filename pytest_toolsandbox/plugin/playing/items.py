"""Scenarios as items of pytest, which tell what became of their trials."""

from __future__ import annotations

import itertools
import unittest
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Literal

import pytest

from pytest_toolsandbox.agents.agent import PerConversation
from pytest_toolsandbox.agents.shapes import REPLIES, shape_of
from pytest_toolsandbox.conversation.messages import Trajectory
from pytest_toolsandbox.matchers.embedding import EmbedderError
from pytest_toolsandbox.models.aliases import NO_JUDGE
from pytest_toolsandbox.models.errors import AgentError, ProviderError
from pytest_toolsandbox.output.pages.record_view import trials_page, undecided_page
from pytest_toolsandbox.plugin.marks import skip
from pytest_toolsandbox.plugin.settings import settings_of
from pytest_toolsandbox.plugin.stash import RESUMED, ROUND, SHARDED, STORED
from pytest_toolsandbox.records.parts import ShardRecord
from pytest_toolsandbox.records.reading import StoredRecords, without_parameters
from pytest_toolsandbox.records.record import Cause, Outcome
from pytest_toolsandbox.records.trials import NOT_RUN, SCORED, planned_trials, verdict
from pytest_toolsandbox.records.writing import Trial
from pytest_toolsandbox.runs.job import Job, TrialPlan
from pytest_toolsandbox.runs.judging import StoppedError, WordsJudge, without_opinion
from pytest_toolsandbox.runs.playing import AnyJob, StoredJob
from pytest_toolsandbox.runs.resuming import AnyTrial
from pytest_toolsandbox.runs.trial import broken
from pytest_toolsandbox.text.error_text import REASON_LIMIT, describe_exception, message_of
from pytest_toolsandbox.text.redaction import clean
from pytest_toolsandbox.users.resolving import SCRIPTED
from pytest_toolsandbox.users.user import is_user_factory

from .failure_repr import Failed, failure_repr
from .fixtures import NotReadyError, session_judge, value_of, values
from .playable import PlayableItem
from .players import player_of
from .requesting import new_context
from .resuming import end_without_key, recording_of, resumed_job

EMBEDDER = "embedder"
NO_RECORD = "there is no stored conversation of this item"
OTHER_VARIANTS = (
    "those of its scenario have another --agent, --sandbox-prompt, --sandbox-augment or "
    "--sandbox-feedback, or other parameters of fixtures"
)
_OTHER_USER = (
    "; it is who talks to the agent: let a fixture 'user' in a conftest.py beside the scenarios "
    "return None, for their own scripts"
)
_SKIPS = (unittest.SkipTest, pytest.skip.Exception)


class ScenarioItem(PlayableItem):
    """A scenario, and the agent that its fixtures give it.

    The trials are played in the setup, so that an agent that cannot answer is an error of the
    item; the call only tells the verdict, and a bad score is a failure.
    """

    def __init__(self, **function: Any) -> None:
        super().__init__(**function)
        self._page: str | None = None
        self._at_work: Literal["agent", "user", "judge"] | None = None
        """Who is looked at, once all fixtures are set up."""

    def setup(self) -> None:
        """Set the fixtures up and play the trials."""
        __tracebackhide__ = True  # an error of a fixture shows the user's own code
        self.records, self._page, self._at_work = [], None, None
        trials = self._finished
        try:
            if STORED not in self.config.stash:  # else no agent is called, and no fixture needed
                super().setup()
            if not self.config.option.setuponly:
                for trial in self._trials():
                    trials.append(trial)  # finished ones stay if the next raises
        except pytest.exit.Exception as error:  # a run that was broken off is never green
            raise pytest.exit.Exception(clean(error.msg), error.returncode or None) from error
        except (KeyboardInterrupt, *_SKIPS):
            raise
        except BaseException as error:
            self._page = message_of(error, REASON_LIMIT) if isinstance(error, Failed) else None
            trials.append(self._without_verdict(error, _first_without(trials)))
            raise  # pytest shows an error of a fixture as ever
        else:
            outcome = verdict([trial.summary for trial in trials]) if trials else "passed"
            self._page = _page_of(outcome, trials)
        finally:
            self.keep_finished()
        if outcome not in SCORED:
            _raise_first(trials)
            raise Failed(self._page, pytrace=False)  # none of the stored ones, but they are few

    def runtest(self) -> None:
        """Tell the verdict of the trials."""
        __tracebackhide__ = True
        if self._page is not None:
            pytest.fail(self._page, pytrace=False)

    def repr_failure(  # type: ignore[override]  # pytest keeps the type of reprs private
        self, excinfo: pytest.ExceptionInfo[BaseException]
    ) -> object:
        """Return how pytest shows the verdict."""
        if self._page is None:
            return super().repr_failure(excinfo)
        return failure_repr(self, excinfo, self._page)

    def _repr_failure_py(self, excinfo: Any, style: Any = None) -> Any:
        """Return how pytest shows what ended the setup: it asks here, and for nothing else.

        Its own way would read the source of every frame of a client library, for seconds.
        """
        if self._page is None or self.phase != "setup":
            return super()._repr_failure_py(excinfo, style)
        return failure_repr(self, excinfo, self._page, in_setup=True)

    def _trials(self) -> Iterator[AnyTrial]:
        job: AnyJob
        if (stored := self.config.stash.get(STORED, None)) is not None:
            request = self._request  # private to pytest; no other fixture is needed
            job = self._stored_job(stored, partial(request.getfixturevalue, EMBEDDER))
        else:
            job = self.job(self.funcargs)
        yield from job.kept.values()
        for trial in player_of(self.config).trials(self, job):
            if isinstance(trial.exception, pytest.exit.Exception):
                raise trial.exception
            end_without_key(self, trial.exception)
            yield trial
            if isinstance(trial.exception, StoppedError):
                raise trial.exception.__cause__ or trial.exception

    def job_ahead(self) -> AnyJob:
        """Return what there is to play, or to judge again, of what pytest has set up already.

        Raises ``NotReadyError`` where that does not suffice, and what :meth:`job` raises.
        """
        if (stored := self.config.stash.get(STORED, None)) is None:
            return self.job(values(self))
        if self.nodeid not in stored.records:
            raise NotReadyError
        return self._stored_job(stored, partial(value_of, self, EMBEDDER))

    def job(self, given: Mapping[str, Any]) -> Job:
        """Return what there is to play with these values of fixtures.

        Raises :class:`~pytest_toolsandbox.plugin.playing.failure_repr.Failed` for values of no use.
        """
        self._at_work = "agent"
        agent, user = given["agent"], given.get("user")
        is_agent = callable(agent) or shape_of(agent) != REPLIES
        _check_fixture("agent", agent, is_usable=is_agent)
        self._at_work = "user"
        is_user = user is None or callable(user) or is_user_factory(user)
        _check_fixture("user", user, is_usable=is_user, remedy=_OTHER_USER)
        self._at_work = "agent"
        if type(agent) is PerConversation and agent.is_shared:
            try:
                agent = agent.of(self.scenario)
            except AgentError as error:
                raise Failed(str(error), pytrace=False) from None
        self._at_work = "user"
        plan = self.config.stash.get(ROUND, None) or settings_of(self.config).plan(self.scenario)
        job = Job(
            self.nodeid,
            self.scenario,
            agent,
            self.named("agent"),
            self._parameter(),
            self.label,
            user,
            self.named("user"),
            given.get(EMBEDDER),
            self._judge(),
            self._shard,
            partial(new_context, self.config),
            plan,
            recording_of(
                self, self.named("agent"), SCRIPTED if user is None else self.named("user")
            ),
        )
        self._at_work = "agent"  # whom the rest of the setup waits for
        return resumed_job(self, job) if RESUMED in self.config.stash else job

    def _judge(self) -> WordsJudge | None:
        before, self._at_work = self._at_work, "judge"
        judge = session_judge(self.config)
        self._at_work = before
        return judge

    def _stored_job(self, stored: StoredRecords, embedder: Callable[[], Any]) -> StoredJob:
        """Return what there is to judge again; without any, skip the item."""
        if self.nodeid not in stored.records:
            other = without_parameters(self.nodeid) in stored.scenarios
            skip("without record", f"{NO_RECORD}; {OTHER_VARIANTS}" if other else NO_RECORD)
        records, settings = stored.records[self.nodeid], settings_of(self.config)
        if settings.judge == NO_JUDGE:
            records = {number: without_opinion(one) for number, one in records.items()}
        planned = planned_trials([record for _, record in sorted(records.items())])[0]
        return StoredJob(
            self.scenario,
            records,
            embedder() if self.scenario.task.compares_meanings else None,
            self._judge(),
            TrialPlan.by(settings.pass_, planned).record if settings.pass_ else None,
            partial(new_context, self.config),
        )

    def _without_verdict(self, error: BaseException, number: int) -> Trial:
        told = message_of(error, REASON_LIMIT) if isinstance(error, pytest.fail.Exception) else ""
        reason = AgentError(told or describe_exception(error))
        nothing = Trajectory((), (), self.scenario.start)
        trial = broken(Trial(self.nodeid, number, self._agent(), self.scenario, nothing), reason)
        return replace(trial, cause=self._cause(error), shard=self._shard)

    @property
    def _shard(self) -> ShardRecord | None:
        sharded = self.config.stash.get(SHARDED, None)
        return sharded.record if sharded else None

    def _cause(self, error: BaseException) -> Cause | None:
        """Return whose fault an error is that no trial has: ``None`` of another fixture."""
        if self._at_work or self._is_raised_in("agent"):
            return "provider" if isinstance(error, ProviderError) else self._at_work or "agent"
        is_embedder = any(isinstance(one, EmbedderError) for one in (error, error.__context__))
        return "provider" if is_embedder else None

    def _is_raised_in(self, fixture: str) -> bool:
        """Whether a fixture raised: pytest keeps its error, and none of those it depends on."""
        *_, used = (None, *self._fixtureinfo.name2fixturedefs.get(fixture, ()))
        return bool(used and used.cached_result and used.cached_result[2])


def _first_without(trials: Sequence[AnyTrial]) -> int:
    """Return the number of the first trial that is not among these."""
    numbers = {one.number for one in trials}
    return next(number for number in itertools.count(1) if number not in numbers)


def _check_fixture(name: str, given: object, *, is_usable: bool, remedy: str = "") -> None:
    if not is_usable:
        text = f"the fixture {name!r} gave {type(given).__name__}, which cannot be called{remedy}"
        raise Failed(text, pytrace=False)


def _page_of(outcome: Outcome, trials: Sequence[AnyTrial]) -> str | None:
    if outcome == "passed":
        return None
    return undecided_page(trials) if outcome == NOT_RUN else trials_page(trials)


def _raise_first(trials: Sequence[AnyTrial]) -> None:
    """Raise what ended one, if any, the user's own: debuggers and plugins are led to its place."""
    for exception, reason in ((one.exception, one.reason) for one in trials if one.exception):
        if isinstance(exception, (*_SKIPS, pytest.xfail.Exception)):  # in an agent an error
            failed = pytest.fail.Exception(reason or "", pytrace=False)
            raise failed.with_traceback(exception.__traceback__)
        raise exception
