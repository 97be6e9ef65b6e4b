"""``--agent=http://HOST/PATH``: a service in any language, which gets a POST request for a turn."""

from __future__ import annotations

import json
import logging
import uuid
import zlib
from contextlib import suppress
from dataclasses import dataclass, field
from http.client import HTTPException, HTTPResponse
from typing import Any, ClassVar, Final
from urllib.error import HTTPError
from urllib.parse import urljoin
from urllib.request import HTTPRedirectHandler, OpenerDirector, Request, build_opener

from pytest_toolsandbox.agents.toolbox import Toolbox
from pytest_toolsandbox.models.errors import AgentError
from pytest_toolsandbox.text.redaction import redacted_line

from . import Program
from .turns import reply_in, request_for, without_address

_log: Final = logging.getLogger(__name__)
"""Logs requests and answers at the level DEBUG."""
_MAX_BYTES: Final = 16 * 1024 * 1024
"""The limit of an answer, also of one that is decompressed."""
_ZLIB: Final = ("gzip", "x-gzip", "deflate")
_ANY_HEADER: Final = 32 + zlib.MAX_WBITS
"""Has zlib see itself which of the formats it reads."""
_SHOWN: Final = 200
"""Characters of a wrong answer that an error shows."""


@dataclass(frozen=True)
class Service(Program):
    """Talks to one service in every conversation."""

    is_remote: ClassVar = True

    url: str

    def __call__(self) -> _ServiceConversation:
        """Return the agent of one conversation."""
        return _ServiceConversation(self.url)


class _NoRedirects(HTTPRedirectHandler):
    """Makes an error of a redirect: the address is what the user has named, and none other."""

    def http_error_302(self, *_: Any, **__: Any) -> None:
        """Do nothing, not even read the address, which may be none."""

    http_error_301 = http_error_303 = http_error_307 = http_error_308 = http_error_302


@dataclass(frozen=True)
class _ServiceConversation:
    url: str
    identifier: str = field(default_factory=lambda: uuid.uuid4().hex)
    # An opener of its own has no cookies, also if the user's code has installed one that has.
    opener: OpenerDirector = field(default_factory=lambda: build_opener(_NoRedirects))

    def run_turn(self, message: str, toolbox: Toolbox) -> str:
        """Post a turn and return the reply; ``conversation`` is the same for all of its turns."""
        headers = {"Content-Type": "application/json", "Accept": "application/json"}
        text = json.dumps({"conversation": self.identifier, **request_for(message, toolbox)})
        _log.debug("POST %s", without_address(text))
        request = Request(self.url, text.encode(), headers)  # noqa: S310  # http alone
        return reply_in(self._answer_to(request), self.url, toolbox)

    def _answer_to(self, request: Request) -> dict[str, Any]:
        try:
            with self.opener.open(request) as response:
                body = self._body_of(response)
                _log.debug("%s %s", response.status, body.decode(errors="replace"))
        except HTTPError as error:
            raise self._refusal(error) from error
        except (OSError, HTTPException) as error:
            raise AgentError(f"{self.url} cannot be reached: {error}") from error
        try:
            value = json.loads(body)
        except (ValueError, RecursionError):
            value = None
        if not isinstance(value, dict):
            shown = redacted_line(body.decode(errors="replace"), _SHOWN)
            raise AgentError(f"{self.url} answered {shown!r}; expected a JSON object")
        return value

    def _body_of(self, response: HTTPResponse) -> bytes:
        """Return the body, decompressed. Raises :class:`AgentError` if it is too long."""
        body = response.read(_MAX_BYTES + 1)
        coding = response.headers.get("Content-Encoding", "identity").strip().lower()
        if coding in _ZLIB:
            try:
                body = zlib.decompressobj(_ANY_HEADER).decompress(body, _MAX_BYTES + 1)
            except zlib.error as error:
                raise AgentError(f"{self.url} answered with {coding} that is broken") from error
        elif coding != "identity":
            raise AgentError(f"{self.url} answered with Content-Encoding {coding}; expected gzip")
        if len(body) > _MAX_BYTES:
            raise AgentError(f"{self.url} answered with more than {_MAX_BYTES} bytes")
        return body

    def _refusal(self, error: HTTPError) -> AgentError:
        """Return the error for a status that is not a success."""
        body = b""
        with suppress(OSError, HTTPException):
            body = error.read(_MAX_BYTES)
        _log.debug("%s %s", error.code, body.decode(errors="replace"))
        answered = f"{self.url} answered with status {error.code}"
        target = error.headers.get("Location")
        if target and error.code in range(300, 400):
            with suppress(ValueError):  # it is no address
                target = urljoin(self.url, target)
            shown = redacted_line(target, _SHOWN)
            return AgentError(f"{answered}, a redirect to {shown}; name the address that is meant")
        return AgentError(f"{answered}: {redacted_line(body.decode(errors='replace'), _SHOWN)}")
