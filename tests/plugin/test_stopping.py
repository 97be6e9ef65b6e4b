"""What a controller of pytest-xdist does with signals while it has a report of a worker in hand."""

from __future__ import annotations

import queue
import signal
from types import SimpleNamespace

import pytest

from pytest_toolsandbox.plugin.stopping import WorkersStopped


def test_only_a_third_ctrl_c_interrupts_what_is_in_hand() -> None:
    controller = SimpleNamespace(queue=queue.Queue())
    plugins = SimpleNamespace(get_plugin={"dsession": controller}.get)
    workers = WorkersStopped(SimpleNamespace(pluginmanager=plugins))  # type: ignore[arg-type]  # a double
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    kept: list[object] = []

    def interrupted() -> None:
        with workers.between_events():
            for _ in range(3):
                signal.raise_signal(signal.SIGINT)
                kept.append(kept[0] if kept else controller.queue.get(timeout=60))

    try:
        with pytest.raises(KeyboardInterrupt):
            interrupted()
    finally:
        signal.signal(signal.SIGINT, before)
    assert kept == [("toolsandbox_stop", {})] * 2
