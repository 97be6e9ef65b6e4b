"""``--agent=http://HOST/PATH``: a service in any language, which gets a POST request for a turn."""

from __future__ import annotations

import json
import logging
import uuid
from contextlib import suppress
from dataclasses import dataclass, field
from http.client import HTTPException
from typing import Any, ClassVar, Final
from urllib.error import HTTPError
from urllib.request import Request, urlopen

from pytest_toolsandbox.agents.toolbox import Toolbox
from pytest_toolsandbox.models.errors import AgentError
from pytest_toolsandbox.text.redaction import redacted_line

from . import Program
from .turns import reply_in, request_for

_log: Final = logging.getLogger(__name__)
"""Logs requests and answers at the level DEBUG."""
_MAX_BYTES: Final = 16 * 1024 * 1024
"""The limit of an answer."""
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


@dataclass(frozen=True)
class _ServiceConversation:
    url: str
    identifier: str = field(default_factory=lambda: uuid.uuid4().hex)

    def run_turn(self, message: str, toolbox: Toolbox) -> str:
        """Post a turn and return the reply; ``conversation`` is the same for all of its turns."""
        headers = {"Content-Type": "application/json", "Accept": "application/json"}
        text = json.dumps({"conversation": self.identifier, **request_for(message, toolbox)})
        _log.debug("POST %s", text)
        request = Request(self.url, text.encode(), headers)  # noqa: S310  # http alone
        return reply_in(self._answer_to(request), self.url, toolbox)

    def _answer_to(self, request: Request) -> dict[str, Any]:
        body = b""
        try:
            with urlopen(request) as response:  # noqa: S310  # http alone
                body = response.read(_MAX_BYTES)
                _log.debug("%s %s", response.status, body.decode(errors="replace"))
        except HTTPError as error:
            with suppress(OSError, HTTPException):
                body = error.read(_MAX_BYTES)
            _log.debug("%s %s", error.code, body.decode(errors="replace"))
            text = redacted_line(body.decode(errors="replace"), _SHOWN)
            raise AgentError(f"{self.url} answered with status {error.code}: {text}") from error
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
