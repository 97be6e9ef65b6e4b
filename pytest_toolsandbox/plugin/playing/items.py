"""Scenarios as items of pytest: they play their trials in the setup, and fail for bad scores."""

from __future__ import annotations

import itertools
import os
import unittest
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Any, Literal

import _pytest.outcomes
import pluggy
import pytest

from pytest_toolsandbox.agents.agent import PerConversation, agent_for
from pytest_toolsandbox.agents.shapes import REPLIES, shape_of
from pytest_toolsandbox.agents.wrapping import bare
from pytest_toolsandbox.conversation.messages import Trajectory
from pytest_toolsandbox.matchers.embedding import EmbedderError
from pytest_toolsandbox.models.aliases import NO_JUDGE
from pytest_toolsandbox.models.errors import AgentError, JudgeError, ProviderError
from pytest_toolsandbox.output.pages.record_view import ItemPage, trials_page, undecided_page
from pytest_toolsandbox.plugin.marks import Failed, skip
from pytest_toolsandbox.plugin.output.budget import new_context
from pytest_toolsandbox.plugin.settings import settings_of
from pytest_toolsandbox.plugin.stash import RESUMED, ROUND, SHARDED, STORED
from pytest_toolsandbox.records.configuration import agent_record
from pytest_toolsandbox.records.parts import ShardRecord
from pytest_toolsandbox.records.reading import StoredRecords, without_parameters
from pytest_toolsandbox.records.record import Cause
from pytest_toolsandbox.records.trials import NOT_RUN, SCORED, planned_trials, verdict
from pytest_toolsandbox.records.writing import Trial
from pytest_toolsandbox.runs.job import Job, TrialPlan
from pytest_toolsandbox.runs.judging import WordsJudge, without_opinion
from pytest_toolsandbox.runs.playing import AnyJob, StoredJob
from pytest_toolsandbox.runs.resuming import AnyTrial
from pytest_toolsandbox.runs.trial import broken
from pytest_toolsandbox.text.error_text import (
    PACKAGE,
    REASON_LIMIT,
    cause_first,
    describe_exception,
    message_of,
)
from pytest_toolsandbox.text.redaction import clean
from pytest_toolsandbox.users.resolving import SCRIPTED
from pytest_toolsandbox.users.user import is_user_factory
from pytest_toolsandbox.worlds.live.placeholders import set_fixtures

