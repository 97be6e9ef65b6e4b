"""An MCP server with the tools of conversations, for agents in any language and any process.

It implements streamable HTTP of the Model Context Protocol, up to its version 2025-11-25, with the
standard library. One server on the loopback interface serves all conversations of a process. Each
conversation has its own URL, which cannot be guessed and which ends with the conversation.
"""

from __future__ import annotations

import contextlib
import json
import logging
import os
import re
import secrets
import threading
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Final, Protocol
from urllib.parse import urlsplit

VERSIONS: Final = ("2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05")
MAX_BYTES: Final = 4 * 1024 * 1024
"""The limit of a request."""
_log: Final = logging.getLogger(__name__)
"""Logs requests and answers at the level DEBUG."""
_LOOPBACK: Final = ("127.0.0.1", "localhost")
_MAX_LINE: Final = 4096
_CHUNK: Final = re.compile(rb"([0-9a-fA-F]{1,15})[ \t]*(?:;[^\n]*)?\r?\n")
_LINE_ENDS: Final = (b"\r\n", b"\n")
_PATIENCE: Final = 0.2
"""Seconds without data after which a client is taken to have sent all."""
_PIECE: Final = 65536
_MOST_DISCARDED: Final = 1024
"""Pieces of a body over the limit that are read before the connection is closed."""
_NO_METHOD, _BAD_REQUEST, _BAD_JSON = -32601, -32600, -32700
"""Error codes of JSON-RPC."""


class _UnreadableBodyError(Exception):
    """The body of a request cannot be read; ``status`` is the answer."""

    def __init__(self, status: HTTPStatus) -> None:
        super().__init__(status.phrase)
        self.status = status


class _Tools(Protocol):
    """A toolbox; ``toolbox.py`` imports this module."""

    schemas: list[dict[str, Any]]

    def call(self, name: str, arguments: Mapping[str, Any] | None) -> str:
        """Call a tool."""
        ...


class _McpServer(ThreadingHTTPServer):
    """Serves the toolboxes of conversations, each at its own URL."""

    daemon_threads = True
    request_queue_size = 512  # a short one resets connections of many clients at once

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.toolboxes: dict[str, _Tools] = {}
        threading.Thread(target=self.serve_forever, daemon=True, name="MCP").start()

    def add(self, toolbox: _Tools) -> str:
        """Serve a toolbox from now on, and return its URL."""
        token = secrets.token_urlsafe(16)
        self.toolboxes[f"/{token}/mcp"] = toolbox
        return f"http://127.0.0.1:{self.server_port}/{token}/mcp"

    def handle_error(self, *_: object) -> None:
        """Print nothing if a client breaks off."""

    def remove(self, url: str) -> None:
        """Stop serving the toolbox of a URL."""
        self.toolboxes.pop(urlsplit(url).path, None)


@cache
def _server_of(process: int) -> _McpServer:
    """Return the server of a process: a forked process does not inherit the threads."""
    del process
    return _McpServer()


def mcp_server() -> _McpServer:
    """Return the server of this process."""
    return _server_of(os.getpid())


