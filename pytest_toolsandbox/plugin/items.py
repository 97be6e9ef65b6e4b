"""Scenario files and scenarios as nodes of pytest's collection tree."""

from __future__ import annotations

import inspect
import types
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest

from pytest_toolsandbox import matchers
from pytest_toolsandbox.agents.agent import Agent
from pytest_toolsandbox.conversation.messages import Trajectory
from pytest_toolsandbox.language.loading import load_file
from pytest_toolsandbox.language.mistakes import Mistake, ScenarioError, unknown
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.language.variants import variant
from pytest_toolsandbox.matchers.embedding import Embedder
from pytest_toolsandbox.models.errors import AgentError
from pytest_toolsandbox.records.agent import agent_record
from pytest_toolsandbox.records.record import AgentRecord
from pytest_toolsandbox.reporting import junit
from pytest_toolsandbox.reporting.pages.page import trials_page
from pytest_toolsandbox.reporting.terminal import FIXTURE
from pytest_toolsandbox.runs.trial import Trial, judge_again, play_trial
from pytest_toolsandbox.wording.redaction import redacted, shown

from .collecting import BAD_FILES, RECORDS, CollectionRepr
from .failure_repr import failure_repr
from .marks import FREE_MARKS, add_mark, registered_marks
from .rejudging import STORED, stored_records
from .settings import settings_of

AGENT = pytest.StashKey[str]()
"""What ``--agent`` says, for an item whose fixture is the default one."""


AUGMENTATION = "sandbox_augmentation"
"""The fixture that says how the tools of an item's scenario are augmented."""

FEEDBACK = "sandbox_feedback"
"""The fixture that says whether invalid calls are answered with what is allowed."""


