"""The rounds of ``--sandbox-trials=auto``: which further trials are played, and by which workers.

Pytest has reported every item by then. The results of later trials are in records, tables and the
verdict; an error of the agent or the world in one is also an error of its item. If the suite is
worse, a last round plays only the scenarios that seem to be broken. ``gate/verdict.py`` decides.

Under pytest-xdist all workers play the same round. A worker that has played all its items says so,
and waits. When all wait, the controller decides what they play next. Since pytest-xdist hands out
items once, this goes over a channel beside its own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from itertools import zip_longest
from typing import Any, Final, NamedTuple

import pytest
from _pytest.runner import runtestprotocol

from pytest_toolsandbox.concurrency.stopping import uninterrupted
from pytest_toolsandbox.plugin.playing.playable import PlayableItem
from pytest_toolsandbox.plugin.playing.players import new_player, player_of
from pytest_toolsandbox.plugin.playing.workers import open_channel
from pytest_toolsandbox.plugin.stash import REPORTS, ROUND, STORED
from pytest_toolsandbox.runs.job import TrialPlan
from pytest_toolsandbox.text.formatting import pluralize, wrap_line

from .verdict import SessionVerdict

CHANNEL: Final = "toolsandbox_rounds"
"""The key under which a worker gets its end of the channel, and the event of its messages."""


class Round(NamedTuple):
    """The trials from ``first`` to ``last`` of all scenarios, or to confirm that some broke."""

    first: int
    last: int
    confirms: Sequence[str] = ()


_FIRST: Final = Round(1, 1)
"""What pytest itself plays."""


class Rounds:
    """Decides what is played after the trials so far, and leads the workers, if there are any."""

    def __init__(
        self,
        config: pytest.Config,
        verdict: SessionVerdict | None,
        is_budget_spent: Callable[[], bool],
        keep: Callable[[pytest.TestReport], None],
    ) -> None:
        self._config = config
        self._verdict = verdict
        self._is_budget_spent = is_budget_spent
        self.keep = keep
        """Keeps the report of a later trial."""
        self.last: Round | None = None
        """The later round that began last, if any did."""
        self._channels: dict[Any, Any] = {}
        """Worker → our end of its channel."""
        self._waiting: set[Any] = set()
        self._has_forecast = False

    def forecast(self) -> None:
        """Print, once and before anything is played, that the rounds will probably not decide."""
        if self._has_forecast or self._verdict is None:
            return
        self._has_forecast = True
        if text := self._verdict.forecast():
            self._print(text)

    def next(self) -> Round | None:
        """Return what is played next, and print it; ``None`` at the end."""
        following = self._following(self.last or _FIRST)
        self.last = following or self.last
        return following

    def _following(self, now: Round) -> Round | None:
        config, verdict = self._config, self._verdict
        running = map(config.pluginmanager.get_plugin, ("session", "dsession"))
        is_over = any(
            plugin.shouldstop or getattr(plugin, "shouldfail", False)
            for plugin in running
            if plugin
        )
        if is_over or verdict is None or STORED in config.stash:
            return None
        if self._is_budget_spent() or now.confirms:
            return None
        after = f"after {pluralize(now.last, 'trial')} of each scenario"
        if (last := verdict.next_look(now.last)) is not None:
            self._print(f"inconclusive {after}; playing on to {last}")
            return Round(now.last + 1, last)
        if doubtful := verdict.to_confirm():
            from pytest_toolsandbox.gate.verdict import CONFIRMING

            which = pluralize(len(doubtful), "scenario")
            what = f"{CONFIRMING} more of {which}, to see which broke"
            self._print(f"worse {after};\n  playing {what}")
            return Round(now.last + 1, now.last + CONFIRMING, doubtful)
        return None

    def _print(self, text: str) -> None:
        terminal: Any = self._config.pluginmanager.get_plugin("terminalreporter")
        if terminal is not None:
            terminal.ensure_newline()
            if self._config.get_terminal_writer().width_of_current_line:  # left by pytest-xdist
                terminal.write_line("")
            for line in f"toolsandbox: {text}".splitlines():
                for part in wrap_line(line):
                    terminal.write_line(part)

    def add(self, node: Any) -> None:
        """Open a worker's channel."""
        self._channels[node] = open_channel(node, CHANNEL, self.receive)

    def leave(self, node: Any) -> None:
        """Wait no longer for a worker that has left, or was lost."""
        self._channels.pop(node, None)
        self._waiting.discard(node)
        self._lead()

    def receive(self, node: Any, message: dict[str, Any] | None) -> None:
        """Keep the report that a worker sends, or note that it waits: then it sends ``None``."""
        if message is None:
            self._waiting.add(node)
            self._lead()
            return
        config = self._config
        report = config.hook.pytest_report_from_serializable(config=config, data=message)
        report.node = node
        self.keep(report)

    def _lead(self) -> None:
        """Send all workers into the next round, once all of them wait."""
        if not self._waiting or self._waiting != self._channels.keys():
            return
        following = self.next()
        self._waiting.clear()
        for channel in self._channels.values():
            with suppress(OSError):  # a worker that was lost
                channel.send(following and (*following[:2], list(following.confirms)))


def play_rounds(session: pytest.Session) -> None:
    """Play on after the first trial of each scenario, until the verdict is known."""
    config = session.config
    if hasattr(config, "workerinput"):
        _follow_rounds(session, config.workerinput[CHANNEL])
    elif config.pluginmanager.has_plugin("dsession"):  # the workers have played
        return
    elif reports := config.pluginmanager.get_plugin(REPORTS):
        while (following := reports.rounds.next()) is not None:
            _play_round(session, following, reports.rounds.keep)


def _follow_rounds(session: pytest.Session, channel: Any) -> None:
    """Play the rounds in a worker, as the controller says."""
    config = session.config

    def send(report: pytest.TestReport) -> None:
        sent = config.hook.pytest_report_to_serializable(config=config, report=report)
        with uninterrupted():  # a partial message would break the connection
            channel.send(sent)

    while not (session.shouldfail or session.shouldstop):
        channel.send(None)
        try:
            following = channel.receive()
        except EOFError:  # the controller has left
            return
        if following is None:
            return
        _play_round(session, Round(*following), send)


def _play_round(
    session: pytest.Session, now: Round, send: Callable[[pytest.TestReport], None]
) -> None:
    """Play further trials of each item that has a result and is not in quarantine."""
    items = [
        item
        for item in session.items
        if isinstance(item, PlayableItem)
        and item.goes_on
        and (not now.confirms or item.nodeid in now.confirms)
    ]
    plan = TrialPlan(now.last, now.last, first=now.first, confirms=bool(now.confirms))
    session.config.stash[ROUND] = plan
    new_player(session.config, items)
    for item, following in zip_longest(items, items[1:]):
        if session.shouldfail or session.shouldstop:
            return
        with player_of(session.config).guarded(item):
            for report in runtestprotocol(item, log=False, nextitem=following):
                send(report)
