"""Hand out items to workers of pytest-xdist that hold several conversations at a time.

Pytest-xdist hands out little where items take long, so that no worker is left alone with many. But
a worker can only play ahead what it has been given, and would come down to one conversation at a
time. So it says how many it holds, and is given as many, the longest first where that is known, and
some more while there are enough for all: a slow one at the head stops no others.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import ceil
from typing import Any, Final

import pytest

from pytest_toolsandbox.plugin.collection.selecting import past_seconds_of
from pytest_toolsandbox.plugin.collection.which_files import is_scenario
from pytest_toolsandbox.runs.pool import Pool

_CHANNEL: Final = "toolsandbox_held"
_HELD_CHANNEL = pytest.StashKey[Any]()
"""A worker's end of the channel over which it sends how many conversations it holds at a time."""


def open_channel(node: Any, key: str, receive: Callable[[Any, Any], None]) -> Any:
    """Open a channel to a worker, which gets its end as ``workerinput[key]``.

    Its messages are queued behind its reports; ``receive`` gets the worker and each message.
    """
    channel = node.workerinput[key] = node.gateway.newchannel()
    controller = node.config.pluginmanager.get_plugin("dsession")
    # Pytest-xdist looks for the method of an event by its name.
    setattr(controller, f"worker_{key}", receive)
    channel.setcallback(lambda message: node.putevent((key, {"node": node, "message": message})))
    return channel


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
        open_channel(node, _CHANNEL, self._receive)

    def _receive(self, node: Any, message: int) -> None:
        """Note how many conversations a worker holds at a time."""
        if not self._config.pluginmanager.is_registered(self):
            self._config.pluginmanager.register(self)
            self._begin_with_the_longest()
        self._held[node] = message
        self._hand_out(node)

    @pytest.hookimpl(trylast=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Give a worker more, once it has played some."""
        if (node := getattr(report, "node", None)) in self._held:
            self._hand_out(node)

    @pytest.hookimpl(optionalhook=True)
    def pytest_handlecrashitem(self, report: pytest.TestReport) -> None:
        """Say that another conversation may have ended a process than the one whose turn it was."""
        if (held := self._held.pop(getattr(report, "node", None), 1)) > 1:
            report.longrepr = (
                f"{report.longrepr}, or another one of the {held} that it may have held: "
                "--sandbox-concurrency=1 tells which"
            )

    @property
    def _controller(self) -> Any:
        return self._config.pluginmanager.get_plugin("dsession")

    @property
    def _scheduler(self) -> Any | None:
        """What hands out items, unless another plugin has brought its own."""
        scheduler = self._controller.sched
        return scheduler if type(scheduler).__name__ == "LoadScheduling" else None

    def _begin_with_the_longest(self) -> None:
        seconds = past_seconds_of(self._config)
        if not seconds or (scheduler := self._scheduler) is None:
            return
        names, usual = scheduler.collection, sum(seconds.values()) / len(seconds)
        ours = {place for place in scheduler.pending if is_scenario(names[place], self._config)}
        # Fixtures of the session may have parameters, and are set up anew for each.
        parameters = {place: names[place].partition("[")[2] for place in sorted(ours)}
        first = {parameter: place for place, parameter in reversed(parameters.items())}
        rank = {
            place: (first[parameters[place]], -seconds.get(names[place], usual)) for place in ours
        }
        longest = iter(sorted(sorted(ours), key=rank.__getitem__))
        scheduler.pending[:] = [
            next(longest) if place in ours else place for place in scheduler.pending
        ]

    def _hand_out(self, node: Any) -> None:
        scheduler = self._scheduler
        if scheduler is None or node not in scheduler.node2pending:
            return
        if node.shutting_down or self._controller.shouldstop:
            return
        pending, left, held = scheduler.node2pending, len(scheduler.pending), self._held[node]
        part = ceil((left + sum(map(len, pending.values()))) / len(pending))
        beyond_held = 0 if self._config.option.maxfail else left // (2 * len(pending))
        count = min(held + min(held, beyond_held), part) - len(pending[node])
        if count > 0:
            scheduler._send_tests(node, count)  # noqa: SLF001  # there is no other way


def interactor_of(config: pytest.Config) -> Any | None:
    """Return what pytest-xdist runs the items of a worker with, if this is one."""
    plugins = config.pluginmanager.get_plugins() if hasattr(config, "workerinput") else ()
    return next((plugin for plugin in plugins if type(plugin).__name__ == "WorkerInteractor"), None)


def take_channel(config: pytest.Config) -> None:
    """Keep a worker's end of the channel where no test comes by it."""
    if channel := config.workerinput.pop(_CHANNEL, None):  # type: ignore[attr-defined]  # of pytest-xdist
        config.stash[_HELD_CHANNEL] = channel


def say_held(config: pytest.Config, pools: Mapping[int, Pool]) -> None:
    """Say how many conversations this process holds at a time, where it is a worker."""
    if channel := config.stash.get(_HELD_CHANNEL, None):
        channel.send(sum(pools))
