"""The rounds of ``--sandbox-trials=auto``: more trials of all scenarios, while none decides.

The last one is of some scenarios alone: where the suite got worse, of those that seem to have
broken. Pytest has told every item by then. What these trials say is in records, tables and the
verdict; an error of the agent or the world, and of nothing else, is one of its item, too.

The rounds of ``--sandbox-trials=auto`` under pytest-xdist: all workers play the same one.

A worker that has come to the end of its items says so, and waits. When all wait, the controller
looks at what they have told, and lets them play on, each the items that it has played, or leave.
This goes over a channel of our own beside that of pytest-xdist, which hands out items once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from itertools import zip_longest
from typing import TYPE_CHECKING, Any, Final, NamedTuple, cast

import pytest
from _pytest.runner import runtestprotocol

from pytest_toolsandbox.concurrency.interrupts import uninterrupted
from pytest_toolsandbox.plugin.collection.which_files import plays_nothing
from pytest_toolsandbox.plugin.payload import take_payload
from pytest_toolsandbox.plugin.stash import GOES_ON, REPORTS, ROUND, STORED
from pytest_toolsandbox.records.trials import is_lost
from pytest_toolsandbox.runs.job import TrialPlan
from pytest_toolsandbox.text.formatting import pluralize

from .players import new_player, player_of

if TYPE_CHECKING:
    from pytest_toolsandbox.plugin.output.session import SessionReports

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
    after = f"after {pluralize(played.last, 'trial')} of each scenario"
    if (more := reports.verdict.next_look(played.last)) is not None:
        _say(config, f"inconclusive {after}; playing on to {more}")
        return Round(played.last + 1, more)
    if doubtful := reports.verdict.to_confirm():
        from pytest_toolsandbox.gate.verdict import CONFIRMING

        which = pluralize(len(doubtful), "scenario")
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
    payload = take_payload(report)
    reports.not_run.hear(report, payload)
    reports.cassettes.hear(payload.cassettes)
    if payload.records:
        reports.add_trials(report.nodeid, payload.records, payload.kept)
    if report.failed and not _is_told_by_the_verdict(payload.records):
        reports.config.hook.pytest_runtest_logreport(report=report)


def _is_told_by_the_verdict(records: Sequence[Any]) -> bool:
    """Whether each trial has a score, or was lost to what is no fault of the agent."""
    errors = [record for record in records if record["outcome"] == "error"]
    return bool(records) and all(map(is_lost, errors))


CHANNEL: Final = "toolsandbox_rounds"
"""What gives a worker its end of the channel."""
EVENT: Final = "toolsandbox_round"
"""What pytest-xdist calls what a worker says over it."""


class RoundsOfWorkers:
    """Leads the rounds, in the controller."""

    def __init__(self, reports: SessionReports) -> None:
        self._reports = reports
        self._channels: dict[Any, Any] = {}
        """Worker → our end of its channel."""
        self._waiting: set[Any] = set()
        self._played = FIRST

    def add(self, node: Any) -> None:
        """Open a worker's channel; what it says is heard after its reports so far."""
        channel = self._channels[node] = node.gateway.newchannel()
        node.workerinput[CHANNEL] = channel
        controller = node.config.pluginmanager.get_plugin("dsession")
        setattr(controller, f"worker_{EVENT}", self.hear)  # where pytest-xdist looks for it
        channel.setcallback(lambda said: node.putevent((EVENT, {"node": node, "said": said})))

    def leave(self, node: Any) -> None:
        """Wait no longer for a worker that has left, or was lost."""
        self._channels.pop(node, None)
        self._waiting.discard(node)
        self._lead()

    def hear(self, node: Any, said: dict[str, Any] | None) -> None:
        """Keep what a worker has played, or note that it waits."""
        if said is not None:
            config = self._reports.config
            report = config.hook.pytest_report_from_serializable(config=config, data=said)
            report.node = node
            hear(self._reports, report)
        else:
            self._waiting.add(node)
            self._lead()

    def _lead(self) -> None:
        if not self._waiting or self._waiting != self._channels.keys():
            return
        more = next_round(self._reports, self._played)
        self._waiting.clear()
        for channel in self._channels.values():
            with suppress(OSError):  # a worker that was lost
                channel.send(more and (more.first, more.last, list(more.confirms)))
        self._played = more or self._played


def follow_rounds(session: pytest.Session, channel: Any) -> None:
    """Play the rounds in a worker, as the controller says."""
    config = session.config

    def tell(report: pytest.TestReport) -> None:
        said = config.hook.pytest_report_to_serializable(config=config, report=report)
        with uninterrupted():  # half of it would end all that is said
            channel.send(said)

    while not (session.shouldfail or session.shouldstop):
        channel.send(None)
        try:
            more = channel.receive()
        except EOFError:  # the controller has left
            return
        if more is None:
            return
        play_round(session, Round(*more), tell)
