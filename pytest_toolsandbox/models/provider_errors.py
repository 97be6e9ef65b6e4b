"""Why a model gave no answer, in one line that says what to do.

litellm's classes tell little: a missing key, a broken connection and a malformed reply are all an
``InternalServerError`` with status 500. So the rules look at what lies beneath: whether the
provider answered with an HTTP status, and which error the transport raised.
"""

from __future__ import annotations

import contextlib
import json
import math
import os
import re
import socket
import ssl
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import cached_property
from http import HTTPStatus
from typing import Any, Final

from pytest_toolsandbox.text.redaction import redacted_line

from .errors import ProviderError

_TRACEBACK = "Traceback (most recent call last)"
_PREFIXES = re.compile(
    r"(?:(?:litellm\.)?\w*(?:Error|Exception|Timeout)(?: Error)?:\s*"
    r"|\w+(?:Error|Exception)(?: [\w ]+)? - )*"
)
_SUFFIX = re.compile(r"\.?\s*Handle with `[\w.]+`\.?$")
_NUMBER = re.compile(r"^\[Errno -?\d+\] ")
_TRANSPORTS = ("httpx", "httpcore", "socket", "ssl")
_ABOUT_KEYS = re.compile(r"credential|api[ _]?key", re.IGNORECASE)
_TRUSTED = (401, 402, 403, 404, 429, 503)  # the statuses that litellm never makes up


@dataclass(frozen=True)
class ProviderFailure:
    """An exception of litellm's, with what is needed to explain it.

    ``timeout`` is in seconds, or an object of httpx's. ``missing`` are the variables that hold the
    provider's key, if they are not set; ``reply`` is the body of an answer with status 200.
    """

    model: str
    error: Exception
    timeout: Any
    missing: tuple[str, ...] = ()
    reply: str = ""

    @cached_property
    def chain(self) -> tuple[BaseException, ...]:
        """The exception and those that led to it, the first cause last."""
        chain: list[BaseException] = []
        cause: BaseException | None = self.error
        while cause is not None and cause not in chain:
            chain.append(cause)
            cause = cause.__cause__ or cause.__context__
        return tuple(chain)

    @cached_property
    def status(self) -> int | None:
        """The HTTP status with which the provider refused, if it answered with one."""
        for error in reversed(self.chain):
            status = getattr(getattr(error, "response", None), "status_code", None)
            if isinstance(status, int) and not type(error).__module__.startswith("litellm"):
                return status
        claimed = getattr(self.error, "status_code", None)
        return claimed if claimed in _TRUSTED else None

    @cached_property
    def retry_after(self) -> float | None:
        """The seconds to wait for which the provider asks, in one of the forms of its header."""
        for response in (getattr(error, "response", None) for error in self.chain):
            headers = getattr(response, "headers", None) or {}
            for name, unit in (("retry-after-ms", 1000), ("retry-after", 1)):
                with contextlib.suppress(LookupError, ValueError):
                    if math.isfinite(seconds := float(headers[name]) / unit):
                        return max(0.0, seconds)
            with contextlib.suppress(LookupError, ValueError, TypeError):
                then = parsedate_to_datetime(headers["retry-after"])
                return max(0.0, (then - datetime.now(UTC)).total_seconds())
        return None

    @cached_property
    def words(self) -> str:
        """The provider's own, after a colon: in the body of its answer, or as litellm has them."""
        bodies = [getattr(error, "body", None) for error in self.chain]
        messages = (
            body.get("message") if isinstance(body, Mapping) else _page(body) for body in bodies
        )
        if self.told:
            return f": {self.told}"
        text = _PREFIXES.sub("", str(self.error).partition(_TRACEBACK)[0], count=1).strip()
        text = _SUFFIX.sub("", text)
        found = next(filter(None, messages), None) or _message(text)
        words = as_clause(found or _message(self.reply) or getattr(self.chain[-1], "message", ""))
        return words and f": {words}"

    @cached_property
    def told(self) -> str:
        """What a reply with status 200 says that is no answer, but an error."""
        try:
            value = json.loads(self.reply)
        except (ValueError, RecursionError):
            return ""
        if self.status or not isinstance(value, dict) or value.get("choices"):
            return ""
        error = next(filter(None, map(value.get, ("error", "message", "detail", "errors"))), "")
        words = error.get("message") if isinstance(error, dict) else None
        return as_clause(words or error)

    @property
    def unanswered(self) -> str:
        """What to do where no answer came, and within how many seconds, if that is known."""
        if isinstance(self.timeout, (int, float)):
            return f"within {self.timeout:g} s; try again, or raise the timeout"
        return "within the timeout; try again, or raise it"

    @property
    def provider(self) -> str:
        """What stands before the model's name."""
        return self.model.partition("/")[0]

    @property
    def keys(self) -> str:
        """The variables to set: several keys are alternatives; a key and an address are not."""
        return (" or " if self.lacks_keys_alone else " and ").join(self.missing)

    @property
    def lacks_keys_alone(self) -> bool:
        """Whether nothing but a key is missing."""
        return all(name.endswith("_API_KEY") for name in self.missing)

    @property
    def is_about_a_key(self) -> bool:
        """Whether the provider refuses the key, or litellm finds none."""
        unsent = self.status is None and _ABOUT_KEYS.search(self.words)
        refused = self.status == HTTPStatus.UNAUTHORIZED or self.has("AuthenticationError")
        return bool(unsent) or refused

    def has(self, name: str, code: str | None = None) -> bool:
        """Whether the chain has an exception of this name, or the provider's code for it."""
        named = any(type(error).__name__ == name for error in self.chain)
        coded = any(getattr(error, "code", None) == code for error in self.chain)
        return named or (code is not None and coded)

    def first(self, kind: type[BaseException]) -> str:
        """Return the text of the first exception of a kind in the chain."""
        return next((as_clause(error) for error in self.chain if isinstance(error, kind)), "")


