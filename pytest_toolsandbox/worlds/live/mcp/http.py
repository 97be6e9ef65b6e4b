"""MCP servers over Streamable HTTP: a session, whose answers are JSON or streams of events."""

from __future__ import annotations

import json
import time
from collections import deque
from collections.abc import Mapping
from contextlib import suppress
from typing import Final

from pytest_toolsandbox.worlds.live.http_requests import HttpReply, HttpRequestError, HttpSender

from .channel import ChannelError, Incoming, Message, seconds_until

_HEADERS: Final = {
    "Content-Type": "application/json",
    "Accept": "application/json, text/event-stream",
    "User-Agent": "pytest-toolsandbox",
}
_SESSION, _VERSION = "Mcp-Session-Id", "MCP-Protocol-Version"
_ENDING: Final = 2.0
"""Seconds for the request that ends a session."""
_NOT_FOUND: Final = 404


class HttpChannel:
    """A session with a server that somebody else has started."""

    def __init__(self, url: str, headers: Mapping[str, str], name: str) -> None:
        """Prepare the session. Raises :class:`WorldError` for an address that is not one."""
        self._sender, self._beside = HttpSender(url), HttpSender(url)
        self._path = self._sender.base + (f"?{self._sender.query}" if self._sender.query else "")
        self._headers = {**_HEADERS, **headers}
        self._incoming = Incoming(name)
        self._waiting: deque[Message] = deque()
        self._stream: HttpReply | None = None

    def send(self, message: Message, deadline: float) -> None:
        """Send a message. Raises :class:`ChannelError`, ``TimeoutError``."""
        is_request = "method" in message and "id" in message
        if is_request:
            self._waiting.clear()
            self._drop_stream()
        # While a stream is open, answers to the server's own requests need another connection.
        sender = self._sender if is_request or self._stream is None else self._beside
        try:
            reply = self._post(sender, message, deadline)
            if is_request:
                self._begin(reply, is_first=message["method"] == "initialize")
            else:
                reply.body()
        except HttpRequestError as fault:
            raise ChannelError(str(fault)) from None

    def _post(self, sender: HttpSender, message: Message, deadline: float) -> HttpReply:
        body = json.dumps(message).encode()
        left = seconds_until(deadline)
        reply = sender.send("POST", self._path, self._headers, body, left)
        if reply.status == _NOT_FOUND and _SESSION in self._headers:
            del self._headers[_SESSION]
            text = "does not know the session any more, as after a restart: it lost its state"
            raise HttpRequestError(text)
        if reply.status not in range(200, 300):
            raise HttpRequestError(reply.refusal())
        return reply

    def _begin(self, reply: HttpReply, *, is_first: bool) -> None:
        if is_first and (session := reply.headers.get(_SESSION)):
            self._headers[_SESSION] = session
        if reply.content_type == "text/event-stream":
            self._stream = reply
        else:
            body = reply.body()
            self._waiting.extend(self._incoming.messages(body))
            if not self._waiting:
                kind = reply.content_type or "nothing"
                raise HttpRequestError(f"answered with {kind} that is not a message of JSON-RPC")

    def receive(self, deadline: float) -> Message:
        """Return the next message. Raises :class:`ChannelError`, ``TimeoutError``."""
        try:
            while not self._waiting:
                if self._stream is None:
                    raise ChannelError("sent no answer")
                seconds_until(deadline)
                self._stream.extend(deadline)
                if (data := self._event()) is None:
                    self._stream = None
                    raise ChannelError("ended its stream of events without an answer")
                self._waiting.extend(self._incoming.messages(data))
        except HttpRequestError as fault:
            raise ChannelError(str(fault)) from None
        message = self._waiting.popleft()
        result = message.get("result")
        if isinstance(result, dict) and isinstance(version := result.get("protocolVersion"), str):
            self._headers.setdefault(_VERSION, version)
        return message

    def _event(self) -> bytes | None:
        """Return the data of the next event of the stream, ``None`` at its end."""
        assert self._stream is not None
        data: list[bytes] = []
        while line := self._stream.line():
            line = line.rstrip(b"\r\n")  # the line without its end
            if not line and data:
                return b"\n".join(data)
            if line.startswith(b"data:"):
                data.append(line.removeprefix(b"data:").removeprefix(b" "))
        return b"\n".join(data) if data else None

    def _drop_stream(self) -> None:
        """Read the rest of the last stream, which is over, or leave its connection."""
        stream, self._stream = self._stream, None
        if stream is not None:
            stream.extend(time.monotonic() + _ENDING)
            try:
                stream.body()
            except (HttpRequestError, TimeoutError):
                self._sender.close()

    @property
    def remark(self) -> str:
        """What is wrong with the output of the server; an empty text if nothing is."""
        return self._incoming.remark

    def forget_errors(self) -> None:
        """Do nothing: the errors of the server are not seen here."""

    def close(self, grace: float) -> None:
        """End the session, within ``grace`` seconds; a server may refuse that."""
        if _SESSION in self._headers and grace:
            with suppress(HttpRequestError, TimeoutError):
                self._beside.send("DELETE", self._path, self._headers, None, grace).body()
        self._sender.close()
        self._beside.close()
