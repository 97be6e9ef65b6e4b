"""An MCP server with the tools of conversations, for agents in any language and any process.

It implements streamable HTTP of the Model Context Protocol, up to its version 2025-11-25, with the
standard library. One server on the loopback interface serves all conversations of a process. Each
conversation has its own URL, which cannot be guessed and which ends with the conversation.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import os
import secrets
import socket
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from http import HTTPStatus
from typing import Any, Final, Protocol
from urllib.parse import urlsplit

from .mcp_requests import MAX_HEAD, Head, HttpError, body_length, read_body, read_head

VERSIONS: Final = ("2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05")
_log: Final = logging.getLogger(__name__)
"""Logs requests and answers at the level DEBUG."""
_HEAD_SECONDS, _BODY_SECONDS = 10.0, 30.0
"""The time for a head, and for a body or an answer to be received."""
_LINGER_SECONDS: Final = 2.0
"""The time for a refused client to read the answer and stop sending."""
_PIECE, _MOST_DISCARDED = 65536, 128
"""Bytes of a piece of a refused request, and pieces that are read before the connection ends."""
_MOST_UNKNOWN: Final = 256
"""Connections without a conversation. Of more, the oldest is closed, as each costs a file."""
_NO_METHOD, _BAD_REQUEST, _BAD_JSON = -32601, -32600, -32700
"""Error codes of JSON-RPC."""


class _Tools(Protocol):
    """A toolbox; ``toolbox.py`` imports this module."""

    schemas: list[dict[str, Any]]

    async def call_over_mcp(self, name: str, arguments: Any) -> str:
        """Call a tool."""
        ...


@dataclass(frozen=True)
class _Served:
    """A toolbox with the connections of its clients that wait for their next request."""

    toolbox: _Tools
    idle: set[asyncio.StreamWriter] = field(default_factory=set)

    def close_idle(self) -> None:
        for writer in self.idle:
            writer.close()


class _McpServer:
    """Serves the toolboxes of conversations, each at its own URL.

    It has its own thread and event loop: agents may block theirs while they wait for a tool.
    """

    def __init__(self) -> None:
        self.served: dict[str, _Served] = {}
        self.unknown: dict[asyncio.StreamWriter, None] = {}
        """The connections that have not yet named a conversation, the oldest one first."""
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.port = self._socket.getsockname()[1]
        self._loop = asyncio.new_event_loop()
        threading.Thread(target=self._run, daemon=True, name="MCP").start()

    def _run(self) -> None:
        # A short backlog resets connections of many clients at once.
        starting = asyncio.start_server(
            self._connected, sock=self._socket, limit=MAX_HEAD, backlog=512
        )
        self._loop.run_until_complete(starting)
        self._loop.run_forever()

    def add(self, toolbox: _Tools) -> str:
        """Serve a toolbox from now on, and return its URL."""
        path = f"/{secrets.token_urlsafe(16)}/mcp"
        self.served[path] = _Served(toolbox)
        return f"http://127.0.0.1:{self.port}{path}"

    def remove(self, url: str) -> None:
        """Stop serving the toolbox of a URL, and close the connections of its clients."""
        if served := self.served.pop(urlsplit(url).path, None):
            self._loop.call_soon_threadsafe(served.close_idle)

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if len(self.unknown) >= _MOST_UNKNOWN:
            next(iter(self.unknown)).transport.abort()
        self.unknown[writer] = None
        try:
            with contextlib.suppress(EOFError):
                await _Connection(self, reader, writer).serve()
        except OSError:
            writer.transport.abort()  # instead of waiting until the client has read an answer
        finally:
            self.unknown.pop(writer, None)
            writer.close()


@cache
def _server_of(process: int) -> _McpServer:
    """Return the server of a process: a forked process does not inherit the threads."""
    del process
    return _McpServer()


def mcp_server() -> _McpServer:
    """Return the server of this process."""
    return _server_of(os.getpid())


@dataclass
class _Connection:
    """Answers the requests of a connection with JSON, never with a stream."""

    server: _McpServer
    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter

    async def serve(self) -> None:
        """Answer until the client or the conversation ends. Raises ``OSError``, ``EOFError``."""
        try:
            async with _at_most(_HEAD_SECONDS):
                head = await read_head(self.reader)
            while (served := await self._answer(head)) and head.keeps_alive:
                head = await self._next_head(served)
        except HttpError as error:
            await self._refuse(error.status)

    async def _answer(self, head: Head) -> _Served | None:
        """Answer a request, and return its conversation unless that is over."""
        served = self._admitted(head)
        length = body_length(head.headers)
        if head.waits_to_continue:
            self.writer.write(b"HTTP/1.1 100 Continue\r\n\r\n")
        async with _at_most(_BODY_SECONDS):
            body = await read_body(self.reader, length)
        _log.debug("MCP %s", body.decode(errors="replace"))
        status, answer = await _answer(served.toolbox, body)
        is_over = self.server.served.get(head.path) is not served
        await self._send(status, answer, is_last=is_over or not head.keeps_alive)
        return None if is_over else served

    def _admitted(self, head: Head) -> _Served:
        """Return the conversation of a request, of which only the head is read."""
        head.check_local()
        served = self.server.served.get(head.path)
        if served is None:
            raise HttpError(HTTPStatus.NOT_FOUND)
        if head.method != "POST":  # there are no streams to GET and no sessions to DELETE
            raise HttpError(HTTPStatus.METHOD_NOT_ALLOWED)
        self.server.unknown.pop(self.writer, None)
        return served

    async def _next_head(self, served: _Served) -> Head:
        """Wait for a request as long as the conversation lasts: agents think between calls."""
        served.idle.add(self.writer)
        try:
            beginning = await self.reader.readexactly(1)
        finally:
            served.idle.discard(self.writer)
        async with _at_most(_HEAD_SECONDS):
            return await read_head(self.reader, beginning)

    async def _refuse(self, status: HTTPStatus) -> None:
        """Answer a request whose body is not read; where the next one begins is unknown.

        Closing a socket with unread data loses the answer, so some of the data is discarded.
        """
        await self._send(status, None, is_last=True)
        self.writer.write_eof()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_LINGER_SECONDS):
                for _ in range(_MOST_DISCARDED):
                    if not await self.reader.read(_PIECE):
                        break

    async def _send(self, status: HTTPStatus, answer: Any, *, is_last: bool) -> None:
        body = b"" if answer is None else json.dumps(answer).encode()
        _log.debug("%s %s", status.value, body.decode() or status.phrase)
        lines = [f"HTTP/1.1 {status.value} {status.phrase}", f"Content-Length: {len(body)}"]
        lines += ["Content-Type: application/json"] if body else []
        lines += ["Allow: POST"] if status is HTTPStatus.METHOD_NOT_ALLOWED else []
        lines += ["Connection: close"] if is_last else []
        self.writer.write("\r\n".join([*lines, "", ""]).encode() + body)
        async with asyncio.timeout(_BODY_SECONDS):
            await self.writer.drain()


@contextlib.asynccontextmanager
async def _at_most(seconds: float) -> AsyncIterator[None]:
    """Raise :class:`HttpError` if the block takes longer."""
    try:
        async with asyncio.timeout(seconds):
            yield
    except TimeoutError:
        raise HttpError(HTTPStatus.REQUEST_TIMEOUT) from None


async def _answer(toolbox: _Tools, body: bytes) -> tuple[HTTPStatus, Any]:
    """Return the status and the answer to a request; notifications get no answer."""
    try:
        request: object = json.loads(body)
    except (ValueError, RecursionError):
        return HTTPStatus.BAD_REQUEST, _error(None, _BAD_JSON, "the request is not JSON")
    messages = request if isinstance(request, list) else [request]
    answers = [await _answer_message(toolbox, message) for message in messages]
    answers = [answer for answer in answers if answer is not None]
    if not answers:
        return HTTPStatus.ACCEPTED, None
    return HTTPStatus.OK, answers if isinstance(request, list) else answers[0]


async def _answer_message(toolbox: _Tools, message: Any) -> dict[str, Any] | None:
    """Return the answer to a message of JSON-RPC, ``None`` for a notification or a response."""
    match message:
        case {"method": str() as method, "id": number}:
            params = message.get("params") or {}
            if method not in _METHODS or not isinstance(params, dict):
                return _error(number, _NO_METHOD, f"there is no method {method}")
            return {
                "jsonrpc": "2.0",
                "id": number,
                "result": await _METHODS[method](toolbox, params),
            }
        case {"method": str()} | {"id": _, "result": _} | {"id": _, "error": _}:
            return None
    return _error(None, _BAD_REQUEST, "the request has no method")


def _error(number: Any, code: int, text: str) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": number, "error": {"code": code, "message": text}}


async def _initialize(_: _Tools, params: Mapping[str, Any]) -> dict[str, Any]:
    version = params.get("protocolVersion")
    return {
        "protocolVersion": version if version in VERSIONS else VERSIONS[0],
        "capabilities": {"tools": {"listChanged": False}},
        "serverInfo": {"name": "toolsandbox", "version": "1"},
    }


async def _ping(_: _Tools, __: Mapping[str, Any]) -> dict[str, Any]:
    return {}


async def _list_tools(toolbox: _Tools, _: Mapping[str, Any]) -> dict[str, Any]:
    functions = (schema["function"] for schema in toolbox.schemas)
    tools = [
        {
            "name": function["name"],
            "description": function.get("description", ""),
            "inputSchema": function["parameters"],
        }
        for function in functions
    ]
    return {"tools": tools}


async def _call_tool(toolbox: _Tools, params: Mapping[str, Any]) -> dict[str, Any]:
    text = await toolbox.call_over_mcp(str(params.get("name")), params.get("arguments"))
    try:
        json.loads(text)  # results are JSON, errors are not
        is_error = False
    except (ValueError, RecursionError):
        is_error = True
    return {"content": [{"type": "text", "text": text}], "isError": is_error}


_METHODS: Final[Mapping[str, Callable[[_Tools, Mapping[str, Any]], Awaitable[dict[str, Any]]]]] = {
    "initialize": _initialize,
    "ping": _ping,
    "tools/list": _list_tools,
    "tools/call": _call_tool,
}