class ScenarioFile(pytest.Module):
    """A YAML file of scenarios.

    A ``Module``, as pytest's own ``DoctestTextfile`` is: only below a module do module-scoped
    fixtures find their node.
    """

    def funcnamefilter(self, name: str) -> bool:
        """Take every name, whatever ``python_functions`` says."""
        del name
        return True

    def collect(self) -> Iterator[pytest.Item]:
        """Yield the scenarios. A file with mistakes fails as a whole, with all of them."""
        try:
            scenarios = self._scenarios()
            entries = [self._entry_point(scenario) for scenario in scenarios]
        except ScenarioError as error:
            self.config.stash[BAD_FILES].add(self.path)
            raise self.CollectError(str(error)) from None
        self.obj = types.ModuleType(self.path.stem)
        for scenario, entry in zip(scenarios, entries, strict=True):
            yield from self._items(scenario, entry)

    def repr_failure(  # type: ignore[override]  # pytest keeps the type of reprs private
        self, excinfo: pytest.ExceptionInfo[BaseException]
    ) -> object:
        """Return how pytest shows that the file could not be collected."""
        if isinstance(excinfo.value, self.CollectError):
            return CollectionRepr(str(excinfo.value))
        return super().repr_failure(excinfo)

    def _scenarios(self) -> Sequence[Scenario]:
        thresholds = settings_of(self.config).thresholds
        for name in thresholds:
            if name not in matchers.names():
                text = f"sandbox_thresholds: {unknown('matcher', name, matchers.names())}"
                raise self.CollectError(text)
        scenarios = load_file(self.path, shown=self._shown, thresholds=thresholds)
        self._check_marks(scenarios)
        return scenarios

    @property
    def _shown(self) -> str:
        return self.nodeid.partition("::")[0]

    def _check_marks(self, scenarios: Sequence[Scenario]) -> None:
        """Refuse categories and tags whose names pytest or a plugin has taken; add the others."""
        free = self.config.stash[FREE_MARKS]
        taken = registered_marks(self.config) - free
        mistakes = [
            Mistake(scenario.line, 1, scenario.name, f"{name!r} is a mark of {TAKEN}")
            for scenario in scenarios
            for name in (*scenario.categories, *scenario.tags)
            if name in taken
        ]
        if mistakes:
            raise ScenarioError(self._shown, mistakes)
        for scenario in scenarios:
            for name in (*scenario.categories, *scenario.tags):
                if name not in free:
                    add_mark(self.config, name, "of scenarios")

    def _entry_point(self, scenario: Scenario) -> Callable[..., None]:
        """Make a function for pytest to read: its parameters name fixtures, it has the marks."""
        settings = settings_of(self.config)
        entry = _entry(settings.augment, settings.feedback.arms)
        entry.__doc__ = scenario.summary or None  # shown by --collect-only --verbose
        # The place where pytest sees it: its errors tell of the scenario, and of no code of ours.
        entry.__code__ = entry.__code__.replace(co_filename=f"{self._shown}::{scenario.name}")
        for name in (*scenario.categories, *scenario.tags):
            entry = getattr(pytest.mark, name)(entry)
        for mark in scenario.marks:
            try:
                decorator = getattr(pytest.mark, mark.name)
            except (pytest.fail.Exception, pytest.PytestUnknownMarkWarning):
                text = f"marks: {mark.name!r} is not registered; add it to markers in the ini file"
                mistake = Mistake(scenario.line, 1, scenario.name, text)
                raise ScenarioError(self._shown, [mistake]) from None
            entry = decorator.with_args(*mark.arguments, **mark.keywords)(entry)
        return entry

    def _items(self, scenario: Scenario, entry: Callable[..., None]) -> Iterator[pytest.Item]:
        """Yield one item, or one for each parameter, as pytest finds them."""
        setattr(self.obj, scenario.name, entry)
        functions = self.ihook.pytest_pycollect_makeitem(
            collector=self, name=scenario.name, obj=entry
        )
        for function in functions or ():
            callspec = getattr(function, "callspec", None)
            parameters = callspec.params if callspec else {}
            yield ScenarioItem.from_parent(
                self,
                name=function.name,
                originalname=scenario.name,
                callobj=entry,
                callspec=callspec,
                keywords={callspec.id: True} if callspec else None,
                scenario=self._as_played(scenario, parameters),
            )

    def _as_played(self, scenario: Scenario, parameters: Mapping[str, Any]) -> Scenario:
        """Return a scenario as the user asked for it, and as an item's parameters have it."""
        settings = settings_of(self.config)
        if augmentation := parameters.get(AUGMENTATION):
            scenario = variant(scenario, augmentation)
        feedback = parameters.get(FEEDBACK, settings.feedback.of(scenario.feedback))
        call_format = settings.call_format or scenario.call_format
        return replace(scenario, feedback=feedback, call_format=call_format)


def _entry(augmentations: Sequence[str], feedback: Sequence[bool]) -> Callable[..., None]:
    """Return a new function whose parameters are what pytest has to give."""

    def entry(**_: object) -> None:
        raise AssertionError(NEVER_CALLED)

    parameters = ["agent"]
    if augmentations:
        parameters.insert(0, AUGMENTATION)
        entry = pytest.mark.parametrize(AUGMENTATION, augmentations, indirect=True)(entry)
    if len(feedback) > 1:
        parameters.insert(0, FEEDBACK)
        names = [f"feedback_{'on' if on else 'off'}" for on in feedback]
        entry = pytest.mark.parametrize(FEEDBACK, feedback, ids=names, indirect=True)(entry)
    kind = inspect.Parameter.KEYWORD_ONLY
    entry.__signature__ = inspect.Signature(  # type: ignore[attr-defined]  # pytest reads it
        [inspect.Parameter(name, kind) for name in parameters]
    )
    return entry


NEVER_CALLED = "the item plays the scenario"
TAKEN = "pytest or of a plugin; take another word, or put it under marks: if you mean it"


