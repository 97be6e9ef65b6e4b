"""The rounds of ``--sandbox-trials=auto``: more trials of all scenarios, while none decides.

The last one is of some scenarios alone: where the suite got worse, of those that seem to have
broken. Pytest has told every item by then. What these trials say is in records, tables and the
verdict; an error of the agent or the world, and of nothing else, is one of its item, too.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import zip_longest
from typing import TYPE_CHECKING, Any, Final, NamedTuple, cast

import pytest
from _pytest.runner import runtestprotocol

from pytest_toolsandbox.plugin.collection.which_files import plays_nothing
from pytest_toolsandbox.plugin.stash import GOES_ON, REPORTS, ROUND, STORED
from pytest_toolsandbox.records.verdict import is_lost
from pytest_toolsandbox.runs.trial_plan import TrialPlan
from pytest_toolsandbox.wording.phrases import counted

from .players import new_player, player_of

if TYPE_CHECKING:
    from pytest_toolsandbox.plugin.reporting.session import SessionReports

    from .items import ScenarioItem

Hear = Callable[[pytest.TestReport], None]


class Round(NamedTuple):
    """The trials from ``first`` to ``last`` of all scenarios, or to confirm that some broke."""

    first: int
    last: int
    confirms: Sequence[str] = ()


FIRST: Final = Round(1, 1)
"""What pytest itself has played."""


def play_rounds(session: pytest.Session) -> None:
    """Play on after the first trial of each scenario, until the verdict is known."""
    reports: SessionReports | None = session.config.pluginmanager.get_plugin(REPORTS)
    played = FIRST
    while reports is not None and (more := next_round(reports, played)) is not None:
        play_round(session, more, partial(hear, reports))
        played = more


def next_round(reports: SessionReports, played: Round) -> Round | None:
    """Return what is played next, and say so; ``None`` at the end."""
    more = _decided_round(reports, played)
    reports.not_run.round = more or reports.not_run.round
    return more


def _decided_round(reports: SessionReports, played: Round) -> Round | None:
    config = reports.config
    running = map(config.pluginmanager.get_plugin, ("session", "dsession"))
    is_over = any(one.shouldstop or getattr(one, "shouldfail", False) for one in running if one)
    if is_over or reports.verdict is None or STORED in config.stash or plays_nothing(config):
        return None
    if reports.not_run.is_budget_spent:  # it did not suffice for all of them
        return None
    if played.confirms:
        return None
    after = f"after {counted(played.last, 'trial')} of each scenario"
    if (more := reports.verdict.next_look(played.last)) is not None:
        _say(config, f"inconclusive {after}; playing on to {more}")
        return Round(played.last + 1, more)
    if doubtful := reports.verdict.to_confirm():
        from pytest_toolsandbox.gate.plan import CONFIRMING

        which = counted(len(doubtful), "scenario")
        _say(config, f"worse {after}; playing {CONFIRMING} more of {which}, to see which broke")
        return Round(played.last + 1, played.last + CONFIRMING, doubtful)
    return None


def _say(config: pytest.Config, text: str) -> None:
    terminal: Any = config.pluginmanager.get_plugin("terminalreporter")
    if terminal is not None:
        terminal.ensure_newline()
        if config.get_terminal_writer().width_of_current_line:  # as pytest-xdist leaves it
            terminal.write_line("")
        terminal.write_line(f"toolsandbox: {text}")


def play_round(session: pytest.Session, now: Round, tell: Hear) -> None:
    """Play further trials of what has a result and is in no quarantine."""
    items = [item for item in session.items if item.stash.get(GOES_ON, False)]
    items = [item for item in items if not now.confirms or item.nodeid in now.confirms]
    plan = TrialPlan(now.last, now.last, first=now.first, confirms=bool(now.confirms))
    session.config.stash[ROUND] = plan
    new_player(session.config, items)
    for item, following in zip_longest(items, items[1:]):
        if session.shouldfail or session.shouldstop:
            return
        _play(cast("ScenarioItem", item), following, tell)


def _play(item: ScenarioItem, following: pytest.Item | None, tell: Hear) -> None:
    with player_of(item.config).guarded(item):
        for report in runtestprotocol(item, log=False, nextitem=following):
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
    """Whether each trial has a score, or was lost to what is no fault of the agent."""
    errors = [record for record in records if record["outcome"] == "error"]
    return bool(records) and all(map(is_lost, errors))
