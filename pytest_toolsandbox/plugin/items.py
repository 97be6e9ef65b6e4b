"""Scenario files and scenarios as nodes of pytest's collection tree."""

from __future__ import annotations

import inspect
import types
import unittest
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Literal, cast

import pytest

from pytest_toolsandbox import matchers
from pytest_toolsandbox.agents.shapes import REPLIES, shape_of
from pytest_toolsandbox.conversation.messages import Trajectory
from pytest_toolsandbox.language.loading import load_file
from pytest_toolsandbox.language.mistakes import Mistake, ScenarioError
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.language.variants import variant
from pytest_toolsandbox.matchers.embedding import Embedder, EmbedderError
from pytest_toolsandbox.models.errors import AgentError, ProviderError
from pytest_toolsandbox.models.requests import requests_in
from pytest_toolsandbox.records.agent import agent_record, user_record
from pytest_toolsandbox.records.reading import StoredRecord, StoredRecords, without_parameters
from pytest_toolsandbox.records.record import AgentRecord, Cause, ShardRecord
from pytest_toolsandbox.records.verdict import SCORED, verdict
from pytest_toolsandbox.records.writing import Trial
from pytest_toolsandbox.reporting import junit
from pytest_toolsandbox.reporting.pages.page import trials_page
from pytest_toolsandbox.reporting.terminal import FIXTURE
from pytest_toolsandbox.runs.resuming import KeptTrial, Told
from pytest_toolsandbox.runs.trial import (
    as_it_plays,
    broken,
    judge_again,
    play_trial,
    until_it_counts,
)
from pytest_toolsandbox.users.user import makes_users
from pytest_toolsandbox.wording.error_text import REASON_LIMIT, describe_exception, message_of
from pytest_toolsandbox.wording.nearest_name import unknown
from pytest_toolsandbox.wording.redaction import clean

from .collecting import (
    BAD_FILES,
    RECORDS,
    RESUMED,
    SHARDED,
    STORED,
    CollectionRepr,
    skip,
)
from .failure_repr import Failed, failure_repr
from .leaving import no_early_success
from .mark_arguments import argument_problem, item_problem
from .marks import FREE_MARKS, add_mark, registered_marks
from .redacting import cleaned
from .requesting import new_context
from .resuming import kept_trials
from .settings import settings_of

AGENT = pytest.StashKey[str]()
"""What ``--agent`` says, for an item whose fixture is the default one."""
USER = pytest.StashKey[str]()
"""What ``--sandbox-user`` says, likewise."""
AUGMENTATION = "sandbox_augmentation"
"""The fixture that says how the tools of an item's scenario are augmented."""
FEEDBACK_FIXTURE = "sandbox_feedback"
"""The fixture that says whether invalid calls are answered with what is allowed."""
NO_RECORD = "there is no stored conversation of this item"
OTHER_VARIANTS = (
    "those of its scenario have another --sandbox-augment or --sandbox-feedback, or other "
    "parameters of fixtures"
)
MISNAMED = "the name of a file or folder has a control character or half a character; rename it"
_OTHER_USER = (
    "; it is who talks to the agent: let a fixture 'user' in a conftest.py beside the scenarios "
    "return None, for their own scripts"
)
_SKIPS = (unittest.SkipTest, pytest.skip.Exception)
TAKEN = "pytest or of a plugin; take another word, or put it under marks: if you mean it"


