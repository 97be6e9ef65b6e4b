"""Why a model gave no answer, in one line that says what to do.

litellm's classes tell little: a missing key, a broken connection and a malformed reply are all an
``InternalServerError`` with status 500. So the rules look at what lies beneath: whether the
provider answered with an HTTP status, and which error the transport raised.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from http import HTTPStatus

from pytest_toolsandbox.wording.redaction import shown

_TRACEBACK = "Traceback (most recent call last)"
_PREFIXES = re.compile(
    r"(?:(?:litellm\.)?\w*(?:Error|Exception|Timeout)(?: Error)?:\s*"
    r"|\w+(?:Error|Exception)(?: [\w ]+)? - )*"
)
_NUMBER = re.compile(r"^\[Errno -?\d+\] ")
_TRANSPORTS = ("httpx", "httpcore", "socket", "ssl")
_SET_KEY = "no API key; set {} in the environment"
_ABOUT_KEYS = re.compile(r"credential|api[ _]?key", re.IGNORECASE)
_TRUSTED = (401, 402, 403, 404, 429, 503)  # the statuses that litellm never makes up


@dataclass(frozen=True)
class ProviderFailure:
    """An exception of litellm's, with what is needed to explain it.

    ``timeout`` is in seconds. ``missing`` are the variables that hold the provider's key, if they
    are not set.
    """

    model: str
    error: Exception
    timeout: float
    missing: tuple[str, ...] = ()

    @cached_property
    def chain(self) -> tuple[BaseException, ...]:
        """The exception and those that led to it, the first cause last."""
        return tuple(_chain(self.error))

    @cached_property
    def status(self) -> int | None:
        """The HTTP status with which the provider refused; None if it said nothing of the kind."""
        for error in reversed(self.chain):
            status = getattr(getattr(error, "response", None), "status_code", None)
            if isinstance(status, int) and not type(error).__module__.startswith("litellm"):
                return status
        claimed = getattr(self.error, "status_code", None)
        return claimed if claimed in _TRUSTED else None

    @cached_property
    def said(self) -> str:
        """The provider's own words: in the body of its answer, or as litellm hands them on."""
        bodies = (getattr(error, "body", None) for error in self.chain)
        for body in bodies:
            if isinstance(body, Mapping) and body.get("message"):
                return clean(body["message"])
        text = _PREFIXES.sub("", str(self.error).partition(_TRACEBACK)[0], count=1).strip()
        return clean(_message(text) or getattr(self.chain[-1], "message", ""))

    def has(self, *names: str) -> bool:
        """Whether an exception of one of these names is in the chain."""
        return any(type(error).__name__ in names for error in self.chain)

    def coded(self, code: str) -> bool:
        """Whether the provider gave this as its error's code."""
        return any(getattr(error, "code", None) == code for error in self.chain)

    def saying(self, what: str) -> str:
        """Add the provider's words to what happened."""
        return f"{what}: {self.said}" if self.said else what


class ReplyError(Exception):
    """A response with status 200 has no answer in it. Its text says what to do."""


def clean(text: object) -> str:
    """Return a text from outside as part of a line, without keys."""
    return shown(str(text)).rstrip(".")


def key_variable(model: str) -> str:
    """Return the variable that holds the provider's key, as most providers have it."""
    return f"{model.partition('/')[0].upper()}_API_KEY"


def explain(failure: ProviderFailure) -> str:
    """Return one line, without keys: the model, what happened, what to do."""
    return f"{failure.model}: {next(found for rule in _RULES if (found := rule(failure)))}"


def _warning(failure: ProviderFailure) -> str | None:
    """Warnings are errors here, and litellm takes one that was raised in it for an outage."""
    for error in failure.chain:
        if isinstance(error, Warning):
            what = f"litellm stopped at a warning: {clean(error)}"
            return f"{what}; let it pass in filterwarnings"
    return None


def _timed_out(failure: ProviderFailure) -> str | None:
    if failure.status or not any("Timeout" in type(error).__name__ for error in failure.chain):
        return None
    return f"no answer within {failure.timeout:g} s; try again, or raise the timeout"


def _unsendable(failure: ProviderFailure) -> str | None:
    if not failure.has("LocalProtocolError"):
        return None
    return "the request cannot be sent; look for spaces and line breaks in the key"


def _not_connected(failure: ProviderFailure) -> str | None:
    errors = [] if failure.status else [error for error in failure.chain if _is_of_transport(error)]
    if not errors:
        return None
    reason = _NUMBER.sub("", clean(errors[-1]))
    return f"the connection failed: {reason}; check the network, and the base URL if you set one"


def _no_key(failure: ProviderFailure) -> str | None:
    """A provider that takes nothing but a key, and none is set: whatever else went wrong."""
    keys = failure.missing and all(name.endswith("_API_KEY") for name in failure.missing)
    takes_tokens = failure.model.startswith("azure/")
    if failure.status or not keys or takes_tokens:
        return None
    return _SET_KEY.format(_either(failure.missing))


def _refused_conversation(failure: ProviderFailure) -> str | None:
    for name, code, what, remedy in _REFUSALS:
        if failure.has(name) or failure.coded(code):
            return f"{failure.saying(what)}; {remedy}"
    return None


