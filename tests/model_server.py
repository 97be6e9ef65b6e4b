"""A model for tests: an HTTP server on this machine with the API of chat completions."""

from __future__ import annotations

import json
import socket
import struct
import threading
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Final, Self, cast

import pytest

KEY: Final = "sk-testkey-0123456789"


@dataclass(frozen=True)
class Response:
    """What goes over the wire. A ``promised`` length above the body's own cuts the body short."""

    status: int
    body: bytes
    headers: Mapping[str, str] = field(default_factory=dict)
    promised: int | None = None


@dataclass(frozen=True)
class Request:
    """What the server was asked. Header names are in lower case; ``body`` is the parsed JSON."""

    path: str
    headers: Mapping[str, str]
    body: Mapping[str, Any]


@dataclass(frozen=True)
class Silence:
    """Say nothing: until the server closes (``hang``), or close or reset the connection at once.

    ``drip`` sends a blank now and then, until the server closes.
    """

    how: str


HANG: Final = Silence("hang")
DRIP: Final = Silence("drip")
CLOSE: Final = Silence("close")
RESET: Final = Silence("reset")

Answer = Response | Silence


def text(content: str) -> Response:
    """Answer with words."""
    return message({"role": "assistant", "content": content})


def calls(*named: tuple[str, Any]) -> Response:
    """Answer with tool calls, ``(name, arguments)`` each; arguments that are text go out as is."""
    return message({"role": "assistant", "content": None, "tool_calls": list(_calls(named))})


def message(assistant: Mapping[str, Any]) -> Response:
    """Answer with an assistant message, as it is."""
    reason = "tool_calls" if assistant.get("tool_calls") else "stop"
    return choices([{"index": 0, "message": assistant, "finish_reason": reason}])


def choices(items: Any) -> Response:
    """Answer with a completion that has these choices."""
    completion = {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1_700_000_000,
        "model": "stub",
        "choices": items,
        "usage": {"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10},
    }
    return body(completion)


def body(value: Any) -> Response:
    """Answer with status 200 and any JSON."""
    return Response(200, json.dumps(value).encode())


def fault(
    status: int, text: str, code: str | None = None, headers: Mapping[str, str] | None = None
) -> Response:
    """Answer with an error in the shape that OpenAI gives its errors."""
    error = {"message": text, "type": "error", "param": None, "code": code}
    return Response(status, json.dumps({"error": error}).encode(), headers or {})


def _calls(named: Iterable[tuple[str, Any]]) -> Iterable[dict[str, Any]]:
    for number, (name, arguments) in enumerate(named, start=1):
        raw = arguments if isinstance(arguments, str) else json.dumps(arguments)
        function = {"name": name, "arguments": raw}
        yield {"id": f"call_{number}", "type": "function", "function": function}


class ModelServer(ThreadingHTTPServer):
    """Serves while its ``with`` block lasts, at ``url``, and keeps ``requests``.

    ``script`` is what it answers: one answer a request, in turn, or a function of the request.
    A request beyond the script gets status 500, so that a client that retries is found out.
    """

    request_queue_size = 128

    def __init__(self, script: Iterable[Answer] | Callable[[Request], Answer] = ()) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.requests: list[Request] = []
        self.closing = threading.Event()
        self._lock = threading.Lock()
        self._function = script if callable(script) else None
        self._answers: list[Answer] = [] if callable(script) else list(script)
        self._thread = threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.01})

    @property
    def url(self) -> str:
        """The base URL, as ``OPENAI_BASE_URL`` takes it."""
        return f"http://127.0.0.1:{self.server_port}/v1"

    def replace_openai(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Have clients of OpenAI ask this server, by the variables that they read."""
        monkeypatch.setenv("OPENAI_BASE_URL", self.url)
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        monkeypatch.setenv("NO_PROXY", "127.0.0.1")

    def will(self, *answers: Answer) -> None:
        """Answer the next requests so."""
        self._answers.extend(answers)

    def will_say(self, function: Callable[[Request], Answer]) -> None:
        """Answer every request with what a function makes of it."""
        self._function = function

    def answer(self, request: Request) -> Answer:
        """Keep a request and say what comes back."""
        with self._lock:
            self.requests.append(request)
            if self._function is None:
                return self._answers.pop(0) if self._answers else fault(500, "no answer is left")
        return self._function(request)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.closing.set()
        self.shutdown()
        self._thread.join()
        self.server_close()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:  # the base class finds it by this name
        server = cast("ModelServer", self.server)
        content = self.rfile.read(int(self.headers["Content-Length"]))
        headers = {name.lower(): value for name, value in self.headers.items()}
        answer = server.answer(Request(self.path, headers, json.loads(content)))
        self.close_connection = True
        if isinstance(answer, Response):
            self._send(answer)
        elif answer is HANG:
            server.closing.wait()
        elif answer is DRIP:
            self._send(Response(200, b"", promised=10_000))
            with suppress(OSError):  # a client that waits no longer
                while not server.closing.wait(0.1):
                    self.wfile.write(b" ")
        elif answer is RESET:
            at_once = struct.pack("ii", 1, 0)
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, at_once)
            self.connection.close()

    def _send(self, response: Response) -> None:
        length = len(response.body) if response.promised is None else response.promised
        self.send_response(response.status)
        headers = {"Content-Type": "application/json", **response.headers}
        for name, value in {
            **headers,
            "Content-Length": str(length),
            "Connection": "close",
        }.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(response.body)

    def log_message(self, *_: object, **__: object) -> None:
        """Keep the terminal clean."""
