"""Servers that refuse what real providers refuse, in the providers' own words.

A test scripts what the model wants, in ``Turn``s; a ``Dialect`` says how its provider writes that
and what it demands of the next request. The sources are the documentation of providers and reports
of their users; the modules of the dialects name them.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import pytest
from model_server import KEY, Answer, ModelServer, Request, Response, body

from pytest_toolsandbox.models.model_agent import ModelAgent
from pytest_toolsandbox.models.providers import is_known


@dataclass(frozen=True)
class Turn:
    """What the model does next: think, say something, call tools, end for a reason.

    ``calls`` are ``(name, arguments)``; arguments that are text are what the model wrote, which may
    be no JSON. ``ending`` is a finish reason of the provider, other than the usual one.
    """

    text: str = ""
    calls: tuple[tuple[str, Any], ...] = ()
    thought: str = ""
    ending: str = ""

    def written(self) -> list[tuple[str, str]]:
        """Return the calls with the arguments as text."""
        return [(name, a if isinstance(a, str) else json.dumps(a)) for name, a in self.calls]

    def malformed(self) -> str | None:
        """Return the arguments of the first call that are not a JSON object."""
        return next((text for _, text in self.written() if object_in(text) is None), None)


def replied(text: str) -> Turn:
    """Return a turn in which the model only says something."""
    return Turn(text)


def called(*calls: tuple[str, Any]) -> Turn:
    """Return a turn in which the model only calls tools."""
    return Turn(calls=calls)


class RefusedError(Exception):
    """The provider refuses a request. ``kind`` is the provider's own code or type of the error."""

    def __init__(self, message: str, status: int = 400, kind: str = "", **fields: Any) -> None:
        super().__init__(message)
        self.status, self.kind, self.fields = status, kind, fields


def demand(condition: object, message: str, status: int = 400, kind: str = "") -> None:
    """Raise if a request does not fulfil a condition."""
    if not condition:
        raise RefusedError(message, status, kind)


def object_in(text: Any) -> dict[str, Any] | None:
    """Return the JSON object in a text, ``None`` if it has none."""
    try:
        value = json.loads(text or "{}")
    except (TypeError, ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def sealed(thought: str) -> str:
    """Return a signature of a thought: opaque, and as long as those of real providers."""
    return base64.b64encode(f"{_digest(thought)}{thought}".encode()).decode()


def opened(signature: Any) -> str | None:
    """Return the thought that a signature is of, ``None`` if it is not one of this server's."""
    try:
        text = base64.b64decode(signature, validate=True).decode()
    except (TypeError, ValueError, binascii.Error):
        return None
    thought = text[len(_digest("")) :]
    return thought if text.startswith(_digest(thought)) else None


def _digest(thought: str) -> str:
    return hashlib.sha512(thought.encode()).hexdigest() * 4


@dataclass(frozen=True)
class Dialect:
    """What one provider's API is like.

    ``model`` is its name for litellm, ``base`` the end of the base URL, ``path`` a pattern of the
    path and ``key`` the header with the key. ``check`` raises :class:`RefusedError`, ``reply``
    returns the body of an answer or raises, ``error`` returns the body of a refusal. ``thoughts``
    are the model's own that a request brings back, or those that its signatures are of, in order.
    """

    model: str
    base: str
    path: str
    key: str
    check: Callable[[Mapping[str, Any]], None]
    reply: Callable[[Turn, int, Mapping[str, Any]], Any]
    error: Callable[[RefusedError], Any]
    thoughts: Callable[[Mapping[str, Any]], Iterator[str]]
    parameters: Mapping[str, Any] = field(default_factory=dict)


class StrictServer(ModelServer):
    """Plays a script of turns, or a function of the request's body, in a provider's dialect.

    A request is checked before its turn comes; ``refusals`` are the messages of those that failed.
    Answers in the script, such as ``fault(529, …)``, are sent as they are.
    """

    def __init__(
        self,
        dialect: Dialect,
        script: Iterable[Turn | Answer] | Callable[[Mapping[str, Any]], Turn | Answer],
    ) -> None:
        super().__init__(self._play)
        self.dialect = dialect
        self.refusals: list[str] = []
        self._script = script if callable(script) else None
        self._turns = iter(() if callable(script) else script)
        self._replies = 0

    @property
    def base_url(self) -> str:
        """The base URL for litellm and other clients."""
        return f"http://127.0.0.1:{self.server_port}{self.dialect.base}"

    def agent(self, client: str | None = None, **parameters: Any) -> ModelAgent:
        """Return the package's agent that asks this server; ``client`` is as in ``conftest.py``."""
        if client == "" and not is_known(self.dialect.model):
            pytest.skip("litellm alone has this API")
        connection = {"api_base": self.base_url, "api_key": KEY, **self.dialect.parameters}
        return ModelAgent(f"{client or ''}{self.dialect.model}", 30, {**connection, **parameters})

    def thoughts(self, place: int = -1) -> list[str]:
        """Return what of its thoughts the model got back, in the last request or another."""
        return list(self.dialect.thoughts(self.requests[place].body))

    def _play(self, request: Request) -> Answer:
        with self._lock:
            try:
                self._admit(request)
            except RefusedError as refusal:  # also where a client only looks what a server can do
                return self._refuse(refusal)
            try:
                self.dialect.check(request.body)
                self._replies += 1
                turn = self._script(request.body) if self._script else next(self._turns, None)
                demand(turn is not None, "the script of the test has no turn left", 500)
                if isinstance(turn, Turn):
                    return body(self.dialect.reply(turn, self._replies, request.body))
                assert turn is not None
            except RefusedError as refusal:
                self.refusals.append(str(refusal))
                return self._refuse(refusal)
            return turn

    def _refuse(self, refusal: RefusedError) -> Response:
        return Response(refusal.status, json.dumps(self.dialect.error(refusal)).encode())

    def _admit(self, request: Request) -> None:
        known = re.fullmatch(self.dialect.path, request.path)
        demand(known, f"Not Found: {request.path}", 404, "not_found_error")
        key = request.headers.get(self.dialect.key, "").removeprefix("Bearer ")
        demand(key == KEY, "invalid API key", 401, "authentication_error")


def reading(turn: Turn, number: int) -> str:
    """Return what the model thinks in a turn: models that think always do."""
    return turn.thought or f"Thought {number}."
