"""The rounds of ``--sandbox-trials=auto``: how many more trials are played, and in which workers.

The last round is of some scenarios alone: if the suite is worse, of those that seem to be broken.

Under pytest-xdist all workers play the same round. A worker that has played all its items says so,
and waits. When all wait, the controller decides what they play next. Since pytest-xdist hands out
items once, this goes over a channel beside its own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import pytest

from pytest_toolsandbox.plugin.collection.which_files import plays_nothing
from pytest_toolsandbox.plugin.stash import STORED
from pytest_toolsandbox.text.formatting import pluralize

if TYPE_CHECKING:
    from .verdict import SessionVerdict


class Round(NamedTuple):
    """The trials from ``first`` to ``last`` of all scenarios, or to confirm that some broke."""

    first: int
    last: int
    confirms: Sequence[str] = ()


_FIRST: Final = Round(1, 1)
"""What pytest itself plays."""


class SessionRounds:
    """Decides what is played after the trials so far."""

    def __init__(
        self,
        config: pytest.Config,
        verdict: SessionVerdict | None,
        is_budget_spent: Callable[[], bool],
        hear: Callable[[pytest.TestReport], None],
    ) -> None:
        self._config = config
        self._verdict = verdict
        self._is_budget_spent = is_budget_spent
        self._now = _FIRST
        self.hear = hear
        """Keeps the report of a later trial."""

    @property
    def last(self) -> Round | None:
        """The later round that began last, if any did."""
        return None if self._now is _FIRST else self._now

    def next(self) -> Round | None:
        """Return what is played next, and print it; ``None`` at the end."""
        following = self._following()
        self._now = following or self._now
        return following

    def _following(self) -> Round | None:
        config, verdict, now = self._config, self._verdict, self._now
        running = map(config.pluginmanager.get_plugin, ("session", "dsession"))
        is_over = any(
            plugin.shouldstop or getattr(plugin, "shouldfail", False)
            for plugin in running
            if plugin
        )
        if is_over or verdict is None or STORED in config.stash or plays_nothing(config):
            return None
        if self._is_budget_spent() or now.confirms:
            return None
        after = f"after {pluralize(now.last, 'trial')} of each scenario"
        if (last := verdict.next_look(now.last)) is not None:
            _print(config, f"inconclusive {after}; playing on to {last}")
            return Round(now.last + 1, last)
        if doubtful := verdict.to_confirm():
            from pytest_toolsandbox.gate.verdict import CONFIRMING

            which = pluralize(len(doubtful), "scenario")
            text = f"playing {CONFIRMING} more of {which}, to see which broke"
            _print(config, f"worse {after}; {text}")
            return Round(now.last + 1, now.last + CONFIRMING, doubtful)
        return None


def _print(config: pytest.Config, text: str) -> None:
    terminal: Any = config.pluginmanager.get_plugin("terminalreporter")
    if terminal is not None:
        terminal.ensure_newline()
        if config.get_terminal_writer().width_of_current_line:  # as pytest-xdist leaves it
            terminal.write_line("")
        terminal.write_line(f"toolsandbox: {text}")


CHANNEL: Final = "toolsandbox_rounds"
"""What gives a worker its end of the channel."""
_EVENT: Final = "toolsandbox_round"
"""What pytest-xdist calls what a worker says over it."""


class RoundsOfWorkers:
    """Leads the rounds, in the controller."""

    def __init__(self, config: pytest.Config, rounds: SessionRounds) -> None:
        self._config = config
        self._rounds = rounds
        self._channels: dict[Any, Any] = {}
        """Worker → our end of its channel."""
        self._waiting: set[Any] = set()

    def add(self, node: Any) -> None:
        """Open a worker's channel; what it says is heard after its reports so far."""
        channel = self._channels[node] = node.gateway.newchannel()
        node.workerinput[CHANNEL] = channel
        controller = node.config.pluginmanager.get_plugin("dsession")
        setattr(controller, f"worker_{_EVENT}", self.hear)  # where pytest-xdist looks for it
        channel.setcallback(lambda said: node.putevent((_EVENT, {"node": node, "said": said})))

    def leave(self, node: Any) -> None:
        """Wait no longer for a worker that has left, or was lost."""
        self._channels.pop(node, None)
        self._waiting.discard(node)
        self._lead()

    def hear(self, node: Any, said: dict[str, Any] | None) -> None:
        """Keep what a worker has played, or note that it waits."""
        if said is None:
            self._waiting.add(node)
            self._lead()
            return
        hook = self._config.hook
        report = hook.pytest_report_from_serializable(config=self._config, data=said)
        report.node = node
        self._rounds.hear(report)

    def _lead(self) -> None:
        if not self._waiting or self._waiting != self._channels.keys():
            return
        following = self._rounds.next()
        self._waiting.clear()
        for channel in self._channels.values():
            with suppress(OSError):  # a worker that was lost
                channel.send(
                    following and (following.first, following.last, list(following.confirms))
                )
