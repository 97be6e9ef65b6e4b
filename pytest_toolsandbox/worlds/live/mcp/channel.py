"""Channels to MCP servers: what the client needs of a transport, and the errors of transports."""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Iterator
from typing import Any, Final, Protocol

from pytest_toolsandbox.text.redaction import redacted, redacted_line

Message = dict[str, Any]
"""A message of JSON-RPC."""
MAX_BYTES: Final = 64 * 2**20
"""The limit of a message."""
_SHOWN: Final = 120
"""Characters of the first skipped line that are shown."""
_log: Final = logging.getLogger(__name__)
"""Logs messages at the level DEBUG, and at WARNING a server whose output has other lines."""


class ChannelError(Exception):
    """A server ended, refused a request or sent something unreadable; says so as a predicate."""


class Channel(Protocol):
    """A connection with one server.

    ``deadline`` is a moment of ``time.monotonic``, after which methods raise ``TimeoutError``.
    """

    def send(self, message: Message, deadline: float) -> None:
        """Send a message. Raises :class:`ChannelError`, ``TimeoutError``."""

    def receive(self, deadline: float) -> Message:
        """Return the next message. Raises :class:`ChannelError`, ``TimeoutError``."""

    def forget_errors(self) -> None:
        """Forget what the server has logged, since another conversation begins."""

    def close(self, grace: float) -> None:
        """End the connection, and a server that was started for it after ``grace`` seconds."""

    @property
    def remark(self) -> str:
        """What is wrong with the output of the server, as a clause; an empty text if nothing."""


def seconds_until(deadline: float) -> float:
    """Return the seconds until a moment of ``time.monotonic``. Raises ``TimeoutError``."""
    if (left := deadline - time.monotonic()) <= 0:
        raise TimeoutError
    return left


class Incoming:
    """Finds the messages in what a server sends, and counts the lines that are not messages."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._skipped = 0
        self._first = ""

    def messages(self, text: bytes) -> Iterator[Message]:
        """Yield the messages of a line: one, or several in a list."""
        if not text.strip():
            return
        try:
            value = json.loads(text)
        except (ValueError, RecursionError):
            value = None
        members = value if isinstance(value, list) else [value]
        if all(isinstance(member, dict) and "jsonrpc" in member for member in members):
            if _log.isEnabledFor(logging.DEBUG):  # hiding secrets in a long text takes its time
                _log.debug("%s sent %s", self._name, redacted(text.decode(errors="replace")))
            yield from members
        else:
            self._skip(text)

    def _skip(self, text: bytes) -> None:
        self._skipped += 1
        if self._skipped == 1:
            self._first = redacted_line(text.decode(errors="replace").strip(), _SHOWN)
            _log.warning("%s: %s", self._name, self.remark)

    @property
    def remark(self) -> str:
        """How many lines were skipped, with the first of them; an empty text if none was."""
        if not self._skipped:
            return ""
        lines = "a line that is" if self._skipped == 1 else f"{self._skipped} lines that are"
        return f"it wrote {lines} not a message to its standard output: {self._first!r}"
