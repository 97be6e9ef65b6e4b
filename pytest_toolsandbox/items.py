"""Scenario files and scenarios as nodes of pytest's collection tree."""

from __future__ import annotations

import types
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, cast

import pytest

from .agents.agent import Agent, AgentError
from .agents.resolving import resolve_agent
from .agents.user import scripted_user
from .collecting import BAD_FILES, FREE_MARKS, RECORDS, register_mark, registered_marks
from .conversation.messages import Trajectory
from .conversation.play import PlayError, play
from .evaluation.milestones import evaluate
from .language.loading import load_file
from .language.mistakes import Mistake, ScenarioError
from .language.scenario import Scenario
from .options import SETTINGS
from .reporting import junit, page
from .reporting.records import Played, Record, record

AGENT = pytest.StashKey[str]()
"""What ``--agent`` says, for an item whose fixture is the default one."""


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
        settings = self.config.stash[SETTINGS]
        shown = self.nodeid.partition("::")[0]
        try:
            scenarios = load_file(self.path, shown=shown, thresholds=settings.thresholds)
            self._check_marks(scenarios, shown)
        except ScenarioError as error:
            self.config.stash[BAD_FILES].add(self.path)
            raise pytest.fail.Exception(str(error), pytrace=False) from None
        self.obj = types.ModuleType(self.path.stem)
        for scenario in scenarios:
            yield from self._items(scenario)

    def _check_marks(self, scenarios: Sequence[Scenario], shown: str) -> None:
        """Refuse categories and tags whose names pytest or a plugin has taken; add the others."""
        free = self.config.stash[FREE_MARKS]
        taken = registered_marks(self.config) - free
        for scenario in scenarios:
            for name in (*scenario.categories, *scenario.tags):
                if name in taken:
                    text = f"{name!r} is a mark of pytest or of a plugin; take another word"
                    raise ScenarioError(shown, [Mistake(scenario.line, 1, "", text)])
                if name not in free:
                    register_mark(self.config, name, "of scenarios")

    def _items(self, scenario: Scenario) -> Iterator[pytest.Item]:
        """Yield one item, or one for each parameter of its fixtures, as pytest finds them."""
        entry = _entry_point(scenario)
        setattr(self.obj, scenario.name, entry)
        functions = self.ihook.pytest_pycollect_makeitem(
            collector=self, name=scenario.name, obj=entry
        )
        for function in functions or ():
            callspec = getattr(function, "callspec", None)
            yield ScenarioItem.from_parent(
                self,
                name=function.name,
                originalname=scenario.name,
                callobj=entry,
                callspec=callspec,
                keywords={callspec.id: True} if callspec else None,
                scenario=scenario,
            )


def _entry_point(scenario: Scenario) -> Callable[..., None]:
    """Make a function for pytest to read: its parameters are fixtures, its marks the scenario's."""

    def entry(agent: object) -> None:  # noqa: ARG001  # pytest reads its name
        raise AssertionError("the item plays the scenario")

    for name in (*scenario.categories, *scenario.tags):
        entry = getattr(pytest.mark, name)(entry)
    for mark in scenario.marks:
        decorator = getattr(pytest.mark, mark.name)
        entry = decorator.with_args(*mark.arguments, **mark.keywords)(entry)
    return entry


class ScenarioItem(pytest.Function):
    """A scenario, and the agent that its fixtures give it.

    The conversation is played in the setup, so that an agent that cannot answer is an error of
    the item; the call only judges, and a bad score is a failure.
    """

    def __init__(self, *, scenario: Scenario, **function: Any) -> None:
        super().__init__(**function)
        self.scenario = scenario
        self._trajectories: list[Trajectory] = []

    def setup(self) -> None:
        """Set the fixtures up and play the conversation, as often as the scenario says."""
        self.stash[RECORDS], self._trajectories = [], []
        super().setup()
        agent, user = cast("Agent", self.funcargs["agent"]), scripted_user(self.scenario)
        for trial in range(1, self.scenario.trials + 1):
            try:
                self._trajectories.append(play(self.scenario, agent, user))
            except PlayError as error:
                self.stash[RECORDS].append(self._record(trial, error.trajectory, reason=str(error)))
                text = page.error_page(str(error), error.trajectory)
                raise pytest.fail.Exception(text, pytrace=False) from None

    def runtest(self) -> None:
        """Judge the conversations; all of them must pass."""
        failures = []
        for trial, trajectory in enumerate(self._trajectories, 1):
            result = evaluate(self.scenario, trajectory)
            self.stash[RECORDS].append(self._record(trial, trajectory, result))
            if not result.passed:
                trials = f"trial {trial} of {self.scenario.trials}: " * (self.scenario.trials > 1)
                failures.append(trials + page.failure_page(trajectory, result))
        records = self.stash[RECORDS]
        self._set_properties(junit.item_properties(records))
        if failures:
            pytest.fail("\n".join(failures), pytrace=False)

    def reportinfo(self) -> tuple[Path, int, str]:
        """Return where the scenario stands; lines count from 0 here."""
        return self.path, self.scenario.line - 1, self.name

    def _record(self, trial: int, trajectory: Trajectory, *result: Any, **reason: Any) -> Record:
        agent = self.stash.get(AGENT, "fixture")
        return record(
            Played(self.nodeid, trial, agent, self.scenario, trajectory), *result, **reason
        )

    def _set_properties(self, properties: dict[str, object]) -> None:
        """Set properties of the report; again, where a plugin runs the item again."""
        kept = [(name, value) for name, value in self.user_properties if name not in properties]
        self.user_properties = kept + list(properties.items())


def default_agent(request: pytest.FixtureRequest) -> Agent:
    """Return the agent that ``--agent`` names; without one, skip."""
    settings = request.config.stash[SETTINGS]
    if settings.agent is None:
        pytest.skip("no agent: give --agent=… or define a fixture named 'agent' in a conftest.py")
    request.node.stash[AGENT] = settings.agent
    scenario = request.node.scenario if isinstance(request.node, ScenarioItem) else None
    try:
        return resolve_agent(settings.agent, settings.aliases, scenario)
    except AgentError as error:
        raise pytest.fail.Exception(f"--agent={settings.agent}: {error}", pytrace=False) from None