class ScenarioItem(pytest.Function):
    """A scenario, and the agent that its fixtures give it.

    The trials are played in the setup, so that an agent that cannot answer is an error of the
    item; the call only tells the verdict, and a bad score is a failure.
    """

    def __init__(self, *, scenario: Scenario, **function: Any) -> None:
        super().__init__(**function)
        self.scenario = scenario
        self._page: str | None = None
        self._properties: dict[str, object] = {}

    def setup(self) -> None:
        """Set the fixtures up and play the trials."""
        self.stash[RECORDS], self._page = [], None
        broken = None
        try:
            if STORED not in self.config.stash:  # else nobody is called, and no fixture needed
                super().setup()
            if not self.config.option.setuponly:
                broken = self._report(list(self._trials()))
        except (Exception, pytest.fail.Exception) as error:
            self._note_error(error)
            raise
        finally:
            self._set_properties()
        if broken is not None:
            raise broken  # the user's own exception: debuggers and plugins are led to its place

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

    def broken_repr(self, excinfo: pytest.ExceptionInfo[BaseException]) -> object:
        """Return how pytest shows a trial that is an error, if one was what ended the setup."""
        return self._page and failure_repr(self, excinfo, self._page, in_setup=True)

    def reportinfo(self) -> tuple[Path, int, str]:
        """Return where the scenario stands; lines count from 0 here."""
        return self.path, self.scenario.line - 1, self.name

    def _trials(self) -> Iterator[Trial]:
        embedder = self._embedder()
        if (stored := self.config.stash.get(STORED, None)) is not None:
            for one in stored_records(stored, self):
                yield judge_again(self.scenario, one, embedder)
            return
        agent = self.funcargs["agent"]
        if not callable(agent):
            text = f"the fixture 'agent' gave {type(agent).__name__}, which cannot be called"
            raise pytest.fail.Exception(text, pytrace=False)
        for number in range(1, self.scenario.trials + 1):
            trial = play_trial(self.scenario, cast("Agent", agent), None, number, embedder)
            if isinstance(trial.exception, pytest.exit.Exception):
                raise trial.exception
            yield replace(trial, identifier=self.nodeid, agent=self._agent())

    def _report(self, trials: Sequence[Trial]) -> BaseException | None:
        """Keep records and page of the trials; return what was raised in the first error."""
        is_stored = settings_of(self.config).results is not None
        self.stash[RECORDS] = [trial.record if is_stored else trial.summary for trial in trials]
        if any(trial.outcome != "passed" for trial in trials):
            self._page = redacted(trials_page(trials))
        return next((trial.exception for trial in trials if trial.outcome == "error"), None)

    def _embedder(self) -> Embedder | None:
        """Return what compares meanings, where the scenario asks for that.

        The free texts of a replay are compared by meaning wherever there is an embedder.
        """
        if not self.scenario.task.compares_meanings:
            return None
        request = self._request  # private to pytest; a scenario's needs show only here
        return cast("Embedder | None", request.getfixturevalue("embedder"))

    def _agent(self) -> AgentRecord:
        name = self.stash.get(AGENT, FIXTURE)
        return agent_record(name, self.funcargs.get("agent"), self._parameter)

    @property
    def _parameter(self) -> str | None:
        """The id of the item's parameters, less those that are ours."""
        _, bracket, identifier = self.name.partition("[")
        ours = {AUGMENTATION, FEEDBACK} & set(self.callspec.params if bracket else ())
        return None if not bracket else "-".join(identifier[:-1].split("-")[len(ours) :]) or None

    def _note_error(self, error: BaseException) -> None:
        """Keep a record of an error of the fixtures."""
        name = "" if isinstance(error, pytest.fail.Exception) else f"{type(error).__name__}: "
        reason = AgentError(shown(f"{name}{error}"))
        nothing = Trajectory((), (), self.scenario.start)
        self._report([Trial(self.scenario, 1, nothing, None, reason, self.nodeid, self._agent())])
        self._page = None  # pytest shows an error of a fixture as ever

    def _set_properties(self) -> None:
        """Set the properties of the report; again, where a plugin runs the item again."""
        records = self.stash[RECORDS]
        properties = junit.item_properties(records) if records else {}
        ours = {*properties, *self._properties}
        kept = [(name, value) for name, value in self.user_properties if name not in ours]
        self.user_properties = kept + list(properties.items())
        self._properties = properties