from .fixtures import NotReadyError, session_judge, value_of, values
from .playable import PlayableItem
from .players import player_of
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
    item; the call only reports the verdict, and a bad score is a failure.
    """

    def __init__(self, **function: Any) -> None:
        super().__init__(**function)
        self._page: ItemPage | None = None
        self._at_work: Literal["agent", "user", "judge"] | None = None
        """Whose value is used, once all fixtures are set up: its errors are theirs."""

    def setup(self) -> None:
        """Set the fixtures up and play the trials."""
        __tracebackhide__ = True  # an error of a fixture shows the user's own code
        self.records, self._page, self._at_work = [], None, None
        self.in_conversation = False
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
            self._page = _page_of(error) if isinstance(error, Failed) else None
            trials += self._without_verdict(error, {trial.number for trial in trials})
            raise  # pytest shows an error of a fixture as ever
        else:
            outcome = verdict([trial.summary for trial in trials]) if trials else "passed"
            if outcome != "passed":
                show = undecided_page if outcome == NOT_RUN else trials_page
                self._page = show(trials)
        finally:
            self.keep_finished()
        if self._page is not None and outcome not in SCORED:
            self.in_conversation = True
            _raise_first(trials)
            raise Failed(
                self._page.text, pytrace=False
            )  # none of the stored ones, but they are few

    def runtest(self) -> None:
        """Fail if the verdict of the trials is bad."""
        __tracebackhide__ = True
        if self._page is not None:
            pytest.fail(self._page.text, pytrace=False)

    def repr_failure(  # type: ignore[override]  # pytest keeps the type of reprs private
        self, excinfo: pytest.ExceptionInfo[BaseException]
    ) -> object:
        """Return how pytest shows the verdict."""
        if self._page is None:
            return super().repr_failure(excinfo)
        return _failure_repr(self, excinfo, self._page)

    def _repr_failure_py(self, excinfo: Any, style: Any = None) -> Any:
        """Return how pytest shows what ended the setup: it asks here, and for nothing else.

        Its own way would read the source of every frame of a client library, for seconds.
        """
        if self._page is None or self.phase != "setup":
            return super()._repr_failure_py(excinfo, style)
        return _failure_repr(self, excinfo, self._page, in_setup=True)

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

    def job_ahead(self) -> AnyJob:
        """Return what there is to play, or to judge again, of what pytest has set up already.

        Raises ``NotReadyError`` where that does not suffice, and what :meth:`job` raises.
        """
        if (stored := self.config.stash.get(STORED, None)) is None:
            return self.job(values(self))
        if self.nodeid not in stored.records:
            raise NotReadyError
        return self._stored_job(stored, partial(value_of, self, EMBEDDER))

    def job(self, fixtures: Mapping[str, Any]) -> Job:
        """Return what there is to play with these values of fixtures.

        Raises :class:`~pytest_toolsandbox.plugin.marks.Failed` for values of no use.
        """
        set_fixtures({name: fixtures[name] for name in self.scenario.world.fixtures})
        self._at_work = "agent"
        agent, user = fixtures["agent"], fixtures.get("user")
        is_agent = callable(agent) or shape_of(agent) != REPLIES
        _check_fixture("agent", agent, is_usable=is_agent)
        self._at_work = "user"
        is_user = user is None or callable(user) or is_user_factory(user)
        _check_fixture("user", user, is_usable=is_user, remedy=_OTHER_USER)
        self._at_work = "agent"
        inner = bare(agent)
        if type(inner) is PerConversation and inner.is_shared:
            try:
                agent = agent_for(agent, self.scenario)
            except AgentError as error:
                raise Failed(str(error), pytrace=False) from None
        self._at_work = "user"
        plan = self.config.stash.get(ROUND, None) or settings_of(self.config).plan(self.scenario)
        job = Job(
            self.nodeid,
            self.scenario,
            agent,
            self.named("agent"),
            self.parameter(),
            self.label,
            user,
            self.named("user"),
            fixtures.get(EMBEDDER),
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
            records = {number: without_opinion(record) for number, record in records.items()}
        planned = planned_trials([record for _, record in sorted(records.items())])[0]
        return StoredJob(
            self.scenario,
            records,
            embedder() if self.scenario.task.compares_meanings else None,
            self._judge(),
            TrialPlan.by(settings.pass_, planned).record if settings.pass_ else None,
            partial(new_context, self.config),
        )

    def _without_verdict(self, error: BaseException, numbers: Collection[int]) -> list[Trial]:
        """Return what is over beside the trials of these numbers, or a trial of the error alone."""
        is_failure = isinstance(error, pytest.fail.Exception)
        message = message_of(error, REASON_LIMIT) if is_failure else ""
        reason = AgentError(message or describe_exception(error))
        over = [t for t in player_of(self.config).take_over(self) if t.number not in numbers]
        if over:
            unjudged = JudgeError(str(reason))
            return [trial if trial.judgement else broken(trial, unjudged) for trial in over]
        number = next(number for number in itertools.count(1) if number not in numbers)
        nothing = Trajectory((), (), self.scenario.start)
        agent = agent_record(
            self.named("agent"), self.funcargs.get("agent"), self.parameter(), self.label
        )
        trial = broken(Trial(self.nodeid, number, agent, self.scenario, nothing), reason)
        return [replace(trial, cause=self._cause(error), shard=self._shard)]

    @property
    def _shard(self) -> ShardRecord | None:
        sharded = self.config.stash.get(SHARDED, None)
        return sharded.record if sharded else None

    def _cause(self, error: BaseException) -> Cause | None:
        """Return who caused an error outside trials; ``None`` for another fixture."""
        # Pytest keeps the error of a fixture, and not those of the fixtures that it depends on.
        *_, agent = (None, *self._fixtureinfo.name2fixturedefs.get("agent", ()))
        if self._at_work or (agent and agent.cached_result and agent.cached_result[2]):
            return "provider" if isinstance(error, ProviderError) else self._at_work or "agent"
        is_embedder = any(isinstance(each, EmbedderError) for each in (error, error.__context__))
        return "provider" if is_embedder else None


def _page_of(error: Failed) -> ItemPage:
    """Return what there is to say of an item that could not be played."""
    text = message_of(error, REASON_LIMIT)
    return ItemPage(text, cause_first(text.partition("\n")[0]))


def _check_fixture(name: str, value: object, *, is_usable: bool, remedy: str = "") -> None:
    if not is_usable:
        text = f"the fixture {name!r} gave {type(value).__name__}, which cannot be called{remedy}"
        raise Failed(text, pytrace=False)


def _raise_first(trials: Sequence[AnyTrial]) -> None:
    """Raise the exception that ended a trial, if any, so that debuggers find its place."""
    trial = next((trial for trial in trials if trial.exception), None)
    if trial is None or trial.exception is None:
        return
    if isinstance(trial.exception, (*_SKIPS, pytest.xfail.Exception)):  # in an agent an error
        failed = pytest.fail.Exception(trial.reason or "", pytrace=False)
        raise failed.with_traceback(trial.exception.__traceback__)
    raise trial.exception


_TESTING = (_pytest.__file__, pluggy.__file__)
_FOREIGN = (PACKAGE, *(str(Path(file).parent) + os.sep for file in _TESTING))


def _failure_repr(
    item: pytest.Item,
    excinfo: pytest.ExceptionInfo[BaseException],
    page: ItemPage,
    *,
    in_setup: bool = False,
) -> Any:
    """Return what pytest shows: the page, below the user's frames where options ask for them."""
    option = item.config.option
    wanted = option.fulltrace or option.showlocals or option.tbstyle in ("short", "long", "native")
    user_frames: TracebackType | None = excinfo.tb if wanted else None
    while user_frames is not None and user_frames.tb_frame.f_code.co_filename.startswith(_FOREIGN):
        user_frames = user_frames.tb_next
    if user_frames is not None or (in_setup and option.fulltrace):
        shown = _frames(option, excinfo, user_frames)
        shown.addsection("scenario", page.text)
    else:
        text = page.text.partition("\n")[0] if option.tbstyle == "line" else page.text
        failure = pytest.fail.Exception(text, pytrace=False)
        info = pytest.ExceptionInfo.from_exc_info((type(failure), failure, excinfo.tb))
        shown = info.getrepr(style="value")
        if option.tbstyle == "line" and not in_setup:
            shown.reprtraceback.reprentries = []  # pytest adds a line of its own here
    if shown.reprcrash is not None:
        path, line, _ = item.reportinfo()
        shown.reprcrash.path, shown.reprcrash.lineno = str(path), (line or 0) + 1
        shown.reprcrash.message = page.cause
    return shown


def _frames(
    option: Any, excinfo: pytest.ExceptionInfo[BaseException], user_frames: TracebackType | None
) -> Any:
    """Return the user's frames, or all of them where a defect of ours raised."""
    if user_frames is None:
        return excinfo.getrepr(style="long", tbfilter=False)
    is_long = option.fulltrace or option.tbstyle not in ("short", "native")
    return pytest.ExceptionInfo.from_exc_info((excinfo.type, excinfo.value, user_frames)).getrepr(
        style="long" if is_long else option.tbstyle,
        showlocals=option.showlocals,
        tbfilter=lambda part: part.traceback.filter(
            lambda entry: not str(entry.path).startswith(_FOREIGN)
        ),
    )
