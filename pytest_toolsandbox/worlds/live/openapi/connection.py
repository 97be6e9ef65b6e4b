"""A conversation with an OpenAPI service: requests of its operations, and what answers mean."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final
from urllib.parse import quote, urlencode

from pytest_toolsandbox.text.redaction import redacted_line
from pytest_toolsandbox.worlds.context import WorldError
from pytest_toolsandbox.worlds.json_values import read_json
from pytest_toolsandbox.worlds.live.http_requests import HttpReply, HttpRequestError, HttpSender
from pytest_toolsandbox.worlds.schema_tool import ToolError

from .operations import FORM, JSON, Argument, Operation

_SUCCESS, _FOR_AGENTS = range(200, 300), range(400, 500)
_NOT_FOR_AGENTS: Final = (401, 407, 408, 429)
"""Statuses of requests that the tests are to blame for: without authorization, or too many."""
_SHOWN: Final = 1000
"""Characters of an error that an agent reads."""


class OpenApiConnection:
    """Sends requests to the service at an address, with the headers of the conversation."""

    def __init__(
        self,
        world: str,
        url: str,
        headers: Mapping[str, str],
        operations: Mapping[str, Operation],
        seconds: float,
    ) -> None:
        self._world, self._operations, self._seconds = world, operations, seconds
        self._sender = HttpSender(url)
        self._headers = {"Accept": JSON, "User-Agent": "pytest-toolsandbox", **headers}

    def execute(self, name: str, arguments: dict[str, Any]) -> Any:
        operation = self._operations[name]
        start = f"the world {self._world!r}: {operation.method} {operation.path}"
        path, headers, body = request_of(operation, arguments)
        query = "&".join(filter(None, [self._sender.query, path.partition("?")[2]]))
        target = self._sender.base.rstrip("/") + path.partition("?")[0]
        target += f"?{query}" if query else ""
        sent = {**self._headers, **headers}
        try:
            reply = self._sender.send(operation.method, target, sent, body, self._seconds)
            return self._value(reply, start)
        except HttpRequestError as error:
            raise WorldError(f"{start}: the service {error}") from None
        except TimeoutError:
            text = f"the service did not answer within {self._seconds:g} s"
            raise WorldError(f"{start}: {text}; timeout: sets another limit") from None

    def _value(self, reply: HttpReply, start: str) -> Any:
        """Return the value of an answer. Raises :class:`ToolError`, :class:`WorldError`."""
        if reply.status in _FOR_AGENTS and reply.status not in _NOT_FOR_AGENTS:
            text = redacted_line(reply.body().decode(errors="replace"), _SHOWN)
            raise ToolError(f"{reply.status} {text}".strip())
        if reply.status not in _SUCCESS:
            raise WorldError(f"{start}: the service {reply.refusal()}")
        body = reply.body()
        if not body.strip():
            return None
        text = body.decode("utf-8-sig", "replace")
        try:
            return read_json(text)
        except (ValueError, RecursionError):
            if reply.content_type == "text/plain":
                return text
        kind = reply.content_type or "something"
        shown = redacted_line(text, 60)
        raise WorldError(f"{start}: the service answered with {kind}, not with JSON: {shown}")

    def close(self, *, is_clean: bool) -> None:
        del is_clean
        self._sender.close()


def request_of(
    operation: Operation, arguments: Mapping[str, Any]
) -> tuple[str, dict[str, str], bytes | None]:
    """Return path and query, headers and body of a request."""
    path, query, headers = operation.path, [], {}
    properties: dict[str, Any] = {}
    body: Any = properties
    for name, value in arguments.items():
        argument = operation.arguments.get(name, Argument(name, "body"))
        if argument.place == "path":
            path = path.replace(f"{{{argument.name}}}", quote(_simple(argument, value), safe=""))
        elif argument.place == "query":
            query += _query(argument, value)
        elif argument.place == "header":
            headers[argument.name] = _simple(argument, value)
        elif argument.place == "body":
            properties[argument.name] = value
        else:
            body = value
    path += f"?{urlencode(query)}" if query else ""
    is_empty = body is properties and not properties
    if not operation.media or (is_empty and not operation.needs_body):
        return path, headers, None
    if operation.media.startswith(FORM):
        pairs = [pair for n, v in properties.items() for pair in _query(Argument(n, "body"), v)]
        return path, {**headers, "Content-Type": FORM}, urlencode(pairs).encode()
    media = JSON if operation.media.startswith("*/*") else operation.media
    return path, {**headers, "Content-Type": media}, json.dumps(body).encode()


def _simple(argument: Argument, value: Any) -> str:
    """Write a value of a path or header: ``1,2`` for a list, ``a,1`` or ``a=1`` for an object."""
    if argument.is_json:
        return json.dumps(value)
    if isinstance(value, list):
        return ",".join(map(_text, value))
    if isinstance(value, Mapping):
        joint = "=" if argument.explode else ","
        return ",".join(f"{name}{joint}{_text(item)}" for name, item in value.items())
    return _text(value)


def _query(argument: Argument, value: Any) -> list[tuple[str, str]]:
    return list(_pairs(argument, value))


def _pairs(argument: Argument, value: Any) -> Iterator[tuple[str, str]]:
    """Yield the pairs of a query or form for a value, as its style asks; null has none."""
    name = argument.name
    if argument.is_json:
        yield name, json.dumps(value)
    elif isinstance(value, Mapping):
        if argument.style == "deepObject":
            yield from ((f"{name}[{key}]", _text(item)) for key, item in value.items())
        elif argument.explode:
            yield from ((str(key), _text(item)) for key, item in value.items())
        else:
            yield name, ",".join(f"{key},{_text(item)}" for key, item in value.items())
    elif isinstance(value, list):
        joint = {"spaceDelimited": " ", "pipeDelimited": "|"}.get(argument.style, ",")
        if argument.explode:
            yield from ((name, _text(item)) for item in value)
        else:
            yield name, joint.join(map(_text, value))
    elif value is not None:
        yield name, _text(value)


def _text(value: Any) -> str:
    """Write a value in a request: texts as they are, all else as JSON has it."""
    return value if isinstance(value, str) else json.dumps(value)