class ScenarioFile(pytest.Module):
    """A YAML file of scenarios.

    A ``Module``, as pytest's own ``DoctestTextfile`` is: only below a module do module-scoped
    fixtures find their node.
    """

    is_misnamed = False
    """Whether the id stands for a name with control or half characters, which none may have."""

    def funcnamefilter(self, _name: str) -> bool:
        """Take every name, whatever ``python_functions`` says."""
        return True

    def collect(self) -> list[pytest.Item]:
        """Return the scenarios. A file with mistakes fails as a whole, with all of them."""
        if self.is_misnamed:
            self.config.stash[BAD_FILES].add(self.path)
            raise self.CollectError(f"{self.nodeid}: {MISNAMED}")
        try:
            scenarios = load_file(self.path, shown=self.nodeid, thresholds=self._thresholds())
            self._add_marks(scenarios)
            self.obj = types.ModuleType(self.path.stem)
            return [item for scenario in scenarios for item in self._items(scenario)]
        except ScenarioError as error:
            self.config.stash[BAD_FILES].add(self.path)
            raise self.CollectError(str(error)) from None

    def repr_failure(  # type: ignore[override]  # pytest keeps the type of reprs private
        self, excinfo: pytest.ExceptionInfo[BaseException]
    ) -> object:
        """Return how pytest shows that the file could not be collected."""
        if isinstance(excinfo.value, self.CollectError):
            return CollectionRepr(str(excinfo.value))
        return cleaned(super().repr_failure(excinfo))

    def _thresholds(self) -> Mapping[str, float]:
        thresholds, known = settings_of(self.config).thresholds, matchers.names()
        for name in thresholds:
            if name not in known:
                raise self.CollectError(f"sandbox_thresholds: {unknown('matcher', name, known)}")
        return thresholds

    def _add_marks(self, scenarios: Sequence[Scenario]) -> None:
        """Refuse categories and tags whose names pytest or a plugin has taken; add the others."""
        free = self.config.stash[FREE_MARKS]
        taken = registered_marks(self.config) - free
        words = [(each, word) for each in scenarios for word in (*each.categories, *each.tags)]
        if mistakes := [
            Mistake(scenario.line, 1, scenario.name, f"{word!r} is a mark of {TAKEN}")
            for scenario, word in words
            if word in taken
        ]:
            raise ScenarioError(self.nodeid, mistakes)
        for _, word in words:
            if word not in free:
                add_mark(self.config, word, "of scenarios")

    def _entry_point(self, scenario: Scenario) -> Callable[..., None]:
        """Make a function for pytest to read: its parameters name fixtures, it has the marks."""
        settings = settings_of(self.config)
        people = ["agent", "user"] if scenario.task.has_user else ["agent"]
        entry = _bare_function(people, settings.augment, settings.feedback.arms)
        entry.__doc__ = scenario.summary or None  # shown by --collect-only --verbose
        # The place where pytest sees it: its errors tell of the scenario, and of no code of ours.
        entry.__code__ = entry.__code__.replace(co_filename=f"{self.nodeid}::{scenario.name}")
        words = (*scenario.categories, *scenario.tags)
        marks = [getattr(pytest.mark, word).mark for word in words]
        # At once: a decorator copies the marks that are there, and a file may have thousands.
        entry.pytestmark = [*getattr(entry, "pytestmark", ()), *marks]  # type: ignore[attr-defined]
        for mark in scenario.marks:
            try:
                decorator = getattr(pytest.mark, mark.name)
            except (pytest.fail.Exception, pytest.PytestUnknownMarkWarning):
                text = f"marks: {mark.name!r} is not registered; add it to markers in the ini file"
                raise self._error(scenario, text) from None
            if problem := argument_problem(mark):
                raise self._error(scenario, f"marks: {problem}")
            entry = decorator.with_args(*mark.arguments, **mark.keywords)(entry)
        return entry

    def _error(self, scenario: Scenario, text: str) -> ScenarioError:
        return ScenarioError(self.nodeid, [Mistake(scenario.line, 1, scenario.name, text)])

    def _items(self, scenario: Scenario) -> Iterator[pytest.Item]:
        name, entry = scenario.name, self._entry_point(scenario)
        if name == "pytest_generate_tests":
            raise self._error(scenario, f"{name} is a hook of pytest; take another name")
        setattr(self.obj, name, entry)
        for function in self._functions(scenario, entry):
            callspec = getattr(function, "callspec", None)
            item = ScenarioItem.from_parent(
                self,
                name=function.name,
                originalname=name,
                callobj=entry,
                callspec=callspec,
                keywords={callspec.id: True} if callspec else None,
                fixtureinfo=function._fixtureinfo,  # noqa: SLF001  # as pytest hands it on
                scenario=self._as_played(scenario, callspec.params if callspec else {}),
            )
            if scenario.marks and (problem := item_problem(item)):
                raise self._error(scenario, f"marks: {problem}")
            yield item

    def _functions(self, scenario: Scenario, entry: Callable[..., None]) -> Any:
        hook = self.ihook.pytest_pycollect_makeitem
        try:
            return hook(collector=self, name=scenario.name, obj=entry) or ()
        except (Exception, pytest.fail.Exception) as error:
            if all(mark.name != "parametrize" for mark in scenario.marks):
                raise
            text = "marks: pytest cannot read 'parametrize', which takes names and values"
            text = f"{text}: {message_of(error)}"
            raise self._error(scenario, text) from None

    def _as_played(self, scenario: Scenario, parameters: Mapping[str, Any]) -> Scenario:
        settings = settings_of(self.config)
        if augmentation := parameters.get(AUGMENTATION):
            scenario = variant(scenario, augmentation)
        feedback = parameters.get(FEEDBACK_FIXTURE, settings.feedback.of(scenario.feedback))
        call_format = settings.call_format or scenario.call_format
        prompt = settings.prompt.instead_of(scenario.prompt) if settings.prompt else scenario.prompt
        return replace(scenario, feedback=feedback, call_format=call_format, prompt=prompt)


