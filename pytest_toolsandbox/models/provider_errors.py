"""Explain why a model gave no answer: one line with the cause and the remedy.

litellm raises an ``InternalServerError`` with status 500 for a missing key, a broken connection and
a malformed reply alike. So the rules look at the causes: the HTTP status of the provider's answer,
and the error of the transport.
"""

from __future__ import annotations

import json
import os
import re
import socket
import ssl
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from http import HTTPStatus
from typing import Any, Final

from pytest_toolsandbox.text.formatting import format_seconds
from pytest_toolsandbox.text.redaction import redacted_line

from .errors import ProviderError
from .retry_after import asked_pause, pause_in

_TRACEBACK = "Traceback (most recent call last)"
_PREFIXES = re.compile(
    r"(?:(?:litellm\.)?\w*(?:Error|Exception|Timeout)(?: Error)?:\s*"
    r"|\w+(?:Error|Exception)(?: [\w ]+)? - )*"
)
_SUFFIX = re.compile(r"\.?\s*Handle with `[\w.]+`\.?$")
_NUMBER = re.compile(r"^\[Errno -?\d+\] ")
_TRANSPORTS = ("httpx", "httpcore", "socket", "ssl")
_ABOUT_KEYS = re.compile(r"credential|api[ _]?key", re.IGNORECASE)
_ABOUT_LENGTH: Final = re.compile(  # of a conversation; few providers have a code for it
    r"context (?:length|window|size|limit)|(?:prompt|input) is too long|maximum prompt length"
    r"|input tokens exceed|maximum number of (?:input )?tokens",
    re.IGNORECASE,
)
_MALFORMED_CALLS: Final = tuple(
    re.compile(pattern, re.IGNORECASE | re.DOTALL)
    for pattern in (
        r"failed to parse input at pos \d+: (?P<text>.*)",  # llama.cpp
        r"failed to parse tool call arguments as JSON: (?P<text>.*)",  # llama.cpp
        r"(?P<text>model produced output that does not match the expected .* format)",  # llama.cpp
        r"error parsing tool call: raw='(?P<text>.*)', err=",  # Ollama
        r"(?P<text>XML syntax error on line \d+: .*)",  # Ollama, for Qwen
        r"(?P<text>expected element type <\w+> but have <\w+>)",  # Ollama, for Qwen
        r"(?P<text>model produced invalid sequence as part of ToolUse)",  # Amazon Bedrock
    )
)
"""How servers refuse a call that they could not parse: with what the model wrote, or the reason."""
_TOOL_USE_FAILED: Final = "tool_use_failed"
"""Groq's code for them; what the model wrote is in ``failed_generation``, as with Cerebras."""
_MESSAGES = ("error", "message", "detail", "errors", "msg")
"""The keys under which providers say what is wrong."""
_MOST_NESTED = 6
_TRUSTED = (401, 402, 403, 404, 429, 503)  # litellm never invents these


