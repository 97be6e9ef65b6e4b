"""A service that is asked for each turn by POST (``http://…``)."""

from __future__ import annotations

import json
import logging
import uuid
from contextlib import suppress
from dataclasses import dataclass, field
from http.client import HTTPException
from typing import Any, Final
from urllib.error import HTTPError
from urllib.request import Request, urlopen

from pytest_toolsandbox.agents.toolbox import Toolbox
from pytest_toolsandbox.models.errors import AgentError
from pytest_toolsandbox.wording.redaction import redacted_line

from .command import reply_in, turn_to_tell
from .process import LONGEST

_log: Final = logging.getLogger(__name__)
"""What a service is sent and answers, as it is, at the level DEBUG."""
_SHOWN = 200


@dataclass(frozen=True)
class Service:
    """Talks to one service in every conversation."""

    url: str

    def __call__(self) -> _Conversation:
        """Return the agent of one conversation."""
        return _Conversation(self.url)


@dataclass(frozen=True)
class _Conversation:
    url: str
    identifier: str = field(default_factory=lambda: uuid.uuid4().hex)

    def run_turn(self, message: str, toolbox: Toolbox) -> str:
        """Post a turn and return the reply; ``conversation`` is the same for all of its turns."""
        asked = {"conversation": self.identifier, **turn_to_tell(message, toolbox)}
        headers = {"Content-Type": "application/json", "Accept": "application/json"}
        text = json.dumps(asked)
        _log.debug("POST %s", text)
        request = Request(self.url, text.encode(), headers)  # noqa: S310  # http alone
        return reply_in(self._answered(request), self.url, toolbox)

    def _answered(self, request: Request) -> dict[str, Any]:
        body = b""
        try:
            with urlopen(request) as response:  # noqa: S310  # http alone
                body = response.read(LONGEST)
                _log.debug("%s %s", response.status, body.decode(errors="replace"))
        except HTTPError as error:
            with suppress(OSError, HTTPException):
                body = error.read(_SHOWN)
            _log.debug("%s %s", error.code, body.decode(errors="replace"))
            said = redacted_line(body.decode(errors="replace"), _SHOWN)
            raise AgentError(f"{self.url} answered with status {error.code}: {said}") from error
        except (OSError, HTTPException) as error:
            raise AgentError(f"{self.url} cannot be reached: {error}") from error
        try:
            value = json.loads(body)
        except (ValueError, RecursionError):
            value = None
        if not isinstance(value, dict):
            shown = redacted_line(body[:_SHOWN].decode(errors="replace"), _SHOWN)
            raise AgentError(f"{self.url} answered {shown!r}; expected a JSON object")
        return value
