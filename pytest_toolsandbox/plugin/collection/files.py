"""Collect scenario files as modules of pytest, and show why a file does not load.

The arguments of marks are checked here, since pytest would read them only when an item is run.
"""

from __future__ import annotations

import inspect
import sys
import types
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from traceback import walk_tb
from typing import Any, Final

import pytest
from _pytest.config import parse_warning_filter
from _pytest.skipping import evaluate_skip_marks, evaluate_xfail_marks

from pytest_toolsandbox import matchers
from pytest_toolsandbox.language.categories import CATEGORIES
from pytest_toolsandbox.language.constraints import Criteria
from pytest_toolsandbox.language.mistakes import Mistake, ScenarioError
from pytest_toolsandbox.language.scenario import Mark, Scenario
from pytest_toolsandbox.language.variants import unfit, variant
from pytest_toolsandbox.plugin.marks import FREE_MARKS, add_mark, registered_marks
from pytest_toolsandbox.plugin.options import OPTIONS, given_value
from pytest_toolsandbox.plugin.output.observer import Payload, attach_payload
from pytest_toolsandbox.plugin.output.redacting import cleaned
from pytest_toolsandbox.plugin.playing.fixtures import WHICH_AGENT
from pytest_toolsandbox.plugin.playing.items import EMBEDDER, ScenarioItem
from pytest_toolsandbox.plugin.playing.playable import (
    AUGMENTATION,
    FEEDBACK_FIXTURE,
    PROMPT_FIXTURE,
    feedback_identifier,
)
from pytest_toolsandbox.plugin.settings import settings_of
from pytest_toolsandbox.plugin.stash import BAD_FILES, HOOKS
from pytest_toolsandbox.protocols import load_file
from pytest_toolsandbox.suites import bundled_id
from pytest_toolsandbox.text.error_text import cause_first, describe_exception, message_of
from pytest_toolsandbox.text.formatting import describe_value
from pytest_toolsandbox.text.nearest_name import unknown
from pytest_toolsandbox.text.redaction import clean
from pytest_toolsandbox.users.user import has_fixed_user
from pytest_toolsandbox.worlds.context import WorldError


class CollectionRepr:
    """What is wrong with a file; pytest's short summary has the ``message``.

    The message begins with the cause, since the line begins with the file. Without one it is the
    first line, with the place at its end.

    Between processes it becomes plain text, and the message is sent beside it: all workers of
    pytest-xdist collect every file, and it compares what they report.
    """

    def __init__(self, text: str, message: str | None = None) -> None:
        self.text = clean(text)
        self.message = clean(message) if message else cause_first(self.text.partition("\n")[0])
        self.reprcrash = self  # which pytest asks for the message

    def __str__(self) -> str:
        return self.text

    def toterminal(self, tw: Any) -> None:
        """Write it to pytest's terminal writer."""
        for line in self.text.splitlines():
            tw.line(line, red=True)


def message_first(report: Any, message: str) -> None:
    """Have the short summary begin with the message that a worker sent beside its plain text."""
    if isinstance(report.longrepr, str):
        report.longrepr = CollectionRepr(report.longrepr, message)


def is_used(config: pytest.Config) -> bool:
    """Whether a run has scenarios, or was given an option of ours."""
    return config.pluginmanager.has_plugin(HOOKS) or any(
        given_value(option, config) for option in OPTIONS
    )


def left_report(collector: pytest.Collector, error: SystemExit) -> pytest.CollectReport:
    """Return the report of a ``conftest.py`` that leaves Python, so that other files run."""
    repr_ = CollectionRepr(f"conftest.py raised {describe_exception(error)}")
    return pytest.CollectReport(collector.nodeid, "failed", repr_, [])  # type: ignore[arg-type]  # pytest takes any


def clean_collect_report(report: pytest.CollectReport, config: pytest.Config) -> None:
    """Replace the traceback of an error in a world by its message; redact any other error."""
    call = report.__dict__.get("call")
    if call and call.excinfo and (text := _world_error(call.excinfo.value)):
        report.longrepr = CollectionRepr(text)  # type: ignore[assignment]  # pytest takes any
    elif is_used(config):
        report.longrepr = cleaned(report.longrepr)
    shown: Any = report.longrepr
    if isinstance(shown, CollectionRepr):
        attach_payload(report, Payload(message=shown.message))


