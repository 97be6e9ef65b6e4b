"""The rounds of ``--sandbox-trials=auto`` under pytest-xdist: all workers play the same one.

A worker that has come to the end of its items says so, and waits. When all wait, the controller
looks at what they have told, and lets them play on, each the items that it has played, or leave.
This goes over a channel of our own beside that of pytest-xdist, which hands out items once.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

from pytest_toolsandbox.waiting.interrupts import uninterrupted

from .rounds import FIRST, Round, hear, next_round, play_round

if TYPE_CHECKING:
    import pytest

    from pytest_toolsandbox.plugin.reporting.session import SessionReports

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
