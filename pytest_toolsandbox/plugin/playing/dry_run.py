"""``--sandbox-dry-run``: how many conversations a run would play, and what they would cost."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping, Sequence
from typing import Any

import pytest

from pytest_toolsandbox.agents.agent import REMOTE_AT_ONCE
from pytest_toolsandbox.models.aliases import ALIASES, model_name
from pytest_toolsandbox.plugin.output.budget import prices_of
from pytest_toolsandbox.plugin.output.progress import about
from pytest_toolsandbox.plugin.settings import settings_of
from pytest_toolsandbox.plugin.stash import RESUMED, UNCHANGED
from pytest_toolsandbox.records.reading import StoredError
from pytest_toolsandbox.runs.estimating import (
    Estimate,
    estimate,
    figures_of_solution,
    past_figures,
)
from pytest_toolsandbox.runs.job import Job
from pytest_toolsandbox.runs.resuming import is_of_scenario
from pytest_toolsandbox.text.formatting import pluralize

from .fixtures import is_default
from .playable import PlayableItem


class DryRun:
    """Collects in this process, runs nothing, and prints what would be played."""

    def __init__(self, config: pytest.Config) -> None:
        self.config = config
        self.settings = settings_of(config)
        self.items: Sequence[Any] = ()
        config.option.dist = "no"  # pytest-xdist starts no worker

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Keep the scenarios that are selected."""
        self.items = [item for item in session.items if hasattr(item, "scenario")]

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> Generator[None, object, object]:
        """Run nothing, as pytest does for ``--collect-only``; its list of items is not printed."""
        session.config.option.collectonly = True
        return (yield)

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Print how much would be played, and its estimated cost."""
        terminalreporter.write_sep("=", "toolsandbox")
        for line in self._lines():
            terminalreporter.write_line(f"dry run: {line}")

    def _lines(self) -> Iterator[str]:
        each = {item.nodeid: _conversations(item) for item in self.items}
        played = {name: count for name, count in each.items() if count}
        items = pluralize(len(each), "item")
        items = items if len(played) == len(each) else f"{len(played)} of {items}"
        conversations = pluralize(sum(played.values()), "conversation")
        yield f"{self._bound()}{conversations} of {items} would be played"
        if without := sum(map(_lacks_agent, self.items)):
            yield f"{pluralize(without, 'scenario')} without an agent: give --agent=NAME"
        if played and self.settings.record == "replay":
            yield "they are replayed from cassettes, which asks nobody"
        elif played:
            yield from self._estimated(played)

    def _bound(self) -> str:
        """Return the words before the number, if results decide how many are played."""
        if self.settings.trials.is_auto:
            return "at least "
        plans = (self.settings.plan(item.scenario) for item in self.items)
        return "at most " if any(plan.stops_early and plan.trials > 1 for plan in plans) else ""

    def _estimated(self, played: Mapping[str, int]) -> Iterator[str]:
        unknown = "tokens, cost and time are unknown"
        settings = self.settings
        earlier = (settings.durations, settings.resume, settings.results)
        if (file := next((path for path in earlier if path and path.is_file()), None)) is None:
            yield from self._by_solutions(played)
            return
        try:
            expected = estimate(played, past_figures(file))
        except StoredError as error:
            yield f"{unknown}: {error}"
            return
        if expected.new == len(played):
            yield f"{unknown}: no conversation of these items came to an end in {file}"
            return
        yield from _figures(expected, f"the records of {file}")
        yield from self._time(expected)
        if expected.new:
            items = f"{expected.new} of {pluralize(len(played), 'item')}"
            yield f"not in that file, and taken for the mean of the others: {items}"

    def _by_solutions(self, played: Mapping[str, int]) -> Iterator[str]:
        """Yield what the agents would use if they made the calls of the solutions."""
        names, prices = {**ALIASES, **self.settings.aliases}, prices_of(self.settings)
        figures = {}
        for item in self.items:
            if item.nodeid in played:
                model = model_name(item.named("agent"), names)
                figures[item.nodeid] = figures_of_solution(item.scenario, model, prices)
        known = {nodeid: each for nodeid, each in figures.items() if each["tokens"] is not None}
        if not known:
            yield "tokens and cost are unknown: no scenario has a solution that can be played"
            return
        expected = estimate(played, known)
        yield from _figures(expected, "the lengths of the solutions")
        if expected.new:
            items_left = f"{expected.new} of {pluralize(len(played), 'item')}"
            yield f"without a solution, and taken for the mean of the others: {items_left}"
        yield "reasoning, models that play users, and judges are not in it; time is unknown"

    def _time(self, expected: Estimate) -> Iterator[str]:
        """Yield how long it takes, one after the other and several at a time."""
        if (seconds := expected.totals["seconds"]) is None:
            yield "time unknown"
            return
        limit, who = self.settings.concurrency, ""
        if limit is None:
            limit, who = REMOTE_AT_ONCE, ", as models and services are asked"
        together = about(max(expected.longest, seconds / limit))
        beside = f", {together} with {limit} at a time{who}" if limit > 1 else ""
        yield f"about {about(seconds)} one after the other{beside}"


def _conversations(item: PlayableItem) -> int:
    """Return how many trials of an item would be played, as far as it is known before."""
    settings, stash = settings_of(item.config), item.config.stash
    if UNCHANGED in stash or item.get_closest_marker("skip") or _lacks_agent(item):
        return 0
    plan = settings.plan(item.scenario)
    kept = _kept(item) if RESUMED in stash else {}
    left = [number for number in plan.numbers if number not in kept]
    return len(left) if plan.next_trials(list(kept.values()), left) else 0


def _lacks_agent(item: PlayableItem) -> bool:
    return not settings_of(item.config).agent and is_default(item, "agent")


def _kept(item: PlayableItem) -> dict[int, Any]:
    """Return the outcomes of trials that are taken from the run that is resumed."""
    now = Job(item.nodeid, item.scenario, None, "").before()
    there = item.config.stash[RESUMED].trials.get(item.nodeid, {})
    numbers = settings_of(item.config).plan(item.scenario).numbers
    finished = ((number, there[number]) for number in numbers if number in there)
    return {number: trial.outcome for number, trial in finished if is_of_scenario(trial, now)}


def _figures(expected: Estimate, source: str) -> Iterator[str]:
    tokens, cost = expected.totals["tokens"], expected.totals["cost"]
    used = "tokens unknown" if tokens is None else f"about {tokens:,.0f} tokens"
    paid = "cost unknown" if cost is None else f"${cost:,.4f}"
    yield f"{used}, {paid}, by {source}"
