"""What a controller still reads of its workers when a run is stopped."""

from __future__ import annotations

import queue
import signal
import threading
from types import SimpleNamespace
from typing import Any

import pytest

from pytest_toolsandbox.plugin.stopping import WorkersStopped


def test_after_a_second_ctrl_c_the_queue_is_not_read() -> None:
    """Ctrl-C may have come just after its lock was taken."""
    controller = SimpleNamespace(queue=queue.Queue(), nodemanager=SimpleNamespace(EXIT_TIMEOUT=10))
    plugins = SimpleNamespace(get_plugin={"dsession": controller}.get)
    config: Any = SimpleNamespace(pluginmanager=plugins)
    gateway = SimpleNamespace(newchannel=lambda: SimpleNamespace(setcallback=print, send=print))
    workers = WorkersStopped(config)
    node: Any = type("Node", (), {"workerinput": {}, "gateway": gateway})
    workers.add(node)

    def interrupted_twice() -> None:
        with workers.between_events():
            signal.raise_signal(signal.SIGINT)
            assert controller.queue.get(timeout=60) == ("toolsandbox_stop", {})
            controller.queue.mutex.acquire()
            signal.raise_signal(signal.SIGINT)

    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            interrupted_twice()
    finally:
        signal.signal(signal.SIGINT, before)
    events: list[list[Any]] = []
    reader = threading.Thread(target=lambda: events.append([*workers.last_events(())]), daemon=True)
    reader.start()
    reader.join(60)
    assert events == [[]]
    assert controller.nodemanager.EXIT_TIMEOUT < 10