def _broken_off(failure: ProviderFailure) -> str | None:
    """An error in a reply with status 200: litellm raises a bare exception that has a message."""
    if isinstance(failure.error, ReplyError):
        return str(failure.error)
    root = failure.chain[-1]
    is_marked = failure.status is None and type(root) is Exception and hasattr(root, "message")
    return f"{failure.saying('the provider failed')}; try again later" if is_marked else None


def _unknown_provider(failure: ProviderFailure) -> str | None:
    if "LLM Provider NOT provided" not in str(failure.error):
        return None
    provider = failure.model.partition("/")[0]
    return f"litellm knows no provider {provider!r}; see https://docs.litellm.ai/docs/providers"


def _missing_package(failure: ProviderFailure) -> str | None:
    missing = next((error for error in failure.chain if isinstance(error, ImportError)), None)
    return f"litellm lacks a package: {clean(missing)}" if missing else None


def _key(failure: ProviderFailure) -> str | None:
    unsent = failure.status is None and _ABOUT_KEYS.search(failure.said)
    if not (
        unsent or failure.status == HTTPStatus.UNAUTHORIZED or failure.has("AuthenticationError")
    ):
        return None
    if failure.missing:
        return _SET_KEY.format(_either(failure.missing))
    if failure.status is None:
        return f"{failure.saying('litellm finds no API key')}; set it in the environment"
    variable = key_variable(failure.model)
    remedy = f"check {variable}" if variable in os.environ else "check its value"
    return f"{failure.saying(f'the provider refuses the API key ({failure.status})')}; {remedy}"


def _status(failure: ProviderFailure) -> str | None:
    if failure.status is None:
        return None
    outage = (
        failure.status == HTTPStatus.REQUEST_TIMEOUT
        or failure.status >= HTTPStatus.INTERNAL_SERVER_ERROR
    )
    what, remedy = _OUTAGE if outage else _STATUSES.get(failure.status, _REJECTED)
    wait = _retry_after(failure)
    return f"{failure.saying(f'{what} ({failure.status})')}; {f'wait {wait} s' if wait else remedy}"


def _unusable(failure: ProviderFailure) -> str:
    """Whatever litellm made of a reply that is none, or of a request that it would not send."""
    for error in failure.chain:
        if isinstance(error, json.JSONDecodeError):
            return f"the reply is not JSON: {error}; {_SERVER}"
    if getattr(failure.error, "status_code", None) == HTTPStatus.BAD_REQUEST:
        return f"{failure.saying('litellm does not send the request')}; check the parameters"
    return f"{failure.saying('the reply is not a chat completion')}; {_SERVER}"


_SERVER = "check the model server, and the base URL if you set one"
_OUTAGE = ("the provider failed", "try again later")
_REJECTED = ("the provider rejects the request", "check the parameters")
_STATUSES = {
    402: ("the provider wants to be paid", "check the account"),
    403: ("the provider denies access", "check what the key may use"),
    404: (
        "the provider does not know the model",
        "check its name, and the base URL if you set one",
    ),
    429: ("the rate limit or the quota is used up", "wait, or play fewer scenarios at a time"),
}
_REFUSALS = (
    (
        "ContextWindowExceededError",
        "context_length_exceeded",
        "the conversation is longer than the model's context window",
        "use a model with a larger one",
    ),
    (
        "ContentPolicyViolationError",
        "content_policy_violation",
        "the provider's content policy refuses the conversation",
        "change the scenario's words, or use another model",
    ),
)
"""Exception of litellm's, code of the provider's, what happened, and what to do."""
_RULES: tuple[Callable[[ProviderFailure], str | None], ...] = (
    _broken_off,
    _warning,
    _timed_out,
    _unsendable,
    _no_key,
    _not_connected,
    _refused_conversation,
    _unknown_provider,
    _missing_package,
    _key,
    _status,
    _unusable,
)


def _chain(error: BaseException) -> Iterator[BaseException]:
    seen: set[int] = set()
    cause: BaseException | None = error
    while cause is not None and id(cause) not in seen:
        seen.add(id(cause))
        yield cause
        cause = cause.__cause__ or cause.__context__


def _is_of_transport(error: BaseException) -> bool:
    """Say no to APIConnectionError of litellm's own: it stands for any failure whatever."""
    module = type(error).__module__.partition(".")[0]
    if module == "openai":
        return type(error).__name__ == "APIConnectionError"
    return module in _TRANSPORTS or isinstance(error, ConnectionError)


def _message(text: str) -> str:
    """Take the message out of an error object, ``{"error": {"message": …}}``, if it is one."""
    try:
        value = json.JSONDecoder().raw_decode(text)[0]
    except ValueError:
        return text
    error = value.get("error", value) if isinstance(value, dict) else text
    return str(error.get("message", "") if isinstance(error, dict) else error)


def _either(names: tuple[str, ...]) -> str:
    """Several keys are alternatives; a key, a version and an address are needed together."""
    alternatives = all(name.endswith("_API_KEY") for name in names)
    return (" or " if alternatives else " and ").join(names)


def _retry_after(failure: ProviderFailure) -> str | None:
    """Return the seconds after which the provider wants to be asked again, if it says so."""
    for error in reversed(failure.chain):
        headers = getattr(getattr(error, "response", None), "headers", None) or {}
        if re.fullmatch(r"\d+", headers.get("retry-after", "")):
            return str(headers["retry-after"])
    return None