def raise_in_one_line(error: BaseException) -> None:
    """End pytest with one line if a world in a ``conftest.py`` is wrong, or loading was stopped."""
    if text := _world_error(error):
        raise pytest.UsageError(text) from None
    files = [Path(frame.f_code.co_filename) for frame, _ in walk_tb(error.__traceback__)]
    plugin = Path(__file__).parents[1]
    plugin_files = [file for file in files if file.is_relative_to(plugin.parent)]
    if isinstance(error, KeyboardInterrupt) and not all(
        f.is_relative_to(plugin) for f in plugin_files
    ):
        sys.stderr.write("ERROR: Ctrl-C, while conftest.py was loaded\n")
        raise SystemExit(pytest.ExitCode.INTERRUPTED) from None


def _world_error(error: BaseException) -> str | None:
    """Return the message of an error in a world, if it is the error or its cause."""
    errors = (each for each in (error, error.__cause__) if isinstance(each, WorldError))
    return next(map(str, errors), None)


_KEYWORDS: Final[Mapping[str, Collection[str]]] = {
    "skip": ("reason",),
    "skipif": ("condition", "reason"),
    "xfail": ("condition", "reason", "run", "strict"),
    "usefixtures": (),
    "filterwarnings": (),
}
"""Mark of pytest → its keywords, those that a scenario file can give."""

_NO_PARAMETERS: Final = "pytest cannot read 'parametrize', which takes names and values"


def _argument_problem(mark: Mark) -> str | None:
    """Return what is wrong with the arguments of a mark of pytest, for any item."""
    for keyword in mark.keywords:
        if keyword not in _KEYWORDS.get(mark.name, mark.keywords):
            return f"{mark.name}: {unknown('argument', keyword, _KEYWORDS[mark.name])}"
    if mark.name == "skipif" and not (mark.arguments or "condition" in mark.keywords):
        return "skipif: there is no condition; skip takes none"
    if mark.name == "parametrize" and not (mark.arguments[1:] or mark.keywords):
        return _NO_PARAMETERS
    if mark.name == "usefixtures":
        odd = [argument for argument in mark.arguments if not isinstance(argument, str)]
        if odd or not mark.arguments:
            unexpected = describe_value((odd or [None])[0])
            return f"usefixtures: expected names of fixtures, found {unexpected}"
    if mark.name == "filterwarnings":  # which pytest reads where an error ends the run
        for text in mark.arguments:
            try:
                parse_warning_filter(text, escape=False)
            except Exception:  # noqa: BLE001  # pytest.UsageError, and what else no text raises
                return f"filterwarnings: {text!r} is not a filter of warnings"
    return None


def _item_problem(item: pytest.Function) -> str | None:
    """Return what is wrong with marks of an item, by evaluating them as pytest does."""
    known = {*item._fixtureinfo.name2fixturedefs, "request"}  # noqa: SLF001  # private to pytest
    for mark in item.iter_markers("usefixtures"):
        for name in mark.args:
            if name not in known:
                return f"usefixtures: there is no fixture {name!r}; define it in a conftest.py"
    try:
        ends = evaluate_skip_marks(item), evaluate_xfail_marks(item)
    except (Exception, pytest.fail.Exception) as error:  # noqa: BLE001  # a condition is any code
        return message_of(error)
    reasons = [end.reason for end in ends if end is not None]
    odd = [reason for reason in reasons if not isinstance(reason, str)]
    return f"a reason must be text, found {describe_value(odd[0])}" if odd else None


_MISNAMED = "the name of a file or folder has a control character or half a character; rename it"
_TAKEN = "pytest or of a plugin; take another word, or put it under marks: if you mean it"


