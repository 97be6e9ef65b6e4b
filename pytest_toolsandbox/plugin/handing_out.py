"""What pytest-xdist hands to workers that hold several conversations at a time.

It hands out little where items take long, so that no worker is left alone with many. But a worker
can only play ahead what it has been given, and would come down to one conversation at a time. So
it says how many it holds, and is given twice as many, as far as its part of all items goes.
"""

from __future__ import annotations

from math import ceil
from typing import TYPE_CHECKING, Any, Final

import pytest

if TYPE_CHECKING:
    from pytest_toolsandbox.runs.pool import Pool

CHANNEL: Final = "toolsandbox_held"
"""What gives a worker its end of the channel; also what pytest-xdist calls what comes over it."""
_AHEAD: Final = 2
"""So many items for each conversation at a time: a slow one at the head stops no others."""


class HandingOut:
    """Hands out items, in the controller."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._held: dict[Any, int] = {}
        """Worker → how many conversations it holds at a time."""

    def add(self, node: Any) -> None:
        """Listen to a worker, where items are handed out as they are played."""
        option = self._config.option
        if option.dist != "load" or getattr(option, "maxschedchunk", None) is not None:
            return
        channel = node.workerinput[CHANNEL] = node.gateway.newchannel()
        setattr(self._controller, f"worker_{CHANNEL}", self.hear)  # where pytest-xdist looks for it
        channel.setcallback(lambda held: node.putevent((CHANNEL, {"node": node, "held": held})))

    def hear(self, node: Any, held: int) -> None:
        """Note how many conversations a worker holds at a time."""
        if not self._held and not self._config.pluginmanager.is_registered(self):
            self._config.pluginmanager.register(self)
        self._held[node] = held
        self._hand_out(node)

    @pytest.hookimpl(trylast=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Give a worker more, once it has played some."""
        if (node := getattr(report, "node", None)) in self._held:
            self._hand_out(node)

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """Give nothing to a worker that has left, or was lost."""
        self._held.pop(node, None)

    @property
    def _controller(self) -> Any:
        return self._config.pluginmanager.get_plugin("dsession")

    def _hand_out(self, node: Any) -> None:
        scheduler = self._controller.sched
        if node.shutting_down or type(scheduler).__name__ != "LoadScheduling":  # another plugin's
            return
        given = scheduler.node2pending
        unfinished = len(scheduler.pending) + sum(map(len, given.values()))
        part = ceil(unfinished / len(given))
        more = min(_AHEAD * self._held[node], part) - len(given[node])
        if more > 0:
            scheduler._send_tests(node, more)  # noqa: SLF001  # there is no other way


def say_held(config: pytest.Config, pools: dict[int, Pool]) -> None:
    """Say how many conversations this process holds at a time, where it is a worker."""
    about = getattr(config, "workerinput", {})
    if CHANNEL in about:
        about[CHANNEL].send(sum(pools))