def _bare_function(
    people: Sequence[str], augmentations: Sequence[str], feedback: Sequence[bool]
) -> Callable[..., None]:
    """Return a new function whose parameters name the fixtures that pytest has to give."""

    def entry(**_: object) -> None:
        raise AssertionError("the item plays the scenario")

    names = [*people]
    if augmentations:
        names.insert(0, AUGMENTATION)
        entry = pytest.mark.parametrize(AUGMENTATION, augmentations, indirect=True)(entry)
    if len(feedback) > 1:
        names.insert(0, FEEDBACK_FIXTURE)
        ids = [f"feedback_{'on' if on else 'off'}" for on in feedback]
        entry = pytest.mark.parametrize(FEEDBACK_FIXTURE, feedback, ids=ids, indirect=True)(entry)
    parameters = [inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY) for name in names]
    entry.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]  # pytest reads it
    return entry


class ScenarioItem(pytest.Function):
    """A scenario, and the agent that its fixtures give it.

    The trials are played in the setup, so that an agent that cannot answer is an error of the
    item; the call only tells the verdict, and a bad score is a failure.
    """

    def __init__(self, *, scenario: Scenario, **function: Any) -> None:
        super().__init__(**function)
        self.scenario = scenario
        self._page: str | None = None
        self._at_work: Literal["agent", "user"] | None = None
        """Whose fixture is looked at, once all are set up."""
        self.phase = ""
        self._properties: dict[str, object] = {}
        if scenario.quarantine:  # before its own marks, whatever the ini file says of strictness
            reason = f"quarantine: {scenario.quarantine}"
            self.add_marker(pytest.mark.xfail(reason=reason, strict=False), append=False)

    def setup(self) -> None:
        """Set the fixtures up and play the trials."""
        __tracebackhide__ = True  # an error of a fixture shows the user's own code
        self.stash[RECORDS], self._page, self._at_work = [], None, None
        trials: list[Told] = []
        try:
            if STORED not in self.config.stash:  # else no agent is called, and no fixture needed
                super().setup()
            if not self.config.option.setuponly:
                with no_early_success():
                    for trial in self._trials():
                        trials.append(trial)  # noqa: PERF402  # finished ones stay if the next raises
        except pytest.exit.Exception as error:  # a run that was broken off is never green
            raise pytest.exit.Exception(clean(error.msg), error.returncode or None) from error
        except (KeyboardInterrupt, *_SKIPS):
            raise
        except BaseException as error:
            self._page = message_of(error, REASON_LIMIT) if isinstance(error, Failed) else None
            trials.append(self._without_verdict(error, len(trials) + 1))
            raise  # pytest shows an error of a fixture as ever
        else:
            outcome = verdict([trial.summary for trial in trials]) if trials else "passed"
            if outcome != "passed":
                self._page = trials_page(trials)
        finally:
            trials.sort(key=lambda one: one.number)
            self._report(trials)
        if outcome not in SCORED:
            _raise_first(trials)

    def runtest(self) -> None:
        """Tell the verdict; all trials must pass."""
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

    def reportinfo(self) -> tuple[Path, int, str]:
        """Return where the scenario stands; lines count from 0 here."""
        return self.path, self.scenario.line - 1, self.name

    def _trials(self) -> Iterator[Told]:
        embedder = None
        if self.scenario.task.compares_meanings:  # a replay wherever there is an embedder
            request = self._request  # private to pytest; a scenario's needs show only here
            embedder = cast("Embedder | None", request.getfixturevalue("embedder"))
        if (stored := self.config.stash.get(STORED, None)) is not None:
            for one in self._stored_records(stored):
                yield judge_again(self.scenario, one, embedder)
            return
        self._at_work = "agent"
        given: Mapping[str, Any] = self.funcargs
        agent, user = given["agent"], given.get("user")
        is_agent = callable(agent) or shape_of(agent) != REPLIES
        _check_fixture("agent", agent, is_usable=is_agent)
        self._at_work = "user"
        is_user = user is None or callable(user) or makes_users(user)
        _check_fixture("user", user, is_usable=is_user, remedy=_OTHER_USER)
        kept = self._kept(agent, user)
        plan = settings_of(self.config).plan(self.scenario)
        outcomes = [one.outcome for one in kept.values()]
        yield from kept.values()
        left = [number for number in range(1, plan.trials + 1) if number not in kept]
        while numbers := plan.next_trials(outcomes, left):
            number, *left = numbers[0], *left[1:]
            with requests_in(new_context(self.config)):
                play = partial(play_trial, self.scenario, agent, user, number, embedder)
                trial = until_it_counts(play, plan.repeats)
            outcomes.append(trial.outcome)
            if isinstance(trial.exception, pytest.exit.Exception):
                raise trial.exception
            who = user_record(self.stash.get(USER, FIXTURE), user) if user is not None else None
            trial = replace(trial, identifier=self.nodeid, agent=self._agent(), user=who)
            yield replace(trial, shard=self._shard, of_trials=plan.record)

    def _kept(self, agent: Any, user: Any) -> Mapping[int, KeptTrial]:
        """Return the trials that a run has finished which is resumed, by number."""
        if RESUMED not in self.config.stash:
            return {}
        scenario = as_it_plays(self.scenario, agent)
        nothing = Trajectory((), (), scenario.start)
        plan = settings_of(self.config).plan(scenario)
        now = Trial(self.nodeid, 1, self._agent(), scenario, nothing, of_trials=plan.record)
        who = user_record(self.stash.get(USER, FIXTURE), user) if user is not None else None
        return kept_trials(self, replace(now, user=who, shard=self._shard), plan.trials)

    def _stored_records(self, stored: StoredRecords) -> list[StoredRecord]:
        """Return the records of the item, one for each trial; without any, skip it."""
        if self.nodeid not in stored.records:
            other = without_parameters(self.nodeid) in stored.scenarios
            skip(self, "without record", f"{NO_RECORD}; {OTHER_VARIANTS}" if other else NO_RECORD)
        return [record for _, record in sorted(stored.records[self.nodeid].items())]

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

    def _agent(self) -> AgentRecord:
        _, bracket, identifier = self.name.partition("[")
        ours = {AUGMENTATION, FEEDBACK_FIXTURE} & set(self.callspec.params if bracket else ())
        parameter = "-".join(identifier.removesuffix("]").split("-")[len(ours) :]) or None
        return agent_record(self.stash.get(AGENT, FIXTURE), self.funcargs.get("agent"), parameter)

    def _report(self, trials: Sequence[Told]) -> None:
        """Keep the records, and set the properties, again where a plugin runs the item again."""
        is_stored = settings_of(self.config).needs_details
        records: list[Any] = [trial.record if is_stored else trial.summary for trial in trials]
        properties = junit.item_properties(records) if records else {}
        ours = {*properties, *self._properties}
        kept = [(name, value) for name, value in self.user_properties if name not in ours]
        self.stash[RECORDS], self._properties = records, properties
        self.user_properties = kept + list(properties.items())


def _check_fixture(name: str, given: object, *, is_usable: bool, remedy: str = "") -> None:
    if not is_usable:
        text = f"the fixture {name!r} gave {type(given).__name__}, which cannot be called{remedy}"
        raise Failed(text, pytrace=False)


def _raise_first(trials: Sequence[Told]) -> None:
    """Raise what ended a trial, the user's own: debuggers and plugins are led to its place."""
    for exception, reason in ((one.exception, one.reason) for one in trials if one.exception):
        if isinstance(exception, (*_SKIPS, pytest.xfail.Exception)):  # in an agent an error
            failed = pytest.fail.Exception(reason or "", pytrace=False)
            raise failed.with_traceback(exception.__traceback__)
        raise exception