@dataclass(frozen=True)
class ProviderFailure:
    """An exception of a client of models, with the facts that explain it.

    ``timeout`` is in seconds, or an object of httpx. ``missing`` are the variables of the
    provider's key that are not set; ``reply`` is the body of an answer with status 200.
    """

    model: str
    error: Exception
    timeout: Any
    missing: tuple[str, ...] = ()
    reply: str = ""

    @cached_property
    def chain(self) -> tuple[BaseException, ...]:
        """The exception and its causes, the first cause last."""
        chain: list[BaseException] = []
        cause: BaseException | None = self.error
        while cause is not None and cause not in chain:
            chain.append(cause)
            cause = cause.__cause__ or cause.__context__
        return tuple(chain)

    @cached_property
    def status(self) -> int | None:
        """The HTTP status of the provider's refusal, if it answered."""
        for error in reversed(self.chain):
            status = getattr(getattr(error, "response", None), "status_code", None)
            if isinstance(status, int) and not type(error).__module__.startswith("litellm"):
                return status
        claimed = getattr(self.error, "status_code", None)
        return claimed if claimed in _TRUSTED else None

    @cached_property
    def retry_after(self) -> float | None:
        """The pause in seconds that the provider asks for, in a header or in the body."""
        responses = (getattr(error, "response", None) for error in self.chain)
        headers = (getattr(response, "headers", None) or {} for response in responses)
        pauses = [asked_pause(header, datetime.now(UTC)) for header in headers]
        pauses += map(pause_in, self.bodies)
        return next((pause for pause in pauses if pause is not None), None)

    @cached_property
    def bodies(self) -> tuple[Any, ...]:
        """The bodies of the provider's refusal: JSON, or the text of a page."""
        return tuple(filter(None, map(_body, self.chain)))

    @cached_property
    def words(self) -> str:
        """The provider's own message after a colon: from its answer, or from litellm."""
        if self.error_in_reply:
            return f": {self.error_in_reply}"
        message = next(filter(None, map(_message_of, self.bodies)), None)
        is_about_code = isinstance(self.error, (LookupError, TypeError, AttributeError))
        quoted = _message(self.reply) or self.reply
        error_text = "" if is_about_code and quoted else _message(_text(self.error))
        message = message or error_text or quoted
        words = as_clause(message or getattr(self.chain[-1], "message", ""))
        return words and f": {words}"

    @cached_property
    def malformed_call(self) -> str | None:
        """What the model wrote as a call that its server could not parse, if that is the error.

        Such a call is a mistake of the model, not of its server: others hand it on as it is.
        """
        for body in self.bodies:
            error = body.get("error", body) if isinstance(body, Mapping) else {}
            if isinstance(error, Mapping):
                if written := error.get("failed_generation"):
                    return str(written)
                if error.get("code") == _TOOL_USE_FAILED:
                    return str(error.get("message"))
            for pattern in _MALFORMED_CALLS:
                if match := pattern.search(_message_of(body)):
                    return match["text"]
        return None

    @cached_property
    def error_in_reply(self) -> str:
        """The error in a reply with status 200, if it is not an answer."""
        try:
            value = json.loads(self.reply)
        except (ValueError, RecursionError):
            return ""
        if self.status or not isinstance(value, dict) or value.get("choices"):
            return ""
        error = next(filter(None, map(value.get, _MESSAGES)), "")
        return as_clause(_message_of(error) or error)

    @property
    def unanswered(self) -> str:
        """The timeout within which no answer came, if known, and the remedy."""
        if isinstance(self.timeout, (int, float)):
            return f"within {self.timeout:g} s; try again, or raise the timeout"
        return "within the timeout; try again, or raise it"

    @property
    def keys(self) -> str:
        """The variables to set: keys are alternatives; a key and an address are both needed."""
        return (" or " if self.lacks_keys_alone else " and ").join(self.missing)

    @property
    def lacks_keys_alone(self) -> bool:
        """Whether only keys are missing."""
        return all(name.endswith("_API_KEY") for name in self.missing)

    @property
    def is_about_a_key(self) -> bool:
        """Whether the provider refuses the key, or litellm has none."""
        unsent = self.status is None and _ABOUT_KEYS.search(self.words)
        refused = self.status == HTTPStatus.UNAUTHORIZED or self.has("AuthenticationError")
        return bool(unsent) or refused

    def has(self, name: str, code: str | None = None) -> bool:
        """Return whether the chain has an exception of this name, or with this code."""
        named = any(type(error).__name__ == name for error in self.chain)
        coded = any(getattr(error, "code", None) == code for error in self.chain)
        return named or (code is not None and coded)

    def first(self, kind: type[BaseException]) -> str:
        """Return the text of the chain's first exception of a kind."""
        return next((as_clause(error) for error in self.chain if isinstance(error, kind)), "")


class ReplyError(Exception):
    """A response with status 200 has no answer. The text says what to do."""

    @property
    def is_passing(self) -> bool:
        """Whether the next response may have an answer."""
        return str(self).endswith(_LATER)


def as_clause(text: object) -> str:
    """Return a provider's text as part of a line, without keys."""
    return redacted_line(str(text)).rstrip(".")


def key_variable(model: str) -> str:
    """Return the usual name of the variable for the provider's key."""
    return f"{model.removeprefix('litellm/').partition('/')[0].upper()}_API_KEY"


def explain(failure: ProviderFailure) -> ProviderError:
    """Return the error with one line, without keys: the model, the cause, the remedy."""
    for rule, text in _RULES:
        if detail := rule(failure):
            line = f"{failure.model}: {text.format(found=detail, f=failure)}"
            passing, pause = _is_passing(failure, text), failure.retry_after
            error = ProviderError(line, failure.status, is_passing=passing, retry_after=pause)
            error.lacks_key = text == _SET_KEY
            return error
    raise AssertionError  # the last rule holds for every failure


