"""The tools of conversations over MCP, for agents of any language in any process.

Streamable HTTP of the Model Context Protocol, up to its version 2025-11-25, of the standard library
alone: one server for all conversations of a process, on the loopback interface, with an address
for each conversation that cannot be guessed and that ends with it.
"""

from __future__ import annotations

import json
import logging
import os
import secrets
import threading
from collections.abc import Callable, Mapping
from functools import cache
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Final, Protocol
from urllib.parse import urlsplit

VERSIONS: Final = ("2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05")
LONGEST: Final = 4 * 1024 * 1024
"""Bytes of the longest request that is read."""
_log: Final = logging.getLogger(__name__)
"""What clients ask and are answered, as it is, at the level DEBUG."""
_LOOPBACK: Final = ("127.0.0.1", "localhost")
_NO_METHOD, _BAD_REQUEST, _BAD_JSON = -32601, -32600, -32700
"""Codes of errors of JSON-RPC."""


class Served(Protocol):
    """What has tools that can be called: a toolbox."""

    schemas: list[dict[str, Any]]

    def call(self, name: str, arguments: Mapping[str, Any] | None) -> str:
        """Call a tool."""
        ...


class McpServer(ThreadingHTTPServer):
    """Serves the toolboxes of conversations, each at an address of its own."""

    daemon_threads = True
    request_queue_size = 512  # a short one resets connections of many clients at once

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.toolboxes: dict[str, Served] = {}
        threading.Thread(target=self.serve_forever, daemon=True, name="MCP").start()

    def opened(self, toolbox: Served) -> str:
        """Return the address at which a toolbox is served from now on."""
        token = secrets.token_urlsafe(16)
        self.toolboxes[f"/{token}/mcp"] = toolbox
        return f"http://127.0.0.1:{self.server_port}/{token}/mcp"

    def handle_error(self, *_: object) -> None:
        """Say nothing of a client that breaks off, on the terminal of a test run."""

    def close_address(self, url: str) -> None:
        """Serve nothing more at an address."""
        self.toolboxes.pop(urlsplit(url).path, None)


@cache
def _server_of(process: int) -> McpServer:
    """Return the server of a process, of which a fork inherits no thread."""
    del process
    return McpServer()


def mcp_server() -> McpServer:
    """Return the server of this process, which ends with it."""
    return _server_of(os.getpid())


class _Handler(BaseHTTPRequestHandler):
    """Answers requests of JSON-RPC, each with JSON and never with a stream."""

    server: McpServer
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # it would cost 50 ms a call, as would unbuffered writing
    wbufsize = -1

    def do_POST(self) -> None:
        """Answer one message, or the list of them that versions before 2025-06-18 know."""
        length = int(self.headers.get("content-length") or 0)
        if length > LONGEST:
            self.close_connection = True
            return self._send(HTTPStatus.REQUEST_ENTITY_TOO_LARGE)
        body = self.rfile.read(length)
        _log.debug("MCP %s", body.decode(errors="replace"))
        toolbox = self.server.toolboxes.get(urlsplit(self.path).path)
        if toolbox is None:
            return self._send(HTTPStatus.NOT_FOUND)
        if not self._is_local():
            return self._send(HTTPStatus.FORBIDDEN)
        return self._send(*answer(toolbox, body))

    def do_GET(self) -> None:
        """Say that there is no stream of messages from the server."""
        self._send(HTTPStatus.METHOD_NOT_ALLOWED)

    do_DELETE = do_GET  # noqa: N815  # there is no session that could be ended

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  # its name there
        """Log nothing."""

    def _is_local(self) -> bool:
        """Whether the request comes from this machine, and not from a page in a browser."""
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
        self.end_headers()
        self.wfile.write(body)


def answer(toolbox: Served, body: bytes) -> tuple[HTTPStatus, Any]:
    """Return the status and the answer to a request; there is none to notifications."""
    try:
        asked: object = json.loads(body)
    except (ValueError, RecursionError):
        return HTTPStatus.BAD_REQUEST, _error(None, _BAD_JSON, "the request is no JSON")
    messages = asked if isinstance(asked, list) else [asked]
    answers = [one for message in messages if (one := _answer(toolbox, message))]
    if not answers:
        return HTTPStatus.ACCEPTED, None
    return HTTPStatus.OK, answers if isinstance(asked, list) else answers[0]


def _answer(toolbox: Served, message: Any) -> dict[str, Any] | None:
    """Return the answer to one message of JSON-RPC, if it asks for one."""
    match message:
        case {"method": str() as method, "id": number}:
            given = message.get("params") or {}
            if method not in _METHODS or not isinstance(given, dict):
                return _error(number, _NO_METHOD, f"there is no method {method}")
            return {"jsonrpc": "2.0", "id": number, "result": _METHODS[method](toolbox, given)}
        case {"method": str()} | {"id": _, "result": _} | {"id": _, "error": _}:
            return None
    return _error(None, _BAD_REQUEST, "the request has no method")


def _error(number: Any, code: int, text: str) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": number, "error": {"code": code, "message": text}}


def _initialized(_: Served, given: Mapping[str, Any]) -> dict[str, Any]:
    asked = given.get("protocolVersion")
    return {
        "protocolVersion": asked if asked in VERSIONS else VERSIONS[0],
        "capabilities": {"tools": {"listChanged": False}},
        "serverInfo": {"name": "toolsandbox", "version": "1"},
    }


def _listed(toolbox: Served, _: Mapping[str, Any]) -> dict[str, Any]:
    functions = (schema["function"] for schema in toolbox.schemas)
    tools = [
        {
            "name": one["name"],
            "description": one.get("description", ""),
            "inputSchema": one["parameters"],
        }
        for one in functions
    ]
    return {"tools": tools}


def _called(toolbox: Served, given: Mapping[str, Any]) -> dict[str, Any]:
    try:
        text = toolbox.call(str(given.get("name")), given.get("arguments"))
    except BaseException as error:  # noqa: BLE001  # the client is told, as of any other
        text = str(error)
    return {"content": [{"type": "text", "text": text}], "isError": not _is_json(text)}


def _is_json(text: str) -> bool:
    """Whether a result is one: the JSON of what a tool returned, where errors are a line."""
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


_METHODS: Final[Mapping[str, Callable[[Served, Mapping[str, Any]], dict[str, Any]]]] = {
    "initialize": _initialized,
    "ping": lambda *_: {},
    "tools/list": _listed,
    "tools/call": _called,
}
