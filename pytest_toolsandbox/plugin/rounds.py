"""The rounds of ``--sandbox-trials=auto``: more trials of all scenarios, while none decides.

Pytest has told every item by then. What these trials say is in records, tables and the verdict;
an error of the agent or the world, and of nothing else, is one of its item, too.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import zip_longest
from typing import TYPE_CHECKING, Any, cast

import pytest
from _pytest.runner import runtestprotocol

from pytest_toolsandbox.records.verdict import is_lost, verdict
from pytest_toolsandbox.runs.trial_plan import TrialPlan
from pytest_toolsandbox.wording.phrases import counted

from .players import new_player, player_of
from .stash import GOES_ON, REPORTS, ROUND, STORED
from .telling import report_of_records
from .which_files import plays_nothing

if TYPE_CHECKING:
    from .items import ScenarioItem
    from .session import SessionReports

Hear = Callable[[pytest.TestReport], None]


def play_rounds(session: pytest.Session) -> None:
    """Play on after the first trial of each scenario, until the verdict is known."""
    reports: SessionReports | None = session.config.pluginmanager.get_plugin(REPORTS)
    played = 1
    while reports is not None and (more := next_round(reports, played)) is not None:
        play_round(session, played, more, partial(hear, reports))
        played = more


def next_round(reports: SessionReports, played: int) -> int | None:
    """Return how many trials of each scenario are played next, and say so; ``None`` at the end."""
    config = reports.config
    running = map(config.pluginmanager.get_plugin, ("session", "dsession"))
    is_over = any(one.shouldstop or getattr(one, "shouldfail", False) for one in running if one)
    if is_over or reports.verdict is None or STORED in config.stash or plays_nothing(config):
        return None
    if reports.not_run.is_budget_spent:  # it did not suffice for all of them
        return None
    more = reports.verdict.next_look(played)
    terminal: Any = config.pluginmanager.get_plugin("terminalreporter")
    if more is not None and terminal is not None:
        trials = f"inconclusive after {counted(played, 'trial')} of each scenario"
        terminal.ensure_newline()
        if config.get_terminal_writer().width_of_current_line:  # as pytest-xdist leaves it
            terminal.write_line("")
        terminal.write_line(f"toolsandbox: {trials}; playing on to {more}")
    return more


def play_round(session: pytest.Session, played: int, more: int, tell: Hear) -> None:
    """Play further trials of what has a result and is in no quarantine."""
    items = [item for item in session.items if item.stash.get(GOES_ON, False)]
    session.config.stash[ROUND] = TrialPlan(more, more, first=played + 1)
    new_player(session.config, items)
    for item, following in zip_longest(items, items[1:]):
        if session.shouldfail or session.shouldstop:
            return
        _play(cast("ScenarioItem", item), following, tell)


def _play(item: ScenarioItem, following: pytest.Item | None, tell: Hear) -> None:
    told: list[pytest.TestReport] = []
    try:
        with player_of(item.config).guarded():
            told = runtestprotocol(item, log=False, nextitem=following)
    finally:
        if report := report_of_records(item):  # interrupted
            told = [report]
        for report in told:
            tell(report)


def hear(reports: SessionReports, report: pytest.TestReport) -> None:
    """Keep further trials of an item, where reports end up."""
    attributes = report.__dict__
    reports.not_run.hear(report)
    reports.cassettes.hear(report)
    records = attributes.pop("toolsandbox_records", [])
    if records:
        reports.add_trials(report.nodeid, records, attributes.pop("toolsandbox_kept", ()))
    if report.failed and not _is_told_by_the_verdict(records):
        reports.config.hook.pytest_runtest_logreport(report=report)


def _is_told_by_the_verdict(records: Sequence[Any]) -> bool:
    """Whether all trials have a score, or were lost to what is no fault of the agent."""
    return bool(records) and (verdict(records) != "error" or all(map(is_lost, records)))
