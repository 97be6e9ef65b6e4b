"""An MCP server of the standard library that does what servers do wrong: run as a script.

``python hostile_server.py stdio`` or ``http PORT_FILE``; further words turn on single habits.
"""

from __future__ import annotations

import itertools
import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, ClassVar

HABITS = set(sys.argv[3:] if "http" in sys.argv else sys.argv[2:])
EMPTY = {"type": "object", "properties": {}}
ONE = {"type": "object", "properties": {"order_id": {"type": "string"}}, "required": ["order_id"]}
IS_WRAPPED = {"type": "object", "properties": {"result": {"type": "array"}}}
REFUSALS = {
    "forget": (404, b"Session not found"),
    "fails": (503, b"upstream is down, key sk-hidden-0123456789"),
    "redirects": (307, b""),
}
NAMES = ("noisy", "dies", "hangs", "child", "blocks", "image", "asks", "changes", "slow_input")


def new_orders(status: str = "open") -> dict[str, dict[str, Any]]:
    return {f"A-{n}": {"order_id": f"A-{n}", "status": status} for n in range(3)}


class Server:
    """The state of a server, and its answers."""

    def __init__(self) -> None:
        kept = Path(os.environ.get("ORDERS", "nowhere"))
        self.orders = json.loads(kept.read_text()) if kept.is_file() else new_orders()
        self.kept = kept if "ORDERS" in os.environ else None
        self.extra: list[str] = []

    def tools(self) -> list[dict[str, Any]]:
        listing = {"name": "list_orders", "description": "List the orders.", "inputSchema": EMPTY}
        if "reads" in HABITS:
            listing["annotations"] = {"readOnlyHint": True}
        if "structured" in HABITS:
            listing["outputSchema"] = IS_WRAPPED
        cancel = {"name": "cancel_order", "description": "Cancel an order.", "inputSchema": ONE}
        status = {"type": "object", "properties": {"status": {"type": "string"}}}
        reset = {"name": "reset", "inputSchema": status}
        names = ["orders.list/all", *NAMES, *self.extra]
        return [listing, cancel, reset, *({"name": n, "inputSchema": EMPTY} for n in names)]

    def call(self, name: str, arguments: dict[str, Any]) -> Any:
        if name in ("list_orders", "orders.list/all"):
            if "lies" in HABITS:
                self.orders["A-0"]["status"] = "seen"
            return list(self.orders.values())
        if name == "cancel_order":
            return self.cancelled(arguments["order_id"])
        if name == "reset":
            self.orders = new_orders(**arguments)
            return "begun anew"
        if name == "dies":
            sys.stderr.write("first\nout of memory, key sk-hidden-0123456789\n")
            sys.stderr.flush()
            os._exit(3)
        if name == "hangs":
            time.sleep(600)
        if name == "child":
            return subprocess.Popen(["sleep", "600"]).pid
        if name == "changes":
            self.extra = ["added"]
        return name

    def cancelled(self, order_id: str) -> Any:
        if self.orders[order_id]["status"] != "open":
            raise ValueError("it is not open\n  see https://errors.pydantic.dev/2/v/x")
        self.orders[order_id]["status"] = "cancelled"
        if self.kept:
            self.kept.write_text(json.dumps(self.orders))
        return self.orders[order_id]

    def result(self, params: dict[str, Any]) -> dict[str, Any]:
        name = params["name"]
        try:
            value = self.call(name, params["arguments"])
        except (KeyError, ValueError) as error:
            text = f"{type(error).__name__}: {error}"
            return {"content": [{"type": "text", "text": text}], "isError": True}
        if name == "image":
            return {"content": [{"type": "image", "mimeType": "image/png", "data": "AAAA"}]}
        if name == "blocks":
            return {"content": [{"type": "text", "text": t} for t in ("1", "two", '{"3": 4}')]}
        result: dict[str, Any] = {"content": [{"type": "text", "text": json.dumps(value)}]}
        if name == "list_orders" and "structured" in HABITS:
            result["content"] = [{"type": "text", "text": json.dumps(row)} for row in value]
            result["structuredContent"] = {"result": value}
        return result

    def answers(self, message: dict[str, Any]) -> Iterator[dict[str, Any]]:
        """Yield what is sent before the answer, and the answer."""
        method, params = message["method"], message.get("params", {})
        name = params.get("name")
        if name == "asks":
            for n, asked in enumerate(("ping", "sampling/createMessage")):
                yield {"jsonrpc": "2.0", "id": f"s{n}", "method": asked, "params": {}}
        if name == "changes":
            yield {"jsonrpc": "2.0", "method": "notifications/tools/list_changed"}
        answer: dict[str, Any] = {"jsonrpc": "2.0", "id": message["id"]}
        if method == "initialize":
            yield {**answer, "result": self.begun(params)}
        elif method == "tools/list":
            yield {**answer, "result": self.page(params.get("cursor"))}
        elif method == "tools/call" and name not in [tool["name"] for tool in self.tools()]:
            yield {**answer, "error": {"code": -32602, "message": f"Unknown tool: {name}"}}
        elif method == "tools/call" and name == "slow_input":
            yield {**answer, "error": {"code": -32603, "message": "Internal error"}}
        elif method == "tools/call" and name == "asks":
            yield {**answer, "result": None}
        else:
            yield {**answer, "result": self.result(params)}

    def begun(self, params: dict[str, Any]) -> dict[str, Any]:
        version = params["protocolVersion"]
        info = {"name": "hostile", "version": "1"}
        return {"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": info}

    def page(self, cursor: str | None) -> dict[str, Any]:
        start = int(cursor or 0)
        page = {"tools": self.tools()[start : start + 4]}
        return page if start + 4 >= len(self.tools()) else {**page, "nextCursor": str(start + 4)}


