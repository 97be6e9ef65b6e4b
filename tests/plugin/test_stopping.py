"""What a controller still reads of its workers when a run is stopped."""

from __future__ import annotations

import queue
import threading
from types import SimpleNamespace
from typing import Any

import pytest

from pytest_toolsandbox.plugin import stopping


def test_nobody_waits_for_a_queue_whose_lock_ctrl_c_left_taken(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(stopping, "_SILENCE", 0.01)
    manager = SimpleNamespace(EXIT_TIMEOUT=10)
    workers = SimpleNamespace(queue=queue.Queue(), nodemanager=manager, _active_nodes={object()})
    plugins = SimpleNamespace(get_plugin={"dsession": workers}.get)
    config: Any = SimpleNamespace(pluginmanager=plugins)
    read: list[list[Any]] = []
    workers.queue.mutex.acquire()
    reader = threading.Thread(
        target=lambda: read.append([*stopping.late_events(config, (), (), at_once=False)]),
        daemon=True,
    )
    reader.start()
    reader.join(60)
    assert read == [[]]
    assert manager.EXIT_TIMEOUT < 10
