"""Servers that are started ahead, so that no conversation waits for one that starts slowly."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from typing import Final
from weakref import WeakSet

from pytest_toolsandbox.worlds.context import WorldError
from pytest_toolsandbox.worlds.live.ending import end_with_run

from .client import McpClient

_ENDING: Final = 10.0
"""Seconds to wait for a server that is being started when the pool is closed."""


class Pool:
    """Servers that no conversation uses: up to ``size`` new ones, and those that were reset.

    From the second conversation on, a thread starts servers ahead: a run of a single one needs no
    more than its own.
    """

    def __init__(self, start: Callable[[], McpClient], size: int) -> None:
        self._start, self._size = start, size
        self._begin()
        _pools.add(self)

    def _begin(self) -> None:
        """Begin with no servers: a forked process must not use those of its parent."""
        self._process = os.getpid()
        self._lock = threading.Lock()
        self._idle: list[McpClient] = []
        self._thread: threading.Thread | None = None
        self._taken = 0
        self._is_closed = False

    def take(self) -> McpClient:
        """Return a server that no other conversation uses. Raises :class:`WorldError`."""
        if self._process != os.getpid():
            self._begin()
        with self._lock:
            self._is_closed = False
            self._taken += 1
            client = self._idle.pop(0) if self._idle else None
            self._fill()
        return client or self._start()

    def give_back(self, client: McpClient) -> None:
        """Take back a server that a reset makes as good as new."""
        with self._lock:
            keeps = client.is_open and not self._is_closed and self._process == os.getpid()
            if keeps:
                self._idle.append(client)
        if not keeps:
            client.close(0)

    def close(self) -> None:
        """End the servers that no conversation uses."""
        if self._process != os.getpid():
            return
        with self._lock:
            self._is_closed = True
            idle, self._idle, thread = self._idle, [], self._thread
        for client in idle:
            client.close(0)
        if thread is not None:
            thread.join(_ENDING)

    def _fill(self) -> None:
        is_needed = self._taken > 1 and len(self._idle) < self._size
        if is_needed and self._thread is None:
            self._thread = threading.Thread(target=self._warm, daemon=True, name="MCP pool")
            self._thread.start()

    def _warm(self) -> None:
        while True:
            with self._lock:
                if self._is_closed or len(self._idle) >= self._size:
                    self._thread = None
                    return
            try:
                client = self._start()
            except WorldError:  # whoever needs a server starts one, and has the error
                with self._lock:
                    self._thread = None
                    self._taken = 0
                return
            self.give_back(client)


_pools: WeakSet[Pool] = WeakSet()


@end_with_run
def close_pools() -> None:
    """End all servers of this process that no conversation uses."""
    for pool in list(_pools):
        pool.close()