class ScenarioFile(pytest.Module):
    """A YAML file of scenarios.

    A ``Module``, as pytest's own ``DoctestTextfile`` is: only below a module do module-scoped
    fixtures find their node.
    """

    is_misnamed = False
    """Whether the name of the file has control or half characters, which none may have."""

    def funcnamefilter(self, _name: str) -> bool:
        """Take every name, whatever ``python_functions`` says."""
        return True

    def collect(self) -> list[pytest.Item]:
        """Return the scenarios. A file with mistakes fails as a whole, with all of them."""
        if self.is_misnamed:
            self.config.stash[BAD_FILES].add(self.path)
            raise self.CollectError(f"{self.nodeid}: {_MISNAMED}")
        try:
            scenarios = load_file(self.path, shown=self.nodeid, thresholds=self._thresholds())
            criteria = Criteria(settings_of(self.config).judge_criteria)
            scenarios = [scenario.with_criteria(criteria) for scenario in scenarios]
            self._add_marks(scenarios)
            self.obj = types.ModuleType(self.path.stem)
            return [item for scenario in scenarios for item in self._items(scenario)]
        except ScenarioError as error:
            self.config.stash[BAD_FILES].add(self.path)
            raise self.CollectError(str(error), error.cause) from None

    def repr_failure(  # type: ignore[override]  # pytest keeps the type of reprs private
        self, excinfo: pytest.ExceptionInfo[BaseException]
    ) -> object:
        """Return how pytest shows that the file could not be collected."""
        if isinstance(excinfo.value, self.CollectError):
            return CollectionRepr(*excinfo.value.args)
        return cleaned(super().repr_failure(excinfo))

    def _thresholds(self) -> Mapping[str, float]:
        thresholds, known = settings_of(self.config).thresholds, matchers.names()
        for name in thresholds:
            if name not in known:
                raise self.CollectError(f"sandbox_thresholds: {unknown('matcher', name, known)}")
        return thresholds

    def _add_marks(self, scenarios: Sequence[Scenario]) -> None:
        """Refuse categories and tags whose names pytest or a plugin has taken; add the others."""
        self._check_categories(scenarios)
        free = self.config.stash[FREE_MARKS]
        taken = registered_marks(self.config) - free
        words = [
            (scenario, (key, index), word)
            for scenario in scenarios
            for key, names in (("categories", scenario.categories), ("tags", scenario.tags))
            for index, word in enumerate(names)
        ]
        if mistakes := [
            _mistake(scenario, f"{word!r} is a mark of {_TAKEN}", path)
            for scenario, path, word in words
            if word in taken
        ]:
            raise ScenarioError(self.nodeid, mistakes)
        for _, _, word in words:
            if word not in free:
                add_mark(self.config, word, "of scenarios")

    def _check_categories(self, scenarios: Sequence[Scenario]) -> None:
        """Refuse categories that the ini file does not list, if it lists any."""
        categories = settings_of(self.config).categories
        if not categories or bundled_id(self.path):
            return
        known = [*CATEGORIES, *categories]
        if mistakes := [
            _mistake(scenario, unknown("category", name, known), ("categories", index))
            for scenario in scenarios
            for index, name in enumerate(scenario.categories)
            if name not in known
        ]:
            raise ScenarioError(self.nodeid, mistakes)

    def _entry_point(self, scenario: Scenario) -> Callable[..., None]:
        """Return a function with the marks of a scenario; its parameters name the fixtures."""
        settings = settings_of(self.config)
        people = ["agent"] if has_fixed_user(scenario) else ["agent", "user"]
        if scenario.task.compares_meanings:  # a replay wherever there is an embedder
            people.append(EMBEDDER)
        people += [name for name in scenario.world.fixtures if name not in people]
        if len(settings.agent) > 1:
            people.insert(0, WHICH_AGENT)  # it changes what the others are, and so comes first
        arms = settings.feedback.arms if len(settings.feedback.arms) > 1 else ()
        ways: dict[str, dict[str, object]] = {
            AUGMENTATION: {name: name for name in settings.augment},
            FEEDBACK_FIXTURE: {feedback_identifier(is_on=on): on for on in arms},
            PROMPT_FIXTURE: {name: name for name in settings.prompt.names(scenario.prompt)},
        }
        entry = _bare_function(people, {name: way for name, way in ways.items() if way})
        entry.__doc__ = scenario.summary or None  # shown by --collect-only --verbose
        # The place where pytest sees it: its errors tell of the scenario, and of no code of ours.
        entry.__code__ = entry.__code__.replace(co_filename=f"{self.nodeid}::{scenario.name}")
        words = (*scenario.categories, *scenario.tags)
        marks = [getattr(pytest.mark, word).mark for word in words]
        # At once: a decorator copies the marks that are there, and a file may have thousands.
        entry.pytestmark = [*getattr(entry, "pytestmark", ()), *marks]  # type: ignore[attr-defined]
        for index, mark in enumerate(scenario.marks):
            path = "marks", index
            try:
                decorator = getattr(pytest.mark, mark.name)
            except (pytest.fail.Exception, pytest.PytestUnknownMarkWarning):
                text = f"marks: {mark.name!r} is not registered; add it to markers in the ini file"
                raise self._error(scenario, text, path) from None
            if problem := _argument_problem(mark):
                raise self._error(scenario, f"marks: {problem}", path)
            entry = decorator.with_args(*mark.arguments, **mark.keywords)(entry)
        return entry

    def _error(
        self, scenario: Scenario, text: str, path: tuple[str | int, ...] = ()
    ) -> ScenarioError:
        return ScenarioError(self.nodeid, [_mistake(scenario, text, path)])

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
            if callspec and (why := _why_unfit(scenario, callspec.params)):
                item.add_marker(pytest.mark.skip(reason=why))
            if scenario.marks and (problem := _item_problem(item)):
                raise self._error(scenario, f"marks: {problem}", ("marks",))
            yield item

    def _functions(self, scenario: Scenario, entry: Callable[..., None]) -> Any:
        hook = self.ihook.pytest_pycollect_makeitem
        try:
            return hook(collector=self, name=scenario.name, obj=entry) or ()
        except (Exception, pytest.fail.Exception) as error:
            if all(mark.name != "parametrize" for mark in scenario.marks):
                raise
            text = f"marks: {_NO_PARAMETERS}: {message_of(error)}"
            raise self._error(scenario, text, ("marks",)) from None

    def _as_played(self, scenario: Scenario, parameters: Mapping[str, Any]) -> Scenario:
        settings = settings_of(self.config)
        if augmentation := parameters.get(AUGMENTATION):
            scenario = variant(scenario, augmentation)
        feedback = parameters.get(FEEDBACK_FIXTURE, settings.feedback.of(scenario.feedback))
        call_format = settings.call_format or scenario.call_format
        prompt = settings.prompt.text(scenario.prompt, parameters.get(PROMPT_FIXTURE))
        return replace(scenario, feedback=feedback, call_format=call_format, prompt=prompt)


def _why_unfit(scenario: Scenario, parameters: Mapping[str, Any]) -> str | None:
    """Return why the variant of an item would be the scenario itself, if so."""
    name = parameters.get(AUGMENTATION)
    reason = unfit(scenario, name) if name else None
    return reason and f"{name}: {reason}"


def _mistake(scenario: Scenario, text: str, path: tuple[str | int, ...]) -> Mistake:
    line, column = scenario.places.get(path, (scenario.line, 1))
    return Mistake(line, column, scenario.name, text)


def _bare_function(
    people: Sequence[str], ways: Mapping[str, Mapping[str, object]]
) -> Callable[..., None]:
    """Return a new function whose parameters name the fixtures that pytest has to give.

    ``ways`` are those that say in which way an item is played: name → id → value.
    """

    def entry(**_: object) -> None:
        raise AssertionError("the item plays the scenario")

    for name, values in ways.items():
        mark = pytest.mark.parametrize(name, [*values.values()], ids=[*values], indirect=True)
        entry = mark(entry)
    names = [*ways, *people]
    parameters = [inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY) for name in names]
    entry.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]  # pytest reads it
    return entry
