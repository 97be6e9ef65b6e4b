"""The HTTP/1.1 requests of MCP clients, read with a limit on everything that a client sends.

RFC 9110 and RFC 9112 say what is malformed. A request that cannot be read raises ``HttpError``.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Final
from urllib.parse import urlsplit

MAX_BYTES: Final = 4 * 1024 * 1024
"""The limit of a body."""
MAX_HEAD: Final = 32 * 1024
"""The limit of a request line with its headers."""
_MAX_HEADERS: Final = 100
_MAX_LINE: Final = 4096
"""The limit of a line between chunks."""
_MAX_DIGITS: Final = 18
_TOKEN: Final = r"[!#$%&'*+.^_`|~0-9A-Za-z-]+"  # noqa: S105  # the grammar's word for a name
_REQUEST_LINE: Final = re.compile(rf"({_TOKEN}) ([!-~]+) HTTP/([0-9])\.([0-9])")
_HEADER: Final = re.compile(rf"({_TOKEN}):[ \t]*([^\x00-\x08\x0a-\x1f\x7f]*?)[ \t]*")
_HOST: Final = re.compile(r"([0-9A-Za-z._~-]+|\[[0-9A-Fa-f:.]+\])(?::[0-9]{0,5})?")
_ORIGIN: Final = re.compile(rf"https?://{_HOST.pattern}")
_LOOPBACK: Final = ("127.0.0.1", "localhost")
_CHUNK: Final = re.compile(rb"([0-9a-fA-F]{1,15})[ \t]*(?:;[^\n]*)?\r?\n")
_LINE_ENDS: Final = (b"\r\n", b"\n")


class HttpError(Exception):
    """A request that is refused, with the ``status`` of the answer."""

    def __init__(self, status: HTTPStatus) -> None:
        super().__init__(status.phrase)
        self.status = status


@dataclass(frozen=True)
class Head:
    """A request line and the headers, whose names are in lower case."""

    method: str
    path: str
    headers: Mapping[str, str]
    keeps_alive: bool
    """Whether a further request may follow on the connection."""

    def check_local(self) -> None:
        """Raise :class:`HttpError` for a request of a web page or for another host."""
        host = _HOST.fullmatch(self.headers.get("host", ""))
        if host is None:
            raise HttpError(HTTPStatus.BAD_REQUEST)
        origin = _ORIGIN.fullmatch(self.headers.get("origin", "http://localhost"))
        if origin is None or not {host[1].lower(), origin[1].lower()} <= {*_LOOPBACK}:
            raise HttpError(HTTPStatus.FORBIDDEN)

    @property
    def waits_to_continue(self) -> bool:
        """Whether the client sends its body only after status 100."""
        return self.headers.get("expect", "").lower() == "100-continue"


async def read_head(reader: asyncio.StreamReader, beginning: bytes = b"") -> Head:
    """Read a head, of which the ``beginning`` is read. The limit of the reader is that of a head.

    Raises :class:`HttpError`, and ``EOFError`` if there is no further request.
    """
    try:
        data = beginning + await reader.readuntil(b"\r\n\r\n")
    except asyncio.LimitOverrunError:
        raise HttpError(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE) from None
    except asyncio.IncompleteReadError as error:
        if not (beginning + error.partial).strip():
            raise EOFError from None
        raise HttpError(HTTPStatus.BAD_REQUEST) from None
    return _head_in(data.decode("latin-1").lstrip("\r\n"))


def _head_in(text: str) -> Head:
    first, *lines = text.removesuffix("\r\n\r\n").split("\r\n")
    match = _REQUEST_LINE.fullmatch(first)
    if match is None:
        raise HttpError(HTTPStatus.BAD_REQUEST)
    method, target, major, minor = match.groups()
    if major != "1":
        raise HttpError(HTTPStatus.HTTP_VERSION_NOT_SUPPORTED)
    if len(lines) > _MAX_HEADERS:
        raise HttpError(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE)
    headers = _headers_in(lines)
    keeps_alive = minor != "0" and "close" not in headers.get("connection", "").lower()
    try:
        return Head(method, urlsplit(target).path, headers, keeps_alive)
    except ValueError:
        raise HttpError(HTTPStatus.BAD_REQUEST) from None


def _headers_in(lines: list[str]) -> dict[str, str]:
    """Return the headers; one that is repeated, as a second length, has both of its values."""
    headers: dict[str, str] = {}
    for line in lines:
        match = _HEADER.fullmatch(line)
        if match is None:
            raise HttpError(HTTPStatus.BAD_REQUEST)
        name = match[1].lower()
        headers[name] = f"{headers[name]}, {match[2]}" if name in headers else match[2]
    return headers


def body_length(headers: Mapping[str, str]) -> int | None:
    """Return the length of the body that follows, ``None`` if it comes in chunks.

    Raises :class:`HttpError` for a length that is missing, malformed or over the limit.
    """
    coding, length = headers.get("transfer-encoding"), headers.get("content-length")
    if coding is not None:
        if length is not None:  # one of the two is a lie (RFC 9112, section 6.3)
            raise HttpError(HTTPStatus.BAD_REQUEST)
        if coding.lower() != "chunked":
            raise HttpError(HTTPStatus.NOT_IMPLEMENTED)
        return None
    if length is None:
        raise HttpError(HTTPStatus.LENGTH_REQUIRED)
    if not re.fullmatch("[0-9]+", length):
        raise HttpError(HTTPStatus.BAD_REQUEST)
    if len(length) > _MAX_DIGITS or int(length) > MAX_BYTES:
        raise HttpError(HTTPStatus.REQUEST_ENTITY_TOO_LARGE)
    return int(length)


async def read_body(reader: asyncio.StreamReader, length: int | None) -> bytes:
    """Read a body of this length, or in chunks (RFC 9112, section 7.1). Raises ``HttpError``."""
    try:
        if length is None:
            return await _chunks(reader)
        return await reader.readexactly(length)
    except (asyncio.IncompleteReadError, asyncio.LimitOverrunError):
        raise HttpError(HTTPStatus.BAD_REQUEST) from None


async def _chunks(reader: asyncio.StreamReader) -> bytes:
    body = bytearray()
    while size := await _chunk_size(reader):
        if len(body) + size > MAX_BYTES:
            raise HttpError(HTTPStatus.REQUEST_ENTITY_TOO_LARGE)
        body += await reader.readexactly(size)
        if await _line(reader) not in _LINE_ENDS:
            raise HttpError(HTTPStatus.BAD_REQUEST)
    for _ in range(_MAX_HEADERS):
        if await _line(reader) in _LINE_ENDS:
            return bytes(body)
    raise HttpError(HTTPStatus.BAD_REQUEST)


async def _chunk_size(reader: asyncio.StreamReader) -> int:
    """Return the size of the next chunk, whose line may end with extensions."""
    match = _CHUNK.fullmatch(await _line(reader))
    if match is None:
        raise HttpError(HTTPStatus.BAD_REQUEST)
    return int(match[1], 16)


async def _line(reader: asyncio.StreamReader) -> bytes:
    line = await reader.readuntil(b"\n")
    if len(line) > _MAX_LINE:
        raise HttpError(HTTPStatus.BAD_REQUEST)
    return line