class _Handler(BaseHTTPRequestHandler):
    """Answers requests of JSON-RPC with JSON, never with a stream."""

    server: _McpServer
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # it would cost 50 ms a call, as would unbuffered writing
    wbufsize = -1

    def do_POST(self) -> None:
        """Answer one message, or a batch of them, which versions before 2025-06-18 allow."""
        try:
            body = self._read_body()
        except _UnreadableBodyError as error:
            self.close_connection = True  # where the next request would begin is unknown
            self._discard()
            return self._send(error.status)
        _log.debug("MCP %s", body.decode(errors="replace"))
        toolbox = self.server.toolboxes.get(urlsplit(self.path).path)
        if toolbox is None:
            return self._send(HTTPStatus.NOT_FOUND)
        if not self._is_local():
            return self._send(HTTPStatus.FORBIDDEN)
        return self._send(*_answer(toolbox, body))

    def handle_expect_100(self) -> bool:
        """Let a client send its body; it waits for this line, so the buffer is flushed."""
        going_on = super().handle_expect_100()
        self.wfile.flush()
        return going_on

    def _read_body(self) -> bytes:
        """Return the body, whose length is given or which comes in chunks (RFC 9112, section 7.1).

        Raises :class:`_UnreadableBodyError`.
        """
        if coding := self.headers.get("transfer-encoding"):
            if coding.strip().lower() != "chunked":
                raise _UnreadableBodyError(HTTPStatus.NOT_IMPLEMENTED)
            return b"".join(self._chunks())
        length = self.headers.get("content-length", "0").strip()
        if not re.fullmatch("[0-9]{1,18}", length):
            raise _UnreadableBodyError(HTTPStatus.BAD_REQUEST)
        if int(length) > MAX_BYTES:
            raise _UnreadableBodyError(HTTPStatus.REQUEST_ENTITY_TOO_LARGE)
        return self.rfile.read(int(length))

    def _chunks(self) -> Iterator[bytes]:
        remaining_bytes = MAX_BYTES
        while size := self._chunk_size():
            if (remaining_bytes := remaining_bytes - size) < 0:
                raise _UnreadableBodyError(HTTPStatus.REQUEST_ENTITY_TOO_LARGE)
            yield self.rfile.read(size)
            if self.rfile.readline(_MAX_LINE) not in _LINE_ENDS:
                raise _UnreadableBodyError(HTTPStatus.BAD_REQUEST)
        while (trailer := self.rfile.readline(_MAX_LINE)) not in (*_LINE_ENDS, b""):
            if len(trailer) == _MAX_LINE:
                raise _UnreadableBodyError(HTTPStatus.BAD_REQUEST)

    def _chunk_size(self) -> int:
        """Return the size of the next chunk, whose line may end with extensions."""
        match = re.fullmatch(
            rb"([0-9a-fA-F]{1,15})[ \t]*(?:;[^\n]*)?\r?\n", self.rfile.readline(_MAX_LINE)
        )
        if match is None:
            raise _UnreadableBodyError(HTTPStatus.BAD_REQUEST)
        return int(match[1], 16)

    def _discard(self) -> None:
        """Read what a client still sends: closing a socket with unread data loses the answer."""
        self.connection.settimeout(_PATIENCE)
        with contextlib.suppress(OSError):
            for _ in range(_MOST_DISCARDED):
                if not self.rfile.read1(_PIECE):
                    break

    def do_GET(self) -> None:
        """Refuse, as the server sends no stream of messages."""
        self._send(HTTPStatus.METHOD_NOT_ALLOWED)

    do_DELETE = do_GET  # noqa: N815  # there are no sessions to end

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  # its name there
        """Log nothing."""

    def _is_local(self) -> bool:
        """Return whether the request comes from this machine, and not from a web page."""
        hosts = [urlsplit(f"//{self.headers.get('host', '')}").hostname]
        if origin := self.headers.get("origin"):
            hosts.append(urlsplit(origin).hostname)
        return all(host in _LOOPBACK for host in hosts)

    def _send(self, status: HTTPStatus, answered: Any = None) -> None:
        body = b"" if answered is None else json.dumps(answered).encode()
        _log.debug("%s %s", status.value, body.decode() or status.phrase)
        self.send_response(status)
        if body:
            self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        if self.close_connection:
            self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(body)


def _answer(toolbox: _Tools, body: bytes) -> tuple[HTTPStatus, Any]:
    """Return the status and the answer to a request; notifications get no answer."""
    try:
        request: object = json.loads(body)
    except (ValueError, RecursionError):
        return HTTPStatus.BAD_REQUEST, _error(None, _BAD_JSON, "the request is not JSON")
    messages = request if isinstance(request, list) else [request]
    answers = list(filter(None, (_answer_message(toolbox, message) for message in messages)))
    if not answers:
        return HTTPStatus.ACCEPTED, None
    return HTTPStatus.OK, answers if isinstance(request, list) else answers[0]


def _answer_message(toolbox: _Tools, message: Any) -> dict[str, Any] | None:
    """Return the answer to a message of JSON-RPC, ``None`` for a notification or a response."""
    match message:
        case {"method": str() as method, "id": number}:
            params = message.get("params") or {}
            if method not in _METHODS or not isinstance(params, dict):
                return _error(number, _NO_METHOD, f"there is no method {method}")
            return {"jsonrpc": "2.0", "id": number, "result": _METHODS[method](toolbox, params)}
        case {"method": str()} | {"id": _, "result": _} | {"id": _, "error": _}:
            return None
    return _error(None, _BAD_REQUEST, "the request has no method")


def _error(number: Any, code: int, text: str) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": number, "error": {"code": code, "message": text}}


def _initialize(_: _Tools, params: Mapping[str, Any]) -> dict[str, Any]:
    version = params.get("protocolVersion")
    return {
        "protocolVersion": version if version in VERSIONS else VERSIONS[0],
        "capabilities": {"tools": {"listChanged": False}},
        "serverInfo": {"name": "toolsandbox", "version": "1"},
    }


def _list_tools(toolbox: _Tools, _: Mapping[str, Any]) -> dict[str, Any]:
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


def _call_tool(toolbox: _Tools, params: Mapping[str, Any]) -> dict[str, Any]:
    try:
        text = toolbox.call(str(params.get("name")), params.get("arguments"))
    except BaseException as error:  # noqa: BLE001  # TurnOver too: the client gets it as a result
        text = str(error)
    try:
        json.loads(text)  # results are JSON, errors are not
        is_error = False
    except (ValueError, RecursionError):
        is_error = True
    return {"content": [{"type": "text", "text": text}], "isError": is_error}


_METHODS: Final[Mapping[str, Callable[[_Tools, Mapping[str, Any]], dict[str, Any]]]] = {
    "initialize": _initialize,
    "ping": lambda *_: {},
    "tools/list": _list_tools,
    "tools/call": _call_tool,
}
