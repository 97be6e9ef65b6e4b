"""Play the later rounds of ``--sandbox-trials=auto``, here or in a worker of pytest-xdist.

Pytest has reported every item by then. What these trials say is in records, tables and the verdict;
an error of the agent or the world is also one of its item.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import zip_longest
from typing import Any

import pytest
from _pytest.runner import runtestprotocol

from pytest_toolsandbox.concurrency.stopping import uninterrupted
from pytest_toolsandbox.plugin.output.rounds import CHANNEL, Round
from pytest_toolsandbox.plugin.stash import REPORTS, ROUND
from pytest_toolsandbox.runs.job import TrialPlan

from .playable import PlayableItem
from .players import new_player, player_of


def play_rounds(session: pytest.Session) -> None:
    """Play on after the first trial of each scenario, until the verdict is known."""
    config = session.config
    if hasattr(config, "workerinput"):
        _follow_rounds(session, config.workerinput[CHANNEL])
    elif config.pluginmanager.has_plugin("dsession"):  # the workers have played
        return
    elif reports := config.pluginmanager.get_plugin(REPORTS):
        while (following := reports.rounds.next()) is not None:
            _play_round(session, following, reports.rounds.hear)


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
