"""Requests of live worlds over HTTP: one connection for a conversation."""

from __future__ import annotations

import select
import time
from collections.abc import Mapping
from contextlib import suppress
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection
from typing import Final
from urllib.parse import urlsplit

from pytest_toolsandbox.text.error_text import message_of
from pytest_toolsandbox.text.redaction import redacted_line
from pytest_toolsandbox.worlds.context import WorldError

MAX_BYTES: Final = 64 * 2**20
"""The limit of an answer."""
_SHOWN: Final = 200
"""Characters of the body of a refusal that an error shows."""


class HttpRequestError(Exception):
    """A request got no usable answer; the text says why, as a predicate."""


class HttpSender:
    """Sends requests to one server over a connection that stays open."""

    def __init__(self, url: str) -> None:
        """Prepare the connection. Raises :class:`WorldError` for an address that is not one."""
        try:
            parts = urlsplit(url)
            port = parts.port
        except ValueError as error:
            raise WorldError(f"{redacted_line(url)!r} is not an address: {error}") from None
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise WorldError(f"{redacted_line(url)!r} is not an address: write http://HOST/PATH")
        kind = HTTPSConnection if parts.scheme == "https" else HTTPConnection
        self._connection = kind(parts.hostname, port)
        self.base = parts.path
        self.query = parts.query

    def send(
        self, method: str, path: str, headers: Mapping[str, str], body: bytes | None, seconds: float
    ) -> HttpReply:
        """Send a request, and return the reply, of which only the head is read.

        Raises :class:`HttpRequestError`, ``TimeoutError``.
        """
        connection = self._connection
        if connection.sock is not None and _is_stale(connection):
            connection.close()
        deadline = time.monotonic() + seconds
        try:
            connection.timeout = seconds
            if connection.sock is not None:
                connection.sock.settimeout(seconds)
            connection.request(method, path or "/", body, dict(headers))
            reply = HttpReply(connection, deadline)
        except TimeoutError:
            connection.close()
            raise
        except (OSError, HTTPException, ValueError) as error:  # ValueError: an impossible header
            connection.close()
            text = message_of(error) or type(error).__name__
            raise HttpRequestError(f"cannot be reached: {text}") from None
        return reply

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()


def _is_stale(connection: HTTPConnection) -> bool:
    """Whether the server has closed a connection that waits: it then has something to read."""
    if not hasattr(select, "poll"):
        return bool(select.select([connection.sock], [], [], 0)[0])
    poll = select.poll()
    poll.register(connection.sock, select.POLLIN)
    return bool(poll.poll(0))


class HttpReply:
    """The reply to a request: its head, and its body as a whole or line by line."""

    def __init__(self, connection: HTTPConnection, deadline: float) -> None:
        # The connection forgets its socket as soon as the server will close it.
        self._socket, self._deadline, self._connection = connection.sock, deadline, connection
        self._response: HTTPResponse = connection.getresponse()
        self._size, self._buffer = 0, b""
        self.status = self._response.status
        self.headers = self._response.headers

    @property
    def content_type(self) -> str:
        """The media type, without its parameters."""
        return self.headers.get_content_type() if self.headers.get("Content-Type") else ""

    def body(self) -> bytes:
        """Return the whole body. Raises :class:`HttpRequestError`, ``TimeoutError``."""
        parts = [self._buffer]
        while part := self._read():
            parts.append(part)
        return b"".join(parts)

    def line(self) -> bytes:
        """Return the next line, empty at the end.

        Raises :class:`HttpRequestError`, ``TimeoutError``.
        """
        # Reading lines of a chunked body one by one is slow in ``http.client``.
        while (end := self._buffer.find(b"\n") + 1) == 0 and (part := self._read()):
            self._buffer += part
        end = end or len(self._buffer)
        line, self._buffer = self._buffer[:end], self._buffer[end:]
        return line

    def extend(self, deadline: float) -> None:
        """Set another moment until which the body may be read."""
        self._deadline = deadline

    def _read(self) -> bytes:
        try:
            part = self._read_part()
        except TimeoutError:
            self._connection.close()
            raise
        except (OSError, HTTPException, ValueError) as error:
            self._connection.close()
            text = message_of(error) or type(error).__name__
            raise HttpRequestError(f"broke its answer off: {text}") from None
        self._size += len(part)
        if self._size > MAX_BYTES:
            self._connection.close()
            raise HttpRequestError(f"answered with more than {MAX_BYTES >> 20} MiB")
        return part

    def _read_part(self) -> bytes:
        left = self._deadline - time.monotonic()
        if left <= 0:
            raise TimeoutError
        with suppress(OSError):  # it was closed after all was received
            self._socket.settimeout(left)
        part = self._response.read1(65536)
        if not part and self._response.length:
            raise HTTPException(f"{self._response.length} bytes are missing")
        if not part:
            self._response.close()  # so that the connection takes another request
        return part

    def refusal(self) -> str:
        """Return what an error says about a status, with the start of the body."""
        if self.status in range(300, 400):
            where = redacted_line(str(self.headers.get("Location")))
            self._connection.close()
            return f"redirects to {where}; write that address, if it is the right one"
        try:
            shown = redacted_line(self.body().decode(errors="replace"), _SHOWN)
        except (HttpRequestError, TimeoutError):
            shown = ""
        text = f"answered with status {self.status}"
        return f"{text}: {shown}" if shown else text