class ReplyError(Exception):
    """A response with status 200 has no answer in it. Its text says what to do."""

    @property
    def is_passing(self) -> bool:
        """Whether there may be an answer in the next one."""
        return str(self).endswith(_LATER)


def as_clause(text: object) -> str:
    """Return a text from outside as part of a line, without keys."""
    return redacted_line(str(text)).rstrip(".")


def key_variable(model: str) -> str:
    """Return the variable that holds the provider's key, as most providers have it."""
    return f"{model.partition('/')[0].upper()}_API_KEY"


def explain(failure: ProviderFailure) -> ProviderError:
    """Return the error with one line, without keys: the model, what happened, what to do."""
    for rule, text in _RULES:
        if found := rule(failure):
            line = f"{failure.model}: {text.format(found=found, f=failure)}"
            passes, wait = _passes(failure, text), failure.retry_after
            error = ProviderError(line, failure.status, is_passing=passes, retry_after=wait)
            error.lacks_key = text == _SET_KEY
            return error
    raise AssertionError  # the last rule holds for every failure


def _broken_off(failure: ProviderFailure) -> bool:
    """An error in a reply with status 200: the reply says so, or litellm by a bare exception."""
    root = failure.chain[-1]
    is_bare = type(root) is Exception and hasattr(root, "message")
    return failure.status is None and (is_bare or bool(failure.told))


def _no_key(failure: ProviderFailure) -> bool:
    """A provider that takes nothing but a key, and none is set: whatever else went wrong."""
    takes_tokens = failure.provider == "azure"
    needs = failure.missing and failure.lacks_keys_alone and not takes_tokens
    return bool(needs) and not failure.status


def _connection(failure: ProviderFailure) -> str | None:
    errors = [] if failure.status else list(filter(_is_of_transport, failure.chain))
    return _NUMBER.sub("", as_clause(errors[-1])) if errors else None


def _held_key(model: str) -> str:
    variable = key_variable(model)
    return variable if variable in os.environ else "its value"


def _passes(failure: ProviderFailure, text: str) -> bool:
    """Whether a failure that is explained by ``text`` may be gone in a moment."""
    if isinstance(failure.error, ReplyError):
        return failure.error.is_passing
    if text == _CONNECTION:
        return not any(isinstance(error, _LASTING) for error in failure.chain)
    if failure.status:
        passes = failure.status in _PASSING or failure.status >= HTTPStatus.INTERNAL_SERVER_ERROR
        return passes and not failure.has("", "insufficient_quota")
    return text in (_FAILED, _NO_ANSWER)


def _status(failure: ProviderFailure) -> str | None:
    status = failure.status
    if status is None:
        return None
    outage = status == HTTPStatus.REQUEST_TIMEOUT or status >= HTTPStatus.INTERNAL_SERVER_ERROR
    what, remedy = _OUTAGE if outage else _STATUSES.get(status, _REJECTED)
    if failure.retry_after:
        remedy = f"wait {math.ceil(failure.retry_after)} s"
    return f"{what} ({status}){failure.words}; {remedy}"