def _broken_off(failure: ProviderFailure) -> bool:
    """An error in a reply with status 200: the reply has it, or litellm raises a bare exception."""
    root = failure.chain[-1]
    is_bare = type(root) is Exception and hasattr(root, "message")
    return failure.status is None and (is_bare or bool(failure.error_in_reply))


def _no_key(failure: ProviderFailure) -> bool:
    """A provider that requires a key, and none is set, whatever else went wrong."""
    takes_tokens = failure.model.startswith("azure/")
    needs = failure.missing and failure.lacks_keys_alone and not takes_tokens
    return bool(needs) and not failure.status


def _connection(failure: ProviderFailure) -> str | None:
    errors = [] if failure.status else list(filter(_is_of_transport, failure.chain))
    return _NUMBER.sub("", as_clause(errors[-1])) if errors else None


def _is_too_long(failure: ProviderFailure) -> bool:
    says_so = failure.status in (400, 422, 500) and bool(_ABOUT_LENGTH.search(failure.words))
    return says_so or failure.has("ContextWindowExceededError", "context_length_exceeded")


def _refused_key(failure: ProviderFailure) -> str | None:
    variable = key_variable(failure.model)
    source = variable if variable in os.environ else "its value"
    return source if failure.is_about_a_key else None


def _is_passing(failure: ProviderFailure, text: str) -> bool:
    """Return whether a failure that ``text`` explains is temporary."""
    if isinstance(failure.error, ReplyError):
        return failure.error.is_passing
    if _is_too_long(failure):
        return False
    if text == _CONNECTION:
        is_permanent = any(isinstance(error, _PERMANENT) for error in failure.chain)
        return not (is_permanent or failure.has("UnsupportedProtocol"))  # of a base URL
    if failure.status:
        is_temporary = (
            failure.status in _TEMPORARY or failure.status >= HTTPStatus.INTERNAL_SERVER_ERROR
        )
        return is_temporary and not failure.has("", "insufficient_quota")
    return text in (_FAILED, _NO_ANSWER)


def _status(failure: ProviderFailure) -> str | None:
    status = failure.status
    if status is None:
        return None
    is_outage = status == HTTPStatus.REQUEST_TIMEOUT or status >= HTTPStatus.INTERNAL_SERVER_ERROR
    problem, remedy = _OUTAGE if is_outage else _STATUSES.get(status, _REJECTED)
    if failure.retry_after:
        remedy = f"wait {format_seconds(failure.retry_after)}"
    return f"{problem} ({status}){failure.words}; {remedy}"


