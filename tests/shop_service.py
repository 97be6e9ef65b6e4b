"""A shop over HTTP with an OpenAPI document, for tests: a state for each tenant."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

ID = {"name": "id", "in": "path", "required": True, "schema": {"type": "string"}}
ORDER = {
    "type": "object",
    "properties": {"id": {"type": "string", "readOnly": True}, "status": {"type": "string"}},
    "required": ["id", "status"],
}


def operation(name: str, **more: Any) -> dict[str, Any]:
    return {"operationId": name, "responses": {"200": {"description": "ok"}}, **more}


DOCUMENT = {
    "openapi": "3.1.0",
    "info": {"title": "shop", "version": "1"},
    "servers": [{"url": "/"}],
    "paths": {
        "/orders": {
            "get": operation("listOrders", summary="List the orders."),
            "delete": operation("reset"),
        },
        "/orders/{id}": {
            "parameters": [ID],
            "patch": operation(
                "changeOrder",
                requestBody={
                    "required": True,
                    "content": {"application/json": {"schema": {"$ref": "#/components/Order"}}},
                },
            ),
        },
        "/fails": {"post": operation("fails"), "get": operation("page")},
        "/hangs": {"get": operation("hangs")},
        "/empty": {"post": operation("empty")},
    },
    "components": {"Order": ORDER},
}


def new_orders() -> dict[str, dict[str, str]]:
    return {f"A-{n}": {"id": f"A-{n}", "status": "open"} for n in range(3)}


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    tenants: dict[str, dict[str, dict[str, str]]]
    released: threading.Event

    def log_message(self, *_: Any) -> None:
        pass

    def answer(self, status: int, value: Any, kind: str = "application/json") -> None:
        body = value.encode() if isinstance(value, str) else json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def handle_any(self) -> None:
        orders = self.tenants.setdefault(self.headers.get("X-Tenant", ""), new_orders())
        path = self.path.partition("?")[0]
        length = int(self.headers.get("Content-Length") or 0)
        body = json.loads(self.rfile.read(length)) if length else None
        match self.command, path:
            case "GET", "/openapi.json":
                self.answer(200, DOCUMENT)
            case _ if self.headers.get("Authorization") != "Bearer shop-key-0123":
                self.answer(401, {"error": "no key"})
            case "GET", "/orders":
                self.answer(200, list(orders.values()))
            case "DELETE", "/orders":
                orders.update(new_orders())
                self.answer(200, {})
            case "PATCH", _:
                self.change(orders, path.rpartition("/")[2], body)
            case "POST", "/fails":
                self.answer(503, "down, key shop-key-0123")
            case "GET", "/fails":
                self.answer(200, "<html>", "text/html")
            case "GET", "/hangs":
                self.released.wait(60)
                self.answer(200, {})
            case _:
                self.answer(200, "")

    def change(self, orders: dict[str, dict[str, str]], name: str, body: Any) -> None:
        if name not in orders:
            self.answer(404, {"error": f"no order {name}"})
        else:
            orders[name] |= body
            self.answer(200, orders[name])

    do_GET = do_POST = do_PATCH = do_DELETE = handle_any  # noqa: N815  # as http.server calls it


@contextmanager
def shop_service() -> Iterator[str]:
    """Start a shop, and yield its address."""
    released = threading.Event()
    handler = type("OwnHandler", (Handler,), {"tenants": {}, "released": released})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), name="shop")
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        released.set()
        server.shutdown()
        server.server_close()
        thread.join()
