"""What pytest-xdist hands to workers that hold several conversations at a time.

It hands out little where items take long, so that no worker is left alone with many. But a worker
can only play ahead what it has been given, and would come down to one conversation at a time. So
it says how many it holds, and is given as many, the longest first where that is known, and some
more while there are enough for all: a slow one at the head stops no others.

A process that dies takes all its conversations with it, and pytest-xdist blames the one whose turn
it was. So that one is played again, and they are held in their turn from then on.
"""

from __future__ import annotations

from math import ceil
from typing import TYPE_CHECKING, Any, Final

import pytest

if TYPE_CHECKING:
    from pytest_toolsandbox.runs.pool import Pool

CHANNEL: Final = "toolsandbox_held"
"""What gives a worker its end of the channel; also what pytest-xdist calls what comes over it."""
DISTRIBUTION: Final = "toolsandbox_dist"
"""What tells a worker how items are given to workers."""
SUSPECTS: Final = "toolsandbox_suspects"
"""What tells a new worker which items may have ended the process of another one."""
_SUSPECTS: Final = pytest.StashKey[set[str]]()


class HandingOut:
    """Hands out items, in the controller."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._held: dict[Any, int] = {}
        """Worker → how many conversations it holds at a time."""
        self._suspects: set[str] = set()
        self._lost: set[str] = set()
        """Items that were blamed for the end of a process, and may be innocent."""

    def add(self, node: Any) -> None:
        """Listen to a worker, where items are handed out as they are played."""
        option = self._config.option
        if option.dist != "load" or getattr(option, "maxschedchunk", None) is not None:
            return
        channel = node.workerinput[CHANNEL] = node.gateway.newchannel()
        node.workerinput[SUSPECTS] = sorted(self._suspects)
        setattr(self._controller, f"worker_{CHANNEL}", self.hear)  # where pytest-xdist looks for it
        channel.setcallback(lambda held: node.putevent((CHANNEL, {"node": node, "held": held})))

    def hear(self, node: Any, held: int) -> None:
        """Note how many conversations a worker holds at a time."""
        if not self._held and not self._config.pluginmanager.is_registered(self):
            self._config.pluginmanager.register(self)
            self._begin_with_the_longest()
        self._held[node] = held
        self._hand_out(node)

    @pytest.hookimpl(trylast=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Give a worker more, once it has played some."""
        if (node := getattr(report, "node", None)) in self._held:
            self._hand_out(node)

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any, error: object) -> None:
        """Give nothing to a worker that has left; note what one may have begun that was lost."""
        if self._held.pop(node, 1) == 1 or not error or (scheduler := self._scheduler) is None:
            return
        begun = {scheduler.collection[place] for place in scheduler.node2pending.get(node, ())}
        self._lost = begun - self._suspects
        self._suspects |= begun
        for other in self._held:
            other.workerinput[CHANNEL].send(sorted(begun))

    @pytest.hookimpl(optionalhook=True)
    def pytest_handlecrashitem(self, crashitem: str, report: Any, sched: Any) -> None:
        """Have an item played again that was not alone when its process ended."""
        if crashitem in self._lost:
            report.outcome = "rerun"
            sched.mark_test_pending(crashitem)

    def pytest_report_teststatus(self, report: Any) -> tuple[str, str, str] | None:
        """Show such an item as pytest-rerunfailures does."""
        return ("rerun", "R", "RERUN") if report.outcome == "rerun" else None

    @property
    def _controller(self) -> Any:
        return self._config.pluginmanager.get_plugin("dsession")

    @property
    def _scheduler(self) -> Any | None:
        """What hands out items, unless another plugin has brought its own."""
        scheduler = self._controller.sched
        return scheduler if type(scheduler).__name__ == "LoadScheduling" else None

    def _begin_with_the_longest(self) -> None:
        from .selecting import past_seconds_of

        seconds = past_seconds_of(self._config)
        if not seconds or (scheduler := self._scheduler) is None:
            return
        usual, names = sum(seconds.values()) / len(seconds), scheduler.collection
        scheduler.pending.sort(key=lambda place: -seconds.get(names[place], usual))

    def _hand_out(self, node: Any) -> None:
        scheduler = self._scheduler
        if node.shutting_down or scheduler is None:
            return
        given, left, held = scheduler.node2pending, len(scheduler.pending), self._held[node]
        part = ceil((left + sum(map(len, given.values()))) / len(given))
        ahead = held + min(held, left // (2 * len(given)))
        more = min(ahead, part) - len(given[node])
        if more > 0:
            scheduler._send_tests(node, more)  # noqa: SLF001  # there is no other way


def say_held(config: pytest.Config, pools: dict[int, Pool]) -> None:
    """Say how many conversations this process holds at a time, where it is a worker."""
    about = getattr(config, "workerinput", {})
    if CHANNEL not in about:
        return
    if _SUSPECTS not in config.stash:
        suspects = config.stash[_SUSPECTS] = set(about[SUSPECTS])
        about[CHANNEL].setcallback(suspects.update)
    about[CHANNEL].send(sum(pools))


def why_in_turn_here(item: pytest.Item) -> str | None:
    """Return why this process may not play an item ahead, where it is a worker that may not."""
    about: dict[str, Any] = getattr(item.config, "workerinput", {})
    if about.get(DISTRIBUTION) == "worksteal":
        return "--dist=worksteal may give it to another process"
    if item.nodeid in item.config.stash.get(_SUSPECTS, about.get(SUSPECTS, ())):
        return "a process ended that may have held it"
    return None