def write(message: Any) -> None:
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


def serve_lines(server: Server) -> None:
    if "chatty" in HABITS:
        sys.stderr.write("x" * 99 + "\n" + "y\n" * 200_000)
        sys.stderr.flush()
    for line in sys.stdin:
        message = json.loads(line)
        if "id" in message and "method" in message:
            answer_line(server, message)
    if "deaf" in HABITS:  # closing its input does not end it
        time.sleep(600)


def answer_line(server: Server, message: dict[str, Any]) -> None:
    for answer in server.answers(message):
        if message.get("params", {}).get("name") == "noisy":
            sys.stdout.write('hello from the tool\n{"no": "message"}\n')
        if answer.get("result", 0) is None:  # it waits for the answers to its own requests
            heard = [json.loads(sys.stdin.readline()) for _ in range(2)]
            write({**answer, "result": {"content": [{"type": "text", "text": json.dumps(heard)}]}})
        else:
            write(answer)


class Handler(BaseHTTPRequestHandler):
    """Streamable HTTP, with one state for all sessions unless a header keeps them apart."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    sessions: ClassVar[dict[str, int]] = {}
    numbers: ClassVar[Iterator[int]] = itertools.count()
    servers: ClassVar[dict[str, Server]] = {}
    lock = threading.Lock()
    log: ClassVar[list[Any]] = []
    arrived = threading.Event()

    def log_message(self, *_: Any) -> None:
        pass

    def do_DELETE(self) -> None:
        self.sessions.pop(self.headers["Mcp-Session-Id"], None)
        self.reply(200, b"")

    def reply(self, status: int, body: bytes, **headers: str) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_POST(self) -> None:
        message = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        session = self.headers.get("Mcp-Session-Id")
        if message.get("method") == "initialize":
            with self.lock:
                session = f"s{next(self.numbers)}"
                self.sessions[session] = 0
        elif session is None:
            return self.reply(400, b"Missing session ID")
        elif session not in self.sessions:
            return self.reply(404, b"Session not found")
        if "id" not in message or "method" not in message:
            self.log.append(message)
            if "result" in message or "error" in message:
                self.arrived.set()
            return self.reply(202, b"")
        with self.lock:
            server = self.servers.setdefault(self.headers.get("X-Shop", ""), Server())
        refusal = REFUSALS.get(message.get("params", {}).get("name"))
        if refusal:
            self.sessions.clear()
            status, body = refusal
            return self.reply(status, body, Location="http://elsewhere/")
        reply = self.reply_json if "json" in HABITS else self.stream
        return reply(server, message, session)

    def reply_json(self, server: Server, message: dict[str, Any], session: str) -> None:
        *_, answer = server.answers(message)
        body = json.dumps(answer).encode()
        self.reply(200, body, Content_Type="application/json", Mcp_Session_Id=session)

    def stream(self, server: Server, message: dict[str, Any], session: str) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream; charset=utf-8")
        self.send_header("Mcp-Session-Id", session)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        write: Callable[[bytes], Any] = self.wfile.write
        for text in (": a comment\r\n\r\n", "event: message\r\ndata: \r\n\r\n"):
            write(f"{len(text):x}\r\n{text}\r\n".encode())
        for answer in server.answers(message):
            sent = answer
            if answer.get("result", 0) is None:
                while len([m for m in self.log if "method" not in m]) < 2:
                    self.arrived.wait(10)
                    self.arrived.clear()
                text = json.dumps([m for m in self.log if "method" not in m])
                sent = {**answer, "result": {"content": [{"type": "text", "text": text}]}}
            data = json.dumps(sent, indent=1).replace("\n", "\ndata: ")
            text = f"id: 7\nevent: message\ndata: {data}\n\n"
            write(f"{len(text.encode()):x}\r\n{text}\r\n".encode())
        write(b"0\r\n\r\n")


def main() -> None:
    if sys.argv[1] == "stdio":
        serve_lines(Server())
        return
    ThreadingHTTPServer.request_queue_size = 512  # else many clients at once are refused
    http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    file = Path(sys.argv[2])
    file.with_suffix(".new").write_text(str(http.server_address[1]))
    file.with_suffix(".new").rename(file)
    http.serve_forever()


if __name__ == "__main__":
    main()