_LATER: Final = "; try again later"
_FAILED: Final = f"the provider failed{{f.words}}{_LATER}"
_NO_ANSWER: Final = "no answer {f.unanswered}"
_CONNECTION: Final = (
    "the connection failed: {found}; check the network, and the base URL if you set one"
)
_TEMPORARY: Final = (
    *(HTTPStatus.REQUEST_TIMEOUT, HTTPStatus.CONFLICT),
    *(HTTPStatus.TOO_EARLY, HTTPStatus.TOO_MANY_REQUESTS),
)
"""Statuses below 500 of temporary errors."""
_PERMANENT: Final = (ConnectionRefusedError, socket.gaierror, ssl.SSLError)
"""Errors of a wrong address or a server that is off, which a retry does not cure."""
_SERVER: Final = "check the model server, and the base URL if you set one"
TOO_LONG: Final = (
    "the conversation is longer than the model's context window{words}; "
    "use a model with a larger one"
)
OTHER_WORDS: Final = "change the scenario's words, or use another model"
_SET_KEY: Final = "no API key; set {f.keys} in the environment"
_OUTAGE: Final = ("the provider failed", "try again later")
_REJECTED: Final = ("the provider rejects the request", "check the parameters")
_STATUSES: Final[dict[int, tuple[str, str]]] = {
    **dict.fromkeys(_TEMPORARY, (_REJECTED[0], _OUTAGE[1])),
    **dict.fromkeys((301, 302, 307, 308), (_REJECTED[0], "check the base URL")),
    402: ("the provider wants to be paid", "check the account"),
    403: ("the provider denies access", "check what the key may use"),
    404: (
        "the provider does not know the model",
        "check its name, and the base URL if you set one",
    ),
    413: ("the request is too large for the provider", "check the limits of the account"),
    429: ("the rate limit or the quota is used up", "wait, or play fewer scenarios at a time"),
}
_RULES: Final[tuple[tuple[Callable[[ProviderFailure], object], str], ...]] = (
    (lambda f: isinstance(f.error, ReplyError), "{f.error}"),
    (_broken_off, _FAILED),
    # If warnings are errors, litellm reports a warning in its own code as an outage.
    (
        lambda f: f.first(Warning),
        "the client stopped at a warning: {found}; let it pass in filterwarnings",
    ),
    (
        lambda f: not f.status and any("Timeout" in type(error).__name__ for error in f.chain),
        _NO_ANSWER,
    ),
    (
        lambda f: f.has("LocalProtocolError") or f.has("UnicodeEncodeError"),
        "the request cannot be sent; look for spaces and line breaks in the key",
    ),
    (_no_key, _SET_KEY),
    (_connection, _CONNECTION),
    (
        _is_too_long,
        TOO_LONG.format(words="{f.words}"),
    ),
    (
        lambda f: (
            f.has("ContentPolicyViolationError", "content_policy_violation")
            or f.has("", "invalid_prompt")
        ),
        f"the provider's content policy refuses the conversation{{f.words}}; {OTHER_WORDS}",
    ),
    (
        lambda f: "LLM Provider NOT provided" in str(f.error) and f.model.partition("/")[0],
        "litellm knows no provider {found!r}; see https://docs.litellm.ai/docs/providers",
    ),
    (lambda f: f.first(ImportError), "the client lacks a package: {found}"),
    (lambda f: f.missing and f.is_about_a_key, _SET_KEY),
    (
        lambda f: f.status is None and f.is_about_a_key,
        "litellm finds no API key{f.words}; set it in the environment",
    ),
    (
        _refused_key,
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
"""Condition and explanation of a failure ``f``; the first condition that holds is used."""


def _is_of_transport(error: BaseException) -> bool:
    """Return whether the transport raised it; litellm's APIConnectionError is any failure."""
    module = type(error).__module__.partition(".")[0]
    if module == "openai":
        return type(error).__name__ == "APIConnectionError"
    return module in _TRANSPORTS or isinstance(error, ConnectionError)


def _text(error: BaseException) -> str:
    """Return the text of an error without litellm's additions."""
    text = _PREFIXES.sub("", str(error).partition(_TRACEBACK)[0], count=1).strip()
    return _SUFFIX.sub("", text)


def _body(error: BaseException) -> Any:
    """Return the body of the answer in an error, or the JSON in its text; ``None`` without one."""
    if body := getattr(error, "body", None):
        return body
    return _json(_text(error))


def _json(text: str) -> Any:
    """Return the object or the list at the beginning of a text, ``None`` without one."""
    try:
        value = json.JSONDecoder().raw_decode(text)[0]
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, (dict, list)) else None


def _message(text: str) -> str:
    """Return the message in the JSON at the start of a text, or the text itself."""
    value = _json(text)
    return text if value is None else _message_of(value)


def _message_of(body: object, depth: int = 0) -> str:
    """Return the message in the body of an error, in the layouts of all providers.

    ``{"error": {"message": …}}`` is usual; there are also lists of such objects, and ``detail`` and
    ``errors`` with texts, objects or lists.
    """
    if isinstance(body, str) or depth == _MOST_NESTED:
        return body if isinstance(body, str) else ""
    if isinstance(body, list):
        return "; ".join(filter(None, (_message_of(item, depth + 1) for item in body)))
    if not isinstance(body, Mapping):
        return ""
    parts = (_message_of(body.get(key), depth + 1) for key in _MESSAGES)
    message = next(filter(None, parts), "")
    metadata = body.get("metadata")  # OpenRouter's, with the error of the provider behind it
    if isinstance(metadata, Mapping) and isinstance(raw := metadata.get("raw"), str):
        return f"{message}: {_message(raw)}"
    place = body.get("loc") if message else None  # of an argument, as pydantic writes it
    return f"{'.'.join(map(str, place))}: {message}" if isinstance(place, list) else message