_LATER: Final = "; try again later"
_FAILED: Final = f"the provider failed{{f.words}}{_LATER}"
_NO_ANSWER: Final = "no answer {f.unanswered}"
_CONNECTION: Final = (
    "the connection failed: {found}; check the network, and the base URL if you set one"
)
_PASSING: Final = (
    *(HTTPStatus.REQUEST_TIMEOUT, HTTPStatus.CONFLICT),
    *(HTTPStatus.TOO_EARLY, HTTPStatus.TOO_MANY_REQUESTS),
)
"""The statuses below 500 that may be other ones in a moment."""
_LASTING: Final = (ConnectionRefusedError, socket.gaierror, ssl.SSLError)
"""What no connection fails for that was one before: a wrong address, or a server that is off."""
_SERVER: Final = "check the model server, and the base URL if you set one"
LONGER: Final = (
    "the conversation is longer than the model's context window{words}; "
    "use a model with a larger one"
)
OTHER_WORDS: Final = "change the scenario's words, or use another model"
_SET_KEY: Final = "no API key; set {f.keys} in the environment"
_OUTAGE: Final = ("the provider failed", "try again later")
_REJECTED: Final = ("the provider rejects the request", "check the parameters")
_STATUSES: Final = {
    402: ("the provider wants to be paid", "check the account"),
    403: ("the provider denies access", "check what the key may use"),
    404: (
        "the provider does not know the model",
        "check its name, and the base URL if you set one",
    ),
    429: ("the rate limit or the quota is used up", "wait, or play fewer scenarios at a time"),
}
_RULES: Final[tuple[tuple[Callable[[ProviderFailure], object], str], ...]] = (
    (lambda f: isinstance(f.error, ReplyError), "{f.error}"),
    (_broken_off, _FAILED),
    # Where warnings are errors, litellm takes one that was raised in it for an outage.
    (
        lambda f: f.first(Warning),
        "litellm stopped at a warning: {found}; let it pass in filterwarnings",
    ),
    (
        lambda f: not f.status and any("Timeout" in type(one).__name__ for one in f.chain),
        _NO_ANSWER,
    ),
    (
        lambda f: f.has("LocalProtocolError"),
        "the request cannot be sent; look for spaces and line breaks in the key",
    ),
    (_no_key, _SET_KEY),
    (
        _connection,
        _CONNECTION,
    ),
    (
        lambda f: f.has("ContextWindowExceededError", "context_length_exceeded"),
        LONGER.format(words="{f.words}"),
    ),
    (
        lambda f: f.has("ContentPolicyViolationError", "content_policy_violation"),
        f"the provider's content policy refuses the conversation{{f.words}}; {OTHER_WORDS}",
    ),
    (
        lambda f: "LLM Provider NOT provided" in str(f.error),
        "litellm knows no provider {f.provider!r}; see https://docs.litellm.ai/docs/providers",
    ),
    (lambda f: f.first(ImportError), "litellm lacks a package: {found}"),
    (lambda f: f.missing and f.is_about_a_key, _SET_KEY),
    (
        lambda f: f.status is None and f.is_about_a_key,
        "litellm finds no API key{f.words}; set it in the environment",
    ),
    (
        lambda f: f.is_about_a_key and _held_key(f.model),
        "the provider refuses the API key ({f.status}){f.words}; check {found}",
    ),
    (_status, "{found}"),
    (lambda f: f.first(json.JSONDecodeError), f"the reply is not JSON: {{found}}; {_SERVER}"),
    (
        lambda f: getattr(f.error, "status_code", None) == HTTPStatus.BAD_REQUEST,
        "litellm does not send the request{f.words}; check the parameters",
    ),
    (lambda _: True, f"the reply is not a chat completion{{f.words}}; {_SERVER}"),
)
"""When each explanation holds, and the explanation of ``f``; the first that holds is the one."""


def _is_of_transport(error: BaseException) -> bool:
    """Say no to APIConnectionError of litellm's own: it stands for any failure whatever."""
    module = type(error).__module__.partition(".")[0]
    if module == "openai":
        return type(error).__name__ == "APIConnectionError"
    return module in _TRANSPORTS or isinstance(error, ConnectionError)


def _page(body: object) -> str:
    """Return a body that is no JSON, of which the OpenAI client may say the status alone."""
    return body if isinstance(body, str) else ""


def _message(text: str) -> str:
    """Take the message out of an error object, ``{"error": {"message": …}}``, if it is one."""
    try:
        value = json.JSONDecoder().raw_decode(text)[0]
    except (ValueError, RecursionError):
        return text
    error = (value.get("error") or value) if isinstance(value, dict) else text
    return str(error.get("message", "") if isinstance(error, dict) else error)
