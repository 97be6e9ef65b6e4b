"""The rounds of ``--sandbox-trials=auto``: more trials of all scenarios, while none decides."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest
from typing import TYPE_CHECKING, Any, cast

import pytest
from _pytest.runner import runtestprotocol

from pytest_toolsandbox.records.verdict import is_lost, verdict
from pytest_toolsandbox.runs.trial_plan import TrialPlan
from pytest_toolsandbox.wording.phrases import counted

from .collecting import RECORDS, ROUND, STORED, plays_nothing
from .players import new_player, player_of
from .session import REPORTS

if TYPE_CHECKING:
    from .items import ScenarioItem
    from .session import SessionReports


def play_rounds(session: pytest.Session) -> None:
    """Play on after the first trial of each scenario, until the verdict of the baseline is known.

    Pytest has told every item by then. What these trials say is in records, tables and the verdict;
    only an error that is nobody's but the agent's or the world's is one of its item, too.
    """
    config, played = session.config, 1
    reports: SessionReports | None = config.pluginmanager.get_plugin(REPORTS)
    if reports is None or reports.verdict is None or plays_nothing(config):
        return
    while STORED not in config.stash and (more := reports.verdict.next_look(played)) is not None:
        items = [one for one in session.items if _goes_on(one, reports)]
        _announce(config, played, more)
        config.stash[ROUND] = TrialPlan(more, more, first=played + 1)
        new_player(config)
        for item, following in zip_longest(items, items[1:]):
            _play(cast("ScenarioItem", item), following, reports)
        played = more
        if reports.not_run.is_budget_spent:  # it did not suffice for all of them
            return


def _goes_on(item: pytest.Item, reports: SessionReports) -> bool:
    """Whether more trials of an item say more: it has a result, and is in no quarantine."""
    records: Sequence[Any] = reports.records.get(item.nodeid, ())
    return bool(records) and not any(record.get("quarantine") for record in records)


def _play(item: ScenarioItem, following: pytest.Item | None, reports: SessionReports) -> None:
    told: list[pytest.TestReport] = []
    try:
        with player_of(item.config).guarded():
            told = runtestprotocol(item, log=False, nextitem=following)
    finally:
        if records := item.stash.get(RECORDS, []):  # interrupted: no report carries them
            reports.add_trials(item.nodeid, records, ())
    for report in told:
        attributes = report.__dict__
        reports.not_run.hear(report)
        records = attributes.pop("toolsandbox_records", [])
        if records:
            reports.add_trials(item.nodeid, records, attributes.pop("toolsandbox_kept", ()))
        if report.failed and not _is_told_by_the_verdict(records):
            item.ihook.pytest_runtest_logreport(report=report)


def _is_told_by_the_verdict(records: Sequence[Any]) -> bool:
    """Whether all trials have a score, or were lost to what is no fault of the agent."""
    return bool(records) and (verdict(records) != "error" or all(map(is_lost, records)))


def _announce(config: pytest.Config, played: int, more: int) -> None:
    terminal: Any = config.pluginmanager.get_plugin("terminalreporter")
    if terminal is not None:
        terminal.ensure_newline()
        trials = f"inconclusive after {counted(played, 'trial')} of each scenario"
        terminal.write_line(f"toolsandbox: {trials}; playing on to {more}")
